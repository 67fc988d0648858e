package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/mends"
)

// OuterColumns returns the rule that chooses orders of joins and indexes. It does not see conditions that need columns of a statement around
// this one: what can be read by an index with their values is found by another rule.
//
// go-mysql-server: knows the columns of an index by their names alone, so that it reads an index of a table with what a condition says of a
// column of that name in an outer query, and forgets the condition. MySQL: the condition is one of the outer query's row.
func OuterColumns(choose analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !mends.OuterJoinFilters.On() {
			return choose(ctx, a, n, scope, sel, flags)
		}
		return withHidden(ctx, a, n, scope, sel, flags, choose, hideOuter)
	}
}

// hideOuter hides the conditions of n that need columns which no table below them has.
func hideOuter(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return hideConditions(ctx, n, func(ctx *sql.Context, child sql.Node, conditions []sql.Expression) (hidden bool, err error) {
		own := columnsOf(child)
		for i, c := range conditions {
			if needsOthers(ctx, c, own) {
				conditions[i], hidden = &hiddenCondition{expression.UnaryExpressionStub{Child: c}}, true
			}
		}
		return hidden, nil
	})
}

// needsOthers reports whether e compares columns of tables that are not among those of own.
func needsOthers(ctx *sql.Context, e sql.Expression, own sql.ColSet) (needs bool) {
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok && f.Id() != 0 && f.Table() != "" && !own.Contains(f.Id()) {
			needs = true
		}
		return !needs
	})
	return needs
}

// OwnFilters returns a rule in the place of the one that moves conditions of a subquery on columns of the query around it out of the subquery.
//
// go-mysql-server: x IN (SELECT y FROM t WHERE c) becomes x IN (SELECT y FROM t) AND c, which is NULL where c is, and fails in LATERAL. MySQL:
// where c is NULL, the subquery has no rows, so that x NOT IN it is true.
func OwnFilters(hoist analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if mends.OuterJoinFilters.On() {
			return n, transform.SameTree, nil
		}
		return hoist(ctx, a, n, scope, sel, flags)
	}
}
