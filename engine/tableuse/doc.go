// Package tableuse knows which users' tables the statements of a connection use, and how: it makes their waits
// wait/io/table/sql/handler and wait/lock/table/sql/handler, and the counters Select_*, Sort_* and Created_tmp_tables.
//
// Tables are what a connection has open, one Table for each place of a statement where a table stands; Fetch returns rows of a table
// that are timed and counted. Scans take in a plan when it begins to be carried out, Changes the tables that a statement makes or
// drops. Package connection calls all of them from the goroutine of the connection. The package calls instr for the handles of tables,
// usertables and vtable for what tables are, stages for what a table of many rows is, and status for the counters of open tables.
//
// Begin reading at tables.go; fetch.go is what reading a row costs, requests.go what it asks of the storage (Handler_read_*). Owned by the connection's goroutine.
//
// Called by connection and programs.
package tableuse
