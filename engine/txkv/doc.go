// Package txkv is a store of byte keys and values with transactions, row locks and durability, on Pebble. Users'
// tables stand on it (package storage); it knows nothing of tables, SQL or go-mysql-server.
//
// Three steps. [Open] a [Store]; [Store.Begin] a [Txn] for each transaction, with [Txn.StartStatement] and
// [Txn.Mark] before each statement; read with [Txn.Get] and [Txn.Scan], lock what is to be changed with
// [Txn.GetLocked] or [Txn.Lock], write with [Txn.Put] and [Txn.Delete], and end with [Txn.Commit] or [Txn.Rollback].
// What nobody reads yet, such as a table that is built anew, a [Bulk] writes at less cost.
//
// A transaction of any size takes bounded memory: writes beyond Options.TransactionMemory go to files of sorted keys,
// which Commit merges and Pebble takes over in one change of its manifest; locks of more than Options.LockLimit keys
// become one of all keys of the table, if nobody else has locked some (spans.go). Such files are no part of a store:
// Open removes those that a crash leaves.
//
// Keys that begin with a zero byte are the store's own: nobody else writes them, and scans leave them out.
//
// Who writes a key locks it first: [Exclusive] if it is there, [Insert] if it may not be. A statement that goes
// through a range to lock what it finds calls [Txn.LockRange], then [Txn.ScanNewest], and [Txn.GetLocked] for each
// key, and looks at the value again, since it may have changed while it waited. After [ErrDeadlock] the caller rolls
// the transaction back; after [ErrLockTimeout] and [ErrLocked] it goes on, as MySQL does. There are no dirty reads:
// READ UNCOMMITTED reads what is committed. SERIALIZABLE is what the caller makes of it by locking what it reads.
//
// A commit is visible, and its locks are free, before it is on the device; it returns when it is as durable as its
// [FlushPolicy] says. No error of the device ends the process: statements get [ErrDiskFull] or [ErrIO], reads go
// on, and writes return by themselves when the device is well. A commit that got one of these may turn out to be
// there. A directory that is no store's, or damaged, is refused by Open with the name of the file.
//
// Instruments: wait/io/file/pebble/wal, sst, manifest and so on; threads txkv/flush and txkv/compaction with a stage
// whose work is bytes. A store in memory has no files, and none of the first.
//
// Files: store.go opening; options.go; errors.go; format.go what makes a directory a store; txn.go transactions,
// layers.go, run.go what they have written, in memory and in files; snapshots.go the states that they read, spares.go their iterators,
// iterator.go their scans, versions.go what these step over; lock.go locks of keys and the search for deadlocks, ranges.go locks of ranges, spans.go of all keys of a table, waits.go what is
// known of waits and deadlocks; log.go the
// log of commits; faults.go what happens when the device fails, files.go the file system below Pebble where that is
// seen and counted; jobs.go flushes and compactions; bulk.go. Begin reading with txn.go.
//
// Called by datalocks, engine, infoschema and storage.
package txkv
