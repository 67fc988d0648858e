package txkv

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"pfsd/instr"
)

// Options say how a store is opened. The zero value is a store in memory.
type Options struct {
	// Dir is the store's directory; it is made if it does not exist. "" is a store in memory, gone when it closes.
	Dir string
	// FS is the file system that Dir is on; nil is the operating system's, or one in memory if Dir is "".
	FS vfs.FS
	// MemoryBytes is how much memory the store uses at most, except for metadata of open files, for
	// locks (LockLimit), and for up to 64 KB of each transaction. A quarter is for writes of
	// transactions, 64 MB at most; a quarter is for memtables, 64 MB at most; the rest is the block
	// cache. Go's heap takes up to twice as much. 0 is 64 MB. It determines the sizes below that
	// are 0.
	MemoryBytes int64
	// CacheBytes is the size of the block cache.
	CacheBytes int64
	// MemTableBytes is the size of one memtable in bytes. Up to four exist at a time. A larger one
	// makes reads slower for rows that change often, since they step over all versions since the
	// last flush.
	MemTableBytes uint64
	// Flush returns the policy of a commit; each commit calls it. nil means FlushAtCommit. Safe for
	// concurrent use.
	Flush func() FlushPolicy
	// TransactionLimit returns how many bytes of writes one transaction may have, in memory and in
	// files; nil or 0 is no limit. Safe for concurrent use.
	TransactionLimit func() int64
	// TransactionMemory is how many bytes of writes all transactions together have in memory;
	// further writes go to files.
	TransactionMemory int64
	// LockLimit is how many keys a transaction locks one by one, before it tries to lock all keys
	// that LockSpan returns; 0 is 50,000.
	LockLimit int
	// LockSpan returns the bounds, without hi, of the keys that are locked together with a key,
	// such as those of a table; nil if there are none. If LockSpan is nil, no keys are locked
	// together. Safe for concurrent use.
	LockSpan func(key []byte) (lo, hi []byte)
	// BallastBytes is the size in bytes of a file that is removed when the device is full, so that
	// running operations have room to end; 0 is 16 MB, below 0 there is no such file. A store in
	// memory has none.
	BallastBytes int64
	// OnWait is called when a wait for a lock begins, on the goroutine that waits. It returns a
	// function that is called when the wait ends. If OnWait is nil, nothing is called. Safe for
	// concurrent use.
	OnWait func(LockInfo) (end func())
	// OnDeadlock is called for each deadlock, on the victim's goroutine, before the victim releases
	// its locks; the other transactions wait meanwhile. If it is nil, nothing is called. Safe for
	// concurrent use.
	OnDeadlock func(*Deadlock)
	// Registry has the instruments of the files and threads; if it is nil, there are none.
	Registry *instr.Registry
	// Unmeasured leaves out the instruments of memory, which one store of a registry can have.
	Unmeasured bool
	// LogError is called with errors of background work; nil drops them. Safe for concurrent use.
	LogError func(message string)
	// LogRecovered is called, like LogError, when the device works again.
	LogRecovered func(message string)
}

// FlushPolicy says when a commit counts as done, by the numbers of innodb_flush_log_at_trx_commit.
type FlushPolicy int8

const (
	// FlushEachSecond leaves commits in the process's memory for up to a second: its crash loses them.
	FlushEachSecond FlushPolicy = 0
	// FlushAtCommit has each commit on the device before it returns.
	FlushAtCommit FlushPolicy = 1
	// WriteAtCommit gives each commit to the operating system, and has it on the device within a second:
	// a crash of the process loses nothing, a power cut up to a second.
	WriteAtCommit FlushPolicy = 2
)

// Isolation is a transaction's isolation level.
type Isolation uint8

const (
	// ReadUncommitted reads the newest committed state at each call. There are no dirty reads.
	ReadUncommitted Isolation = iota
	// ReadCommitted reads one snapshot for each statement ([Txn.StartStatement]).
	ReadCommitted
	// RepeatableRead reads one snapshot, that of the transaction's first read.
	RepeatableRead
	// Serializable reads as RepeatableRead does: the caller makes its reads locking ones.
	Serializable
)

// TxnOptions say how a transaction begins.
type TxnOptions struct {
	Isolation Isolation
	// ReadOnly transactions refuse writes with ErrReadOnly.
	ReadOnly bool
	// Snapshot takes the snapshot now (START TRANSACTION WITH CONSISTENT SNAPSHOT) instead of at the first read.
	// It matters for RepeatableRead and Serializable alone.
	Snapshot bool
	// Owner is in the LockInfo of each lock of the transaction.
	Owner any
}
