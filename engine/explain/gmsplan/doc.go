// Package gmsplan converts plans of go-mysql-server for package explain, which prints them and does not
// import go-mysql-server.
//
// The builder of package connection calls [Query], or an [Analysis] if EXPLAIN ANALYZE runs the plan, and
// makes the result with [Rows]. Tables of performance_schema it knows from package
// vtable, users' tables from the function that its callers give. Begin reading at query.go. All is
// owned by one goroutine.
//
// Called by connection, parsing, prepared and tableuse.
package gmsplan
