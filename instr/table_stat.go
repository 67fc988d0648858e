package instr

import "pfsd/ringbuf"

// TableLock is a kind of lock on a table.
type TableLock uint8

// The kinds, in the order of table_lock_waits_summary_by_table. External locks are those of
// the store, all others those of the SQL layer, MySQL's THR_LOCK.
const (
	LockReadNormal TableLock = iota
	LockReadWithSharedLocks
	LockReadHighPriority
	LockReadNoInsert
	LockReadExternal
	LockWriteAllowWrite
	LockWriteConcurrentInsert
	LockWriteLowPriority
	LockWriteNormal
	LockWriteExternal
	TableLockCount
)

var tableLockNames = [TableLockCount]string{
	"READ", "READ WITH SHARED LOCKS", "READ HIGH PRIORITY", "READ NO INSERT", "READ EXTERNAL",
	"WRITE ALLOW WRITE", "WRITE CONCURRENT INSERT", "WRITE LOW PRIORITY", "WRITE", "WRITE EXTERNAL",
}

// String is the kind as table_handles names it.
func (k TableLock) String() string { return tableLockNames[k] }

// external reports whether the lock is the store's.
func (k TableLock) external() bool { return k == LockReadExternal || k == LockWriteExternal }

// Write reports whether the lock is one for writing.
func (k TableLock) Write() bool { return k >= LockWriteAllowWrite }

// TableIO is a copy of the statistics of operations on rows: how many rows, and how long.
type TableIO struct{ Fetch, Insert, Update, Delete Stat }

// NoTableIO is the statistics of no operation.
var NoTableIO = TableIO{NoStat, NoStat, NoStat, NoStat}

// Write is inserts, updates and deletes together.
func (s TableIO) Write() Stat {
	sum := s.Insert
	sum.Add(s.Update)
	sum.Add(s.Delete)
	return sum
}

// All is all operations together.
func (s TableIO) All() Stat {
	sum := s.Write()
	sum.Add(s.Fetch)
	return sum
}

// Add adds the operations of o to those of s.
func (s *TableIO) Add(o TableIO) {
	s.Fetch.Add(o.Fetch)
	s.Insert.Add(o.Insert)
	s.Update.Add(o.Update)
	s.Delete.Add(o.Delete)
}

// TableLocks is a copy of the statistics of locks, by their kinds.
type TableLocks [TableLockCount]Stat

var noTableLocks = func() (none TableLocks) {
	for k := range none {
		none[k] = NoStat
	}
	return none
}()

// All is the locks of all kinds for which only returns true; of all kinds if only is nil.
func (s *TableLocks) All(only func(TableLock) bool) Stat {
	sum := NoStat
	for k := range TableLockCount {
		if only == nil || only(k) {
			sum.Add(s[k])
		}
	}
	return sum
}

// rowStat is the operations on rows that are found by one index, on one processor.
type rowStat struct {
	ops [tableOpCount]stat
	_   [384 - int(tableOpCount)*64]byte // two cache lines from the next one's
}

func newRowStat() *rowStat { return new(rowStat) }

// sharedRowStat is a rowStat with many writers, one for each processor. The zero
// sharedRowStat is empty.
type sharedRowStat struct{ cells ringbuf.PerP[rowStat] }

func (s *sharedRowStat) record(op TableOp, timed bool, d, rows uint64) {
	stat := &s.cells.Pin(newRowStat).ops[op%tableOpCount]
	if rows == 1 {
		stat.record(timed, d)
	} else {
		stat.recordMany(timed, d, rows)
	}
	ringbuf.Unpin()
}

func (s *sharedRowStat) read() TableIO {
	sum := NoTableIO
	for _, c := range s.cells.All() {
		if c != nil {
			sum.Add(TableIO{c.ops[TableFetch].read(), c.ops[TableInsert].read(), c.ops[TableUpdate].read(), c.ops[TableDelete].read()})
		}
	}
	return sum
}

func (s *sharedRowStat) reset() {
	for _, c := range s.cells.All() {
		if c != nil {
			for i := range c.ops {
				c.ops[i].reset()
			}
		}
	}
}

// tableIO is a table's statistics of wait/io/table/sql/handler: those of each index, and at the end
// those of operations without an index. A nil entry is beyond LimitIndexStat: its operations only
// count for the class.
type tableIO struct {
	identity
	indexes []*sharedRowStat
}

// stat is the statistics of an index, or of NoIndex.
func (in *tableIO) stat(index int) *sharedRowStat {
	if index < 0 || index >= len(in.indexes)-1 {
		index = len(in.indexes) - 1
	}
	return in.indexes[index]
}

// Waits implements Instance.
func (in *tableIO) Waits() Stat {
	sum := NoStat
	for _, s := range in.indexes {
		if s != nil {
			sum.Add(s.read().All())
		}
	}
	return sum
}

// resetWaits implements Instance.
func (in *tableIO) resetWaits() {
	for _, s := range in.indexes {
		if s != nil {
			s.reset()
		}
	}
}

// bytes implements Instance.
func (in *tableIO) bytes() int {
	bytes := listBytes(in.indexes)
	for _, s := range in.indexes {
		if s != nil {
			_, n := perPBytes(&s.cells)
			bytes += size[sharedRowStat]() + n
		}
	}
	return bytes
}

// lockStat is the locks of a table on one processor.
type lockStat struct {
	kinds [TableLockCount]stat
	_     [768 - int(TableLockCount)*64]byte
}

func newLockStat() *lockStat { return new(lockStat) }

// tableLocks is a table's statistics of wait/lock/table/sql/handler.
type tableLocks struct {
	identity
	cells ringbuf.PerP[lockStat]
}

func (in *tableLocks) record(kind TableLock, timed bool, d uint64) {
	in.cells.Pin(newLockStat).kinds[kind%TableLockCount].record(timed, d)
	ringbuf.Unpin()
}

func (in *tableLocks) read() TableLocks {
	sum := noTableLocks
	for _, c := range in.cells.All() {
		if c != nil {
			for k := range sum {
				sum[k].Add(c.kinds[k].read())
			}
		}
	}
	return sum
}

// Waits implements Instance.
func (in *tableLocks) Waits() Stat {
	sum := in.read()
	return sum.All(nil)
}

// resetWaits implements Instance.
func (in *tableLocks) resetWaits() {
	for _, c := range in.cells.All() {
		if c != nil {
			for k := range c.kinds {
				c.kinds[k].reset()
			}
		}
	}
}

// bytes implements Instance.
func (in *tableLocks) bytes() int {
	_, n := perPBytes(&in.cells)
	return n
}
