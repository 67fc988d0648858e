package connection

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/budget"
	"pfsd/engine/diagnostics"
	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/infoschema"
	"pfsd/engine/metering"
	"pfsd/engine/plancache"
	"pfsd/engine/prepared"
	"pfsd/engine/processlist"
	"pfsd/engine/processor"
	"pfsd/engine/profiling"
	"pfsd/engine/programs"
	"pfsd/engine/querylog"
	"pfsd/engine/results"
	"pfsd/engine/rights"
	"pfsd/engine/session"
	"pfsd/engine/stages"
	"pfsd/engine/sys"
	"pfsd/engine/sysvar"
	"pfsd/engine/tableuse"
	"pfsd/engine/usertables"
	"pfsd/engine/uservars"
	"pfsd/engine/vtable"
	"pfsd/instr"
)

// Work is what a connection is doing. Owned by the connection's goroutine.
type Work struct {
	*Instruments
	Thread    *instr.Thread
	Client    *Client // nil if it is no client's
	Rights    rights.Rights
	Processor *processor.Meter // nil if there is no limit
	trx       *session.Transaction
	// users are the tables of users, as the connection uses them.
	users        *usertables.Session
	opened       tableuse.Tables
	Preparations prepared.Statements
	locks        session.Locks
	vars         uservars.Variables
	// diagnostics are the conditions that the last statement has raised.
	diagnostics diagnostics.Area
	profiles    profiling.Profiles
	running     runningPlan
	// analysis measures the nodes of a plan, nil unless EXPLAIN ANALYZE runs.
	analysis *gmsplan.Analysis
	used     connectionMemory
	// account is the memory of the connection and its statements, setHold is what the values of the session's variables take of it, savepoints
	// and warned what savepoints and warnings do, limits are those of the session, and meter charges the memory of plans.
	account    *budget.Connection
	setHold    *budget.Hold
	savepoints *budget.Hold
	// lost is the error with which the transaction has ended that the statement was in, nil if it has not ended by an error.
	lost    *mysql.SQLError
	warned  *budget.Hold
	limits  *budget.Limits
	meter   metering.Meter
	Current currentStatement
	// outer are the statements that Current is part of, as an instruction of a stored program is; the client's is the first.
	outer    []currentStatement
	programs programs.Session
	// results is what sending rows needs of Current, and answers sends them to the client, nil if there is none.
	results results.Statement
	answers *results.Answers
	errors  diagnostics.Errors
	// list has the client, nil for an event.
	list *processlist.List
	// cancel ends the command that runs.
	cancel context.CancelCauseFunc
	// Variables are those of the session, which others may read; nil without a client.
	Variables *sysvar.Session
	plans     plancache.Session
	// borrowedDatabase reports whether the session, which has no current database, uses that of a view for a while.
	borrowedDatabase bool
	simple           simpleCommand
	digests          digests
	// opening reports whether the command is COM_INIT_DB of the protocol layer itself: the database that the client has named when it
	// signed in.
	opening bool
	// slow is when a statement is slow; unknown after a variable may have changed.
	slow struct {
		unknown  bool
		from     time.Duration
		examined uint64 // rows that it examines at least, to be in the slow log
		// extra reports whether log_slow_extra was on when the last command began. status has the status variables as they were before
		// the present command; nil between two commands.
		extra  bool
		status *querylog.ExtraStatus
		// answered is the entry that waits until the answer of its command is sent; nil if there is none.
		answered *querylog.SlowEntry
	}
}

// currentStatement is the command that runs, or an instruction of a stored program.
type currentStatement struct {
	longest  time.Duration // how long the statement may run, by its hint; 0 without one
	woken    bool          // its SLEEP has been interrupted
	checked  *plan.Update  // the UPDATE that has all CHECK constraints, and is being built
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
	results.Outcome
	memory  budget.Mark
	part    *budget.Part // of a step of a program, nil for the statement of the client
	cpu     uint64       // when it began, if pinned
	pinned  bool         // to an OS thread
	err     *mysql.SQLError
	used    int // how many tables the statements around it use
	changed tableuse.Changes
	guard   string // the savepoint that it goes back to if it fails, "" if there is none
	// tree is the statement, nil if it cannot be parsed. definition is the same until lockDefinition has locked what it defines.
	tree, definition ast.Statement
	viewTables       int // tables of the views that it names, each time that they are named
	widths           widths
	forUpdate        bool // it is SELECT ... FOR UPDATE
	altering         bool // the clauses of its ALTER TABLE are being carried out as one change
	failed           bool // it goes back
	carriedOut       bool // it begins or ends a transaction, or goes back to a savepoint, and has done so: what happens then does not change that
	logged           loggedCommand
	columns          rights.ColumnState // while another statement, which is part of it, is executed
	// hidden reports whether its text is shown without a part that may be a password.
	hidden bool
}

// newWork returns the Work of a thread: that of the connection with this id, or a background thread.
func newWork(in *Instruments, thread *instr.Thread, id uint64) *Work {
	w := &Work{Instruments: in, Thread: thread, opened: tableuse.New(in.reg, thread, in.status)}
	w.users = usertables.NewSession(w)
	w.trx = session.NewTransaction(thread, in.status.Commit, in.status.Rollback)
	w.locks = session.NewLocks(in.Names.NewOwner(id, thread), w.users, w.opened.Lock)
	w.Processor = in.Budget.NewMeter(w.heldBack)
	w.account = in.MemoryBudget.NewConnection(thread)
	for _, h := range []**budget.Hold{&w.setHold, &w.savepoints, &w.warned, &w.locks.Hold, &w.diagnostics.Hold} {
		*h = w.account.NewHold(nil)
	}
	w.vars = uservars.New(thread, nil, w.account.NewHold(nil))
	w.meter = metering.New(w.account, &in.memory.rowsOf, w.vars.ChargeAssigned)
	w.Preparations = prepared.New(thread, in.status)
	w.plans = plancache.NewSession(thread, &w.locks, w.users)
	w.errors.Thread, w.simple.work, w.digests.reg = thread, w, in.reg
	w.results = results.Statement{Outcome: &w.Current.Outcome, Thread: thread, Memory: in.memory.rows, Processor: w.Processor, Close: w.closeRows}
	w.programs = programs.NewSession(steps{w}, programs.Parts{
		Registry: in.reg, Thread: thread, Instructions: in.instructions, Status: in.status, Locks: &w.locks, Diagnostics: &w.diagnostics, Errors: &w.errors,
		Rights: &w.Rights, Variables: &w.vars, Opened: &w.opened, Prepared: &w.Preparations, Results: &w.results, Kept: w.account.NewHold(nil),
	})
	w.locks.Waiting = w.waitingFor
	return w
}

var _ processlist.Work = (*Work)(nil)

// OnlyUser implements processlist.Work.
func (w *Work) OnlyUser() (user string, only bool) { return w.Rights.OnlyUser() }

// Transaction implements processlist.Work.
func (w *Work) Transaction() (row infoschema.Transaction, open bool) { return w.trx.Row() }

var _ usertables.Observer = (*Work)(nil)

// Statement implements usertables.Observer.
func (w *Work) Statement() *usertables.Statement { return &w.Current.tables }

// NewHold implements usertables.Observer.
func (w *Work) NewHold() *budget.Hold { return w.account.NewHold(nil) }

// Writes implements usertables.Observer.
func (w *Work) Writes(t usertables.StoredTable, op instr.TableOp) instr.TableWait {
	w.countRequests(handlerCalls[op], 1)
	w.trx.Wrote()
	w.opened.EndFetch()
	if u := w.opened.Written(t, w.Current.used); u != nil {
		return u.StartWrite(op)
	}
	return instr.TableWait{}
}

// handlerCalls are the counters Handler_* of what writes rows.
var handlerCalls = [...]int{
	instr.TableInsert: vtable.HandlerWrite, instr.TableUpdate: vtable.HandlerUpdate, instr.TableDelete: vtable.HandlerDelete,
}

// heldBack enters the stage of statements that wait for processor time, until done is called.
func (w *Work) heldBack() (done func()) {
	w.Thread.StartStage(w.Stages.HeldBack)
	return func() {
		if w.Current.planned {
			w.Current.stage.GoOn()
		} else {
			w.Thread.StartStage(w.Stages.Starting)
		}
	}
}

// FindsView implements usertables.Observer. go-mysql-server plans a view only if the session has a current database. A session without one
// borrows the view's meanwhile.
func (w *Work) FindsView(ctx *sql.Context, db string) {
	if !sys.Is(db) {
		w.plans.DependsOnMore() // the view can be another one the next time
	}
	w.Rights.FindsView(db)
	if ctx.GetCurrentDatabase() == "" {
		ctx.SetCurrentDatabase(db)
		w.borrowedDatabase = true
	}
}

// takeBackDatabase ends the use of the database that a session without one has borrowed for a view.
func (w *Work) takeBackDatabase(ctx *sql.Context) {
	if w.borrowedDatabase {
		ctx.SetCurrentDatabase("")
		w.borrowedDatabase = false
	}
}
