package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// CountStars is a rule of the analyzer in the place of the rule replace, which puts the number of a table's rows in the place of
// COUNT(*) where it is the only thing that is selected.
//
// go-mysql-server: where that is in EXISTS, the query becomes a table of a join, and what stands for the number cannot be one: it panics.
// MySQL: counts. Here statements with queries in them count their rows.
func CountStars(replace analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !flags.SubqueryIsSet() {
			return replace(ctx, a, n, scope, sel, flags)
		}
		if plan.IsDDLNode(n) {
			return n, transform.SameTree, nil
		}
		return transform.NodeExprs(ctx, n, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			count, ok := e.(*aggregation.Count)
			if !ok {
				return e, transform.SameTree, nil
			}
			if _, ok := count.Child.(*expression.Star); !ok {
				return e, transform.SameTree, nil
			}
			ones, err := count.WithChildren(ctx, expression.NewLiteral(int64(1), types.Int64))
			return ones, transform.NewTree, err
		})
	}
}

// AddCountStars puts CountStars in its place.
func AddCountStars(a *analyzer.Analyzer) {
	for _, b := range a.Batches {
		for i, r := range b.Rules {
			if r.Id.String() == "replaceCountStar" {
				rules := append([]analyzer.Rule(nil), b.Rules...)
				rules[i].Apply = CountStars(r.Apply)
				b.Rules = rules
			}
		}
	}
}
