// Package storage keeps users' databases: go-mysql-server's storage provider on the key-value store of package txkv.
//
// Three steps. [Open] a [Provider] on a store and give it to the SQL engine; give each connection a [Session], or one of
// your own that begins with [Provider.Begin] and ends with [Transaction.Commit] or [Transaction.Rollback]; call
// [Provider.Close] at the end, when nothing uses it any more.
//
// A record in the store says what a table is (definition.go). What is made of a record in memory is never changed, but replaced by
// another one (state.go). A change of a definition commits the session's transaction first; it is one batch, of which all or nothing is stored.
// A table's rows lie under a number that is never used again: a table that is rewritten or emptied gets another one.
//
// Reads see the transaction's snapshot. The rows of a table that the statement updates or deletes from, those that
// foreign keys look at, and all while [Transaction.LockReads] is on, are locked and read as they are now (scan.go).
// Writes lock what they write (editor.go). Row locks are kept until the transaction ends.
//
// Files: definition.go and records.go (what is stored of definitions); database.go, programs.go, table.go and index.go (what
// go-mysql-server asks for); scan.go and spans.go (reading); editor.go (writing); alter.go, rewrite.go and whole.go (changes of tables);
// transaction.go and session.go (transactions); keys.go (keys, with package codec).
//
// Provider, Database and Table are safe for concurrent use, with one condition: whoever changes a table's definition keeps others from
// using the table, by a metadata lock. Otherwise statements fail with error 1412, and nothing is lost. A Session, a Transaction and what
// they return belong to one goroutine.
//
// Called by connection, datalocks, engine, session and stages. Calls txkv, storage/codec and usertables. Begin reading with provider.go.
package storage
