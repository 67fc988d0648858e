package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/executor"
	"pfsd/engine/planning"
	"pfsd/engine/stages"
	"pfsd/instr"
)

// Numbers that no rules of the analyzer's own have.
const (
	plainDoublesRule = analyzer.RuleId(-1) - iota
	likeRangesRule
	initRule
	optimizingRule
	semiJoinsRule
	statisticsRule
	preparingRule
	memoryRule
	viewCommitRule
)

// stageRule is a rule that changes nothing: when the analyzer comes to it, a stage begins.
func stageRule(stage func(*stages.Classes) *instr.StageClass) analyzer.RuleFunc {
	return func(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if w := workOf(ctx); w != nil && !w.Current.planned {
			w.takeBackDatabase(ctx)
			if w.entersStage(stage(&w.Stages)) {
				w.Thread.StartStage(stage(&w.Stages))
			}
		}
		return n, transform.SameTree, nil
	}
}

// addJoinRules lets the analyzer note when it weighs what tables and indexes cost to read, with
// the statistics that it has of them, and when it is done with that.
func addJoinRules(a *analyzer.Analyzer) error {
	return planning.ReplaceRule(a, "optimizeJoins", func(r analyzer.Rule) []analyzer.Rule {
		return []analyzer.Rule{
			{Id: semiJoinsRule, Apply: executor.KeepSemiJoins},
			{Id: statisticsRule, Apply: stageRule(func(s *stages.Classes) *instr.StageClass { return s.Statistics })},
			{Id: r.Id, Apply: planning.JoinOrder(r.Apply)},
			{Id: preparingRule, Apply: stageRule(func(s *stages.Classes) *instr.StageClass { return s.Preparing })},
		}
	})
}

// wrapper is an iterator that the SQL engine puts around those of a plan.
type wrapper interface {
	GetIter() sql.RowIter
	WithChildIter(child sql.RowIter) sql.RowIter
}

// closed is an iterator that has been closed, with this outcome.
type closed struct {
	sql.RowIter
	err error
}

// Close implements sql.RowIter.
func (c closed) Close(*sql.Context) error { return c.err }

// closeRows closes rows: first what the plan is made of, which lets go of the tables, then the
// transaction if it ends here, then the rest. failure is what the statement has failed with.
func (w *Work) closeRows(ctx *sql.Context, rows sql.RowIter, failure error) error {
	w.Current.failed = failure != nil
	rows = w.closePlan(ctx, rows)
	defer w.undoIfFailed(ctx)
	w.Thread.StartStage(w.Stages.QueryEnd)
	return rows.Close(ctx)
}

// closePlan closes what the plan is made of and the transaction, and returns what is left of
// rows to close.
func (w *Work) closePlan(ctx *sql.Context, rows sql.RowIter) sql.RowIter {
	switch it := rows.(type) {
	case *rowexec.TransactionCommittingIter:
		w.Current.stage.EndProgress()
		w.Thread.StartStage(w.Stages.Closing)
		err := it.GetIter().Close(ctx)
		w.undoIfFailed(ctx)
		if err == nil {
			if w.trx.Alone() {
				w.Thread.StartStage(w.Stages.Committing)
				if w.Current.readOnly {
					return closed{err: w.endIdleTransaction(ctx)}
				}
			}
			err = it.WithChildIter(nil).Close(ctx)
		}
		return closed{err: err}
	case wrapper:
		return it.WithChildIter(w.closePlan(ctx, it.GetIter()))
	}
	return rows
}

// endIdleTransaction ends an autocommit transaction that has changed nothing, or nothing that is to stay.
func (w *Work) endIdleTransaction(ctx *sql.Context) error {
	tx := ctx.GetTransaction()
	if s, ok := ctx.Session.(sql.TransactionSession); ok && tx != nil {
		if err := s.Rollback(ctx, tx); err != nil {
			return err
		}
	}
	ctx.SetTransaction(nil)
	return nil
}
