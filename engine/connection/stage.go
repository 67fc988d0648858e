package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/executor"
	"pfsd/engine/planning"
	"pfsd/engine/stages"
	"pfsd/instr"
)

// stageRule returns a rule that changes nothing. A stage begins when the analyzer applies it.
func stageRule(stage func(*stages.Classes) *instr.StageClass) analyzer.RuleFunc {
	return func(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if w := workOf(ctx); w != nil && !w.Current.planned {
			w.takeBackDatabase(ctx)
			if w.plans.EntersStage(stage(&w.Stages)) {
				w.Thread.StartStage(stage(&w.Stages))
			}
		}
		return n, transform.SameTree, nil
	}
}

// addJoinRules adds rules around the choice of join orders and indexes, which the stage "statistics" shows.
func addJoinRules(a *analyzer.Analyzer) error {
	for name, around := range map[string]func(analyzer.RuleFunc) analyzer.RuleFunc{
		"pushdownSubqueryAliasFilters": planning.DerivedFilters,
		"applyIndexesFromOuterScope":   planning.OuterIndexes,
		"replaceCrossJoins":            planning.CrossJoins,
		"pushFilters":                  planning.OneFilter,
		"simplifyFilters":              planning.NeverJoins,
		"hoistOutOfScopeFilters":       planning.OwnFilters,
		"modifyUpdateExprsForJoin":     planning.UpdatedTables,
		"unnestInSubqueries":           planning.SubqueryJoins,
		"unnestExistsSubqueries":       planning.SubqueryJoins,
	} {
		if err := planning.ReplaceRule(a, name, func(r analyzer.Rule) []analyzer.Rule {
			return []analyzer.Rule{{Id: r.Id, Apply: around(r.Apply)}}
		}); err != nil {
			return err
		}
	}
	return planning.ReplaceRule(a, "optimizeJoins", func(r analyzer.Rule) []analyzer.Rule {
		return []analyzer.Rule{
			{Id: outerJoinsRule, Apply: planning.OuterJoins},
			{Id: rangeJoinsRule, Apply: planning.RangeJoins},
			{Id: tableAliasesRule, Apply: planning.TableAliases},
			{Id: semiJoinsRule, Apply: executor.KeepSemiJoins},
			{Id: statisticsRule, Apply: stageRule(func(s *stages.Classes) *instr.StageClass { return s.Statistics })},
			{Id: r.Id, Apply: planning.JoinOrder(planning.OuterColumns(r.Apply))},
			{Id: preparingRule, Apply: stageRule(func(s *stages.Classes) *instr.StageClass { return s.Preparing })},
		}
	})
}
