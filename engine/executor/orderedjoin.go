package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlexpr"
)

// Unordered returns the join j as one that needs no order of its rows, nil if the order of both sides is that of their comparison.
//
// go-mysql-server: merges the rows of two indexes, and looks for ranges in a heap, also where the two sides are in different
// orders, such as those of two collations. MySQL: has no such joins.
func Unordered(ctx *sql.Context, j *plan.JoinNode) sql.Node {
	if !mends.CheckedLookups.On() {
		return nil
	}
	op := plan.JoinTypeInner
	if j.Op.IsLeftOuter() {
		op = plan.JoinTypeLeftOuter
	}
	switch {
	case j.Op.IsMerge() && !j.Op.IsPartial():
		conditions := expression.SplitConjunction(ctx, j.Filter)
		if c, ok := conditions[0].(expression.Comparer); ok && inOneOrder(ctx, c.Left(), c.Right()) {
			return nil
		}
	case j.Op == plan.JoinTypeRangeHeap || j.Op == plan.JoinTypeLeftOuterRangeHeap:
		heap, ok := j.Right().(*plan.RangeHeap)
		if !ok || rangesInOneOrder(ctx, j.Filter) {
			return nil
		}
		return plan.NewJoin(j.Left(), heap.Child, op, j.Filter).WithScopeLen(j.ScopeLen)
	default:
		return nil
	}
	return plan.NewJoin(j.Left(), j.Right(), op, j.Filter).WithScopeLen(j.ScopeLen)
}

// inOneOrder reports whether the values of left and right are compared in the order that both have in an index.
func inOneOrder(ctx *sql.Context, left, right sql.Expression) bool {
	lefts, ok := left.(expression.Tuple)
	if rights, too := right.(expression.Tuple); ok && too && len(lefts) == len(rights) {
		for i := range lefts {
			if !inOneOrder(ctx, lefts[i], rights[i]) {
				return false
			}
		}
		return true
	}
	l, r := left.Type(ctx), right.Type(ctx)
	switch {
	case types.IsInteger(l) && types.IsInteger(r):
		return types.IsUnsigned(l) == types.IsUnsigned(r)
	case types.IsDecimal(l) && types.IsDecimal(r):
		return l.Equals(r)
	case types.IsFloat(l) && types.IsFloat(r):
		return true
	case types.IsTextOnly(l) && types.IsTextOnly(r):
		c := sqlexpr.CommonCollation(ctx, left, right)
		return c == l.(sql.TypeWithCollation).Collation() && c == r.(sql.TypeWithCollation).Collation()
	case types.IsTime(l) && types.IsTime(r), types.IsTimespan(l) && types.IsTimespan(r):
		return true
	}
	return types.IsBinaryType(l) && types.IsBinaryType(r) && l.Equals(r)
}

// rangesInOneOrder is inOneOrder for all comparisons in e.
func rangesInOneOrder(ctx *sql.Context, e sql.Expression) bool {
	same := true
	sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.Between:
			same = same && inOneOrder(ctx, e.Val, e.Lower) && inOneOrder(ctx, e.Val, e.Upper)
		case expression.Comparer:
			same = same && inOneOrder(ctx, e.Left(), e.Right())
		}
		return same
	})
	return same
}
