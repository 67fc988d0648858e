package plancache

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/executor"
	"pfsd/engine/usertables"
)

// form returns a plan without subqueries in the form in which it is kept. It makes the changes that
// otherwise are made at each execution: an UPDATE compares texts by bytes, and stores values that
// fit into its columns. Users' tables return only the columns that the plan uses, in the order in
// which it uses them, so that a projection of these columns has nothing to do.
//
// The analyzer does not remove columns from a table that only conditions use, even if an index has
// replaced these conditions.
func form(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	n, _, err := transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		switch n := n.(type) {
		case *plan.Update:
			changed, err := usertables.UpdateByBytes(ctx, n)
			if changed != nil || err != nil {
				return changed, transform.NewTree, err
			}
		case *plan.UpdateSource:
			stored, changed, err := executor.StoreUpdate(ctx, n, false)
			if changed || err != nil {
				return stored, transform.NewTree, err
			}
		case *plan.Project, *plan.GroupBy:
			narrow, err := narrowedBelow(ctx, n)
			if narrow != nil || err != nil {
				return narrow, transform.NewTree, err
			}
		}
		return n, transform.SameTree, nil
	})
	return n, err
}

// narrowedBelow returns n with a table below it that returns only the columns that n and the nodes
// between n and the table use. It returns nil if the table does so already, or if there is more
// than one table.
func narrowedBelow(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	path := []sql.Node{n} // the nodes from n down to the table
	var access *plan.IndexedTableAccess
	for access == nil {
		children := path[len(path)-1].Children()
		if len(children) != 1 {
			return nil, nil
		}
		switch c := children[0].(type) {
		case *plan.Filter, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset:
			path = append(path, c)
		case *plan.IndexedTableAccess:
			access = c
		default:
			return nil, nil
		}
	}
	resolved, ok := access.TableNode.(*plan.ResolvedTable)
	if !ok || usertables.Stored(access.Table) == nil {
		return nil, nil
	}
	table, ok := sql.GetUnderlyingTable(access.Table).(sql.ProjectedTable)
	schema := access.Schema(ctx)
	if !ok || len(table.Projections()) != len(schema) {
		return nil, nil
	}
	used := usedColumns(ctx, path)
	if slices.ContainsFunc(used, func(i int) bool { return i >= len(schema) }) || len(used) == 0 || len(used) == len(schema) && slices.IsSorted(used) {
		return nil, nil
	}
	names := make([]string, len(used))
	for i, at := range used {
		names[i] = schema[at].Name
	}
	projected, err := table.WithProjections(ctx, names)
	if err != nil {
		return nil, err
	}
	indexed, ok := projected.(sql.IndexedTable)
	if !ok {
		return nil, nil
	}
	below, err := resolved.ReplaceTable(ctx, indexed)
	if err != nil {
		return nil, err
	}
	narrow := *access
	narrow.TableNode, narrow.Table = below, indexed
	child := sql.Node(&narrow)
	for _, n := range slices.Backward(path) {
		if child, err = n.WithChildren(ctx, child); err != nil {
			return nil, err
		}
		if child, err = withIndexes(ctx, child, used); err != nil {
			return nil, err
		}
	}
	return child, nil
}

// usedColumns returns the positions of the columns that the expressions of some nodes use, in the
// order in which they use them.
func usedColumns(ctx *sql.Context, nodes []sql.Node) (used []int) {
	for _, n := range nodes {
		e, ok := n.(sql.Expressioner)
		if !ok {
			continue
		}
		for _, e := range e.Expressions() {
			transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
				if f, ok := e.(*expression.GetField); ok && !slices.Contains(used, f.Index()) {
					used = append(used, f.Index())
				}
				return false
			})
		}
	}
	return used
}

// withIndexes returns n with columns that refer to their positions in used.
func withIndexes(ctx *sql.Context, n sql.Node, used []int) (sql.Node, error) {
	e, ok := n.(sql.Expressioner)
	if !ok {
		return n, nil
	}
	all := slices.Clone(e.Expressions())
	for i, e := range all {
		var err error
		all[i], _, err = transform.Expr(ctx, e, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			if f, ok := e.(*expression.GetField); ok {
				return f.WithIndex(slices.Index(used, f.Index())), transform.NewTree, nil
			}
			return e, transform.SameTree, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return e.WithExpressions(ctx, all...)
}
