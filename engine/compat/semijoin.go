package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// KeepSemiJoins is a rule for the analyzer, before it chooses how to join.
//
// go-mysql-server: may make of EXISTS a join with the distinct rows of the other table, which it
// tells apart by the bytes of their texts, and so yields a row for each spelling that is equal.
// MySQL: yields it once. With a condition that says again that the texts are equal, in a way that
// the planner does not look through, EXISTS stays what it is.
func KeepSemiJoins(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		j, ok := n.(*plan.JoinNode)
		if !ok || !j.Op.IsSemi() || j.Filter == nil {
			return n, transform.SameTree, nil
		}
		var texts sql.Expression
		sql.Inspect(ctx, j.Filter, func(ctx *sql.Context, e sql.Expression) bool {
			if e, ok := e.(*expression.Equals); ok && types.IsTextOnly(e.Left().Type(ctx)) && types.IsTextOnly(e.Right().Type(ctx)) {
				texts = e
			}
			return texts == nil
		})
		if texts == nil {
			return n, transform.SameTree, nil
		}
		return j.WithFilter(expression.NewAnd(j.Filter, expression.NewIsTrue(texts))), transform.NewTree, nil
	})
}
