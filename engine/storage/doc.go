// Package storage stores users' databases. It is a storage provider for go-mysql-server on the
// key-value store of package txkv.
//
// Three steps. [Open] a [Provider] on a store and give it to the SQL engine. Give each connection a
// [Session], or a session of your own that begins transactions with [Provider.Begin] and ends them
// with [Transaction.Commit] or [Transaction.Rollback]. At the end, when nothing uses the provider,
// call [Provider.Close].
//
// A record in the store says what a table is (package record). The objects in memory that are made
// from a record never change: a change replaces them by others (state.go). A change of a definition
// commits the session's transaction first. It is one batch: the store has all of it or nothing. The
// keys of a table's rows begin with the table's number, and no other table ever gets the same
// number: a table that is rewritten or emptied gets another one.
//
// Reads see the transaction's snapshot. Some reads lock the rows and read them as they are now
// (scan.go): those of a table that the statement updates or deletes from, those for foreign keys,
// and all reads while [Transaction.LockReads] is on. They wait for rows that others have inserted
// and not committed, too (lockedscan.go). Writes lock what they write (editor.go): the row, and the
// entries of unique indexes that the row gets or loses. Row locks are kept until the transaction
// ends. A transaction that the storage rolls back by itself, as the victim of a deadlock, is lost:
// see [Transaction.Lost].
//
// Files: definition.go and records.go (definitions, which package record stores); database.go, programs.go,
// table.go and index.go (the interfaces of go-mysql-server); scan.go, lockedscan.go, box.go, spans.go and
// cover.go (reading); editor.go, claims.go and keyless.go (writing); alter.go, rewrite.go and whole.go (changes of tables);
// transaction.go, commit.go and session.go (transactions); keys.go (keys, with package codec).
//
// Provider, Database and Table are safe for concurrent use, with one condition: the caller that
// changes a table's definition keeps others from using the table, with a metadata lock. Otherwise
// statements fail with error 1412, and nothing is lost. A Session, a Transaction and what they
// return belong to one goroutine.
//
// Called by connection, datalocks, engine, session and stages. Calls txkv, storage/codec,
// storage/record and usertables. Begin reading with provider.go.
package storage
