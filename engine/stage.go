package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/compat"
	"pfsd/engine/mdl"
	"pfsd/instr"
)

// stages are what a statement goes through, under MySQL's names. What MySQL does and this
// server does not, such as locking tables, has none; docs/differences.md has a list. Safe for
// concurrent use.
type stages struct {
	starting, permissions, opening, init               *instr.StageClass
	optimizing, statistics, preparing                  *instr.StageClass
	executing, inserting, updating, creating, altering *instr.StageClass
	renaming, explaining, sorting                      *instr.StageClass
	userSleep, userLock                                *instr.StageClass
	emptyQueue, nextActivation                         *instr.StageClass // of the scheduler of events
	// They tell how far they are; reading, rowUpdates, rowDeletes and writing take the place of
	// the stages before where there are many rows.
	copying, reading, rowUpdates, rowDeletes, writing *instr.StageClass
	heldBack                                          *instr.StageClass // its like is not in MySQL
	closing, committing, queryEnd, freeing, cleaning  *instr.StageClass
	// Waiting for a lock on a name; that of GET_LOCK is in userLock.
	locks map[mdl.Namespace]*instr.StageClass
}

func newStages(reg *instr.Registry) stages {
	stage := func(name string) *instr.StageClass { return reg.NewStageClass("sql/"+name, false) }
	progress := func(name string) *instr.StageClass { return reg.NewStageClass("sql/"+name, true) }
	return stages{
		starting: stage("starting"), permissions: stage("checking permissions"), opening: stage("Opening tables"),
		init: stage("init"), optimizing: stage("optimizing"), statistics: stage("statistics"), preparing: stage("preparing"),
		executing: stage("executing"), inserting: stage("update"), updating: stage("updating"),
		creating: stage("creating table"), altering: stage("altering table"),
		renaming: stage("rename"), explaining: stage("explaining"), sorting: progress("Creating sort index"),
		copying: progress("copy to tmp table"), reading: progress("Sending data"),
		rowUpdates: progress("Applying batch of row changes (update)"),
		rowDeletes: progress("Applying batch of row changes (delete)"),
		writing:    progress("Applying batch of row changes (write)"),
		userSleep:  stage("User sleep"), userLock: stage("User lock"),
		heldBack:   stage("Waiting for processor time"),
		emptyQueue: stage("Waiting on empty queue"), nextActivation: stage("Waiting for next activation"),
		closing: stage("closing tables"), committing: stage("waiting for handler commit"),
		queryEnd: stage("query end"), freeing: stage("freeing items"), cleaning: stage("cleaning up"),
		locks: map[mdl.Namespace]*instr.StageClass{
			mdl.Global: stage("Waiting for global read lock"), mdl.BackupLock: stage("Waiting for backup lock"),
			mdl.Schema: stage("Waiting for schema metadata lock"), mdl.Table: stage("Waiting for table metadata lock"),
			mdl.Procedure: stage("Waiting for stored procedure metadata lock"), mdl.Trigger: stage("Waiting for trigger metadata lock"),
			mdl.Event: stage("Waiting for event metadata lock"), mdl.Commit: stage("Waiting for commit lock"),
		},
	}
}

// execution is the stage in which a statement of a kind does what it is for.
func (s *stages) execution(kind string) *instr.StageClass {
	switch kind {
	case "insert", "insert_select", "replace", "replace_select":
		return s.inserting
	case "update", "delete":
		return s.updating
	case "create_table":
		return s.creating
	case "alter_table", "create_index", "drop_index":
		return s.altering
	case "rename_table":
		return s.renaming
	}
	return s.executing
}

// long is the stage in which it reads or writes many rows.
func (s *stages) long(kind string) *instr.StageClass {
	switch kind {
	case "insert", "insert_select", "replace", "replace_select", "create_table":
		return s.writing
	case "update", "update_multi":
		return s.rowUpdates
	case "delete", "delete_multi":
		return s.rowDeletes
	}
	return s.reading
}

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
func stageRule(stage func(*stages) *instr.StageClass) analyzer.RuleFunc {
	return func(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if w := workOf(ctx); w != nil && !w.statement.planned {
			w.takeBack(ctx)
			if w.entersStage(stage(&w.stages)) {
				w.thread.StartStage(stage(&w.stages))
			}
		}
		return n, transform.SameTree, nil
	}
}

// addJoinRules lets the analyzer note when it weighs what tables and indexes cost to read, with
// the statistics that it has of them, and when it is done with that.
func addJoinRules(a *analyzer.Analyzer) error {
	return compat.ReplaceRule(a, "optimizeJoins", func(r analyzer.Rule) []analyzer.Rule {
		return []analyzer.Rule{
			{Id: semiJoinsRule, Apply: compat.KeepSemiJoins},
			{Id: statisticsRule, Apply: stageRule(func(s *stages) *instr.StageClass { return s.statistics })},
			{Id: r.Id, Apply: compat.JoinOrder(r.Apply)},
			{Id: preparingRule, Apply: stageRule(func(s *stages) *instr.StageClass { return s.preparing })},
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
func (w *work) closeRows(ctx *sql.Context, rows sql.RowIter, failure error) error {
	w.statement.failed = failure != nil
	rows = w.closePlan(ctx, rows)
	defer w.settle(ctx)
	w.thread.StartStage(w.stages.queryEnd)
	return rows.Close(ctx)
}

// closePlan closes what the plan is made of and the transaction, and returns what is left of
// rows to close.
func (w *work) closePlan(ctx *sql.Context, rows sql.RowIter) sql.RowIter {
	switch it := rows.(type) {
	case *rowexec.TransactionCommittingIter:
		if p := w.statement.progress; p != nil {
			p.end()
		}
		w.thread.StartStage(w.stages.closing)
		err := it.GetIter().Close(ctx)
		w.settle(ctx)
		if err == nil {
			if w.trx.Alone() {
				w.thread.StartStage(w.stages.committing)
				if w.statement.readOnly {
					return closed{err: w.forget(ctx)}
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

// forget ends an autocommit transaction that has changed nothing, or nothing that is to stay.
func (w *work) forget(ctx *sql.Context) error {
	tx := ctx.GetTransaction()
	if s, ok := ctx.Session.(sql.TransactionSession); ok && tx != nil {
		if err := s.Rollback(ctx, tx); err != nil {
			return err
		}
	}
	ctx.SetTransaction(nil)
	return nil
}
