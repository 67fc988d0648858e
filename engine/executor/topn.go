package executor

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/mends"
)

// topMost is the largest number of rows that a sort keeps while it reads, for a LIMIT of up to that
// many rows.
const topMost = 10_000

// NewTop returns the first limit rows of child, the input of n, in the order of fields.
//
// go-mysql-server: allocates all rows that the LIMIT allows before it reads the first one, and
// panics for LIMIT 18446744073709551615, which some clients write for "all rows". MySQL: sorts the
// rows that there are.
func NewTop(ctx *sql.Context, n *plan.TopN, fields sql.SortFields, limit int64, child sql.RowIter) sql.RowIter {
	if limit < 0 { // limit and offset together overflow
		limit = math.MaxInt64
	}
	switch {
	case limit == 1:
		return iters.NewTopRowIter(pacedFields(fields), n.CalcFoundRows, child)
	case limit <= topMost || !mends.LargeLimits.On():
		return iters.NewTopRowsIter(pacedFields(fields), limit, n.CalcFoundRows, child, len(n.Child.Schema(ctx)))
	}
	return &iters.LimitIter{Limit: limit, CalcFoundRows: n.CalcFoundRows, ChildIter: NewSort(ctx, fields, child)}
}
