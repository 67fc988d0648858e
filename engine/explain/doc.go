// Package explain shows plans of statements as MySQL's EXPLAIN does: as a table, as JSON and as a tree
// of iterators.
//
// A plan is a Query, which the caller builds, as package gmsplan does; Rows, JSON and Tree print it. The
// package does not import go-mysql-server. Values are owned by one goroutine. No function returns an
// error.
//
// Called by connection, explain/gmsplan and parsing. Calls no other package of the module. Begin
// reading with explain.go.
package explain
