// Package budget counts the memory that statements use, and refuses what exceeds a limit.
//
// There are three accounts, one inside the other: of a statement, of its connection, and of the server,
// which is the sum of all connections. A Hold counts the memory of one buffer: a sort, a set of groups, a
// user variable. Three steps:
//
//  1. NewServer makes the server's account, Server.NewConnection one for each connection.
//  2. Connection.Begin opens the account of a statement, Statement.End closes it and frees all of it.
//  3. Hold.Charge adds bytes before or while the buffer grows; Hold.Release frees them all.
//
// A charge that exceeds a limit returns a *LimitError that names the limit, and changes nothing. A charge
// is the caller's estimate of bytes that the garbage collector cannot free.
//
// A connection reserves memory from the server in chunks, and a hold from its statement in pieces that
// double, so that most charges are an addition and a comparison. A Server is safe for concurrent use. All
// else belongs to one goroutine, that of the connection. Nothing here allocates once a hold is made.
//
// server.go has the server's account, connection.go a connection's, statement.go a statement's and its
// scopes, hold.go the holds of buffers, limits.go the limits of a session, errors.go the error.
//
// Called by many packages of engine. Calls instr. Begin reading with connection.go.
package budget
