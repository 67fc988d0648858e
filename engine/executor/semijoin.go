package executor

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
)

// KeepSemiJoins is an analyzer rule that runs before the rule that chooses the order of joins.
//
// go-mysql-server: may turn EXISTS and IN into a join with the distinct values of the other table's
// columns, whatever the condition is. Several of these may match one row, which is then repeated:
// for few.a = t.a OR few.b = t.b, or the texts '1' and '1.0' compared with the number 1. MySQL:
// returns the row once. A second, equivalent condition that the planner does not understand keeps
// the EXISTS.
func KeepSemiJoins(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !mends.SemiJoins.On() {
		return n, transform.SameTree, nil
	}
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		j, ok := n.(*plan.JoinNode)
		if !ok || !j.Op.IsSemi() || j.Filter == nil {
			return n, transform.SameTree, nil
		}
		asked := expression.SplitConjunction(ctx, j.Filter)
		i := slices.IndexFunc(asked, func(e sql.Expression) bool { return !fitsOnce(ctx, e) })
		if i < 0 {
			// A join with a row of an EXISTS has columns that nobody reads, for which go-mysql-server's join of distinct values panics.
			if !hasLimit(j.Left()) {
				return n, transform.SameTree, nil
			}
			i = 0
		}
		return j.WithFilter(expression.NewAnd(j.Filter, expression.NewIsTrue(asked[i]))), transform.NewTree, nil
	})
}

// hasLimit reports whether the join n has a table of which few rows are read.
func hasLimit(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.Limit:
		return true
	case *plan.JoinNode:
		return hasLimit(n.Left()) || hasLimit(n.Right())
	case *plan.Filter:
		return hasLimit(n.Child)
	}
	return false
}

// fitsOnce reports whether at most one distinct value of a column can match a value of the other
// column: the condition is an equality of columns of the same kind.
func fitsOnce(ctx *sql.Context, e sql.Expression) bool {
	equals, ok := e.(*expression.Equals)
	if !ok {
		return false
	}
	left, isColumn := equals.Left().(*expression.GetField)
	right, areColumns := equals.Right().(*expression.GetField)
	if !isColumn || !areColumns {
		return false
	}
	l, r := left.Type(ctx), right.Type(ctx)
	switch {
	case types.IsTextOnly(l) && types.IsTextOnly(r):
		return keySchema(ctx, []sql.Expression{left})[0].Type.(sql.TypeWithCollation).Collation() ==
			keySchema(ctx, []sql.Expression{right})[0].Type.(sql.TypeWithCollation).Collation()
	case types.IsNumber(l):
		return types.IsNumber(r)
	}
	return l.Type() == r.Type()
}

// WithCondition returns the join j with a condition, nil if it needs none.
//
// go-mysql-server: the join for a NOT EXISTS whose subquery has no condition has none either, and
// panics if the other side is not a table, as in SHOW; so does an outer join whose condition is
// always true in some derived tables. MySQL: any row of the other side matches.
func WithCondition(j *plan.JoinNode) *plan.JoinNode {
	if j.Filter != nil || j.Op.IsCross() || j.Op.IsLateral() || !mends.SemiJoins.On() {
		return nil
	}
	return j.WithFilter(expression.NewLiteral(true, types.Boolean))
}
