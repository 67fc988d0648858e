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
	// MemoryBytes is what the store has in memory at most, but for what is known of open files, locks (LockLimit), and up to 64 KB
	// of each transaction: a quarter are writes of transactions, 64 MB at most, a quarter memtables, 64 MB at most, and the rest
	// is the block cache. Go's heap takes up to twice of it. 0 is 64 MB. It says what the sizes are that are 0.
	MemoryBytes int64
	// CacheBytes is the size of the block cache.
	CacheBytes int64
	// MemTableBytes is the size of one memtable. Up to four exist at a time. A larger one makes
	// reads of rows that change often slower, since they step over all versions since the last flush.
	MemTableBytes uint64
	// Flush is asked at each commit when it counts as done; nil is FlushAtCommit always. Safe for concurrent use.
	Flush func() FlushPolicy
	// TransactionLimit is asked how many bytes of writes one transaction may hold, in memory and in files; nil or 0 is no limit.
	// Safe for concurrent use.
	TransactionLimit func() int64
	// TransactionMemory is how many bytes of writes transactions have in memory, all together: what is more goes to files.
	TransactionMemory int64
	// LockLimit is how many keys a transaction locks one by one, before it tries to lock all that LockSpan says instead;
	// 0 is 50,000.
	LockLimit int
	// LockSpan returns from where to where, without hi, the keys lie that are locked together with a key, such as those of
	// a table; nil: none are. A nil function is none. Safe for concurrent use.
	LockSpan func(key []byte) (lo, hi []byte)
	// BallastBytes is the size of a file that is removed when the device is full, so that running operations have room to
	// end; 0 is 16 MB, below 0 none. A store in memory has none.
	BallastBytes int64
	// OnWait is called when a wait for a lock begins, on the goroutine that waits. The function that it returns is called when the wait ends.
	// nil is no call. Safe for concurrent use.
	OnWait func(LockInfo) (end func())
	// OnDeadlock is called for each deadlock, on the victim's goroutine, before the victim releases its locks; the others wait
	// meanwhile. nil is no call. Safe for concurrent use.
	OnDeadlock func(*Deadlock)
	// Registry has the instruments of the files and threads; nil has none.
	Registry *instr.Registry
	// LogError is called with errors of background work; nil drops them. Safe for concurrent use.
	LogError func(message string)
	// LogRecovered is called, as LogError, when what has failed works again.
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
