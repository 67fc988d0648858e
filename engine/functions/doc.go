// Package functions has the functions of SQL that go-mysql-server lacks and that tell something of
// the server, its threads and the session: those of the Performance Schema, digests, USER() and its
// sisters, SLEEP, and comparisons with ANY and ALL.
//
// Package engine gives [All] to go-mysql-server, package sysschema calls some of them for its own.
// They ask the session of the statement through [Session], and package access. Begin reading at
// functions.go. Expressions are safe for concurrent use.
package functions
