// Package instr records what a program waits for, and what it does meanwhile, as MySQL's
// Performance Schema does.
//
// Three steps. Make what you want to watch with it: [NewMutex], [NewRWMutex], [NewCond], [NewChan], [NewGroup],
// [NewFileClass], [Listen], [Dial]; the results are used like those of packages sync, os and
// net. Goroutines become threads at their first wait, named after their start functions; [Go] and
// [Attach] give them better names. Switch on what you want to see and look at it, with SQL; without SQL, [Registry.Setup] has the switches and
// sizes, and [Registry.Reader] what was recorded.
//
// An instrument, a [Class], is a named kind of measured code such as
// wait/synch/mutex/cache/lock; an [Instance] is one object of it; a [Thread] is a goroutine
// that has events of its own. A goroutine that is no thread, because there are too many or
// [Setup.SetGoroutineThreads] says so, counts in the instances and classes all the same, and is
// named as the holder of a lock, but has no events.
//
// A thread says what it does: [Thread.StartTransaction], [Thread.StartStatement] and
// [Thread.StartStage]. What begins meanwhile, such as a wait, is recorded as part of that. A
// stored program, or whatever else runs statements under a name of its own, is a [Program]:
// [Thread.StartProgram].
//
// The contract. Nothing here returns an error that the plain operation would not, writes
// logs, or panics but on a malformed name, which is a mistake in the program. Recording an
// event allocates nothing and waits for nothing; what does not fit is counted as lost. Only
// a thread's own goroutine writes its events and statistics, by the protocols described at
// event, stat and Thread; readers copy them without stopping anyone, and return no row that
// is half one event and half another. Statements, stages and transactions, which are rare
// beside waits, a reader may hold up while it copies a few of the thread's. A switch takes
// effect at once for all that begins afterwards; an event keeps the switches and the timer that
// it began with.
//
// Times are kept in raw timer units, those of statistics of waits in cycles, and become
// picoseconds when they are read; other statistics are kept in picoseconds.
//
// The current thread is found from the goroutine by a few instructions of assembly on amd64
// and arm64. Elsewhere, where [HasThreadLookup] is false, only methods that take a *Thread,
// such as [Mutex.LockAs], record events of threads; all others count in the instances and
// classes alone. 32-bit platforms are not supported: the package does not compile there.
//
// A thread belongs to an account, or where there are too many to a user and a host: they
// take over what it has counted when it ends or changes its user. What there can be too many
// of has a [Limit]; beyond it everything works uninstrumented, and is counted as lost.
//
// Files. The whole: registry.go; handles.go has its Setup and its Reader; limits.go says how many
// there can be of what. Instruments: class.go, and instances.go their objects. One file for each
// kind of instrument: mutex.go, rwmutex.go, exclusive.go and read_locks.go for who holds these, lock_wait.go for who waits for whom, hold.go for how long they are held, cond.go, file*.go (file_fs.go has the fs.FS), socket*.go (socket_packet.go has UDP and Unix, socket_dialer.go the options), table.go,
// metadata_lock.go, idle.go, memory.go, stage.go, statement.go, transaction.go; iowait.go has what
// files and sockets share, and transfer.go copies from one to another.
// synch.go with chan.go, once.go, waitgroup.go, pool.go, semaphore.go, group.go and context.go is what MySQL has no kinds of. runtime_waits.go has what the Go runtime itself waits for.
//
// Switches: setup.go, and setup_actors.go, setup_objects.go and setup_threads.go for who and what
// is watched. Threads: thread.go, and goroutine*.go finds the current one; goroutine_thread.go makes
// goroutines threads at their first wait, and descriptor.go finds what the runtime knows of them.
// Accounts, users and
// hosts: actors.go, and actor_waits.go and actor_work.go their statistics.
//
// Events: event.go records waits and waitevent.go reads them; op.go names what waits do;
// activity.go is what a thread does besides waiting; eventhead.go is what all events have in
// common; eventring.go is the histories of events that record.go packs. Statistics: stat.go and
// work.go, histogram.go and bucket_counts.go how times spread, table_stat.go, error_stat.go,
// memory_stat.go, and memory_own.go and buffers.go the memory of the registry itself.
//
// Statements by digest: statement_digest.go, digest_cache.go and statement_histogram.go. Stored
// programs: program.go. What else is known of a session: session.go, prepared_statement.go,
// user_variables.go and connect_attrs.go. Status variables and meters: status.go and meter.go.
//
// Called by programs that are observed, tables and engine. Calls instr/digest, ringbuf and timers.
// Begin reading with registry.go and mutex.go.
package instr
