package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
)

// HashesSubquery reports whether n, the inner side of a join, is looked up by the value of a
// subquery.
//
// go-mysql-server: calculates a subquery that is compared with a column of one side of the join on
// the rows of the other side, even if it refers to the first: wrong rows, or an error. MySQL:
// calculates it on the rows of the join. Without the lookup, the join tests its whole condition on
// each pair of rows.
func HashesSubquery(ctx *sql.Context, n *plan.HashLookup) bool {
	if !mends.SubqueryLookups.On() {
		return false
	}
	for _, key := range n.Expressions() {
		if transform.InspectExpr(ctx, key, func(_ *sql.Context, e sql.Expression) bool {
			_, ok := e.(*plan.Subquery)
			return ok
		}) {
			return true
		}
	}
	return false
}

// KeyHashes makes n, the inner side of a join, look rows up by keys that are the same for all values that are equal. It returns
// false if there are no such keys for the types of the columns; without the lookup, the join tests its condition on each pair
// of rows.
//
// go-mysql-server: converts values to a type in which values that are equal may differ, such as texts by their bytes, and so
// misses rows. MySQL: finds all values that are equal.
func KeyHashes(ctx *sql.Context, n *plan.HashLookup) bool {
	if !mends.JoinedTexts.On() {
		return true
	}
	if _, keyed := n.LeftProbeKey.(*sqlexpr.JoinKey); keyed || n.Lookup != nil {
		return true
	}
	left, right := []sql.Expression{n.LeftProbeKey}, []sql.Expression{n.RightEntryKey}
	if t, ok := n.LeftProbeKey.(expression.Tuple); ok {
		left = t
	}
	if t, ok := n.RightEntryKey.(expression.Tuple); ok {
		right = t
	}
	if len(left) == 0 && len(right) == 0 {
		return true // all rows of a cross join
	}
	l, r, ok := sqlexpr.JoinKeys(ctx, left, right)
	if !ok {
		return false
	}
	n.LeftProbeKey, n.RightEntryKey, n.CompareType = l, r, types.LongBlob
	return true
}
