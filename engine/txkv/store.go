package txkv

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pfsd/instr"
)

// Store has byte keys and values on Pebble, with transactions and locks. Safe for concurrent use.
type Store struct {
	options       Options
	fs            vfs.FS // Options.FS
	files         *files // the file system of Pebble
	forget        func() // removes the instruments of the store's memory
	plain         *files // the file system without faults: it returns errors at once
	dir           string
	db            *pebble.DB
	log           *commitLog // nil for a store in memory
	faults        faults
	jobs          jobs
	locks         lockTable
	ids           atomic.Uint64
	snapshots     snapshots
	versions      versions
	changes       atomic.Uint64 // number of commits that are visible; a commit counts before it releases its locks
	written       atomic.Int64  // bytes of writes that transactions have in memory
	partKeys      int           // how many keys a file of a run has at most
	pebbleOptions *pebble.Options
	cache         *pebble.Cache  // of blocks; closed with db
	calls         sync.WaitGroup // calls of Pebble that may go on after their callers have given up
	watching      sync.WaitGroup // the goroutine of watch
	memory        atomic.Pointer[Memory]
	reclaiming    reclaiming
	reshaped      chan struct{} // receives after a flush, a compaction or an ingest
	closing       chan struct{} // closed when Close begins
}

// The parts of a store's directory.
const (
	formatFile  = "FORMAT"
	ballastFile = "BALLAST"
	pebbleDir   = "pebble"
	logDir      = "log"
	bulkDir     = "bulk"
)

// memTables is how many memtables exist at a time, if flushes keep up.
const memTables = 4

// share sets the sizes that are not given.
func (o *Options) share() {
	if o.MemoryBytes == 0 {
		o.MemoryBytes = 64 << 20
	}
	if o.TransactionMemory == 0 {
		o.TransactionMemory = min(o.MemoryBytes/4, 64<<20)
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = uint64(min(o.MemoryBytes/4/memTables, 16<<20))
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = max(o.MemoryBytes-o.TransactionMemory-memTables*int64(o.MemTableBytes), 1<<20)
	}
}

// measure makes the instruments of the store's memory.
func (s *Store) measure() (stop func()) {
	if s.options.Registry == nil || s.options.Unmeasured {
		return func() {}
	}
	return s.options.Registry.MeasureMemory([]instr.MemoryPart{
		{Name: "txkv/block_cache", Doc: "Blocks of users' tables, as they are in files."},
		{Name: "txkv/memtables", Doc: "Changes of users' tables that are committed and not yet in tables' files."},
		{Name: "txkv/file_cache", Doc: "What is known of open files of users' tables."},
		{Name: "txkv/log", Doc: "Commits that are being written to the log."},
		{Name: "txkv/transactions", Doc: "What transactions have written, but for what is in files."},
		{Name: "txkv/locks", Doc: "Locks of rows and index entries, about."},
	}, func(bytes []int) {
		m := s.Memory()
		for i, n := range []int64{m.BlockCache, m.MemTables, m.FileCache, m.Log, m.Writes, m.Locks} {
			bytes[i] = int(n)
		}
	})
}

// Close writes what is not on the device yet and closes the store, also if that fails: then Open
// finds the same as after a power cut. All transactions must have ended.
func (s *Store) Close() error {
	s.forget()
	close(s.closing)
	s.watching.Wait()
	return s.closeParts()
}

// closeParts closes the log and Pebble.
func (s *Store) closeParts() error {
	s.faults.end()
	var err error
	if s.log != nil {
		err = s.log.close()
	}
	closed := make(chan error, 1)
	go func() {
		s.calls.Wait()
		s.snapshots.close()
		closed <- s.db.Close()
	}()
	select {
	case e := <-closed:
		s.cache.Unref()
		if s.faults.lost.Load() { // Pebble's own errors follow from that
			cause, _ := s.faults.state()
			e = cmp.Or(cause, errLost)
		}
		return ioError(errors.Join(err, e))
	case <-s.faults.stuck:
		cause, _ := s.faults.state()
		return errors.Join(err, cause)
	}
}

// Checkpoint writes a consistent copy of the store, with all earlier commits, to a directory that
// must not exist. Open can open it.
func (s *Store) Checkpoint(dir string) error {
	if err := makeDir(s.fs, dir); err != nil {
		return ioError(err)
	}
	if err := s.flush(); err != nil {
		return err
	}
	if err := s.copyPebble(s.fs.PathJoin(dir, pebbleDir)); err != nil {
		return ioError(err)
	}
	return s.writeFormat(dir)
}

// copyPebble calls Pebble's Checkpoint, which waits for the manifest, and panics if it cannot sync its directory.
func (s *Store) copyPebble(dir string) error {
	cause, noted := s.faults.state()
	if cause != nil {
		return cause
	}
	done := make(chan error, 1)
	s.calls.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				err, isError := p.(error)
				if !isError {
					err = fmt.Errorf("%v", p)
				}
				done <- err
			}
		}()
		done <- s.db.Checkpoint(dir)
	})
	select {
	case err := <-done:
		return err
	case <-noted:
		cause, _ = s.faults.state()
		return cmp.Or(cause, ErrIO)
	}
}

// flush writes Pebble's memtables to files.
func (s *Store) flush() error {
	cause, noted := s.faults.state()
	if cause != nil {
		return cause
	}
	flushed, err := s.db.AsyncFlush()
	if err != nil {
		return ioError(err)
	}
	select {
	case <-flushed:
		return nil
	case <-noted:
		cause, _ = s.faults.state()
		return cmp.Or(cause, ErrIO) // the device may work again, but then another flush writes the memtables
	}
}

// metrics returns Pebble's metrics, nil if the device fails: Pebble waits for its manifest before
// it returns the last of them.
func (s *Store) metrics() *pebble.Metrics {
	cause, noted := s.faults.state()
	if cause != nil {
		return nil
	}
	done := make(chan *pebble.Metrics, 1)
	s.calls.Go(func() { done <- s.db.Metrics() })
	select {
	case m := <-done:
		return m
	case <-noted:
		return nil
	}
}

// watch closes spare iterators after each flush and compaction, for a store without a log.
func (s *Store) watch() {
	for {
		select {
		case <-s.reshaped:
			s.snapshots.reshape()
		case <-s.closing:
			return
		}
	}
}

// layers returns how many files of the youngest tables a read of one key may look into.
func (s *Store) layers() int {
	tables, err := s.db.SSTables()
	if err != nil {
		return 0 // only the file cache can fail, which is not used here
	}
	var ends []layerEnd
	for _, t := range tables[0] {
		ends = append(ends, layerEnd{t.Smallest.UserKey, 1}, layerEnd{t.Largest.UserKey, -1})
	}
	slices.SortFunc(ends, func(a, b layerEnd) int { return cmp.Or(bytes.Compare(a.key, b.key), b.step-a.step) })
	depth, deepest := 0, 0
	for _, e := range ends {
		depth += e.step
		deepest = max(deepest, depth)
	}
	return deepest
}

// layerEnd is a key at which the number of files grows by one, or after which it falls by one.
type layerEnd struct {
	key  []byte
	step int
}

// Memory has the bytes that a store holds in memory.
type Memory struct {
	BlockCache int64 // blocks of tables, up to Options.CacheBytes
	MemTables  int64 // commits that are not in a table yet
	FileCache  int64 // metadata of open tables
	Log        int64 // commits that are being written
	Writes     int64 // writes of transactions, except up to 4 KB of each
	Locks      int64 // locks of keys
}

// Memory returns how much memory the store uses. It takes some microseconds. While the device
// fails, Pebble's part is that of the last call before the failure.
func (s *Store) Memory() Memory {
	if m := s.metrics(); m != nil {
		s.memory.Store(&Memory{BlockCache: m.BlockCache.Size, MemTables: int64(m.MemTable.Size), FileCache: m.FileCache.Size})
	}
	var out Memory
	if last := s.memory.Load(); last != nil {
		out = *last
	}
	out.Writes, out.Locks = s.written.Load(), s.locks.size()
	if s.log != nil {
		s.log.order.Lock()
		out.Log = int64(cap(s.log.buf))
		s.log.order.Unlock()
	}
	return out
}

// NextID returns the number that the next transaction gets.
func (s *Store) NextID() uint64 { return s.ids.Load() + 1 }

// Begin begins a transaction.
func (s *Store) Begin(o TxnOptions) *Txn {
	t := &Txn{store: s, id: s.ids.Add(1), options: o, layers: layers{memory: new(writes)}}
	if o.Snapshot && o.Isolation >= RepeatableRead {
		t.snapshot = s.snapshots.take()
	}
	return t
}

func (s *Store) limit() int64 {
	if s.options.TransactionLimit != nil {
		if limit := s.options.TransactionLimit(); limit > 0 {
			return limit
		}
	}
	return math.MaxInt64
}

// apply commits a batch as the flush policy says, and calls release as soon as its effects are
// visible.
func (s *Store) apply(b *pebble.Batch, release func()) error {
	if s.log == nil {
		s.snapshots.begin()
		s.versions.written.Add(int64(b.Count()))
		err := b.Commit(pebble.NoSync)
		s.snapshots.end()
		s.changes.Add(1)
		release()
		return ioError(err)
	}
	policy := FlushAtCommit
	if s.options.Flush != nil {
		policy = s.options.Flush()
	}
	return s.log.commit(b, policy, release)
}

func (s *Store) logError(message string) {
	if s.options.LogError != nil {
		s.options.LogError(message)
	}
}

// logger receives Pebble's messages.
type logger struct{ s *Store }

func (logger) Infof(string, ...any) {}

func (l logger) Errorf(format string, a ...any) { l.s.logError(fmt.Sprintf(format, a...)) }

// Fatalf would end the process. The goroutine stops here, and all further writes are refused.
func (l logger) Fatalf(format string, a ...any) {
	l.s.faults.fatal(fmt.Errorf(format, a...))
	select {}
}
