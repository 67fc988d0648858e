// Package instr records what a program waits for, and what it does meanwhile, as MySQL's
// Performance Schema does.
//
// Three steps. Make what you want to watch with it: [NewMutex], [NewRWMutex], [NewCond],
// [NewFileClass], [Listen], [Dial]; the results are used like those of packages sync, os and
// net. Run your goroutines as threads with [Go], or call [Attach] in them. Switch on what
// you want to see, with SQL or with the methods of [Registry], and look at it with SQL.
//
// An instrument, a [Class], is a named kind of measured code such as
// wait/synch/mutex/cache/lock; an [Instance] is one object of it; a [Thread] is a goroutine
// that has events of its own. A goroutine that is no thread counts in the instances and
// classes all the same, and is named as the holder of a lock, but has no events.
//
// A thread says itself what it does: [Thread.StartTransaction], [Thread.StartStatement] and
// [Thread.StartStage]. What begins meanwhile, waits among it, is recorded as part of that. What
// runs statements under a name of its own is a [Program]: [Thread.StartProgram].
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
// Files: registry.go the whole; class.go instruments; instances.go their objects; limits.go
// how many there can be; setup.go the switches, setup_actors.go, setup_objects.go and
// setup_threads.go those for who and what is watched; thread.go threads, goroutine*.go how
// they are found; actors.go accounts, users and hosts, actor_waits.go their statistics;
// event.go recording, waitevent.go reading a wait; activity.go what a thread does besides
// waiting: statement.go, stage.go and transaction.go, with eventhead.go what their events have
// in common with waits, and eventring.go their histories, of what record.go packs; statement_digest.go statements by
// digest, digest_cache.go the digests of texts, statement_histogram.go how long statements
// take; program.go stored programs; table.go tables of a store, and table_stat.go their
// statistics; memory.go memory that is allocated and freed, memory_stat.go its statistics,
// memory_own.go and buffers.go that of the registry itself; session.go what else is known of a session: prepared_statement.go,
// user_variables.go and connect_attrs.go; status.go status variables; stat.go statistics,
// histogram.go and bucket_counts.go how they spread; op.go what events do; and one file
// for each kind of instrument: mutex.go
// rwmutex.go cond.go file*.go socket*.go metadata_lock.go idle.go, with iowait.go what files and sockets
// share and transfer.go copying from one to another.
package instr
