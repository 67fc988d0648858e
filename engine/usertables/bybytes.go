package usertables

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/executor"
	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
)

// byBytes is a users' table that an UPDATE writes. Its texts are compared by their bytes.
//
// go-mysql-server: does not write a row if its new texts are equal to the old ones by their
// collations. MySQL: writes the row unless they are the same.
type byBytes struct {
	table
	schema sql.Schema
}

// indexedByBytes is a byBytes of a table whose rows an index finds.
type indexedByBytes struct {
	indexedTable
	schema sql.Schema
}

var (
	_ sql.TableWrapper = byBytes{}
	_ sql.TableWrapper = indexedByBytes{}
)

// Underlying implements sql.TableWrapper.
func (t byBytes) Underlying() sql.Table { return t.table }

// Underlying implements sql.TableWrapper.
func (t indexedByBytes) Underlying() sql.Table { return t.indexedTable }

// Schema implements sql.Table.
func (t byBytes) Schema(*sql.Context) sql.Schema { return t.schema }

// Schema implements sql.Table.
func (t indexedByBytes) Schema(*sql.Context) sql.Schema { return t.schema }

// BytesSchema returns schema with binary collations for its texts, so that rows are equal if what is stored for them is.
func BytesSchema(schema sql.Schema) sql.Schema {
	if !mends.UpdatedTexts.On() || !slices.ContainsFunc(schema, folds) {
		return schema
	}
	own := make(sql.Schema, len(schema))
	for i, c := range schema {
		own[i] = c
		if s, ok := c.Type.(sql.StringType); ok && folds(c) {
			bytes := *c
			bytes.Type = types.MustCreateString(s.Type(), s.Length(), sql.Collation_utf8mb4_0900_bin)
			own[i] = &bytes
		}
	}
	return own
}

// folds tells whether texts of a column can be equal although their bytes differ.
func folds(c *sql.Column) bool {
	_, ok := sqlexpr.Folding(c.Type)
	return ok
}

// UpdateByBytes returns n, an UPDATE, with a table that is compared by bytes, and with values that fit if it is that of a join or has triggers.
// It returns nil if n needs no change.
func UpdateByBytes(ctx *sql.Context, n *plan.Update) (sql.Node, error) {
	if isByBytes(n) {
		return nil, nil
	}
	child, now, err := storedUpdate(ctx, n.Child, false)
	if err != nil {
		return nil, err
	}
	if t, ok := child.(*plan.TriggerExecutor); ok && now {
		child = executor.Regenerate(ctx, t)
	}
	if now {
		changed, err := n.WithChildren(ctx, child)
		if err != nil {
			return nil, err
		}
		n = changed.(*plan.Update)
	}
	changed, same, err := transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *plan.ResolvedTable:
			return tableByBytes(ctx, n)
		case *plan.IndexedTableAccess:
			if rt, ok := n.TableNode.(*plan.ResolvedTable); ok {
				table, same, err := tableByBytes(ctx, rt)
				if err != nil || same {
					return n, same, err
				}
				changed := *n
				changed.TableNode = table.(sql.TableNode)
				return &changed, transform.NewTree, nil
			}
		case *plan.ForeignKeyHandler:
			if mends.UpdatedTexts.On() && slices.ContainsFunc(n.Sch, folds) {
				changed := *n
				changed.Sch = BytesSchema(n.Sch)
				return &changed, transform.NewTree, nil
			}
		}
		return n, transform.SameTree, nil
	})
	if err != nil || bool(same) && !now {
		return nil, err
	}
	return changed, nil
}

// storedUpdate returns n, the child of an UPDATE, with values that fit if a join is updated or triggers see the rows, and tells whether it was
// changed. changes says that a trigger sees its rows.
//
// go-mysql-server: compares the columns of a join by the types that the plan of the join has, and asks the plan again which rows an outer
// join has found. Neither is so of the plan that is carried out.
func storedUpdate(ctx *sql.Context, n sql.Node, changes bool) (sql.Node, bool, error) {
	switch n := n.(type) {
	case *plan.TriggerExecutor:
		left, now, err := storedUpdate(ctx, n.Left(), true)
		if err != nil || !now {
			return n, false, err
		}
		changed, err := n.WithChildren(ctx, left, n.Right())
		return changed, true, err
	case *plan.UpdateSource:
		if changes {
			stored, now, err := executor.StoreUpdate(ctx, n, true)
			if err != nil || !now {
				return n, false, err
			}
			return stored, true, nil
		}
	case *plan.UpdateJoin:
		source, ok := n.Child.(*plan.UpdateSource)
		if !ok {
			return n, false, nil
		}
		stored, now, err := executor.StoreUpdate(ctx, source, changes)
		if err != nil || !now {
			return n, false, err
		}
		rows := stored.Child.(*executor.Stored)
		rows = rows.WithSchema(BytesSchema(rows.Schema(ctx)))
		joined, err := n.WithChildren(ctx, plan.NewUpdateSource(rows, stored.Ignore, stored.UpdateExprs))
		return joined, true, err
	}
	return n, false, nil
}

// isByBytes tells whether n, an UPDATE of one table, is the result of UpdateByBytes.
func isByBytes(n *plan.Update) bool {
	source, ok := n.Child.(*plan.UpdateSource)
	if !ok {
		return false
	}
	child := source.Child
	if s, ok := child.(*executor.Stored); ok {
		child = s.Child
	}
	if keys, ok := child.(*plan.ForeignKeyHandler); ok {
		return !slices.ContainsFunc(keys.Sch, folds)
	}
	if access, ok := child.(*plan.IndexedTableAccess); ok {
		child = access.TableNode
	}
	table, ok := child.(*plan.ResolvedTable)
	if !ok {
		return false
	}
	switch table.Table.(type) {
	case byBytes, indexedByBytes:
		return true
	}
	return false
}

// tableByBytes returns n with a table that is compared by bytes.
func tableByBytes(ctx *sql.Context, n *plan.ResolvedTable) (sql.Node, transform.TreeIdentity, error) {
	switch n.Table.(type) {
	case byBytes, indexedByBytes:
		return n, transform.SameTree, nil
	}
	var own sql.Table
	switch t := sql.GetUnderlyingTable(n.Table).(type) { // without the table with which go-mysql-server reports the progress of a scan
	case table:
		own = byBytes{t, BytesSchema(t.Schema(ctx))}
	case temporaryTable:
		own = byBytes{t.table, BytesSchema(t.Schema(ctx))}
	case indexedTable:
		own = indexedByBytes{t, BytesSchema(t.Schema(ctx))}
	}
	if own == nil || !mends.UpdatedTexts.On() || !slices.ContainsFunc(n.Table.Schema(ctx), folds) {
		return n, transform.SameTree, nil
	}
	changed, err := n.ReplaceTable(ctx, own)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return changed.(sql.Node), transform.NewTree, nil
}
