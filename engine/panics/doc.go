// Package panics deals with panics that cost no more than a statement.
//
// Package connection recovers them around each statement, vitess around each connection. [Refusal] knows the functions of go-mysql-server that panic for statements which
// they cannot plan, and MySQL's errors for these; any other panic is a fault, of which [Caught] says what the log gets to know: the stack
// the first time that a place panics, later how often. The package calls nothing of the server. Begin reading
// with Caught.Report in panics.go. Safe for concurrent use.
//
// Called by connection and parsing.
package panics
