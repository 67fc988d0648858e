// Package usertables shows users' databases and tables to statements. It reports each write of a
// row to the connection's Observer, lets temporary tables hide others, adds definers to
// definitions, and keeps everybody from changing sys.
//
// Databases, rows and transactions are stored by a [Storage]: a provider of databases whose tables
// implement the interfaces of go-mysql-server, and of sessions that begin and end transactions.
// Package storage is one. To store users' tables elsewhere, write another Storage and pass it to
// New.
//
// The server calls New once and NewSession for each connection, and looks databases up as in any
// other provider. This package finds the Session of a statement, and with it the connection's
// Observer, through the ProcessList of its context.
//
// Begin reading with Storage (storage.go), then Database (database.go), table (table.go) and
// Session (session.go).
//
// Called by many packages of engine. Calls access, bounds, budget, charge, executor, grammar, mends,
// mysqlerr, sqlexpr, syntax, sys and instr.
package usertables
