package instr

import (
	"sync"
	"sync/atomic"
	"time"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// Registry is everything that is instrumented, and everything that is recorded of it.
// Safe for concurrent use.
type Registry struct {
	// mu guards the switches: what setup_instruments, setup_consumers and setup_timers show.
	mu        sync.Mutex
	consumers [ConsumerCount]bool
	timers    [TimerKindCount]timers.ID
	patterns  []pattern
	byName    map[string]*Class
	lostNames map[string]*Class        // the classes beyond their limits
	classes   atomic.Pointer[[]*Class] // by id, which is 1 more than the place

	start       [timers.Count]uint64 // what the timers read when the registry was made
	started     time.Time
	waitsLong   atomic.Pointer[ringbuf.Long[longEvent]]
	lockerLost  atomic.Uint64
	rowsSkipped atomic.Uint64
	limits      [LimitCount]atomic.Int64
	used        [LimitCount]atomic.Int64 // how many there are of what has a limit
	lost        [LimitCount]atomic.Uint64
	sources     sync.Map // caller PC to file:line

	threads threads
	files   files
	objects setupObjects
	idle    *Class
}

// The default sizes of the histories, in events.
const (
	DefaultHistorySize     = 10
	DefaultHistoryLongSize = 10_000
)

// Default is the registry that the package's functions use.
var Default = NewRegistry()

// NewRegistry returns an empty registry with MySQL's defaults.
func NewRegistry() *Registry {
	r := &Registry{byName: map[string]*Class{}, lostNames: map[string]*Class{}, started: time.Now()}
	r.classes.Store(new([]*Class))
	for i := range consumers {
		r.consumers[i] = consumers[i].on
	}
	for l := range LimitCount {
		r.SetLimit(l, l.Default())
	}
	r.timers = defaultTimers()
	for id := range timers.Count {
		r.start[id] = id.Now()
	}
	r.threads.init(r)
	r.SetHistoryLongSize(DefaultHistoryLongSize)
	r.objects.addDefaults()
	r.idle = r.class(KindIdle, "")
	r.idle.SetProperties(User)
	return r
}

// SetHistorySize sets how many events each thread that starts from now on keeps.
func (r *Registry) SetHistorySize(n int) {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	r.threads.historySize = n
}

// HistorySize is how many events a thread keeps.
func (r *Registry) HistorySize() int {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	return r.threads.historySize
}

// SetHistoryLongSize sets how many events of all threads are kept, and forgets those so far.
func (r *Registry) SetHistoryLongSize(n int) {
	r.waitsLong.Store(ringbuf.NewLong[longEvent](n, longStamp))
}

// HistoryLongSize is how many events of all threads are kept.
func (r *Registry) HistoryLongSize() int { return r.waitsLong.Load().Size() }

// LockerLost is how many waits were not recorded because their thread was in too many
// already, the status variable Performance_schema_locker_lost.
func (r *Registry) LockerLost() uint64 { return r.lockerLost.Load() }

// RowsSkipped is how many events readers have left out because a writer was overwriting
// them: of events_waits_current, and of the events_waits_history_long there is now.
func (r *Registry) RowsSkipped() uint64 {
	return r.rowsSkipped.Load() + r.waitsLong.Load().Lapped()
}
