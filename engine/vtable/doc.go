// Package vtable gives a table of performance_schema, as package tables declares it, to go-mysql-server: its columns and indexes, scans that filter,
// sort and limit by themselves, lookups for joins, aggregates over whole tables, and INSERT, UPDATE, DELETE and TRUNCATE.
//
// The server makes a [Table] of each declaration. What a statement reads is counted by whatever ProcessList its context has. Begin reading at table.go,
// then scan.go.
package vtable
