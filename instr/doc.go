// Package instr records what a program waits for, and what it does meanwhile, as MySQL's
// Performance Schema does.
//
// # What a program uses
//
// Make what you want to watch with this package, and use it like what it replaces:
//
//   - of package sync: [NewMutex], [NewRWMutex], [NewCond], [NewOnce], [NewWaitGroup], [NewPool]
//   - of the language, and of golang.org/x/sync: [NewChan], [NewSemaphore], [NewGroup], [NewContextWait]
//   - of packages os and net: [NewFileClass], [Listen], [Dial], [WrapListener], [WrapConn]
//   - goroutines, which become threads by themselves at their first wait: [Go] and [Attach] name them
//   - what a thread does: [NewStatementClass], [NewStageClass], [Thread.StartTransaction], [NewProgram], [NewDigest]
//   - what only the program knows: [NewMemoryClass], [NewTable], [NewConnPool], [NewMetadataLockClass], [NewStatusVariable], [NewMeter]
//
// A name is given once, at construction. All of these belong to the registry [Default]; each is a method of [Registry], too, for a
// program that wants a registry of its own.
//
// # What readers and configuration use
//
// With SQL one switches on what one wants to see, and looks at it. Without SQL, [Registry.Setup] has the switches and sizes, a
// [Setup], and [Registry.Reader] has what was recorded, a [Reader]; [Reader.Snapshot] is all numbers at once. The types whose names end in
// Event, Stat, Info, Row, Instance and Numbers are what a Reader returns. What begins with Recorded is for a model of another process.
//
// # Terms and contract
//
// An instrument, a [Class], is a named kind of measured code such as wait/synch/mutex/cache/lock;
// an [Instance] is one object of it; a [Thread] is a goroutine that has events of its own. A
// goroutine may be no thread, because there are too many or because of [Setup.SetGoroutineThreads].
// It still counts in the instances and classes, and is named as the holder of a lock, but it has no
// events.
//
// A thread says what it does by [Thread.StartTransaction], [Thread.StartStatement] and
// [Thread.StartStage]. What begins meanwhile, such as a wait, is recorded as part of that. A stored
// program, or anything else that runs statements under a name of its own, is a [Program]: see
// [Thread.StartProgram].
//
// The contract: nothing here returns an error that the plain operation would not return, and
// nothing writes logs. Only a malformed name, which is a mistake in the program, makes a
// constructor panic. Recording an event allocates nothing and waits for nothing; what does not fit
// is counted as lost. Only a thread's own goroutine writes its events and statistics, by the
// protocols that are described at event, stat and Thread. Readers copy them without stopping
// anyone, and return no row that is half one event and half another. Statements, stages and
// transactions are rare, compared with waits: for these, a thread may have to wait while a reader
// copies a few of its events. A switch takes effect at once for everything that begins afterwards;
// an event keeps the switches and the timer that it began with.
//
// Times of events are kept in raw timer units, and statistics of waits in cycles; they become
// picoseconds when they are read. Other statistics are kept in picoseconds.
//
// The current thread is found from the goroutine by a few instructions of assembly on amd64 and
// arm64. Elsewhere, where [HasThreadLookup] is false, only methods that take a *Thread, such as
// [Mutex.LockAs], record events of threads; all others only count in the instances and classes.
// 32-bit platforms are not supported: the package does not compile there.
//
// A thread belongs to an account, or to a user and a host if there are too many accounts. These
// take over what the thread has counted when it ends or changes its user. Everything that needs
// memory has a [Limit]; what is beyond its limit works uninstrumented, and is counted as lost.
//
// # Files
//
// The whole: registry.go; handles.go has its Setup and its Reader; declarations.go lists the kinds of instruments with their operations,
// limits and buffers. Instruments: class.go, and instances.go their objects. One file for each kind of instrument: mutex.go, rwmutex.go,
// cond.go, file*.go (file_fs.go has the fs.FS, file_regular.go what reads no pipes and devices), socket*.go (socket_packet.go has UDP and
// Unix sockets, socket_dialer.go the options), table.go, metadata_lock.go, row_lock.go, idle.go, memory.go, stage.go, statement.go, transaction.go;
// synch.go with chan.go, once.go, waitgroup.go, pool.go, semaphore.go, group.go and context.go is what MySQL has no kinds of.
// runtime_waits.go has what the Go runtime itself waits for.
// exclusive.go and read_locks.go record who holds locks, lock_wait.go who waits for whom, hold.go how long locks are held; iowait.go has
// what files and sockets share, and transfer.go copies from one to another; conn_pool.go shows pools of connections.
//
// Switches: setup.go, and setup_actors.go, setup_objects.go and setup_threads.go for who and what is watched. Threads: thread.go;
// goroutine*.go finds the current thread, goroutine_thread.go makes goroutines threads at their first wait, and descriptor.go
// finds what the runtime knows of goroutines. Accounts, users and hosts: actors.go, and for their statistics actor_waits.go and
// actor_work.go.
//
// Events: event.go records waits and waitevent.go reads them; activity.go has the other events of a thread, eventhead.go what all
// events have in common, eventring.go the histories, and record.go the packed records in them. Statistics: stat.go, work.go,
// histogram.go and times.go, table_stat.go, error_stat.go and memory_stat.go; memory_own.go and buffers.go are about the memory
// of the registry itself.
//
// Statements by digest: statement_digest.go, digest_cache.go and statement_histogram.go. Stored
// programs: program.go. Sessions: session.go, prepared_statement.go, user_variables.go and
// connect_attrs.go. Status variables and meters: status.go and meter.go. Recordings of other
// processes: recorded.go, and package record.
//
// Called by programs that are observed, tables and engine. Calls instr/digest, ringbuf and timers.
// Begin reading with registry.go and mutex.go.
package instr
