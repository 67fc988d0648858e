package engine

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/compat"
	"pfsd/engine/errorlog"
	"pfsd/engine/mdl"
	"pfsd/engine/secrets"
	"pfsd/engine/syntax"
	"pfsd/instr"
)

// eventQueue is the events of all databases, which know them. Safe for concurrent use.
type eventQueue struct {
	mu      *instr.Mutex // guards what the databases know of events, too
	cond    *instr.Cond  // signalled when something has changed
	stopped bool         // guarded by mu
}

func newEventQueue(reg *instr.Registry) *eventQueue {
	q := &eventQueue{mu: reg.NewMutex("sql/LOCK_event_queue")}
	q.cond = reg.NewCond("sql/COND_queue_state", q.mu)
	return q
}

// change makes a change, of which the scheduler is told.
func (q *eventQueue) change(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	do()
	q.cond.Signal()
}

// usersDatabase is a database of users'. What it knows of events, connections and the scheduler
// may ask and change at the same time.
type usersDatabase struct {
	*memory.Database
	queue    *eventQueue
	reg      *instr.Registry
	programs *sync.RWMutex // guards what it knows of procedures and triggers
	created  *creations
	listed   *listing
	stored   *sync.RWMutex // guards what the tables are made of
}

// GetEvent implements sql.EventDatabase.
func (d usersDatabase) GetEvent(ctx *sql.Context, name string) (sql.EventDefinition, bool, error) {
	d.queue.mu.Lock()
	defer d.queue.mu.Unlock()
	return d.Database.GetEvent(ctx, name)
}

// GetEvents implements sql.EventDatabase.
func (d usersDatabase) GetEvents(ctx *sql.Context) ([]sql.EventDefinition, any, error) {
	d.queue.mu.Lock()
	defer d.queue.mu.Unlock()
	return d.Database.GetEvents(ctx)
}

// SaveEvent implements sql.EventDatabase.
func (d usersDatabase) SaveEvent(ctx *sql.Context, e sql.EventDefinition) (enabled bool, err error) {
	e.EventBody = bodyOf(e.EventBody)
	d.queue.change(func() { enabled, err = d.Database.SaveEvent(ctx, e) })
	return enabled, err
}

// UpdateEvent implements sql.EventDatabase.
func (d usersDatabase) UpdateEvent(ctx *sql.Context, name string, e sql.EventDefinition) (enabled bool, err error) {
	e.EventBody = bodyOf(e.EventBody)
	d.queue.change(func() { enabled, err = d.Database.UpdateEvent(ctx, name, e) })
	return enabled, err
}

// bodyOf is the body of an event.
//
// go-mysql-server: what stands up to the end of the statement, the end of a comment with code, too. MySQL: the body alone.
func bodyOf(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := strings.CutSuffix(text, "*/"); ok && strings.Count(text, "*/") > strings.Count(text, "/*") {
		return strings.TrimSpace(body)
	}
	return text
}

// DropEvent implements sql.EventDatabase.
func (d usersDatabase) DropEvent(ctx *sql.Context, name string) (err error) {
	d.queue.change(func() { err = d.Database.DropEvent(ctx, name) })
	d.reg.DropProgram(instr.ObjectEvent, d.Name(), name)
	return err
}

// UpdateLastExecuted implements sql.EventDatabase.
func (d usersDatabase) UpdateLastExecuted(ctx *sql.Context, name string, at time.Time) error {
	d.queue.mu.Lock()
	defer d.queue.mu.Unlock()
	return d.Database.UpdateLastExecuted(ctx, name, at)
}

// eventScheduler carries out events when it is time, as the variable event_scheduler lets it.
// Its thread is there while it does. Safe for concurrent use.
type eventScheduler struct {
	h       *handler
	queue   *eventQueue
	all     func() []sql.Database
	started tasks // its goroutine and those of events that run
	stopRun context.CancelFunc
	last    atomic.Uint32 // event that ran, from the start
}

// start starts it.
func (s *eventScheduler) start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stopRun = cancel
	s.started.start(func() {
		for s.enabled() {
			s.schedule(ctx)
		}
	})
}

// stop stops it and the events that run, and returns when nothing of it is left running, or at a time. It
// reports whether nothing is.
func (s *eventScheduler) stop(until time.Time) bool {
	s.queue.change(func() { s.queue.stopped = true })
	s.stopRun()
	return s.started.wait(until)
}

// on tells whether the variable says that events are carried out.
func (s *eventScheduler) on() bool { return s.h.variables.Global("event_scheduler") == "ON" }

// enabled waits until events are to be carried out; false says that they never will be again.
func (s *eventScheduler) enabled() bool {
	q := s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped && !s.on() {
		q.cond.Wait()
	}
	return !q.stopped
}

// schedule carries out events until they are not to be carried out any more.
func (s *eventScheduler) schedule(ctx context.Context) {
	t := s.h.reg.Attach("sql/event_scheduler")
	defer t.Detach()
	q := s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped && s.on() {
		e, due := s.first(time.Now())
		switch wait := time.Until(due); {
		case due.IsZero():
			t.StartStage(s.h.stages.emptyQueue)
			q.cond.Wait()
		case wait > 0:
			t.StartStage(s.h.stages.nextActivation)
			q.cond.WaitTimeout(wait)
		default:
			t.EndStage()
			s.activated(&e, due)
			s.started.start(func() { s.run(ctx, e) })
		}
	}
}

// dueEvent is an event that is carried out.
type dueEvent struct {
	sql.EventDefinition
	db      usersDatabase
	dropped bool // it is not carried out again
}

// first returns the event that is to be carried out next and when; the zero time if there is
// none. The caller holds the queue's lock.
func (s *eventScheduler) first(now time.Time) (first dueEvent, due time.Time) {
	for _, db := range s.all() {
		users, ok := db.(usersDatabase)
		if !ok {
			continue
		}
		all, _, err := users.Database.GetEvents(nil)
		if err != nil {
			continue
		}
		for _, e := range all {
			if e.Status != sql.EventStatus_Enable.String() {
				continue
			}
			at, ended := activation(&e, now)
			if ended {
				s.finish(&dueEvent{EventDefinition: e, db: users})
			} else if due.IsZero() || at.Before(due) {
				first, due = dueEvent{EventDefinition: e, db: users}, at
			}
		}
	}
	return first, due
}

// late is how late an event that comes again and again is still carried out.
const late = 2 * time.Second

// activation is when an event is to be carried out next; ended says that it never is again.
func activation(e *sql.EventDefinition, now time.Time) (at time.Time, ended bool) {
	switch {
	case e.HasExecuteAt:
		return e.ExecuteAt, false
	case e.LastExecuted.IsZero() && e.Starts.After(now.Add(-late)):
		return e.Starts, false
	}
	at, ended, err := e.GetNextExecutionTime(e.LastExecuted)
	if err == nil && !ended && at.Before(now.Add(-late)) {
		at, ended, err = e.GetNextExecutionTime(now) // the scheduler was off
	}
	return at, ended || err != nil
}

// activated notes that an event is carried out at a time. The caller holds the queue's lock.
func (s *eventScheduler) activated(e *dueEvent, at time.Time) {
	e.LastExecuted = at
	if e.HasExecuteAt {
		s.finish(e)
		return
	}
	if _, err := e.db.Database.UpdateEvent(nil, e.Name, e.EventDefinition); err != nil {
		s.h.log.Write(errorlog.EventFailed, fmt.Sprintf("%s.%s: %v", e.db.Name(), e.Name, err))
	}
}

// finish drops an event that is not carried out again, or disables it if it is to be kept. The
// caller holds the queue's lock.
func (s *eventScheduler) finish(e *dueEvent) {
	var err error
	if e.OnCompletionPreserve {
		e.Status = sql.EventStatus_Disable.String()
		_, err = e.db.Database.UpdateEvent(nil, e.Name, e.EventDefinition)
	} else {
		e.dropped = true
		err = e.db.Database.DropEvent(nil, e.Name)
	}
	if err != nil {
		s.h.log.Write(errorlog.EventFailed, fmt.Sprintf("%s.%s: %v", e.db.Name(), e.Name, err))
	}
}

// run carries out an event on a thread of its own, in a session of its own.
func (s *eventScheduler) run(ctx context.Context, e dueEvent) {
	h := s.h
	id := math.MaxUint32 - s.last.Add(1) // those of connections begin with 1
	thread := h.reg.AttachConnection("sql/event_worker", uint64(id))
	defer thread.Detach()
	w := newWork(h.kinds, thread, uint64(id))
	defer w.account.Close()
	defer w.locks.Close()
	defer w.opened.close()
	w.limits = &h.variables.NewSession().Memory
	by := accounts.ParseID(e.Definer)
	w.rights = h.rightsOf(by)
	ctx, w.cancel = context.WithCancelCause(ctx)
	defer w.cancel(nil)
	shown := secrets.HideParsed(e.EventBody)
	done, ok := h.clients.runs(&runningEvent{
		id: id, work: w, user: by.User, host: by.Host, db: e.db.Name(), account: w.rights.account, query: shown, since: time.Now(), cancel: w.cancel,
	}, int(h.variables.Integer("max_connections")))
	if !ok {
		h.log.Write(errorlog.EventFailed, fmt.Sprintf("[%s][%s.%s] Too many events run", by, e.db.Name(), e.Name))
		return
	}
	defer done()
	session := h.session(by.User, by.Host, 0, id)
	defer sql.SessionEnd(session)
	session.SetCurrentDatabase(e.db.Name())
	sc := sql.NewContext(ctx, sql.WithSession(session), sql.WithQuery(e.EventBody),
		sql.WithMemoryManager(h.engine.MemoryManager), sql.WithProcessList(&processes{h.clients, w}))
	thread.SetAccount(by.User, by.Host)
	thread.SetDB(e.db.Name())
	thread.SetCommand(eventCommand)
	thread.SetInfo(shown)
	w.beginScheduled(sc, shown)
	err := h.guard(e.EventBody, func() error {
		if err := w.processor.Begin(sc, false); err != nil {
			return err
		}
		return h.event(sc, w, &e)
	})
	defer w.processor.End()
	if err != nil {
		failed := w.raise(sc, err)
		h.log.Write(errorlog.EventFailed, fmt.Sprintf("[%s][%s.%s] %s", by, e.db.Name(), e.Name, failed.Message))
	}
	thread.StartStage(w.stages.cleaning)
	w.endTransaction(err == nil)
	w.end(sc)
	if e.dropped {
		h.reg.DropProgram(instr.ObjectEvent, e.db.Name(), e.Name)
	}
}

// event carries out the body of an event.
func (h *handler) event(ctx *sql.Context, w *work, e *dueEvent) error {
	// The statement that has made it may not have ended yet, with its transaction.
	made, err := w.acquire(ctx, mdl.Key{Namespace: mdl.Event, Schema: strings.ToLower(e.db.Name()), Name: strings.ToLower(e.Name)}, mdl.Shared, mdl.Statement)
	if err != nil {
		return err
	}
	w.locks.Release(made)
	if err := ctx.SetSessionVariable(ctx, "sql_mode", e.SqlMode); err != nil {
		return err
	}
	text := e.CreateEventStatement()
	tree, err := syntax.Default.ParseSimple(text)
	compat.Names(tree, text)
	if err != nil {
		return err
	}
	compat.CommonTables(text, tree)
	compat.GroupWindows(text, tree)
	compat.Operators(text, tree)
	ddl, ok := tree.(*ast.DDL)
	if !ok || ddl.EventSpec == nil {
		return fmt.Errorf("%.100q makes no event", text)
	}
	body := ddl.EventSpec.Body
	s := &steps{work: w, call: ctx, current: ctx}
	p := &program{schema: e.db.Name(), name: e.Name, body: &compat.Program{
		Runner: runner{h.engine, w}, Steps: s, Context: func() *sql.Context { return s.current }, Call: w.callFrom,
		Texts: compat.ProgramTexts(subStatement(text, ddl), body),
	}}
	mendAll(p.body.Texts)
	return w.runProgram(ctx, instr.ObjectEvent, p, body)
}
