package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/hexliterals"
	"pfsd/engine/mends"
)

// storedSource returns an INSERT ... SELECT whose query has texts where storedTexts needs them.
func storedSource(ctx *sql.Context, i *plan.InsertInto) sql.Node {
	switch i.Source.(type) {
	case nil:
		return i
	case *plan.Values:
		return hexliterals.Values(ctx, i)
	}
	if !mends.ComparedMembers.On() || !i.Source.Resolved() {
		return i
	}
	schema, columns := i.Source.Schema(ctx), i.Destination.Schema(ctx)
	ids := ColumnIDs(ctx, i.Source)
	if len(ids) != len(schema) {
		return i
	}
	list := make([]sql.Expression, len(schema))
	changed := false
	for at, c := range schema {
		f := expression.NewGetFieldWithTable(int(ids[at]), 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
		list[at] = f
		to := at
		if len(i.ColumnNames) > 0 {
			if at >= len(i.ColumnNames) {
				return i
			}
			to = columns.IndexOfColName(i.ColumnNames[at])
		}
		if to < 0 || to >= len(columns) {
			return i
		}
		if text := storedText(ctx, columns[to].Type, selected(i.Source, at, f)); text != nil {
			list[at], changed = expression.NewAlias(c.Name, text).WithId(ids[at]), true
		}
	}
	if !changed {
		return i
	}
	return i.WithSource(plan.NewProject(list, i.Source))
}

// selected returns the literal that a query has as a column, or f, the column, if it has none.
func selected(n sql.Node, at int, f sql.Expression) sql.Expression {
	p, ok := n.(*plan.Project)
	if !ok {
		return f
	}
	e := p.Projections[at]
	if a, ok := e.(*expression.Alias); ok {
		e = a.Child
	}
	if l, ok := e.(*expression.Literal); ok {
		return l
	}
	return f
}

// ColumnIDs returns the numbers of the columns of a query, as go-mysql-server finds them for a set
// operation.
func ColumnIDs(ctx *sql.Context, n sql.Node) []sql.ColumnId {
	var ids []sql.ColumnId
	switch n := n.(type) {
	case *plan.Project:
		for _, e := range n.Projections {
			id := sql.ColumnId(0)
			if i, ok := e.(sql.IdExpression); ok {
				id = i.Id()
			}
			ids = append(ids, id)
		}
		return ids
	case *plan.SetOp:
		return ColumnIDs(ctx, n.Left())
	case plan.TableIdNode:
		n.Columns().ForEach(func(id sql.ColumnId) { ids = append(ids, id) })
		if schema := n.Schema(ctx); len(ids) != len(schema) {
			ids = make([]sql.ColumnId, len(schema))
		}
		return ids
	}
	if c := n.Children(); len(c) > 0 {
		return ColumnIDs(ctx, c[0])
	}
	return make([]sql.ColumnId, len(n.Schema(ctx)))
}
