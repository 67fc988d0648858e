// Package txkv is a store of byte keys and values with transactions, row locks and durability, on
// Pebble. Users' tables are in it (package storage); it knows nothing of tables, SQL or
// go-mysql-server.
//
// Three steps. [Open] a [Store]; [Store.Begin] a [Txn] for each transaction, with
// [Txn.StartStatement] and [Txn.Mark] before each statement; read with [Txn.Get] and [Txn.Scan],
// lock keys before changing them with [Txn.GetLocked] or [Txn.Lock], write with [Txn.Put] and
// [Txn.Delete], and end with [Txn.Commit] or [Txn.Rollback]. A [Bulk] writes keys that nobody reads
// yet, such as a table that is built anew, at less cost.
//
// A transaction of any size takes bounded memory. Writes beyond Options.TransactionMemory go to
// files of sorted keys; Commit merges these, and Pebble adopts them in one change of its manifest.
// Locks of more than Options.LockLimit keys become one lock of all keys of the table, if no other
// transaction has locked some of them (spans.go). The files do not belong to the store: Open
// removes those that a crash leaves.
//
// Keys that begin with a zero byte belong to the store: nobody else writes them, and scans leave
// them out.
//
// A writer of a key locks it first: with [Exclusive] if the key exists, with [Insert] if it may not
// exist. A statement that locks what it finds in a range calls [Txn.LockRange], then
// [Txn.ScanNewest], and [Txn.GetLocked] for each key. It then looks at the value again, which may
// have changed while it waited. With [Txn.LockGap] and [Txn.Uncommitted] in place of LockRange it
// waits for keys that others have inserted only when it comes to them. After [ErrDeadlock] the caller rolls the transaction back; after
// [ErrLockTimeout] and [ErrLocked] it goes on, as in MySQL. There are no dirty reads: READ
// UNCOMMITTED reads committed data. For SERIALIZABLE, the caller locks what it reads.
//
// A commit is visible, and its locks are free, before it is on the device; Commit returns when it
// is as durable as its [FlushPolicy] says. No error of the device ends the process: statements get
// [ErrDiskFull] or [ErrIO], reads go on, and writes work again by themselves when the device does.
// A commit that got one of these errors may still take effect. A store that is opened on a device
// without room can be read until it closes; its error says the directory and how much is free. Open
// refuses a directory that is not a store, or is damaged, with the name of the file: a log that was
// cut or changed where it had been synced, or that goes on after commits that are nowhere. What is
// left out as incomplete, the last record of the last log, is in LogError.
//
// Instruments: wait/io/file/pebble/wal, sst, manifest and so on; threads txkv/flush and
// txkv/compaction with a stage whose work is bytes. A store in memory has no files, and so no
// instruments of files.
//
// Files: open.go opens a store, store.go closes it; options.go; errors.go; format.go says that a directory
// is a store; txn.go has transactions; layers.go and run.go have their writes, in memory and in
// files; view.go has reads at a mark; snapshots.go has the states that they read, spares.go the
// iterators of these, iterator.go scans, versions.go the versions that scans step over; lock.go has
// locks of keys and the search for deadlocks, ranges.go locks of ranges, spans.go locks of all keys
// of a table, waits.go the counts of waits and the descriptions of deadlocks; log.go has the log of
// commits, log_file.go the form of its files; faults.go handles failures of the device, files.go is the file system below Pebble where
// they are detected and operations are counted (iostats.go); jobs.go has flushes and compactions,
// compactions.go starts the latter;
// bulk.go; reclaim.go gives the room of deleted ranges back. A store that can only be read is on the file
// system of package overlay. Begin reading with txn.go.
//
// Called by datalocks, engine, infoschema and storage. Calls txkv/overlay.
package txkv
