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

// WeighKeys makes n, the inner side of a join, look texts up by their collation weights.
//
// go-mysql-server: looks texts up by their bytes if there are several columns, or columns of
// different types, and so misses rows. MySQL: finds texts that are equal by their collation.
func WeighKeys(ctx *sql.Context, n *plan.HashLookup) {
	if !mends.JoinedTexts.On() {
		return
	}
	if n.Lookup != nil || weighed(n.LeftProbeKey) {
		return
	}
	left, leftMany := n.LeftProbeKey.(expression.Tuple)
	right, rightMany := n.RightEntryKey.(expression.Tuple)
	if !leftMany || !rightMany {
		left, right = expression.Tuple{n.LeftProbeKey}, expression.Tuple{n.RightEntryKey}
	}
	l, r, any := weighPairs(ctx, left, right)
	if !any {
		return
	}
	if leftMany && rightMany {
		n.LeftProbeKey, n.RightEntryKey = l, r
	} else {
		n.LeftProbeKey, n.RightEntryKey = l[0], r[0]
	}
	n.CompareType = types.GetCompareType(n.LeftProbeKey.Type(ctx), n.RightEntryKey.Type(ctx))
}

// weighPairs returns left and right with weights in place of texts, where both sides are texts. any
// reports whether there are any.
func weighPairs(ctx *sql.Context, left, right expression.Tuple) (l, r expression.Tuple, any bool) {
	if len(left) != len(right) {
		return left, right, false
	}
	l, r = append(l, left...), append(r, right...)
	for i := range l {
		if !types.IsTextOnly(l[i].Type(ctx)) || !types.IsTextOnly(r[i].Type(ctx)) {
			continue
		}
		c := sqlexpr.CommonCollation(ctx, l[i], r[i])
		l[i], r[i] = sqlexpr.NewWeight(l[i], c), sqlexpr.NewWeight(r[i], c)
		any = true
	}
	return l, r, any
}

// weighed reports whether a key has weights already.
func weighed(key sql.Expression) bool {
	if t, ok := key.(expression.Tuple); ok {
		for _, e := range t {
			if weighed(e) {
				return true
			}
		}
	}
	_, ok := key.(*sqlexpr.Weight)
	return ok
}
