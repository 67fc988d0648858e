package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// NeverJoins returns the rule that simplifies conditions. It leaves those that are never true where they would take tables away from a join,
// or from a statement that writes into them.
//
// go-mysql-server: puts a table without rows, whose columns nobody finds, in the place of the tables under such a condition. MySQL: the
// statement has the same tables, and no rows.
func NeverJoins(simplify analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		simple, same, err := simplify(ctx, a, n, scope, sel, flags)
		if err != nil || same == transform.SameTree || !mends.OuterJoinFilters.On() {
			return simple, same, err
		}
		if (takesTables(ctx, simple) || flags.SubqueryIsSet() && empty(ctx, simple)) && !empty(ctx, n) {
			return n, transform.SameTree, nil
		}
		return simple, same, nil
	}
}

// takesTables tells whether a table without rows stands below a join or a statement that writes.
func takesTables(ctx *sql.Context, n sql.Node) bool {
	found := false
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		switch n.(type) {
		case *plan.JoinNode, *plan.Update, *plan.DeleteFrom:
			found = found || empty(ctx, n)
		}
		return !found
	})
	return found
}

// empty tells whether n has a table without rows. A subquery may become a join with it.
func empty(ctx *sql.Context, n sql.Node) bool {
	found := false
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		_, is := n.(*plan.EmptyTable)
		found = found || is
		return !found
	})
	return found
}
