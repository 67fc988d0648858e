// Package datalocks shows the locks of users' tables: data_locks, data_lock_waits, with metadata locks in lock_waits and deadlocks, what information_schema.INNODB_TRX has of them, and the
// last deadlock of SHOW ENGINE INNODB STATUS.
//
// Package engine makes the Locks when it opens users' tables, and has the store tell them of deadlocks. The package calls storage, which has
// the locks, and processlist, which knows whose they are. Begin reading at locks.go. Safe for concurrent use.
//
// Called by engine.
package datalocks
