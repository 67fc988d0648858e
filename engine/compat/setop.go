package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// SortSetOp returns a plan that does what n, a UNION, INTERSECT or EXCEPT, should do; nil if n
// does.
//
// go-mysql-server: where there are ORDER BY and OFFSET, leaves out rows before it sorts them.
// MySQL: sorts them first.
func SortSetOp(ctx *sql.Context, n *plan.SetOp) sql.Node {
	if len(n.SortFields) == 0 {
		return nil
	}
	rows := plan.NewSetOp(n.SetOpType, n.Left(), n.Right(), n.Distinct, nil, nil, nil)
	n.AddDispose(func() { rows.Dispose(ctx) })
	sorted := sql.Node(plan.NewSort(n.SortFields, rows))
	if n.Offset != nil {
		sorted = plan.NewOffset(n.Offset, sorted)
	}
	if n.Limit != nil {
		sorted = plan.NewLimit(n.Limit, sorted)
	}
	return sorted
}
