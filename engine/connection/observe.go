package connection

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/budget"
	"pfsd/engine/diagnostics"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/functions"
	"pfsd/engine/kept"
	"pfsd/engine/mdl"
	"pfsd/engine/metering"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/processlist"
	"pfsd/engine/processor"
	"pfsd/engine/profiling"
	"pfsd/engine/programs"
	"pfsd/engine/querylog"
	"pfsd/engine/rights"
	"pfsd/engine/serverfiles"
	"pfsd/engine/session"
	"pfsd/engine/stages"
	"pfsd/engine/statements"
	"pfsd/engine/status"
	"pfsd/engine/storage"
	"pfsd/engine/syntax"
	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/engine/tableuse"
	"pfsd/engine/userlocks"
	"pfsd/engine/usertables"
	"pfsd/engine/uservars"
	"pfsd/engine/vtable"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/instr/digest"
	"pfsd/timers"
)

// Instruments are the instruments of what clients have the server do. Safe for concurrent use.
type Instruments struct {
	reg        *instr.Registry
	newPacket  *instr.StatementClass            // a command before its kind is known
	query      *instr.StatementClass            // a statement before it is parsed
	scheduled  *instr.StatementClass            // an event of the scheduler
	commands   map[string]*instr.StatementClass // statement/com, by name
	statements map[string]*instr.StatementClass // statement/sql, by kind
	Names      *mdl.Manager                     // of what statements lock
	Databases  *usertables.Databases
	Budget     *processor.Budget // of processor time; nil is no limit
	// instructions are statement/sp, by name.
	instructions map[string]*instr.StatementClass
	Stages       stages.Classes
	status       *status.Counters
	memory       memories
	// QueryLogs are the slow log and the general log, nil where there is no server, and serverVariables its variables.
	QueryLogs       *querylog.Logs
	ServerVariables *sysvar.Server
	files           serverfiles.Classes
	// Runner carries out statements that are part of others, and shutdown stops the server because a user asks for it.
	Runner   sql.StatementRunner
	Shutdown func(user string)
	// MemoryBudget is the memory of all connections together.
	MemoryBudget *budget.Server
}

// Names of commands, as the tables show them.
const (
	commandQuery   = "Query"
	commandInitDB  = "Init DB"
	commandPrepare = "Prepare"
	commandExecute = "Execute"
	commandReset   = "Reset Connection"
	// commandFieldList comes to the handler as a query.
	commandFieldList = "Field List"
)

func NewInstruments(reg *instr.Registry) *Instruments {
	in := &Instruments{
		reg:          reg,
		newPacket:    reg.NewStatementClass("abstract/new_packet"),
		query:        reg.NewStatementClass("abstract/Query"),
		scheduled:    reg.NewStatementClass("scheduler/event"),
		commands:     map[string]*instr.StatementClass{},
		statements:   map[string]*instr.StatementClass{},
		Stages:       stages.New(reg),
		memory:       newMemories(reg),
		files:        serverfiles.NewClasses(reg),
		MemoryBudget: budget.NewServer(budget.NoLimit),
		Names:        mdl.NewManager(reg.NewMetadataLockClass("sql/mdl")),
		status:       status.NewCounters(reg),
	}
	names := []string{"Error"}
	for _, name := range handled {
		if name != commandQuery { // is one of the kinds of statements in the end
			names = append(names, name)
		}
	}
	for _, c := range protocolCommands {
		names = append(names, c.name)
	}
	slices.Sort(names) // instruments have an order
	for _, name := range names {
		in.commands[name] = reg.NewStatementClass("com/" + name)
	}
	for _, kind := range statements.Kinds {
		in.statements[kind] = reg.NewStatementClass("sql/" + kind)
	}
	in.instructions = programs.NewInstructions(reg)
	reg.Setup().SetServerErrors(mysqlerr.All())
	return in
}

// protocolCommands are the commands that the protocol layer carries out without the handler,
// with the error that they are answered with, 0 for none. It does not know any others.
var protocolCommands = map[byte]protocolCommand{
	wire.ComQuit: {name: "Quit", question: true}, wire.ComStatistics: {name: "Statistics", kind: "show_status", quiet: true},
	wire.ComPing: {name: "Ping", kind: status.Admin, quiet: true, ok: true}, wire.ComStmtSendLongData: {name: "Long Data", kind: "stmt_send_long_data", question: true},
	wire.ComStmtClose: {name: "Close stmt", kind: comStmtClosed}, wire.ComStmtReset: {name: "Reset stmt", kind: "stmt_reset", ok: true},
	wire.ComSetOption:  {name: "Set option", kind: "set_option", question: true},
	wire.ComStmtFetch:  {name: "Fetch", kind: "stmt_fetch", question: true},
	wire.ComShutdown:   {name: "Shutdown", kind: "shutdown", question: true},
	wire.ComDebug:      {name: "Debug", kind: status.Admin, question: true},
	wire.ComChangeUser: {name: "Change user", kind: status.Admin, question: true, ok: true},
}

type protocolCommand struct {
	name     string
	kind     string // of its counter Com_KIND; "" is none
	question bool   // it counts in Questions
	quiet    bool   // it counts in Queries neither
	ok       bool   // the answer is OK
	error    int
}

// handledKinds are the counters Com_KIND of the commands that come to the handler, by name.
var handledKinds = map[string]string{
	commandInitDB: "change_db", commandFieldList: "show_fields", commandPrepare: comStmtPrepared, commandExecute: comStmtExecuted,
	commandReset: status.Admin,
}

// handled are the commands that come to the handler.
var handled = map[byte]string{
	wire.ComInitDB: commandInitDB, wire.ComQuery: commandQuery, wire.ComFieldList: commandFieldList,
	wire.ComStmtPrepare: commandPrepare, wire.ComStmtExec: commandExecute, wire.ComResetConnection: commandReset,
}

// Work is what a connection is doing, as the tables of statements, stages and transactions
// show it. Owned by the connection's goroutine.
type Work struct {
	*Instruments
	Thread    *instr.Thread
	Client    *Client // nil if it is no client's
	Rights    rights.Rights
	Processor *processor.Meter // nil if there is no limit
	trx       *session.Transaction
	// users is what users' tables know of the connection.
	users        *usertables.Session
	opened       tableuse.Tables
	Preparations preparedStatements
	locks        session.Locks
	vars         uservars.Variables
	// diagnostics are the conditions that the last statement has raised.
	diagnostics diagnostics.Area
	profiles    profiling.Profiles
	running     runningPlan
	// analysis measures the nodes of a plan, nil unless EXPLAIN ANALYZE runs.
	analysis *gmsplan.Analysis
	used     connectionMemory
	// account is the memory of the connection and of what it is doing, limits the session's, and meter charges
	// what plans keep.
	account *budget.Connection
	limits  *budget.Limits
	meter   metering.Meter
	Current currentStatement
	// program is the stored program that runs, nil for none, and arguments are those of the
	// CALL that is about to be carried out in it.
	program   *program
	arguments *callArguments
	// prepares is the prepared CALL that is about to be carried out, nil for none.
	prepares *preparedCall
	// answers sends the client what procedures answer; nil if there is none that waits for it.
	answers *answers
	// writing is what writes a table and was built last, and trigger a trigger that is built.
	writing sql.Node
	trigger *plan.TriggerExecutor
	// lastError is the last error that was counted, and what it was made of.
	lastError struct {
		cause error
		error *mysql.SQLError
	}
	// cancel ends the command that runs.
	cancel context.CancelCauseFunc
	// Variables are the session's, for others to read; nil of what is no client's.
	Variables *sysvar.Session
	// record follows the making of the statement's plan, nil if that is not kept.
	record *planRecord
	// shape is that of the text that came last.
	shape kept.Shape
	// borrowedDatabase tells that the session, which has no current database, has that of a view for a while.
	borrowedDatabase bool
	// simple is a command that the protocol layer carries out; it runs while open is true.
	simple instr.Statement
	open   bool
	// digestMode is what of the session's sqlMode counts for digests.
	sqlMode    string
	digestMode digest.Mode
	// digested is the digest in this mode of digestText, the last text that there was one of:
	// that of a prepared statement comes again and again.
	digestText string
	digested   *instr.Digest
	// opening tells that the command is the protocol layer's, which chooses the database that the
	// client has named at its login.
	opening bool
	// slow is from when on a statement is slow; unknown after something may have changed it.
	slow struct {
		unknown  bool
		from     time.Duration
		examined uint64 // rows that it examines at least, to be in the slow log
	}
}

// currentStatement is what is known of the command that runs.
type currentStatement struct {
	event    instr.Statement
	result   instr.StatementResult
	schema   string
	stage    stages.Tracker
	tables   usertables.Statement
	reads    bool // it is a SELECT or changes rows
	planned  bool
	readOnly bool // its plan changes nothing
	scans    tableuse.Scans
	vtable.Counts
	LockWait time.Duration // for locks on rows
	sent     uint64        // rows
	memory   budget.Mark
	affected uint64 // rows
	done     bool   // the answer is OK, and no rows
	message  string // with it
	cpu      uint64 // when it began, if pinned
	pinned   bool   // to an OS thread
	err      *mysql.SQLError
	used     int // how many tables the statements around it use
	changed  tableuse.Changes
	guard    string // the savepoint that it goes back to if it fails, "" if there is none
	// tree is the statement, nil if it cannot be parsed, and definition the same until what it
	// defines, changes or calls is locked; refused is why something could not be locked.
	tree, definition ast.Statement
	viewTables       int  // tables of the views that it names, each time that they are named
	forUpdate        bool // it is SELECT ... FOR UPDATE
	// clauses are its FOR UPDATE and FOR SHARE, if they are known before it begins to read.
	clauses      []lockClause
	clausesKnown bool
	refused      error
	failed       bool // it goes back
	logged       loggedCommand
	// hidden tells that its text is not shown whole, as there may be a password in it.
	hidden bool
}

// begin notes that a command has arrived; ctx is its context.
func (w *Work) begin(ctx *sql.Context, command, text string) {
	w.endSimple()
	w.Preparations.dropClosed()
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
		o.event.Identify(w.query, o.schema, trimmed(text), nil)
	case commandPrepare, commandExecute:
		o.event.Identify(w.commands[command], o.schema, trimmed(text), w.digestOf(ctx, text))
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
	w.Current.event.Identify(w.scheduled, w.Current.schema, trimmed(body), nil)
}

// trimmed is a statement without what MySQL takes off its ends.
func trimmed(text string) string {
	return strings.TrimRight(strings.TrimLeft(text, " \t\r\n\v\f"), "; \t\r\n\v\f")
}

// keptText is how long a text can be, bytes, for a connection to keep it.
const keptText = 1024

// digestOf is the digest of a text in the session's SQL mode, nil if there is none.
func (w *Work) digestOf(ctx *sql.Context, text string) *instr.Digest {
	if !w.reg.Setup().Consumer(instr.ConsumerStatementsDigest) {
		return nil
	}
	v, err := ctx.GetSessionVariable(ctx, "sql_mode")
	if mode, ok := v.(string); err == nil && ok && mode != w.sqlMode {
		w.sqlMode, w.digestMode, w.digested = mode, digest.ParseMode(mode), nil
	}
	if w.digested != nil && text == w.digestText {
		return w.digested
	}
	d := w.reg.DigestOfMode(text, w.digestMode)
	if len(text) <= keptText {
		w.digestText, w.digested = text, d
	}
	return d
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
		o.event.Identify(w.statements[kind], o.schema, trimmed(shown), w.digestOf(ctx, text))
		w.parsedText(shown)
	default:
		o.event.Refine(w.statements[kind])
	}
	if s == nil || !statements.AboutConditions(statements.ConditionKind(s)) {
		w.diagnostics.Clear()
	}
	s = w.noteAboutPrepared(ctx, s)
	if kind != "empty_query" || trimmed(text) != "" {
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
	if s, ok := ctx.Session.GetPreparedQuery(preparedKey(text)); ok {
		return w.noteStatement(s, "")
	}
	return ""
}

// noteError notes what the command fails with.
func (w *Work) noteError(ctx *sql.Context, err error) *mysql.SQLError {
	w.leavePrograms()
	e := w.clientError(ctx, err, false)
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
	if e := w.Current.err; errors.Is(w.lastError.cause, mdl.ErrDeadlock) || e != nil && e.Num == deadlockNumber {
		w.rollBack(ctx)
	} else if autocommit, err := plan.IsSessionAutocommit(ctx); e != nil && err == nil && autocommit && !ctx.GetIgnoreAutoCommit() {
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
	w.lastError.cause = nil
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
		if o.done {
			r.SQLState, r.Message = "00000", o.message
			r.Counters[instr.RowsAffected] = o.affected
		}
		w.diagnostics.Collect(ctx)
		r.Counters[instr.Warnings] = w.diagnostics.Raised
	}
	r.Counters[instr.LockTime] = uint64(o.LockWait/time.Microsecond) * 1_000_000 // picoseconds
	r.Counters[instr.RowsSent] = o.sent
	r.Counters[instr.RowsExamined] = o.Examined
	r.Counters[instr.SortRows] = o.Sorted
	memory := uint64(w.account.Statement().PeakSince(o.memory))
	r.Counters[instr.MaxControlledMemory] = memory
	if o.sent > 0 {
		memory += rowsBytes // the buffer of the result
	}
	r.Counters[instr.MaxTotalMemory] = memory
	o.scans.AddTo(&r.Counters)
	w.sumUp()
	if o.pinned {
		if now := timers.ThreadCPU.Now(); now > o.cpu {
			r.Counters[instr.CPUTime] = timers.ThreadCPU.Picoseconds(now - o.cpu)
		}
		runtime.UnlockOSThread()
	}
	o.event.Finish(r)
}

// notePlan notes that a plan begins to be carried out; of a statement that has several, as those of
// stored programs, the first one counts.
func (w *Work) notePlan(ctx *sql.Context, n sql.Node) {
	o := &w.Current
	o.planned, o.readOnly = true, n.IsReadOnly()
	w.record.planned(ctx, n)
	if w.program == nil {
		w.running.set(n, o.tree)
	}
	w.Thread.StartStage(o.stage.Execute())
	if w.program == nil {
		w.startReads(ctx, o.tree)
	}
	if o.reads {
		o.scans.Read(ctx, &w.opened, o.forUpdate, n)
	}
}

// noSnapshot is the number of the warning that a level has no snapshot for a transaction: HA_ERR_UNSUPPORTED.
const noSnapshot = 138

// buildTransaction builds n, which begins, ends or divides a transaction.
func (w *Work) buildTransaction(ctx *sql.Context, n sql.Node, build func() (sql.RowIter, error)) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.CreateSavepoint:
		if err := w.users.Savepoint(ctx, n.Name); err != nil {
			return nil, err
		}
		w.status.Savepoint.AddTo(w.Thread, 1)
		w.Thread.Savepoint()
		return sql.RowsToRowIter(), nil
	case *plan.RollbackSavepoint:
		if err := w.users.RollbackTo(ctx, n.Name); err != nil {
			return nil, err
		}
		w.status.RollbackTo.AddTo(w.Thread, 1)
		w.Thread.RollbackToSavepoint()
		return sql.RowsToRowIter(), nil
	case *plan.ReleaseSavepoint:
		if err := w.users.Release(ctx, n.Name); err != nil {
			return nil, err
		}
		w.Thread.ReleaseSavepoint()
		return sql.RowsToRowIter(), nil
	}
	switch n.(type) {
	case *plan.StartTransaction, *plan.Commit:
		done, err := w.commitLock(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	rows, err := build()
	if err != nil {
		return nil, err
	}
	w.releaseTransaction()
	switch n := n.(type) {
	case *plan.StartTransaction:
		if t, ok := ctx.GetTransaction().(*storage.Transaction); ok && syntax.ConsistentSnapshot(ctx.Query()) && !t.TakeSnapshot() {
			ctx.Warn(noSnapshot, "InnoDB: WITH CONSISTENT SNAPSHOT was ignored because this phrase can only be used with REPEATABLE READ isolation level.")
		}
		w.trx.End(true)
		w.trx.Start(ctx, n.TransChar, false, w.Current.readOnly)
	case *plan.Commit:
		w.trx.End(true)
	case *plan.Rollback:
		w.trx.End(false)
	}
	return rows, nil
}

// beginSimple notes a command, as it is read, that does not come to the handler.
func (w *Work) beginSimple(command byte) {
	w.endSimple()
	if handled[command] != "" {
		return
	}
	c, known := protocolCommands[command]
	if !known {
		c = protocolCommand{name: "Error", question: true, error: mysqlerr.UnknownCommand}
	}
	if !c.quiet {
		w.status.Arrived(w.Thread, c.question)
	}
	w.countCommand(c.kind)
	w.logSimple(c.name)
	w.simple, w.open = w.Thread.StartStatement(w.newPacket), true
	w.simple.Refine(w.commands[c.name])
	if c.ok {
		w.simple.SetDiagnostics(0, "", "")
	}
	if c.error != 0 {
		w.failSimple(mysql.NewSQLError(c.error, "08S01", "Unknown command"))
	}
}

// failBeforeHandler notes that a command has failed before it came to the handler.
func (w *Work) failBeforeHandler(command byte, err *mysql.SQLError) {
	if name := handled[command]; name != "" && !w.open {
		w.status.Arrived(w.Thread, true)
		w.countCommand(handledKinds[name])
		w.simple, w.open = w.Thread.StartStatement(w.newPacket), true
		w.simple.Refine(w.commands[name])
	}
	w.failSimple(err)
}

func (w *Work) failSimple(err *mysql.SQLError) {
	w.simple.SetDiagnostics(err.Num, err.State, err.Message)
	w.Thread.RaiseError(err.Num, false)
}

// endSimple notes that the command that the protocol layer carries out has ended, if there is one.
func (w *Work) endSimple() {
	if w.open {
		w.simple.End()
		w.open = false
	}
}

// processes is the process list as a connection's statements see it, and how what they run
// finds the connection's work.
type processes struct {
	*processlist.List
	work *Work
}

// processList is the process list as the statements of a work see it, by which what they run finds the work.
func (h *Handler) processList(w *Work) sql.ProcessList { return &processes{h.Clients, w} }

// Tree is the statement that runs, nil if it cannot be parsed.
func (p *processes) Tree() ast.Statement { return p.work.Current.tree }

// Variables says what package sysvar asks of a statement.
func (p *processes) Variables() *sysvar.Session { return p.work.Variables }

// Raised says what package sysvar asks of a statement.
func (p *processes) Raised() (errors, all uint64) {
	return p.work.diagnostics.RaisedBefore()
}

// Counts implements reader.
func (p *processes) Counts() *vtable.Counts { return &p.work.Current.Counts }

// Sorts implements reader.
func (p *processes) Sorts() func() {
	o := &p.work.Current
	return o.stage.Sort(&o.Examined)
}

var (
	_ diagnostics.Session = (*processes)(nil)
	_ profiling.Session   = (*processes)(nil)
)

// Diagnostics implements diagnosedSession.
func (p *processes) Diagnostics() *diagnostics.Area {
	if p.work == nil {
		return nil
	}
	return &p.work.diagnostics
}

// Profiles implements profiledSession.
func (p *processes) Profiles() *profiling.Profiles {
	if p.work == nil {
		return nil
	}
	return &p.work.profiles
}

// Writes is the node that writes a table and was built last, nil for none.
func (p *processes) Writes() sql.Node {
	if p.work == nil {
		return nil
	}
	return p.work.writing
}

// Processes implements sql.ProcessList: without the privilege PROCESS, a user's own alone.
func (p *processes) Processes() []sql.Process {
	all := p.List.Processes()
	if user, only := p.work.Rights.OnlyUser(); only {
		all = slices.DeleteFunc(all, func(q sql.Process) bool { return q.User != user })
	}
	return all
}

var _ access.Session = (*processes)(nil)

// Access implements access.Session.
func (p *processes) Access() *accounts.Access {
	if p.work == nil {
		return nil
	}
	return p.work.Rights.Access()
}

// AccessIn implements access.Session.
func (p *processes) AccessIn(ctx *sql.Context, part ast.AuthInformation) *accounts.Access {
	if p.work == nil {
		return nil
	}
	return p.work.Rights.AccessIn(ctx, part)
}

var _ rights.Session = (*processes)(nil)

// Rights implements rightsSession.
func (p *processes) Rights() *rights.Rights {
	if p.work == nil {
		return nil
	}
	return &p.work.Rights
}

// Hides implements rightsSession.
func (p *processes) Hides(ctx *sql.Context, table mdl.Key) bool {
	return p.work != nil && p.work.locks.Hides(ctx, table)
}

// SkipsGrants implements access.Session.
func (p *processes) SkipsGrants() bool { return p.work != nil && p.work.Rights.Skipped }

var (
	_ functions.Session = (*processes)(nil)
	_ sysschema.Session = (*processes)(nil)
)

// Thread implements functions.Session.
func (p *processes) Thread() *instr.Thread { return p.work.Thread }

// Registry implements functions.Session.
func (p *processes) Registry() *instr.Registry { return p.work.reg }

// Sleep implements functions.Session.
func (p *processes) Sleep(do func() (any, error)) (any, error) {
	w := p.work
	goOn := w.Processor.Wait()
	w.Thread.StartStage(w.Stages.UserSleep)
	defer func() {
		goOn()
		w.Current.stage.GoOn()
	}()
	return do()
}

// SetUser implements sysschema.Session.
func (p *processes) SetUser(ctx *sql.Context, name string, value any, kind sql.Type) error {
	return p.work.vars.Set(ctx, name, value, kind)
}

var _ serverfiles.Session = (*processes)(nil)

// FileClasses implements serverfiles.Session.
func (p *processes) FileClasses() serverfiles.Classes {
	if p.work == nil {
		return serverfiles.Classes{}
	}
	return p.work.files
}

var _ userlocks.Session = (*processes)(nil)

// MetadataLocks implements userlocks.Session.
func (p *processes) MetadataLocks() (*session.Locks, *mdl.Manager) {
	if p.work == nil {
		return nil, nil
	}
	return &p.work.locks, p.work.Names
}

// WaitForUserLock implements userlocks.Session.
func (p *processes) WaitForUserLock() (done func()) {
	w := p.work
	goOn := w.Processor.Wait()
	w.Thread.StartStage(w.Stages.UserLock)
	return func() {
		goOn()
		w.Current.stage.GoOn()
	}
}

var _ uservars.Session = (*processes)(nil)

// UserVariables implements uservars.Session.
func (p *processes) UserVariables() *uservars.Variables {
	if p.work == nil {
		return nil
	}
	return &p.work.vars
}

// CountWrite implements sysschema.Session.
func (p *processes) CountWrite(op instr.TableOp) {
	what := map[instr.TableOp]int{instr.TableInsert: vtable.HandlerWrite, instr.TableUpdate: vtable.HandlerUpdate, instr.TableDelete: vtable.HandlerDelete}[op]
	p.work.Current.Add(what, 1)
}

// UserTables is what users' tables know of the connection, nil of nobody's.
func (p *processes) UserTables() *usertables.Session {
	if p.work == nil {
		return nil
	}
	return p.work.users
}

// workOf is the work that ctx is part of; nil if it is nobody's.
func workOf(ctx *sql.Context) *Work {
	if p, ok := ctx.ProcessList.(*processes); ok {
		return p.work
	}
	return nil
}

// counting counts the rows that come through it. Owned by one goroutine.
type counting struct {
	sql.RowIter
	rows *uint64
}

// Next implements sql.RowIter.
func (c *counting) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := c.RowIter.Next(ctx)
	if err == nil {
		*c.rows++
	}
	return row, err
}

// Passes implements charge.Passer.
func (c *counting) Passes() sql.RowIter { return c.RowIter }

// noteTable notes that a table is about to be read or written. The tables of users are
// transactional.
func (w *Work) noteTable(ctx *sql.Context, t sql.Table) {
	if !w.trx.Open() && usertables.Stored(t) != nil {
		w.trx.Use(ctx, w.Current.readOnly)
	}
}
