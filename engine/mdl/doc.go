// Package mdl locks names: those of tables, databases, procedures and other things that
// statements must not find changed while they use them, and those that users make up for
// GET_LOCK. The types of locks, which of them go together, who goes first and who is given up in
// a deadlock are MySQL's.
//
// To use it: make a [Manager], an [Owner] of it for each session, and have the session
// [Owner.Acquire] what a statement needs; it waits for what others hold. What is acquired until
// the end of the statement or the transaction is released by [Owner.ReleaseStatement] and
// [Owner.ReleaseTransaction], all of it by [Owner.Close].
//
// The contract. A Manager may be used concurrently; an Owner is one goroutine's at a time. Who
// waits can be stopped by its context; nobody waits longer than its timeout. To acquire and
// release a lock that nobody else wants takes a short mutex, that of one of many parts of the
// names, allocates nothing and is shown in metadata_locks; a mutex for all is taken only by those
// who wait and those who let them go on.
//
// Files: key.go what is locked; types.go which locks go together; manager.go who holds and waits
// for what; owner.go what a session does; deadlock.go who waits for whom; errors.go.
package mdl
