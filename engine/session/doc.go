// Package session is what a session has besides the statement that runs: its locks of metadata, LOCK TABLES and FLUSH TABLES WITH
// READ LOCK (Locks), and the transaction that it is in (Transaction).
//
// The server makes one of each for a connection and asks them before and after each statement. They call mdl, which holds the
// locks, usertables, which knows what a temporary table hides, and the instruments of the connection's thread.
//
// Begin reading with locks.go; definition.go says what a statement that defines something locks.
//
// Called by many packages of engine. Calls mdl, usertables and storage.
package session
