// Package budget counts the memory that statements keep, and refuses what is beyond a limit.
//
// There are three accounts, one in the other: that of a statement, that of its connection, and that of the
// server, which is all connections together. A Hold is what one buffer keeps: a sort, a set of groups, a
// user variable. Three steps:
//
//  1. NewServer makes the server's account, Server.NewConnection one for each connection.
//  2. Connection.Begin starts the account of a statement, Statement.End gives back all of it.
//  3. Hold.Charge says what a buffer keeps more, before or as it keeps it; Hold.Release that it keeps
//     nothing any more.
//
// A charge that is beyond a limit returns a *LimitError that names the limit, and changes nothing. What is
// charged is an estimate of the bytes that cannot be freed; the caller makes it.
//
// A connection takes memory from the server in chunks, and a hold from its statement in pieces that
// double, so that most charges are an addition and a comparison. A Server is safe for concurrent use. All
// else belongs to one goroutine, that of the connection. Nothing here allocates after a hold is made.
//
// server.go is the server's account, connection.go a connection's, statement.go a statement's and its
// scopes, hold.go what buffers keep, errors.go the error.
package budget
