package instr

import (
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// Registry has everything that is instrumented, and everything that is recorded of it. Safe for
// concurrent use.
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

	self       weak.Pointer[Registry] // what cleanups of its objects hold
	start      [timers.Count]uint64   // the readings of the timers when the registry was made
	started    time.Time
	waitsLong  atomic.Pointer[ringbuf.Long[longEvent]]
	lockerLost atomic.Uint64
	limits     [LimitCount]atomic.Int64
	used       [LimitCount]atomic.Int64 // how many places of each limit are taken
	lost       [LimitCount]atomic.Uint64
	sources    sync.Map // caller PC to file:line

	threads          threads
	goroutineThreads goroutineThreads
	files            files
	objects          setupObjects
	programs         programs
	tables           tables
	metadata         metadataLocks
	idle             *Class
	// The instruments of tables: operations on rows, and locks.
	tableIO, tableLock *Class

	now                func() time.Time // the clock
	digests            digests
	statementHistogram bucketCounts[[StatementHistogramBuckets]uint64]
	instanceTimes      atomic.Int64 // how many histograms objects have
	instanceTimesLost  atomic.Uint64

	transaction *Class
	work        work
	global      globalWork
	errors      errorList

	lastPrepared   atomic.Uint64 // the last prepared statement's number
	connectAttrs   connectAttrs
	providedValues providedValues
	foreignNames   atomic.Bool
	meters         meters
	status         statusNames
	buffers        [bufferCount]sharedMemory
	goMemory       runtimeMemory
	runtimeWaits   runtimeWaits
	measured       sync.Map // of *measuredMemory
	pools          sync.Map // of *ConnPool, those that have connections
}

// The default sizes of the histories, in events.
const (
	defaultHistorySize     = 10
	defaultHistoryLongSize = 10_000
)

// Default is the registry that the package's functions use.
var Default = NewRegistry()

// NewRegistry returns an empty registry with MySQL's defaults.
func NewRegistry() *Registry {
	r := &Registry{byName: map[string]*Class{}, lostNames: map[string]*Class{}, started: time.Now(), now: timers.Wall}
	r.self = weak.Make(r)
	for i := range consumers {
		r.consumers[i].Store(consumers[i].on)
	}
	for l := range LimitCount {
		r.Setup().SetLimit(l, l.Default())
	}
	r.timers = defaultTimers()
	for id := range timers.Count {
		r.start[id] = id.Now()
	}
	r.threads.init(r)
	r.goroutineThreads.limit.Store(DefaultGoroutineThreads)
	r.digests.init(&r.buffers[bufDigests])
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
	r.Setup().SetConnectAttrsSize(defaultConnectAttrsSize)
	r.work.textLength.Store(DefaultSQLTextLength)
	for f := FamilyWaits; f <= FamilyTransactions; f++ {
		r.Setup().SetHistorySize(f, defaultHistorySize)
		r.Setup().SetHistoryLongSize(f, defaultHistoryLongSize)
	}
	return r
}

// SetClock replaces the clock for the moments at which statements with a digest and errors are
// seen. It is for tests, and must be called before there are any.
func (h Setup) SetClock(now func() time.Time) { h.r.now = now }

// The default depth of a thread's stack of statements, and the default length of SQL_TEXT in
// bytes.
const (
	DefaultStatementStackSize = 10
	DefaultSQLTextLength      = 1024
)

// SetHistorySize sets how many events of a family each thread keeps whose first event comes
// from now on. Safe for concurrent use.
func (h Setup) SetHistorySize(f Family, n int) {
	h.r.work.historySizes[f].Store(int64(n))
}

// HistorySize is how many events of a family a thread keeps. Safe for concurrent use.
func (h Setup) HistorySize(f Family) int {
	return int(h.r.work.historySizes[f].Load())
}

// SetHistoryLongSize sets how many events of a family, of all threads, are kept, and
// forgets those so far. Safe for concurrent use.
func (h Setup) SetHistoryLongSize(f Family, n int) {
	switch f {
	case FamilyWaits:
		h.r.waitsLong.Store(ringbuf.NewLong[longEvent](n, longStamp))
	case FamilyStages:
		h.r.work.stages.Swap(newLongHistory[stageRecord](n, lateStages, &h.r.buffers[bufStagesHistoryLong])).release()
	case FamilyStatements:
		h.r.work.statements.Swap(newLongHistory[statementRecord](n, 0, &h.r.buffers[bufStatementsHistoryLong])).release()
	case FamilyTransactions:
		h.r.work.transactions.Swap(newLongHistory[transactionRecord](n, 0, &h.r.buffers[bufTransactionsHistoryLong])).release()
	}
}

// HistoryLongSize is how many events of a family, of all threads, are kept. Safe for
// concurrent use.
func (h Setup) HistoryLongSize(f Family) int {
	switch f {
	case FamilyStages:
		return h.r.work.stages.Load().size
	case FamilyStatements:
		return h.r.work.statements.Load().size
	case FamilyTransactions:
		return h.r.work.transactions.Load().size
	}
	return h.r.waitsLong.Load().Size()
}

// SetStatementStackSize sets how many statements with events a thread can be in at a time, one
// inside the other. Safe for concurrent use.
func (h Setup) SetStatementStackSize(n int) { h.r.work.stackSize.Store(int64(n)) }

// StatementStackSize is how many statements with events a thread can be in at a time. Safe for
// concurrent use.
func (h Setup) StatementStackSize() int { return int(h.r.work.stackSize.Load()) }

// NestedStatementLost is how many statements were not counted because their thread was in too
// many already, the status variable Performance_schema_nested_statement_lost. Safe for
// concurrent use.
func (h Reader) NestedStatementLost() uint64 { return h.r.work.nestedLost.Load() }

// SetSQLTextLength sets at how many bytes the texts of statements are cut from now on. Safe for
// concurrent use.
func (h Setup) SetSQLTextLength(n int) { h.r.work.textLength.Store(int64(n)) }

// SQLTextLength is at how many bytes the texts of statements are cut. Safe for concurrent use.
func (h Setup) SQLTextLength() int { return int(h.r.work.textLength.Load()) }

// LockerLost is how many waits were not recorded because their thread was in too many
// already, the status variable Performance_schema_locker_lost.
func (h Reader) LockerLost() uint64 { return h.r.lockerLost.Load() }
