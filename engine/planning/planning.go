package planning

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/sqlvalue"
)

// StopPlanning changes a so that the planning of a statement can end before and after each rule.
// Call it when the analyzer has all of its rules.
//
// go-mysql-server: plans a statement to the end, even if its context is cancelled. MySQL: KILL and
// max_execution_time end planning too.
//
// go-mysql-server has rules for simple statements that are not in the analyzer. These statements
// end only after they are planned.
func StopPlanning(a *analyzer.Analyzer) {
	for _, b := range a.Batches {
		rules := make([]analyzer.Rule, len(b.Rules))
		for i, r := range b.Rules {
			rules[i] = analyzer.Rule{Id: r.Id, Apply: stoppable(r.Apply)}
		}
		b.Rules = rules
	}
}

// stoppable returns a rule that applies rule, and returns an error if the statement must end before
// or after that.
func stoppable(rule analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if err := sqlvalue.Ended(ctx); err != nil {
			return n, transform.SameTree, err
		}
		planned, same, err := rule(ctx, a, n, scope, sel, flags)
		if err == nil {
			err = sqlvalue.Ended(ctx)
		}
		return planned, same, err
	}
}
