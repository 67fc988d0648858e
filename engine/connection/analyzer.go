package connection

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"pfsd/engine/alldigits"
	"pfsd/engine/catalog"
	"pfsd/engine/executor"
	"pfsd/engine/metering"
	"pfsd/engine/parsing"
	"pfsd/engine/planning"
	"pfsd/engine/settypes"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/stages"
	"pfsd/engine/sysvar"
	"pfsd/engine/writes"
	"pfsd/instr"
)

// Numbers that no rules of the analyzer's own have.
const (
	plainDoublesRule = analyzer.RuleId(-1) - iota
	likeRangesRule
	initRule
	optimizingRule
	tableAliasesRule
	semiJoinsRule
	statisticsRule
	preparingRule
	memoryRule
	viewCommitRule
	windowColumnsRule
	ambiguousNamesRule
	exactnessRule
	hiddenChecksRule
	outerJoinsRule
	rangeJoinsRule
	setTypesRule
)

// NewAnalyzer makes the analyzer of plans, and the parser, which its overrides have.
func NewAnalyzer(pro *catalog.Provider, variables *sysvar.Server) (*analyzer.Analyzer, sql.EngineOverrides, error) {
	overrides := sql.EngineOverrides{
		Builder:         sql.BuilderOverrides{Parser: parsing.New(pro, variables)},
		SchemaFormatter: executor.SchemaFormatter{MySqlSchemaFormatter: &sql.MySqlSchemaFormatter{}},
	}
	rules, err := planning.KeepSorts(analyzer.NewBuilder(pro))
	if err != nil {
		return nil, overrides, err
	}
	if rules, err = planning.KeepAggregates(rules); err != nil {
		return nil, overrides, err
	}
	a := rules.AddOverrides(overrides).
		AddPreAnalyzeRule(initRule, stageRule(func(s *stages.Classes) *instr.StageClass { return s.Init })).
		AddPreAnalyzeRule(viewCommitRule, planning.CommitByDefinitions).
		AddPreAnalyzeRule(hiddenChecksRule, writes.ChecksOfDefinitions).
		AddPreAnalyzeRule(plainDoublesRule, sqlexpr.PlainDoubles).
		AddPreAnalyzeRule(likeRangesRule, sqlexpr.LikeRanges).
		AddPreAnalyzeRule(setTypesRule, settypes.Rule).
		AddPreAnalyzeRule(exactnessRule, alldigits.Exactness).
		AddPreAnalyzeRule(windowColumnsRule, planning.WindowColumns).
		AddPreAnalyzeRule(ambiguousNamesRule, planning.AmbiguousNames).
		AddPreAnalyzeRule(optimizingRule, stageRule(func(s *stages.Classes) *instr.StageClass { return s.Optimizing })).
		Build()
	if err := errors.Join(addJoinRules(a), planning.FullGroupBy(a)); err != nil {
		return nil, overrides, err
	}
	metering.AddRule(a, memoryRule)
	planning.StopPlanning(a)
	return a, overrides, nil
}
