// Package executor has iterators for nodes of go-mysql-server's plans that MySQL executes
// otherwise: sorts, groups and ROLLUP, DISTINCT, aggregates, windows, UNION, joins by hash,
// JSON_TABLE, recursive queries, and what INSERT and UPDATE store in a column. It also shows the
// texts of SHOW CREATE TABLE.
//
// Each New... makes the iterator of one kind of node; package connection calls them when it builds
// a plan. Rows are charged to the statement's memory (package charge), and long work can be
// stopped. The package calls alldigits, builtins, sqlexpr and sqlvalue. Begin reading at groupby.go, rowsort.go and
// store.go. An iterator is owned by the goroutine of its connection.
//
// Called by many packages of engine.
package executor
