package executor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// Assignment returns e as what assigns a value to a column, and the column; nil if it is none.
func Assignment(e sql.Expression) (*expression.SetField, *expression.GetField) {
	if f, ok := e.(*expression.SetField); ok {
		if column, ok := f.LeftChild.(*expression.GetField); ok {
			return f, column
		}
	}
	return nil, nil
}

// oneTable tells whether all columns are of one table.
func oneTable(columns sql.Schema) bool {
	for _, c := range columns {
		if !strings.EqualFold(c.Source, columns[0].Source) || !strings.EqualFold(c.DatabaseSource, columns[0].DatabaseSource) {
			return false
		}
	}
	return true
}

// ColumnsOf returns where the columns of a table are in a schema.
func ColumnsOf(schema sql.Schema, table string) (start, end int, err error) {
	start = -1
	for i, c := range schema {
		switch is := strings.EqualFold(c.Source, table); {
		case is && start < 0:
			start = i
		case !is && start >= 0:
			return start, i, nil
		}
	}
	if start < 0 {
		return 0, 0, fmt.Errorf("no columns of table %q", table)
	}
	return start, len(schema), nil
}

// settingPresent returns the set expressions of an UPDATE, of which those for a table that has no row in rows set nothing; these are those of an
// outer join, nil for others. before is where the row before the update is while the expressions are evaluated.
//
// go-mysql-server: calculates values for a table that has no row, and counts it as changed if the condition of the join is true for NULLs, as
// with <=> or without a condition. MySQL: leaves the table out.
func settingPresent(ctx *sql.Context, set []sql.Expression, rows sql.Node, before *sql.Row) ([]sql.Expression, error) {
	if !mends.WrittenRows.On() || rows == nil {
		return set, nil
	}
	columns := rows.Schema(ctx)
	for i, e := range set {
		f, column := Assignment(e)
		if f == nil {
			continue
		}
		start, end, err := ColumnsOf(columns, column.Table())
		if err != nil {
			return nil, err
		}
		own := columns[start:end]
		at, key := own.IndexOfColName(column.Name()), own.IndexOfColName(neverNull(ctx, rows, column.Table()))
		if at < 0 || key < 0 { // an UPDATE of a join is of tables with a primary key
			return nil, sql.ErrTableColumnNotFound.New(column.Table(), column.Name())
		}
		value := &presentValue{expression.UnaryExpressionStub{Child: f.RightChild}, column.Index() - at + key, before}
		set[i] = expression.NewSetField(column, value)
	}
	return set, nil
}

// neverNull returns the name of a column of a table in rows that is NOT NULL in the table, "" if there is none.
func neverNull(ctx *sql.Context, rows sql.Node, table string) string {
	own := ownColumns(ctx, rows, table)
	if at := slices.IndexFunc(own, func(c *sql.Column) bool { return !c.Nullable }); at >= 0 {
		return own[at].Name
	}
	return ""
}

// ownColumns returns the columns of a table in rows as they are below the joins.
func ownColumns(ctx *sql.Context, rows sql.Node, table string) (own sql.Schema) {
	transform.Inspect(rows, func(n sql.Node) bool {
		if schema := n.Schema(ctx); len(schema) > 0 && oneTable(schema) && strings.EqualFold(schema[0].Source, table) {
			own = schema
		}
		return true
	})
	return own
}

// nullable tells whether a column may be NULL in its table. rows are those of an outer join, nil for others.
func nullable(ctx *sql.Context, column *expression.GetField, rows sql.Node) bool {
	if rows == nil {
		return column.IsNullable(ctx)
	}
	own := ownColumns(ctx, rows, column.Table())
	at := own.IndexOfColName(column.Name())
	return at < 0 || own[at].Nullable
}

// hasOuterJoin tells whether rows are those of an outer join.
func hasOuterJoin(rows sql.Node) (found bool) {
	transform.Inspect(rows, func(n sql.Node) bool {
		j, ok := n.(*plan.JoinNode)
		found = found || ok && j.JoinType().IsLeftOuter()
		return !found
	})
	return found
}

// presentValue is a value for a column of a table, NULL where the table has no row: then a column is NULL that never is.
type presentValue struct {
	expression.UnaryExpressionStub
	key    int // where that column is in the rows
	before *sql.Row
}

// String implements sql.Expression.
func (p *presentValue) String() string { return p.Child.String() }

// Type implements sql.Expression.
func (p *presentValue) Type(ctx *sql.Context) sql.Type { return p.Child.Type(ctx) }

// WithChildren implements sql.Expression.
func (p *presentValue) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(p, len(children), 1)
	}
	return &presentValue{expression.UnaryExpressionStub{Child: children[0]}, p.key, p.before}, nil
}

// Eval implements sql.Expression.
func (p *presentValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if (*p.before)[p.key] == nil {
		return nil, nil
	}
	return p.Child.Eval(ctx, row)
}
