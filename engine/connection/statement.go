package connection

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/executor"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/parsing"
	"pfsd/engine/prepared"
	"pfsd/engine/results"
	"pfsd/engine/secrets"
	"pfsd/engine/stages"
	"pfsd/engine/statements"
	"pfsd/engine/status"
	"pfsd/engine/usertables"
	"pfsd/instr"
	"pfsd/timers"
)

// begin notes that a command has arrived; ctx is its context.
func (w *Work) begin(ctx *sql.Context, command, text string) {
	w.simple.end()
	w.Preparations.DropClosed()
	if !w.opening {
		w.status.Arrived(w.Thread, command != commandPrepare)
		if command != commandQuery {
			w.countCommand(handledKinds[command])
		}
	}
	w.Current = currentStatement{
		event: w.Thread.StartStatement(w.newPacket), schema: ctx.GetCurrentDatabase(), stage: stages.NewTracker(&w.Stages, w.Thread),
	}
	w.diagnostics.Begin(ctx)
	w.diagnostics.Unstack()
	if command != commandQuery && !statements.TextAboutConditions(text) {
		w.diagnostics.Clear()
	}
	o := &w.Current
	w.locks.Begin()
	w.plans.Begin()
	w.beginAccount()
	if w.profiles.May() && (command == commandQuery || command == commandExecute) {
		w.profiles.Begin(ctx, w.Thread, text)
	}
	w.Thread.StartStage(w.Stages.Starting)
	if w.reg.Setup().Consumer(instr.ConsumerEventsStatementsCPU) {
		runtime.LockOSThread()
		o.cpu, o.pinned = timers.ThreadCPU.Now(), true
	}
	switch command {
	case commandQuery:
		o.event.Identify(w.query, o.schema, statements.Trimmed(text), nil)
	case commandPrepare, commandExecute:
		o.event.Identify(w.commands[command], o.schema, statements.Trimmed(text), w.digests.of(ctx, text))
	default:
		o.event.Identify(w.commands[command], o.schema, "", nil)
	}
}

// beginScheduled notes that the scheduler carries out an event with this body; ctx is its context.
func (w *Work) beginScheduled(ctx *sql.Context, body string) {
	w.Current = currentStatement{
		event: w.Thread.StartStatement(w.scheduled), schema: ctx.GetCurrentDatabase(), stage: stages.NewTracker(&w.Stages, w.Thread),
	}
	w.beginAccount()
	w.Thread.StartStage(w.Stages.Starting)
	w.Current.event.Identify(w.scheduled, w.Current.schema, statements.Trimmed(body), nil)
}

// noteParsed notes that the text of a command is statement s, of which there may be several in it;
// s is nil if it cannot be parsed, for the reason err. It returns what is to be carried out.
func (w *Work) noteParsed(ctx *sql.Context, s ast.Statement, text string, err error) ast.Statement {
	o := &w.Current
	kind := statements.Error
	switch {
	case errors.Is(err, ast.ErrEmpty):
		kind = "empty_query"
		o.event.Refine(w.statements[kind])
	case s != nil:
		kind = statements.Kind(s, text)
		shown := w.shownText(s, text)
		if o.hidden {
			w.showText(ctx, shown)
		}
		o.event.Identify(w.statements[kind], o.schema, statements.Trimmed(shown), w.digests.of(ctx, text))
		w.parsedText(shown)
	default:
		o.event.Refine(w.statements[kind])
	}
	if s == nil || !statements.AboutConditions(statements.ConditionKind(s)) {
		w.diagnostics.Clear()
	}
	s = w.programs.Note(ctx, s)
	if kind != "empty_query" || statements.Trimmed(text) != "" {
		w.countCommand(kind)
	}
	if e, ok := s.(*ast.Execute); ok {
		if p, ok := ctx.Session.GetPreparedQuery(e.Name); ok {
			w.noteStatement(p, "")
		}
		return s
	}
	w.noteStatement(s, kind)
	return s
}

// noteStatement notes which statement is going to be executed, and its kind, "" if that is not known.
// It returns the kind.
func (w *Work) noteStatement(s ast.Statement, kind string) string {
	if kind == "" {
		kind = statements.Kind(s, "")
	}
	o := &w.Current
	o.tree = s
	switch s := s.(type) {
	case *ast.Explain:
		o.stage.Explain()
		o.reads = true
		return kind
	case *ast.Select, *ast.SetOp, *ast.ParenSelect, *ast.Insert, *ast.Update, *ast.Delete:
		o.reads = true
		o.tables.Looks = true
	case *ast.Show:
		o.tables.Looks = true
	case *ast.DDL:
		o.reads = s.OptSelect != nil
	}
	o.stage.SetKind(kind)
	return kind
}

// notePrepared notes that the command is about a prepared statement with this text, and returns its
// kind, "" if there is none.
func (w *Work) notePrepared(ctx *sql.Context, text string) string {
	if s := prepared.Tree(ctx, text); s != nil {
		return w.noteStatement(s, "")
	}
	return ""
}

// noteError notes what the command fails with.
func (w *Work) noteError(ctx *sql.Context, err error) *mysql.SQLError {
	w.leavePrograms()
	e := w.errors.Of(ctx, err, false)
	if w.lost != nil && ctx.Err() != nil { // after a KILL the transaction would be open
		e = w.lost
	}
	if e.Num == mysqlerr.QueryTimeout.Num {
		w.status.TimeExceeded.AddTo(w.Thread, 1)
	}
	w.Current.err = e
	w.diagnostics.Fail(ctx, e)
	return e
}

// end notes that the command has ended; ctx is its context.
func (w *Work) end(ctx *sql.Context) {
	w.leavePrograms()
	w.takeBackDatabase(ctx)
	w.analysis = nil
	w.running.set(nil, nil)
	w.Current.failed = w.Current.err != nil
	w.undoIfFailed(ctx)
	w.endLost(ctx)
	w.lost = nil
	if w.Current.err != nil && w.trx.Autocommit(ctx) && !ctx.GetIgnoreAutoCommit() {
		_ = w.endIdleTransaction(ctx) // go-mysql-server keeps the transaction of a statement that has failed, and its locks
	}
	if s, ok := ctx.Session.(sql.LifecycleAwareSession); ok {
		s.CommandEnd()
	}
	w.trx.EndAlone(ctx, w.Current.err != nil)
	w.releaseStatement(ctx)
	w.Thread.EndStage()
	w.profiles.End(ctx, w.Thread)
	w.finish(ctx)
	w.account.Statement().End()
	w.errors.Forget()
	w.programs.Forget()
	w.outer = nil
}

// finish ends the statement's event.
func (w *Work) finish(ctx *sql.Context) {
	w.trx.Tell()
	w.vars.Publish(ctx)
	o := &w.Current
	w.opened.Rest(o.used)
	if o.err == nil {
		o.changed.Settle(ctx, &w.opened)
	}
	r := &o.result
	if o.err != nil {
		r.Errno, r.SQLState, r.Message = o.err.Num, o.err.State, o.err.Message
	} else {
		if o.Done {
			r.SQLState, r.Message = "00000", o.Message
			r.Counters[instr.RowsAffected] = o.Affected
		}
		w.diagnostics.Collect(ctx)
		r.Counters[instr.Warnings] = w.diagnostics.Raised
	}
	r.Counters[instr.LockTime] = uint64(o.LockWait/time.Microsecond) * 1_000_000 // picoseconds
	r.Counters[instr.RowsSent] = o.Sent
	r.Counters[instr.RowsExamined] = o.Examined
	r.Counters[instr.SortRows] = o.Sorted
	memory := uint64(w.account.Statement().PeakSince(o.memory))
	r.Counters[instr.MaxControlledMemory] = memory
	if o.Sent > 0 {
		memory += results.RowsBytes // the buffer of the result
	}
	r.Counters[instr.MaxTotalMemory] = memory
	o.scans.AddTo(&r.Counters)
	o.Forget()
	w.sumUp()
	if o.pinned {
		if now := timers.ThreadCPU.Now(); now > o.cpu {
			r.Counters[instr.CPUTime] = timers.ThreadCPU.Picoseconds(now - o.cpu)
		}
		runtime.UnlockOSThread()
	}
	o.event.Finish(r)
}

// notePlan notes that a plan begins to be executed. If a statement has several plans, as stored programs do, it is called for the first.
func (w *Work) notePlan(ctx *sql.Context, n sql.Node) {
	o := &w.Current
	o.planned, o.readOnly = true, n.IsReadOnly()
	w.plans.Planned(ctx, n)
	if !w.programs.Running() {
		w.running.set(n, o.tree)
	}
	w.Thread.StartStage(o.stage.Execute())
	if !w.programs.Running() {
		w.startReads(ctx, o.tree)
	}
	if o.reads {
		o.scans.Read(ctx, &w.opened, o.forUpdate, n)
	}
}

// noteTable notes that a table is about to be read or written. The tables of users are
// transactional.
func (w *Work) noteTable(ctx *sql.Context, t sql.Table) {
	if !w.trx.Open() && usertables.Stored(t) != nil {
		w.trx.Use(ctx, w.Current.readOnly)
	}
}

// maxViewTables is how many tables the views of a statement may have. Those of a view count each time that it is named.
const maxViewTables = 1024

// noteView notes that the definition s of a view replaces its name in the statement that is being planned. The error is that there are
// too many tables: views that name another view twice double them at each level.
func (w *Work) noteView(ctx context.Context, s ast.Statement) error {
	view, ok := s.(*ast.DDL)
	if !ok || view.ViewSpec == nil || w.Current.planned {
		return nil
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w.Current.viewTables++
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if _, ok := n.(*ast.AliasedTableExpr); ok {
			w.Current.viewTables++
		}
		return true, nil
	}, view.ViewSpec.ViewExpr)
	if w.Current.viewTables > maxViewTables {
		return mysql.NewSQLError(1116, "HY000", "Too many tables; the views of a statement can only use %d tables, each time that they are named", maxViewTables)
	}
	if !mayBeWide(view.SubStatementStr) {
		return nil
	}
	w.Current.widths.add(view.ViewSpec.ViewExpr)
	return w.checkWidths(0)
}

// shownText returns the text of a parsed statement without passwords. The parser has removed them from statements about accounts.
func (w *Work) shownText(s ast.Statement, text string) string {
	if i, ok := s.(ast.InjectedStatement); ok {
		if _, ok := i.Statement.(parsing.AccountStatement); ok {
			return text
		}
	}
	return secrets.HideParsed(text)
}

// showText shows text as the running statement in the process list.
func (w *Work) showText(ctx *sql.Context, text string) {
	if p, known := ctx.ProcessList.(*processes); known {
		w.Thread.SetInfo(text)
		p.Show(ctx.Session.ID(), text)
	}
}

// Kinds of commands of the protocol: the last parts of the names of their counters Com_KIND.
const (
	comStmtPrepared = status.StmtPrepare
	comStmtExecuted = status.StmtExecute
	comStmtClosed   = status.StmtClose
)

// countRequests counts requests of the running statement to the storage.
func (w *Work) countRequests(what int, n uint64) {
	if w != nil {
		w.Current.Add(what, n)
	}
}

// countCommand counts a statement of a kind, or a command of the protocol.
func (w *Work) countCommand(kind string) { w.status.Command(w.Thread, kind) }

// sumUp adds the counters of the statement that ends to the status variables.
func (w *Work) sumUp() {
	o := &w.Current
	w.status.Requests(w.Thread, &o.Handler)
	if !o.scans.None() || o.Sorted > 0 {
		w.status.Statement(w.Thread, &o.result.Counters)
	}
}

// noteDuration notes how long the command has taken.
func (w *Work) noteDuration(ctx *sql.Context, d time.Duration) {
	if w.slow.unknown {
		w.slow.unknown, w.slow.from, w.slow.examined = false, longQueryTime(ctx), 0
		if v, err := ctx.GetSessionVariable(ctx, "min_examined_row_limit"); err == nil {
			w.slow.examined, _ = v.(uint64)
		}
	}
	if d > w.slow.from {
		w.status.SlowQueries.AddTo(w.Thread, 1)
	}
}

// longQueryTime is the variable long_query_time: a statement that takes longer is slow.
func longQueryTime(ctx *sql.Context) time.Duration {
	const most = 365 * 24 * 60 * 60 // MySQL's
	if v, err := ctx.GetSessionVariable(ctx, "long_query_time"); err == nil {
		if seconds, ok := v.(float64); ok {
			return time.Duration(max(0, min(seconds, most)) * float64(time.Second))
		}
	}
	return most * time.Second
}

// limitExecutionTime ends a SELECT that takes longer than max_execution_time. Call done at its end.
func (w *Work) limitExecutionTime(s ast.Statement) (done func()) {
	if w.Variables == nil {
		return func() {}
	}
	longest := w.Variables.MaxExecutionTime
	if w.Current.longest > 0 {
		longest = w.Current.longest
	}
	if longest == 0 {
		return func() {}
	}
	switch s.(type) {
	case *ast.Select, *ast.SetOp, *ast.ParenSelect:
	default:
		return func() {}
	}
	w.status.TimeSet.AddTo(w.Thread, 1)
	cancel := w.cancel
	timer := time.AfterFunc(longest, func() {
		if !w.wakeSleep() {
			cancel(mysqlerr.QueryTimeout)
		}
	})
	return func() { timer.Stop() }
}

// noteWriter notes that n, which is built, is going to write.
func (w *Work) noteWriter(ctx *sql.Context, n sql.Node) {
	var source sql.Node
	switch n := n.(type) {
	case *plan.InsertInto:
		source = n.Source
	case *plan.Update:
		source = n.Child
	case *plan.DeleteFrom:
		source = n.Child
	}
	if r, ok := source.(*executor.Regenerated); ok {
		source = r.Child
	}
	if _, ok := source.(*plan.TriggerExecutor); ok {
		w.setSavepoint(ctx)
	}
	w.programs.Writing = n
	if i, ok := n.(*plan.InsertInto); ok {
		w.opened.Insert(ctx, i, w.Current.used)
	}
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

// closeRows closes the iterators of a statement: first those of the plan, which use the tables, then the transaction if it ends here, then
// the others. failure is the error of the statement, nil for none.
func (w *Work) closeRows(ctx *sql.Context, rows sql.RowIter, failure error) error {
	w.Current.failed = failure != nil
	rows = w.closePlan(ctx, rows)
	defer w.undoIfFailed(ctx)
	w.Thread.StartStage(w.Stages.QueryEnd)
	err := rows.Close(ctx)
	if err == nil && failure == nil {
		err = lost(ctx)
	}
	return err
}

// closePlan closes the iterators of the plan, and the transaction. It returns the iterators that are still to be closed.
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
