// Package functions has SQL functions about the server, its threads and the session that
// go-mysql-server lacks: those of the Performance Schema, digests, USER() and similar ones, SLEEP, and
// comparisons with ANY and ALL.
//
// Package engine gives [All] to go-mysql-server; package sysschema calls some of them. They use the
// session of the statement through [Session], and package access. Begin reading at
// functions.go. Expressions are safe for concurrent use.
//
// Called by catalog, connection and sysschema.
package functions
