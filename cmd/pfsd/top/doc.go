// Package top shows in a terminal what a server does: load over time, running statements, waiting threads
// and those in their way, locks, digests, files, sockets, memory and users.
//
// Three steps. Make a [Source] for a server with [Open]; give it to [Run], which draws on a terminal until
// the person at it quits, or to [Batch], which prints a view for scripts; close the source.
//
// The contract. A source has one connection, and makes a new one after the server was away. Each question to the server has a time limit, and a limit of rows and of the bytes of
// a value. Nothing that comes from the server reaches the terminal before [Clean] has removed what a
// terminal would execute. The connection of the program itself is not in its views. Nothing on the
// server changes, except that the program's own thread is not instrumented, and what the person kills.
//
// Files: views.go the list of views, as data; server.go the connection; clean.go texts for a terminal;
// value.go cells; grid.go rows that are sorted, filtered and cut; load.go bars; collect.go what is asked at each refresh; model.go keys and messages; screen.go
// what is drawn; batch.go output for scripts.
//
// Called by cmd/pfsd. Calls no package of this module. Begin reading with views.go.
package top
