// Package catalog has the databases and the functions that statements name.
//
// A [Provider] is the sql.DatabaseProvider and sql.FunctionProvider of go-mysql-server: performance_schema, mysql and sys beside the
// databases of users, which package usertables has. It also knows what statements about accounts ask: what a table has for columns, what
// may be granted on it, who has defined what (database_accounts.go). Package engine makes it once and fills in what the server has made;
// packages parsing and rights ask it.
//
// Begin reading at database.go; functions.go has the functions. Safe for concurrent use once the server serves.
//
// Called by connection, engine and parsing. Calls most of the packages that stand above it in
// cmd/pfsd/deps_test.go.
package catalog
