package planning

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// RangeJoins is an analyzer rule that runs before the choice of join orders. It keeps joins by ranges from tables that have a
// condition of their own, and looks up by = before <=>.
//
// go-mysql-server: for t.c BETWEEN u.a AND u.b, and for an OR, it may read t by an index, and then loses the conditions on t. After a
// <=> it takes a = for one too. MySQL: tests all conditions. A condition that is written as IS TRUE is none of a range, and no OR.
func RangeJoins(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !mends.OuterJoinFilters.On() {
		return n, transform.SameTree, nil
	}
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		j, ok := n.(*plan.JoinNode)
		if !ok || j.Filter == nil {
			return n, transform.SameTree, nil
		}
		restricted := restrictedColumns(j)
		same := transform.SameTree
		conditions := append([]sql.Expression(nil), expression.SplitConjunction(ctx, j.Filter)...)
		if len(conditions) > 1 && !slices.IsSortedFunc(conditions, nullSafeLast) {
			slices.SortStableFunc(conditions, nullSafeLast)
			same = transform.NewTree
		}
		for i, c := range conditions {
			switch c.(type) {
			case *expression.Or, *expression.Between, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
				if needed, _ := neededBy(ctx, c); needed.Intersects(restricted) {
					conditions[i], same = expression.NewIsTrue(c), transform.NewTree
				}
			}
		}
		if same == transform.SameTree {
			return n, same, nil
		}
		return j.WithFilter(expression.JoinAnd(conditions...)), same, nil
	})
}

// nullSafeLast orders conditions so that <=> comes last.
func nullSafeLast(a, b sql.Expression) int {
	rank := func(e sql.Expression) int {
		if _, ok := e.(*expression.NullSafeEquals); ok {
			return 1
		}
		return 0
	}
	return rank(a) - rank(b)
}

// restrictedColumns returns the columns of those tables of a join that are read with a condition, or otherwise not as they are.
func restrictedColumns(n sql.Node) (columns sql.ColSet) {
	switch n := n.(type) {
	case *plan.JoinNode:
		return restrictedColumns(n.Left()).Union(restrictedColumns(n.Right()))
	case plan.TableIdNode:
		return columns
	}
	return columnsOf(n)
}
