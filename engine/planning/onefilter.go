package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// OneFilter returns the rule that moves conditions to their tables. A table has all its conditions in one place before it runs.
//
// go-mysql-server: where conditions of a table stand in two places, one above the other, as one of a join's ON that needs only this table and
// one that was moved into a derived table, it loses all of them. MySQL: tests each condition.
func OneFilter(push analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !mends.FiltersOfFilters.On() {
			return push(ctx, a, n, scope, sel, flags)
		}
		merged, same, err := transform.Node(ctx, n, func(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
			above, ok := n.(*plan.Filter)
			if !ok {
				return n, transform.SameTree, nil
			}
			below, ok := above.Child.(*plan.Filter)
			if !ok {
				return n, transform.SameTree, nil
			}
			return plan.NewFilter(expression.JoinAnd(below.Expression, above.Expression), below.Child), transform.NewTree, nil
		})
		if err != nil {
			return n, transform.SameTree, err
		}
		pushed, samePushed, err := push(ctx, a, merged, scope, sel, flags)
		return pushed, same && samePushed, err
	}
}
