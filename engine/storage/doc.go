// Package storage keeps users' databases: go-mysql-server's storage provider on the key-value store of package txkv.
//
// Three steps. [Open] a [Provider] on a store and give it to the SQL engine; give each connection a [Session], or one of
// your own that begins with [Provider.Begin] and ends with [Transaction.Commit] or [Transaction.Rollback]; call
// [Provider.Close] at the end, when nothing uses it any more.
//
// What a table is stands in a record (definition.go); what is made of a record is never changed, but replaced
// (catalogue.go). A change of a definition commits the session's transaction first and is one batch, there or not there.
// A table's rows lie under a number that is never used again: a table that is rewritten or emptied gets another one.
//
// Reads see the transaction's snapshot. The rows of a table that the statement updates or deletes from, those that
// foreign keys look at, and all while [Transaction.LockReads] is on, are locked and read as they are now (scan.go).
// Writes lock what they write (editor.go). Row locks are kept until the transaction ends.
//
// The files: catalogue.go and records.go what lasts of definitions; database.go, programs.go, table.go, index.go what
// go-mysql-server asks for; scan.go and spans.go reading; editor.go writing; alter.go and rewrite.go changes of tables, whole.go those that are one change;
// transaction.go and session.go transactions. Keys are in keys.go and package codec.
//
// Provider, Database and Table are safe for concurrent use, but that who changes a table's definition keeps others from
// using the table (the engine's metadata locks). Without that statements fail (error 1412), and nothing is lost.
// Session, Transaction and what they hand out belong to one goroutine.
package storage
