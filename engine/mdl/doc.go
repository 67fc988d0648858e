// Package mdl has metadata locks: locks on the names of tables, databases, procedures and other
// objects, which protect their definitions while statements use them, and the user-level locks of
// GET_LOCK. Lock types, compatibility, priority and the choice of the victim in a deadlock are
// MySQL's.
//
// Make a [Manager], and an [Owner] of it for each session. [Owner.Acquire] locks what a statement
// needs, and waits for locks that others hold. [Owner.ReleaseStatement] and
// [Owner.ReleaseTransaction] release the locks held until the end of the statement or the
// transaction, [Owner.Close] all locks.
//
// A Manager is safe for concurrent use; an Owner belongs to one goroutine at a time. A wait ends
// with its context or its timeout. An uncontended lock takes one of several partition mutexes for a
// short time, does not allocate, and is shown in metadata_locks. Only waiters, and those who wake
// them, take the mutex of the whole manager.
//
// Files: key.go what is locked; waits.go who waits for whom; types.go lock types and their
// compatibility; manager.go granted locks and queues; owner.go the locks of a session; deadlock.go
// deadlock detection; errors.go.
//
// Called by many packages of engine. Calls instr. Begin reading with manager.go.
package mdl
