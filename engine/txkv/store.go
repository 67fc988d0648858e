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
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pfsd/instr"
)

// Store is byte keys and values on Pebble, with transactions and locks. Safe for concurrent use.
type Store struct {
	options       Options
	fs            vfs.FS // as Options has it
	files         *files // what is below Pebble
	forget        func() // its memory
	plain         *files // below all else: errors come through
	dir           string
	db            *pebble.DB
	log           *commitLog // nil in memory
	faults        faults
	jobs          jobs
	locks         lockTable
	ids           atomic.Uint64
	snapshots     snapshots
	versions      versions
	changes       atomic.Uint64 // counts commits that are visible and have not given back their locks yet, and all before
	written       atomic.Int64  // bytes that transactions have in memory
	pebbleOptions *pebble.Options
	cache         *pebble.Cache  // of blocks; closed with db
	calls         sync.WaitGroup // of Pebble, that nobody may be waiting for any more
	watching      sync.WaitGroup // for what watch waits for
	memory        atomic.Pointer[Memory]
	reshaped      chan struct{} // told after a flush, a compaction or an ingest
	closing       chan struct{} // closed when Close begins
	panics        atomic.Bool   // while Open runs, what is fatal to Pebble panics
}

// The parts of a store's directory.
const (
	formatFile  = "FORMAT"
	ballastFile = "BALLAST"
	pebbleDir   = "pebble"
	logDir      = "log"
	bulkDir     = "bulk"
)

// Open opens a store, making it if there is none. Errors: ErrCorrupt with the name of the file; ErrDiskFull, ErrIO.
func Open(o Options) (s *Store, err error) {
	o.share()
	if o.LockLimit == 0 {
		o.LockLimit = 50_000
	}
	s = &Store{options: o, fs: o.FS, dir: o.Dir, reshaped: make(chan struct{}, 1), closing: make(chan struct{})}
	durable := o.Dir != ""
	if s.fs == nil {
		s.fs = vfs.Default
		if !durable {
			s.fs = vfs.NewMem()
		}
	}
	classes := newClasses(nil)
	if durable {
		classes = newClasses(o.Registry)
	} else {
		s.dir = "store"
	}
	s.locks.init()
	s.jobs.init(s)
	s.faults.init(s.fs, o.LogError, o.LogRecovered)
	if err := s.openFormat(); err != nil {
		return nil, err
	}
	if durable && o.BallastBytes >= 0 {
		s.faults.ballast, s.faults.size = s.fs.PathJoin(s.dir, ballastFile), cmp.Or(o.BallastBytes, 16<<20)
	}
	s.files = &files{FS: s.fs, faults: &s.faults, root: s.dir, classes: classes, onMake: s.jobs.made, onWrite: s.jobs.wrote}
	if durable {
		s.files.stats = new(ioStats)
	}
	plain := *s.files
	plain.plain = true
	s.plain = &plain
	if err := s.openPebble(); err != nil {
		return nil, err
	}
	if durable {
		s.log = &commitLog{
			store: s, fs: s.plain, dir: s.fs.PathJoin(s.dir, logDir), limit: int64(o.MemTableBytes),
			group: &commitGroup{done: make(chan struct{})}, removed: make(chan struct{}), ended: make(chan struct{}),
		}
		err := s.log.open()
		if err == nil {
			if err = s.faults.makeBallast(); err != nil && isFull(err) {
				_ = s.faults.note(err) // what is there can be read
				err = nil
			}
		}
		if err != nil {
			err = errors.Join(ioError(err), s.log.close(), s.db.Close())
			s.cache.Unref()
			return nil, err
		}
	}
	s.faults.begin()
	if s.log == nil {
		s.watching.Go(s.watch)
	}
	s.forget = s.measure()
	return s, nil
}

// memTables is how many memtables exist at a time, as long as flushes keep up.
const memTables = 4

// share says what the sizes are that are not given.
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
	if s.options.Registry == nil {
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

func (s *Store) openPebble() (err error) {
	cache := pebble.NewCache(s.options.CacheBytes)
	dir := s.fs.PathJoin(s.dir, pebbleDir)
	s.cache = cache
	batches := 2 * (uint64(s.options.TransactionMemory) + s.options.MemTableBytes) / s.options.MemTableBytes
	o := &pebble.Options{
		Cache:                       cache,
		FS:                          s.files,
		DisableWAL:                  true,
		MemTableSize:                s.options.MemTableBytes,
		MemTableStopWritesThreshold: 2*logMaxWaiting + 2*int(batches), // never: commits wait earlier, and can be refused there
		L0CompactionThreshold:       8,
		FormatMajorVersion:          pebble.FormatNewest,
		FlushDelayDeleteRange:       time.Second, // the room of what was dropped comes back when that is flushed
		Logger:                      logger{s},
		EventListener:               s.jobs.listener(),
	}
	if s.options.Dir != "" {
		o.L0StopWritesThreshold = math.MaxInt // as before
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	// An ingested file is in the manifest before anybody sees it: what is committed after somebody has seen it comes after it on the device.
	o.Experimental.DisableIngestAsFlushable = func() bool { return true }
	s.panics.Store(true)
	defer func() {
		s.panics.Store(false)
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %s: %v", ErrIO, dir, r)
		}
		if err != nil {
			cache.Unref()
		}
	}()
	if err := makeDir(s.files, dir); err != nil {
		return ioError(err)
	}
	db, err := pebble.Open(dir, o)
	if err != nil {
		kind := ErrCorrupt
		var number syscall.Errno
		if errors.As(err, &number) {
			kind = ErrIO
		}
		if isFull(err) {
			kind = ErrDiskFull
		}
		return fmt.Errorf("%w: %s: %w", kind, dir, err)
	}
	o.EnsureDefaults() // Open has worked on a copy
	s.db, s.pebbleOptions = db, o
	s.snapshots.db, s.snapshots.faults = db, &s.faults
	// What a bulk write has left behind when the process died.
	if err := s.plain.RemoveAll(s.fs.PathJoin(s.dir, bulkDir)); err != nil {
		return ioError(errors.Join(err, db.Close()))
	}
	return nil
}

// Close writes what is not on the device yet and closes the store, also if that fails: then Open finds what it would after a power cut.
// All transactions have ended.
func (s *Store) Close() error {
	s.forget()
	close(s.closing)
	s.watching.Wait()
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
		if s.faults.lost.Load() {
			e = errors.Join(e, errLost)
		}
		return ioError(errors.Join(err, e))
	case <-s.faults.stuck:
		cause, _ := s.faults.state()
		return errors.Join(err, cause)
	}
}

// Checkpoint writes a consistent copy of the store, with all that was committed before, to a directory that must
// not exist. Open opens it.
func (s *Store) Checkpoint(dir string) error {
	if err := makeDir(s.fs, dir); err != nil {
		return ioError(err)
	}
	if err := s.flush(); err != nil {
		return err
	}
	if err := s.db.Checkpoint(s.fs.PathJoin(dir, pebbleDir)); err != nil {
		return ioError(err)
	}
	return s.writeFormat(dir)
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
		return cmp.Or(cause, ErrIO) // the device may be well again: what was to be flushed is another flush's
	}
}

// metrics are Pebble's figures, for whose last part it waits while it writes its manifest: then, nil if the device fails.
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

// watch does what is to be done after each flush and compaction, where there is no log that does so.
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

// layers is how many of the youngest tables' files a read of one key may have to look into.
func (s *Store) layers() int {
	tables, err := s.db.SSTables()
	if err != nil {
		return 0 // of the file cache, which has no part here
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

// layerEnd is a key at which one more file begins to count, or ceases to after it.
type layerEnd struct {
	key  []byte
	step int
}

// Memory is what a store holds in memory, in bytes.
type Memory struct {
	BlockCache int64 // blocks of tables, up to Options.CacheBytes
	MemTables  int64 // committed and not yet in a table
	FileCache  int64 // what is known of open tables
	Log        int64 // commits that are being written
	Writes     int64 // of transactions, up to 4 KB of each left out
	Locks      int64 // of keys
}

// Memory returns what the store holds in memory. It takes some microseconds. While the device fails, what Pebble has is as it was when
// Memory was called last before that.
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

// NextID is the number that the next transaction gets.
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

// apply commits a batch as the flush policy says, and calls release as soon as its effects are visible.
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

// logger is what Pebble tells its messages.
type logger struct{ s *Store }

func (logger) Infof(string, ...any) {}

func (l logger) Errorf(format string, a ...any) { l.s.logError(fmt.Sprintf(format, a...)) }

// Fatalf would end the process. While Open runs it panics, and Open returns that. Afterwards it is a mistake in Pebble:
// the goroutine stays where it is, and writes are refused for good.
func (l logger) Fatalf(format string, a ...any) {
	message := fmt.Sprintf(format, a...)
	if l.s.panics.Load() {
		panic(message)
	}
	l.s.faults.fatal(errors.New(message))
	select {}
}
