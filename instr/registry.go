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
	// Consumers are read without it.
	mu        sync.Mutex
	consumers [ConsumerCount]atomic.Bool
	timers    [TimerKindCount]timers.ID
	patterns  []pattern
	byName    map[string]*Class
	lostNames map[string]*Class // the classes beyond their limits
	classes   classList
	families  [familyCount]classList // the same by family and id, which is 1 more than the place

	start       [timers.Count]uint64 // what the timers read when the registry was made
	started     time.Time
	waitsLong   atomic.Pointer[ringbuf.Long[longEvent]]
	lockerLost  atomic.Uint64
	rowsSkipped atomic.Uint64
	limits      [LimitCount]atomic.Int64
	used        [LimitCount]atomic.Int64 // how many there are of what has a limit
	lost        [LimitCount]atomic.Uint64
	sources     sync.Map // caller PC to file:line

	threads  threads
	files    files
	objects  setupObjects
	programs programs
	tables   tables
	metadata metadataLocks
	idle     *Class
	// Of tables: what is done with rows, and locks.
	tableIO, tableLock *Class

	now                func() time.Time // the clock
	digests            digests
	statementHistogram bucketCounts[[StatementHistogramBuckets]uint64]

	transaction *Class
	work        work
	global      globalWork
	errors      errorList

	lastPrepared atomic.Uint64 // the last prepared statement's number
	connectAttrs connectAttrs
	provisions   provisions
	foreignNames atomic.Bool
	meters       meters
	status       statusNames
	buffers      [bufferCount]sharedMemory
	goMemory     runtimeMemory
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
	r := &Registry{byName: map[string]*Class{}, lostNames: map[string]*Class{}, started: time.Now(), now: timers.Wall}
	for i := range consumers {
		r.consumers[i].Store(consumers[i].on)
	}
	for l := range LimitCount {
		r.SetLimit(l, l.Default())
	}
	r.timers = defaultTimers()
	for id := range timers.Count {
		r.start[id] = id.Now()
	}
	r.threads.init(r)
	r.digests.init(&r.buffers[bufDigests])
	r.SetHistoryLongSize(DefaultHistoryLongSize)
	r.objects.addDefaults()
	r.recomputePrograms()
	r.idle = r.class(KindIdle, "")
	r.idle.SetProperties(User)
	r.tableIO, r.tableLock = r.class(KindTableIO, ""), r.class(KindTableLock, "")
	r.transaction = r.class(KindTransaction, "")
	r.errors.class = r.class(KindError, "")
	r.goMemory.init()
	r.addOwnMemory()
	r.errors.size.Store(-1)
	r.work.stackSize.Store(DefaultStatementStackSize)
	r.SetConnectAttrsSize(DefaultConnectAttrsSize)
	r.work.textLength.Store(DefaultSQLTextLength)
	for f := FamilyStages; f <= FamilyTransactions; f++ {
		r.SetEventsHistorySize(f, DefaultHistorySize)
		r.SetEventsHistoryLongSize(f, DefaultHistoryLongSize)
	}
	return r
}

// SetClock replaces the clock that says when statements with a digest and errors are seen,
// before there are any: for tests.
func (r *Registry) SetClock(now func() time.Time) { r.now = now }

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

// The default depth of a thread's stack of statements, and the default length of SQL_TEXT in
// bytes.
const (
	DefaultStatementStackSize = 10
	DefaultSQLTextLength      = 1024
)

// SetEventsHistorySize sets how many events of a family each thread that starts from now on
// keeps. Safe for concurrent use.
func (r *Registry) SetEventsHistorySize(f Family, n int) {
	if f == FamilyWaits {
		r.SetHistorySize(n)
		return
	}
	r.work.historySizes[f].Store(int64(n))
}

// EventsHistorySize is how many events of a family a thread keeps. Safe for concurrent use.
func (r *Registry) EventsHistorySize(f Family) int {
	if f == FamilyWaits {
		return r.HistorySize()
	}
	return int(r.work.historySizes[f].Load())
}

// SetEventsHistoryLongSize sets how many events of a family, of all threads, are kept, and
// forgets those so far. Safe for concurrent use.
func (r *Registry) SetEventsHistoryLongSize(f Family, n int) {
	switch f {
	case FamilyWaits:
		r.SetHistoryLongSize(n)
	case FamilyStages:
		r.work.stages.Swap(newLongHistory[stageRecord](n, lateStages, &r.buffers[bufStagesHistoryLong])).giveUp()
	case FamilyStatements:
		r.work.statements.Swap(newLongHistory[statementRecord](n, 0, &r.buffers[bufStatementsHistoryLong])).giveUp()
	case FamilyTransactions:
		r.work.transactions.Swap(newLongHistory[transactionRecord](n, 0, &r.buffers[bufTransactionsHistoryLong])).giveUp()
	}
}

// EventsHistoryLongSize is how many events of a family, of all threads, are kept. Safe for
// concurrent use.
func (r *Registry) EventsHistoryLongSize(f Family) int {
	switch f {
	case FamilyStages:
		return r.work.stages.Load().size
	case FamilyStatements:
		return r.work.statements.Load().size
	case FamilyTransactions:
		return r.work.transactions.Load().size
	}
	return r.HistoryLongSize()
}

// SetStatementStackSize sets how many statements with events a thread can be in at a time, one
// inside the other. Safe for concurrent use.
func (r *Registry) SetStatementStackSize(n int) { r.work.stackSize.Store(int64(n)) }

// StatementStackSize is how many statements with events a thread can be in at a time. Safe for
// concurrent use.
func (r *Registry) StatementStackSize() int { return int(r.work.stackSize.Load()) }

// NestedStatementLost is how many statements were not counted because their thread was in too
// many already, the status variable Performance_schema_nested_statement_lost. Safe for
// concurrent use.
func (r *Registry) NestedStatementLost() uint64 { return r.work.nestedLost.Load() }

// SetSQLTextLength sets at how many bytes the texts of statements are cut from now on. Safe for
// concurrent use.
func (r *Registry) SetSQLTextLength(n int) { r.work.textLength.Store(int64(n)) }

// SQLTextLength is at how many bytes the texts of statements are cut. Safe for concurrent use.
func (r *Registry) SQLTextLength() int { return int(r.work.textLength.Load()) }

// LockerLost is how many waits were not recorded because their thread was in too many
// already, the status variable Performance_schema_locker_lost.
func (r *Registry) LockerLost() uint64 { return r.lockerLost.Load() }

// RowsSkipped is how many events readers have left out because a writer was overwriting
// them: of events_waits_current, and of the events_waits_history_long there is now.
func (r *Registry) RowsSkipped() uint64 {
	return r.rowsSkipped.Load() + r.waitsLong.Load().Lapped()
}
