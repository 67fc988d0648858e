// Package vtable makes tables of go-mysql-server from the tables of performance_schema, which
// package tables declares: columns and indexes, scans that filter, sort and limit, look-ups for
// joins, aggregates over whole tables, and INSERT, UPDATE, DELETE and TRUNCATE.
//
// The server makes a [Table] for each declaration. The ProcessList of a statement's context counts
// what the statement reads. Begin reading at table.go, then scan.go.
//
// Called by many packages of engine. Calls most of the packages that come before it in the list of
// cmd/pfsd/deps_test.go.
package vtable
