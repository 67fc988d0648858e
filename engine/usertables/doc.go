// Package usertables is users' databases and tables as statements know them: what writes their rows is observed, temporary
// tables hide others, definitions name who made them, and nobody changes sys.
//
// What keeps databases, rows and transactions stands behind Storage: a provider of databases whose tables implement the
// interfaces of go-mysql-server, and the sessions that begin and end transactions in it. Package storage is such a storage.
// To keep users' tables elsewhere is to write another one and to give it to New.
//
// The server calls New once, NewSession for each connection, and looks databases up like any other provider's. This package
// finds the Session of a statement, and with it the connection's Observer, through the ProcessList of its context.
//
// Begin reading with Storage (storage.go), then Database (database.go), table (table.go) and Session (session.go).
//
// Called by many packages of engine.
package usertables
