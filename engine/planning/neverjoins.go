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

// takesTables tells whether a table without rows stands below a join or a statement that writes, in a subquery too.
func takesTables(ctx *sql.Context, n sql.Node) bool {
	return anyNode(ctx, n, func(n sql.Node) bool {
		switch n.(type) {
		case *plan.JoinNode, *plan.Update, *plan.DeleteFrom:
			return empty(ctx, n)
		}
		return false
	})
}

// empty tells whether n or a subquery in it, which may become a join with it, has a table without rows.
func empty(ctx *sql.Context, n sql.Node) bool {
	return anyNode(ctx, n, func(n sql.Node) bool {
		_, is := n.(*plan.EmptyTable)
		return is
	})
}

// anyNode tells whether is holds for n, or for a node below it or in a subquery of an expression.
func anyNode(ctx *sql.Context, n sql.Node, is func(sql.Node) bool) bool {
	found := false
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		found = found || is(n)
		if x, ok := n.(sql.Expressioner); ok && !found {
			for _, e := range x.Expressions() {
				sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
					if s, ok := e.(*plan.Subquery); ok {
						found = found || anyNode(ctx, s.Query, is)
					}
					return !found
				})
			}
		}
		return !found
	})
	return found
}
