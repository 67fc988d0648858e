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

// byBytes is a users' table that an UPDATE writes, whose texts are compared by their bytes.
//
// go-mysql-server: does not write a row whose texts equal the old ones by their collations. MySQL:
// writes it if they are not the same.
type byBytes struct {
	table
	schema sql.Schema
}

// indexedByBytes is the same of a table whose rows an index finds.
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

// bytesSchema is schema with the collations of its texts binary.
func bytesSchema(schema sql.Schema) sql.Schema {
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

// folds tells whether texts of a column can be equal though their bytes are not.
func folds(c *sql.Column) bool {
	_, ok := sqlexpr.Folding(c.Type)
	return ok
}

// UpdateByBytes is n, an UPDATE, with its table compared by bytes; nil if it is compared so anyhow.
func UpdateByBytes(ctx *sql.Context, n *plan.Update) (sql.Node, error) {
	if isByBytes(n) {
		return nil, nil
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
		}
		return n, transform.SameTree, nil
	})
	if err != nil || same {
		return nil, err
	}
	return changed, nil
}

// isByBytes tells whether n, an UPDATE of one table, is what UpdateByBytes has made.
func isByBytes(n *plan.Update) bool {
	source, ok := n.Child.(*plan.UpdateSource)
	if !ok {
		return false
	}
	child := source.Child
	if s, ok := child.(*executor.Stored); ok {
		child = s.Child
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

// tableByBytes is n with its table compared by bytes.
func tableByBytes(ctx *sql.Context, n *plan.ResolvedTable) (sql.Node, transform.TreeIdentity, error) {
	switch n.Table.(type) {
	case byBytes, indexedByBytes:
		return n, transform.SameTree, nil
	}
	var own sql.Table
	switch t := sql.GetUnderlyingTable(n.Table).(type) { // without what go-mysql-server tells the progress of a scan
	case table:
		own = byBytes{t, bytesSchema(t.Schema(ctx))}
	case temporaryTable:
		own = byBytes{t.table, bytesSchema(t.Schema(ctx))}
	case indexedTable:
		own = indexedByBytes{t, bytesSchema(t.Schema(ctx))}
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
