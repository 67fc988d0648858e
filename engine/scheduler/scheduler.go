package scheduler

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/stages"
	"pfsd/engine/usertables"
	"pfsd/instr"
)

// Queue is the events of all databases, which know them. Safe for concurrent use.
type Queue struct {
	mu      *instr.Mutex // guards what the databases know of events, too
	cond    *instr.Cond  // signalled when something has changed
	stopped bool         // guarded by mu
}

// NewQueue returns a queue that nobody waits for.
func NewQueue(reg *instr.Registry) *Queue {
	q := &Queue{mu: reg.NewMutex("sql/LOCK_event_queue")}
	q.cond = reg.NewCond("sql/COND_queue_state", q.mu)
	return q
}

// Lock implements usertables.Events.
func (q *Queue) Lock() { q.mu.Lock() }

// Unlock implements usertables.Events.
func (q *Queue) Unlock() { q.mu.Unlock() }

// Change implements usertables.Events.
func (q *Queue) Change(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	do()
	q.cond.Signal()
}

// Scheduler has events carried out, and metrics read, when it is time, as the variable event_scheduler lets it.
// Its thread is there while it does. Safe for concurrent use.
type Scheduler struct {
	Config
	started tasks // its goroutine and those of events that run
	stopRun context.CancelFunc
}

// Config is what a scheduler works with. Its functions are safe for concurrent use.
type Config struct {
	Registry *instr.Registry
	Stages   *stages.Classes
	Queue    *Queue
	// Databases are all databases; those of users have events.
	Databases func() []sql.Database
	// On tells whether events are to be carried out.
	On func() bool
	// Run carries out an event, on a goroutine of its own, until ctx ends.
	Run func(ctx context.Context, e Event)
	// Metrics returns what reads the metric that is due, nil if none is; then the time is when one will be, the zero time for never.
	Metrics func(now time.Time) (read func(context.Context), due time.Time)
	// Failed is told of an event that the databases could not be told of.
	Failed func(e *Event, err error)
}

// New returns a scheduler that has not started.
func New(c Config) *Scheduler { return &Scheduler{Config: c} }

// Start starts it.
func (s *Scheduler) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stopRun = cancel
	s.started.start(func() {
		for s.enabled() {
			s.schedule(ctx)
		}
	})
}

// Stop stops it and the events that run, and returns when nothing of it is left running, or at a time. It
// reports whether nothing is.
func (s *Scheduler) Stop(until time.Time) bool {
	s.Queue.Change(func() { s.Queue.stopped = true })
	s.stopRun()
	return s.started.wait(until)
}

// enabled waits until events are to be carried out; false says that they never will be again.
func (s *Scheduler) enabled() bool {
	q := s.Queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped && !s.On() {
		q.cond.Wait()
	}
	return !q.stopped
}

// schedule carries out events until they are not to be carried out any more.
func (s *Scheduler) schedule(ctx context.Context) {
	t := s.Registry.Attach("sql/event_scheduler")
	defer t.Detach()
	q := s.Queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped && s.On() {
		read, next := s.Metrics(time.Now())
		if read != nil {
			t.EndStage()
			s.started.start(func() { read(ctx) })
			continue
		}
		e, due := s.first(time.Now())
		if !next.IsZero() && (due.IsZero() || next.Before(due)) {
			t.StartStage(s.Stages.NextActivation)
			q.cond.WaitTimeout(time.Until(next))
			continue
		}
		switch wait := time.Until(due); {
		case due.IsZero():
			t.StartStage(s.Stages.EmptyQueue)
			q.cond.Wait()
		case wait > 0:
			t.StartStage(s.Stages.NextActivation)
			q.cond.WaitTimeout(wait)
		default:
			t.EndStage()
			s.activated(&e, due)
			s.started.start(func() { s.Run(ctx, e) })
		}
	}
}

// Event is an event that is carried out.
type Event struct {
	sql.EventDefinition
	DB      usertables.Database
	Dropped bool // it is not carried out again
}

// first returns the event that is to be carried out next and when; the zero time if there is
// none. The caller holds the queue's lock.
func (s *Scheduler) first(now time.Time) (first Event, due time.Time) {
	for _, db := range s.Databases() {
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
				s.finish(&Event{EventDefinition: e, DB: users})
			} else if due.IsZero() || at.Before(due) {
				first, due = Event{EventDefinition: e, DB: users}, at
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
func (s *Scheduler) activated(e *Event, at time.Time) {
	e.LastExecuted = at
	if e.HasExecuteAt {
		s.finish(e)
		return
	}
	if err := e.DB.StoredDatabase.UpdateLastExecuted(nil, e.Name, at); err != nil {
		s.Failed(e, err)
	}
}

// finish drops an event that is not carried out again, or disables it if it is to be kept. The
// caller holds the queue's lock.
func (s *Scheduler) finish(e *Event) {
	var err error
	if e.OnCompletionPreserve {
		e.Status = sql.EventStatus_Disable.String()
		_, err = e.DB.StoredDatabase.UpdateEvent(nil, e.Name, e.EventDefinition)
	} else {
		e.Dropped = true
		err = e.DB.StoredDatabase.DropEvent(nil, e.Name)
	}
	if err != nil {
		s.Failed(e, err)
	}
}
