package txkv

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pfsd/engine/txkv/overlay"
)

// Open opens a store, or makes it if there is none. A store on a device that has no room opens for reading: what recovery would write is
// in memory, writes get ErrDiskFull, and only the next Open looks whether there is room. Errors: ErrCorrupt with the name of the file;
// ErrDiskFull, ErrIO. An error has the directory, and how much room there is.
func Open(o Options) (*Store, error) {
	device := o.FS
	if device == nil {
		device = vfs.Default
		if o.Dir == "" {
			device = vfs.NewMem()
		}
	}
	s, err := openOn(o, device, nil)
	if err == nil || !errors.Is(err, ErrDiskFull) || o.Dir == "" {
		return s, err
	}
	full := fmt.Errorf("%s has no room, %s: %w", o.Dir, freeRoom(device, o.Dir), err)
	if _, err := device.Stat(device.PathJoin(o.Dir, formatFile)); err != nil {
		return nil, full
	}
	s, err = openOn(o, overlay.New(device), fmt.Errorf("the store can only be read until it is opened again: %w", full))
	if err != nil {
		return nil, errors.Join(full, err)
	}
	if s.empty() {
		return nil, errors.Join(full, s.Close())
	}
	return s, nil
}

// freeRoom says how much room a directory's device has.
func freeRoom(fs vfs.FS, dir string) string {
	usage, err := fs.GetDiskUsage(dir)
	if err != nil {
		usage, err = fs.GetDiskUsage(fs.PathDir(dir))
	}
	if err != nil {
		return "how much is free is unknown"
	}
	return fmt.Sprintf("%d bytes are free", usage.AvailBytes)
}

// empty reports whether the store has had no commit.
func (s *Store) empty() bool {
	_, c, err := s.db.Get(numberKey)
	if err == nil {
		_ = c.Close()
	}
	return errors.Is(err, pebble.ErrNotFound)
}

// openOn opens a store on a file system. If refused is not nil, writes are refused with it.
func openOn(o Options, device vfs.FS, refused error) (s *Store, err error) {
	o.share()
	if o.LockLimit == 0 {
		o.LockLimit = 50_000
	}
	s = &Store{options: o, fs: device, dir: o.Dir, partKeys: partKeys, reshaped: make(chan struct{}, 1), closing: make(chan struct{})}
	s.reclaiming.wanted = make(chan struct{}, 1)
	durable := o.Dir != ""
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
	if durable && o.BallastBytes >= 0 && refused == nil {
		s.faults.ballast, s.faults.size = s.fs.PathJoin(s.dir, ballastFile), cmp.Or(o.BallastBytes, 16<<20)
	}
	s.files = &files{FS: s.fs, faults: &s.faults, root: s.dir, classes: classes, onMake: s.jobs.noteFile, onWrite: s.jobs.countWritten}
	if durable {
		s.files.stats = new(ioStats)
	}
	plain := *s.files
	plain.plain = true
	s.plain = &plain
	if err := s.openPebble(); err != nil {
		return nil, err
	}
	s.faults.begin()
	if durable {
		s.log = &commitLog{
			store: s, fs: s.plain, dir: s.fs.PathJoin(s.dir, logDir), limit: int64(o.MemTableBytes),
			group: &commitGroup{done: make(chan struct{})}, removed: make(chan struct{}), ended: make(chan struct{}),
		}
		err := s.log.open()
		if err == nil {
			if err = s.faults.makeBallast(); err != nil && isFull(err) {
				_ = s.faults.note(err) // the store can be read
				err = nil
			}
		}
		if err != nil {
			return nil, errors.Join(ioError(err), s.closeParts())
		}
	}
	if s.log == nil {
		s.watching.Go(s.watch)
	}
	if refused != nil {
		s.faults.refuse(refused)
	}
	wanted := s.reclaiming.wanted
	s.watching.Go(func() { s.reclaim(wanted) })
	s.forget = s.measure()
	return s, nil
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
		MemTableStopWritesThreshold: 2*logMaxWaiting + 2*int(batches), // never reached: commits wait earlier, where they can be refused
		L0CompactionThreshold:       8,
		FormatMajorVersion:          pebble.FormatNewest,
		FlushDelayDeleteRange:       time.Second, // a flush of a dropped range soon frees its room
		Logger:                      logger{s},
		EventListener:               s.jobs.listener(),
	}
	if s.options.Dir != "" {
		o.L0StopWritesThreshold = math.MaxInt // never reached, like MemTableStopWritesThreshold
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	compactions := newCompactions()
	o.Experimental.CompactionScheduler = compactions
	// An ingested file is in the manifest before a transaction sees it. So a commit of a
	// transaction that has seen it comes after it on the device.
	o.Experimental.DisableIngestAsFlushable = func() bool { return true }
	if err := makeDir(s.files, dir); err != nil {
		cache.Unref()
		return ioError(err)
	}
	db, err := s.callOpen(dir, o)
	if err == nil && s.faults.lost.Load() { // what Pebble has written is nowhere
		cause, _ := s.faults.state()
		err = errors.Join(cause, db.Close())
	}
	if err != nil {
		if !s.faults.isStuck() {
			cache.Unref()
		}
		if cause, _ := s.faults.state(); cause != nil {
			return fmt.Errorf("%w: %s", cause, dir)
		}
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
	compactions.begin()
	o.EnsureDefaults() // Open has changed a copy of o
	s.db, s.pebbleOptions = db, o
	s.snapshots.db, s.snapshots.faults = db, &s.faults
	// Files of transactions and bulk writes of a process that crashed.
	if err := s.plain.RemoveAll(s.fs.PathJoin(s.dir, bulkDir)); err != nil {
		err = errors.Join(err, db.Close())
		cache.Unref()
		return ioError(err)
	}
	return nil
}

// callOpen calls Pebble's Open on a goroutine of its own, which stays behind if Pebble finds a fault for which it would end the process.
func (s *Store) callOpen(dir string, o *pebble.Options) (*pebble.DB, error) {
	type result struct {
		db  *pebble.DB
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{nil, fmt.Errorf("%v", p)}
			}
			done <- r
		}()
		r.db, r.err = pebble.Open(dir, o)
	}()
	select {
	case r := <-done:
		return r.db, r.err
	case <-s.faults.stuck:
		cause, _ := s.faults.state()
		return nil, cause
	}
}
