// Package rights decides whether the session of a statement may do what the statement does.
//
// Package connection gives each session its [Rights], calls [Rights.AuthorizeStatement] before a
// statement is planned, [Authorize] for each table that go-mysql-server finds in it, and
// [Rights.AuthorizeColumns] with its plan before that is optimised. Package privilege has a table of
// what statements need, and package accounts knows who has what; this package finds the clauses of a
// statement and the objects that they use. It reads the databases through [Databases], and the
// session through [Session].
//
// Map: rights.go (a session's rights), statements.go (the clauses of statements), rows.go (tables),
// columns.go (columns), columnuse.go (which columns a plan uses), triggers.go (columns in triggers),
// own.go (performance_schema and mysql, which nobody may change), views.go (views, which have their
// definers' rights), shown.go (what SHOW leaves out). Begin reading at rights.go. Rights are owned by
// the connection's goroutine; the functions are safe for concurrent use as far as their context is.
//
// Called by connection, parsing, plancache, prepared, processlist and programs. Calls most of the packages
// that are above it in the list of cmd/pfsd/deps_test.go.
package rights
