// Package gmsplan reads plans of go-mysql-server for package explain, which prints them and knows
// nothing of go-mysql-server.
//
// The builder of package engine calls [Query], or an [Analysis] where EXPLAIN ANALYZE carries the
// plan out, and makes the answer with [Rows]. Tables of performance_schema it knows from package
// vtable, users' tables from the function that its callers give. Begin reading at query.go. All is
// owned by one goroutine.
package gmsplan
