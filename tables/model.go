package tables

import (
	"pfsd/instr"
	"pfsd/timers"
)

// Model is what the tables read, change and empty: what was recorded of a program. The one of this
// process is [Of] a registry; a recording of another process is a Model of its own. Instruments,
// status variables and tables of a store are types of package instr: a model has them in a
// registry, so that their ids and names are made in one place. Safe for concurrent use.
type Model interface {
	// Setup is the switches and sizes.
	Setup() Setup
	// Provide and Provided keep what a server adds to the model: see instr.Registry.
	Provide(key, value any)
	Provided(key any) any
	// Err says why rows may be missing in what has been read, as ErrNotRead: the file of a recording may be cut while it is read. Else, and
	// for what this process records always, it is nil. It is asked for after each row.
	Err() error
	// Origin is whom the rows of a table of performance_schema or information_schema are about. The names are in lower case.
	Origin(schema, table string) Origin

	classModel
	threadModel
	actorModel
	eventModel
	objectModel
	statusModel
}

// Reading is a model of which one statement can have a model of its own, which reads the program once and shows what is true of one moment.
type Reading interface{ Reading() Model }

// ReadingOf is a model for one statement or one sample: m itself, if that costs nothing to read.
func ReadingOf(m Model) Model {
	if r, ok := m.(Reading); ok {
		return r.Reading()
	}
	return m
}

// classModel is the instruments, and what objects and threads have counted of each.
type classModel interface {
	Classes() []*instr.Class
	FamilyClasses(f instr.Family) []*instr.Class
	ClassByName(name string) *instr.Class

	ClassWaits(c *instr.Class) instr.Stat
	ClassIO(c *instr.Class) instr.IOStat
	ClassHistogram(c *instr.Class) instr.Histogram
	// Times are the histograms of a class and of its objects.
	Times(c *instr.Class) []instr.Times
	// SharedMemory is the memory of a class that belongs to no thread.
	SharedMemory(c *instr.Class) instr.MemoryStat
	// MeasureMemory brings memory up to date that is measured instead of counted.
	MeasureMemory()
	// ResetClass empties the statistics of an instrument and of its objects, ResetInstances those
	// of the objects alone.
	ResetClass(c *instr.Class)
	ResetInstances(c *instr.Class)
	ResetHistogram(c *instr.Class)

	// Instances returns the objects of a class that exist, by id.
	Instances(c *instr.Class) []Instance
	// Instance returns the object with this id, nil if there is none.
	Instance(id uint64) Instance
	FilesNamed(name string) []FileInstance
	// ReadLocks returns which threads hold readers-writer locks for reading, as far as that is
	// known.
	ReadLocks() []HeldLock
	// CountsHolds reports whether it is counted how often and how long locks are held.
	CountsHolds() bool
	// LockWaits returns which threads wait for mutexes and readers-writer locks.
	LockWaits() []LockWait
	PoolConnections() []instr.PoolConnection
	// SynchWaits returns a function that says what a thread waits for, if that is a channel, a condition variable, a semaphore or the like.
	SynchWaits() func(Thread) (SynchWait, bool)
}

// threadModel is the threads. A look-up returns nil where there is none.
type threadModel interface {
	// Current is the thread of the goroutine that reads.
	Current() Thread
	Threads() []Thread
	ThreadsOf(f instr.ActorFilter) []Thread
	ThreadByID(id uint64) Thread
	ThreadByProcess(id uint64) Thread
	ThreadByGoroutine(id uint64) Thread
	ThreadCount() int
	// Goroutines takes a profile of the program's goroutines.
	Goroutines() []instr.Goroutine
	// GoroutineLeaks looks for goroutines that nothing can wake.
	GoroutineLeaks() []instr.Goroutine
	ThreadWork(kinds ...instr.WorkKind) []instr.Work
	ResetThreadWaits()
	ResetThreadWork(k instr.WorkKind)
	ResetThreadStatus()
}

// actorModel is the accounts, users and hosts, and everything together.
type actorModel interface {
	// HasForeignNames reports whether any user's name has letters beyond ASCII.
	HasForeignNames() bool
	Actors(l instr.ActorLevel, f instr.ActorFilter) []instr.Actor
	ActorWaits(l instr.ActorLevel, f instr.ActorFilter) []instr.ActorWaits
	ActorWork(l instr.ActorLevel, f instr.ActorFilter, kinds ...instr.WorkKind) []instr.Work
	ActorStatus(l instr.ActorLevel, f instr.ActorFilter) []instr.Status
	ResetActorWaits(l instr.ActorLevel)
	ResetActorWork(k instr.WorkKind, l instr.ActorLevel)
	ResetActorStatus(l instr.ActorLevel)
	TruncateActors(l instr.ActorLevel)
	GlobalWork(kinds ...instr.WorkKind) instr.Work
	ResetGlobalWork(k instr.WorkKind)
}

// eventModel is the events of all threads, also of those that have ended, and the statements by
// digest and by program.
type eventModel interface {
	// WaitsHistoryLong returns a function that fills a buffer with the next events and returns how
	// many they are, 0 at the end.
	WaitsHistoryLong() func(buf []instr.WaitEvent) int
	StagesHistoryLong() []instr.StageEvent
	StatementsHistoryLong() []instr.StatementEvent
	TransactionsHistoryLong() []instr.TransactionEvent
	TruncateWaitsHistoryLong()
	TruncateStagesHistoryLong()
	TruncateStatementsHistoryLong()
	TruncateTransactionsHistoryLong()

	GlobalStatementHistogram() *instr.StatementHistogram
	ResetGlobalStatementHistogram()
	Digests(f instr.DigestFilter) []instr.DigestRow
	DigestHistograms(f instr.DigestFilter) []instr.DigestHistogram
	ResetDigestHistograms()
	TruncateDigests()
	Programs() []instr.ProgramRow
	TruncatePrograms()
	ResetPreparedStatements()
	// ServerErrors returns the errors that the program knows; the first element stands for all
	// other errors.
	ServerErrors() []instr.ServerError
}

// objectModel is the tables of a store, and the metadata locks.
type objectModel interface {
	Tables() []*instr.Table
	TablesNamed(schema, name string) []*instr.Table
	TablesUsedBy(thread uint64) []*instr.Table
	TableOfHandle(id uint64) *instr.Table
	ResetTableIO()
	ResetTableLocks()
	MetadataLocks() []instr.MetadataLockInfo
	MetadataObject(id uint64) *instr.MetadataObject
}

// statusModel is the status variables and meters.
type statusModel interface {
	StatusVariables() []*instr.StatusVariable
	GlobalStatus() instr.Status
	// Lost is how many things a limit has kept from being recorded, and LockerLost how many events had no place to be recorded in.
	Lost(l instr.Limit) uint64
	LockerLost() uint64
	// ThreadWaitsLost is how many waits the statistics by thread had no room for.
	ThreadWaitsLost() uint64
	// InstanceTimesLost is how many events the histograms of objects, or all histograms of a recording, had no room for.
	InstanceTimesLost() uint64
	// ResetStatus and ResetLost are FLUSH STATUS.
	ResetStatus()
	ResetLost()
	Meters() []*instr.Meter
	Metrics() []*instr.Metric
}

// Setup is the switches that SQL changes, and the sizes that it shows.
type Setup interface {
	SetEnabled(c *instr.Class, on bool)
	SetTimed(c *instr.Class, on bool)
	// SetControlled marks the memory of a class as controlled, or not.
	SetControlled(c *instr.Class, on bool)
	Consumer(c instr.Consumer) bool
	SetConsumer(c instr.Consumer, on bool)
	Timer(k instr.TimerKind) timers.ID
	// SetTimer reports whether events of the kind can be timed by this timer.
	SetTimer(k instr.TimerKind, id timers.ID) bool
	ThreadClasses() []*instr.ThreadClass
	// SetThreadEnabled and SetThreadHistory set ENABLED and HISTORY of a class of threads.
	SetThreadEnabled(c *instr.ThreadClass, on bool)
	SetThreadHistory(c *instr.ThreadClass, on bool)

	Actors() []instr.SetupActor
	Actor(host, user, role string) (row instr.SetupActor, ok bool)
	AddActor(a instr.SetupActor) error
	UpdateActor(a instr.SetupActor, set func(row *instr.SetupActor))
	RemoveActor(host, user, role string)
	ClearActors()
	Objects() []instr.SetupObject
	ObjectsNamed(t instr.ObjectType, schema, name string) []instr.SetupObject
	AddObject(o instr.SetupObject) error
	UpdateObject(o instr.SetupObject, set func(row *instr.SetupObject))
	RemoveObject(t instr.ObjectType, schema, name string)
	ClearObjects()

	HistorySize(f instr.Family) int
	HistoryLongSize(f instr.Family) int
}

// Thread is a thread: a row of the table threads. When it has ended, its record may serve another
// thread: then ID returns another id, or 0. Methods that take a slice append to it.
type Thread interface {
	ID() uint64
	// Snapshot returns false if the thread has ended.
	Snapshot() (instr.ThreadInfo, bool)
	SetInstrumented(on bool)
	SetHistory(on bool)

	AppendWaits(to []instr.ClassWaits) []instr.ClassWaits
	Work(kinds ...instr.WorkKind) instr.Work
	Status() instr.Status
	// ReadStatus is Status, but uses the memory of s again; it returns false if the thread has
	// ended.
	ReadStatus(s *instr.Status) bool
	ConnectAttrs(to []instr.ConnectAttr) []instr.ConnectAttr
	UserVariables(to []instr.UserVariable) []instr.UserVariable
	PreparedStatements(to []*instr.PreparedStatement) []*instr.PreparedStatement

	CurrentWaits(to []instr.WaitEvent) []instr.WaitEvent
	CurrentStage(to []instr.StageEvent) []instr.StageEvent
	CurrentStatements(to []instr.StatementEvent) []instr.StatementEvent
	CurrentTransaction(to []instr.TransactionEvent) []instr.TransactionEvent
	WaitsHistory(to []instr.WaitEvent) []instr.WaitEvent
	StagesHistory(to []instr.StageEvent) []instr.StageEvent
	StatementsHistory(to []instr.StatementEvent) []instr.StatementEvent
	TransactionsHistory(to []instr.TransactionEvent) []instr.TransactionEvent
	TruncateCurrentWaits()
	TruncateCurrentStage()
	TruncateCurrentStatements()
	TruncateCurrentTransaction()
	TruncateWaitsHistory()
	TruncateStagesHistory()
	TruncateStatementsHistory()
	TruncateTransactionsHistory()
}

// Instance is an instrumented object: depending on the kind of its class a MutexInstance, an
// RWMutexInstance, a FileInstance, a SocketInstance, a SynchInstance, or a condition variable.
type Instance interface {
	// ID is unique and never used again, OBJECT_INSTANCE_BEGIN.
	ID() uint64
	Class() *instr.Class
	Waits() instr.Stat
}

// MutexInstance is a mutex.
type MutexInstance interface {
	Instance
	// Holds is how long it was held while the instrument of its holds was on.
	Holds() instr.Stat
	// Holder is the id of the thread that holds it, 0 if none does.
	Holder() uint64
	// Holding is who holds it and since when, false if nobody does.
	Holding() (instr.Holding, bool)
}

// RWMutexInstance is a readers-writer lock.
type RWMutexInstance interface {
	Instance
	// Holds is how long it was held, for writing or reading, while the instrument of its holds was
	// on.
	Holds() instr.Stat
	// Holder is the id of the thread that holds it for writing, 0 if none does.
	Holder() uint64
	// Holding is who holds it for writing and since when, false if nobody does.
	Holding() (instr.Holding, bool)
	// Readers is how many hold it for reading.
	Readers() int
}

// SynchInstance is a channel, a semaphore, a group of goroutines or the like.
type SynchInstance interface {
	Instance
	// Room is how much of it is in use, and how much there is, negative if there is no limit; ok is false for objects
	// without such a limit.
	Room() (used, size int64, ok bool)
}

// FileInstance is a file.
type FileInstance interface {
	Instance
	Name() string
	IO() instr.IOStat
	OpenCount() int64
}

// SocketInstance is a socket.
type SocketInstance interface {
	Instance
	IO() instr.IOStat
	FD() int
	IP() string
	Port() int
	// Owner is the id of the thread that the socket belongs to, 0 if none.
	Owner() uint64
	Idle() bool
}
