// Package userlocks has the functions of locks that users name: GET_LOCK, IS_FREE_LOCK, IS_USED_LOCK, RELEASE_LOCK and
// RELEASE_ALL_LOCKS.
//
// The locks are metadata locks of a namespace of their own, which package mdl holds, and so they are in metadata_locks, take part in the
// search for deadlocks, and a wait for one can be killed. The server has [Functions] among its own; the session of a statement is found
// through [Session]. The package calls mdl and session. All of it is in userlocks.go. Safe for concurrent use.
//
// Called by catalog and connection. Begin reading with userlocks.go.
package userlocks
