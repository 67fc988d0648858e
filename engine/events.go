package engine

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/compat"
	"pfsd/engine/errorlog"
	"pfsd/engine/mdl"
	"pfsd/engine/processlist"
	"pfsd/engine/secrets"
	"pfsd/engine/syntax"
	"pfsd/engine/usertables"
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

// Lock implements usertables.Events.
func (q *eventQueue) Lock() { q.mu.Lock() }

// Unlock implements usertables.Events.
func (q *eventQueue) Unlock() { q.mu.Unlock() }

// Change implements usertables.Events.
func (q *eventQueue) Change(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	do()
	q.cond.Signal()
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
	s.queue.Change(func() { s.queue.stopped = true })
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
			t.StartStage(s.h.stages.EmptyQueue)
			q.cond.Wait()
		case wait > 0:
			t.StartStage(s.h.stages.NextActivation)
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
	db      usertables.Database
	dropped bool // it is not carried out again
}

// first returns the event that is to be carried out next and when; the zero time if there is
// none. The caller holds the queue's lock.
func (s *eventScheduler) first(now time.Time) (first dueEvent, due time.Time) {
	for _, db := range s.all() {
		users, ok := db.(usertables.Database)
		if !ok {
			continue
		}
		all, _, err := users.StoredDatabase.GetEvents(nil)
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
	if err := e.db.StoredDatabase.UpdateLastExecuted(nil, e.Name, at); err != nil {
		s.h.log.Write(errorlog.EventFailed, fmt.Sprintf("%s.%s: %v", e.db.Name(), e.Name, err))
	}
}

// finish drops an event that is not carried out again, or disables it if it is to be kept. The
// caller holds the queue's lock.
func (s *eventScheduler) finish(e *dueEvent) {
	var err error
	if e.OnCompletionPreserve {
		e.Status = sql.EventStatus_Disable.String()
		_, err = e.db.StoredDatabase.UpdateEvent(nil, e.Name, e.EventDefinition)
	} else {
		e.dropped = true
		err = e.db.StoredDatabase.DropEvent(nil, e.Name)
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
	defer w.opened.Close()
	w.limits = &h.variables.NewSession().Memory
	by := accounts.ParseID(e.Definer)
	w.rights = h.rightsOf(by)
	ctx, w.cancel = context.WithCancelCause(ctx)
	defer w.cancel(nil)
	shown := secrets.HideParsed(e.EventBody)
	done, ok := h.clients.Run(&processlist.Event{
		ID: id, Work: w, Thread: thread, User: by.User, Host: by.Host, DB: e.db.Name(), Account: w.rights.Account, Query: shown, Since: time.Now(), Cancel: w.cancel,
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
	thread.SetCommand(processlist.EventCommand)
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
	thread.StartStage(w.stages.Cleaning)
	w.trx.End(err == nil)
	w.end(sc)
	if e.dropped {
		h.reg.DropProgram(instr.ObjectEvent, e.db.Name(), e.Name)
	}
}

// event carries out the body of an event.
func (h *handler) event(ctx *sql.Context, w *work, e *dueEvent) error {
	// The statement that has made it may not have ended yet, with its transaction.
	made, err := w.locks.Lock(ctx, mdl.Key{Namespace: mdl.Event, Schema: strings.ToLower(e.db.Name()), Name: strings.ToLower(e.Name)}, mdl.Shared, mdl.Statement)
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
