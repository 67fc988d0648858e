package txkv

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// fullDisk is a device that has no room from the nth change on. Owned by one test.
type fullDisk struct {
	vfs.FS
	ops  atomic.Int64 // changes so far
	from atomic.Int64 // the first one that fails; below 0 there is room
	with syscall.Errno
}

// newFullDisk makes a device on mem. fails says which operations find no room.
func newFullDisk(mem vfs.FS, fails func(errorfs.Op) bool) *fullDisk {
	d := &fullDisk{with: syscall.ENOSPC}
	d.from.Store(-1)
	d.FS = errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if !fails(op) {
			return nil
		}
		if n, from := d.ops.Add(1), d.from.Load(); from >= 0 && n > from {
			return &pathError{op.Path, d.with}
		}
		return nil
	}))
	return d
}

// onlyWrites reports whether an operation takes room for contents; a full device still makes names.
func onlyWrites(op errorfs.Op) bool {
	return op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpFileWriteAt || op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData
}

var fullKinds = map[string]func(errorfs.Op) bool{"all": changes, "writes": onlyWrites}

func fullOptions(fs vfs.FS) Options {
	return Options{Dir: "db", FS: fs, MemTableBytes: 64 << 10, CacheBytes: 1 << 20, TransactionMemory: 1000, BallastBytes: -1}
}

// fullRows commits rows from the first on and returns how many are acknowledged; each has 4000 bytes.
func fullRows(s *Store, first, count int) (acknowledged []string, failure error) {
	for i := first; i < first+count; i++ {
		key := fmt.Sprintf("k%04d", i)
		x := s.Begin(TxnOptions{})
		err := x.Put([]byte(key), []byte(strings.Repeat("x", 4000)+key))
		if err == nil {
			err = x.Commit()
		}
		x.Rollback()
		if err == nil {
			acknowledged = append(acknowledged, key)
		} else {
			failure = err
		}
	}
	return acknowledged, failure
}

func checkRows(t *testing.T, s *Store, where string, keys []string) {
	t.Helper()
	x := s.Begin(TxnOptions{})
	defer x.Rollback()
	for _, key := range keys {
		if got := get(t, x, key); !strings.HasSuffix(got, key) {
			t.Fatalf("%s: %s is lost of %d rows", where, key, len(keys))
		}
	}
}

// crashed is a store's directory with data in the log and in tables, as a killed process leaves it.
func crashed(t *testing.T) (*vfs.MemFS, []string) {
	t.Helper()
	mem := vfs.NewCrashableMem()
	s, err := Open(fullOptions(mem))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := fullRows(s, 0, 60)
	if err != nil {
		t.Fatal(err)
	}
	clone := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return clone, keys
}

// A device that is full when the store opens, or becomes full at any later operation, and stays so, ends nothing: Open returns the
// error, or a store that reads; writes are refused; Close ends; and with room Open finds all that was acknowledged.
func TestEveryOperationFindsNoRoom(t *testing.T) {
	least := testSize(t, 10, 1)
	for kind, fails := range fullKinds {
		for _, start := range []string{"empty", "data"} {
			if running := everyOperation(t, kind, start, fails, syscall.ENOSPC); running < least {
				t.Errorf("%s, %s: only %d stores ran into it", kind, start, running)
			}
		}
	}
}

// A device on which everything fails from some operation on, reads as well, ends nothing either.
func TestEveryOperationFails(t *testing.T) {
	for _, start := range []string{"empty", "data"} {
		everyOperation(t, "EIO", start, func(errorfs.Op) bool { return true }, syscall.EIO)
	}
}

// everyOperation opens a store, writes, makes a checkpoint and closes, on devices that fail from the nth operation on, for all n. It
// returns how many of the stores failed after they were open.
func everyOperation(t *testing.T, kind, start string, fails func(errorfs.Op) bool, with syscall.Errno) (running int) {
	step := int64(testSize(t, 1, 13))
	if with == syscall.EIO {
		step = int64(testSize(t, 3, 19))
	}
	for n, ended := int64(0), false; !ended; n += step {
		where := fmt.Sprintf("%s, %s, operation %d", kind, start, n)
		mem, keys := vfs.NewCrashableMem(), []string(nil)
		if start == "data" {
			mem, keys = crashed(t)
		}
		d := newFullDisk(mem, fails)
		d.with = with
		d.from.Store(n)
		full := with == syscall.ENOSPC
		s, err := Open(fullOptions(d))
		switch {
		case err != nil && full && (!errors.Is(err, ErrDiskFull) || !strings.Contains(err.Error(), "db has no room")):
			t.Fatalf("%s: %v", where, err)
		case err != nil && full && start == "data":
			t.Fatalf("%s: what is there cannot be read: %v", where, err)
		case err == nil:
			more, err := fullRows(s, 100, 40)
			if full {
				checkRows(t, s, where, append(keys, more...))
			}
			if err != nil {
				running++
				if full && !errors.Is(err, ErrDiskFull) {
					t.Fatalf("%s: %v", where, err)
				}
			}
			keys = append(keys, more...)
			if err := s.Checkpoint("copy"); err == nil && n == 0 {
				t.Fatalf("%s: a checkpoint on a device that fails", where)
			}
			if full {
				checkRows(t, s, where, keys)
			}
			err = s.Close()
			if full && err != nil && (!errors.Is(err, ErrDiskFull) || errors.Is(err, ErrIO)) {
				t.Fatalf("%s: closed: %v", where, err)
			}
			ended = err == nil && d.ops.Load() <= n
		}
		d.from.Store(-1)
		s, err = Open(fullOptions(d))
		if err != nil {
			t.Fatalf("%s: with room again: %v", where, err)
		}
		checkRows(t, s, where+", with room again", keys)
		if more, err := fullRows(s, 200, 3); err != nil || len(more) != 3 {
			t.Fatalf("%s: with room again: %v", where, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return running
}

// While a device has no room for a table, its flush is tried again after pauses that grow, and the log has one line for the failure and
// one for the end of it. So it is while the store opens and closes.
func TestRetriesOfAFullDeviceGrowApart(t *testing.T) {
	var failing atomic.Bool
	var tries atomic.Int64
	tooMany := make(chan struct{})
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing.Load() && onlyWrites(op) && strings.HasSuffix(op.Path, ".sst") {
			if tries.Add(1) == 1000 {
				close(tooMany)
			}
			return &pathError{op.Path, syscall.ENOSPC}
		}
		return nil
	}))
	var mu sync.Mutex
	var failures, recoveries []string
	o := fullOptions(fs)
	o.LogError = func(m string) { mu.Lock(); defer mu.Unlock(); failures = append(failures, m) }
	o.LogRecovered = func(m string) { mu.Lock(); defer mu.Unlock(); recoveries = append(recoveries, m) }
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	pauses, goOn := make(chan time.Duration), make(chan time.Time)
	real := s.faults.after
	s.faults.after = func(d time.Duration) (<-chan time.Time, func() bool) {
		pauses <- d
		return goOn, func() bool { return true }
	}
	if _, err := fullRows(s, 0, 5); err != nil {
		t.Fatal(err)
	}
	failing.Store(true)
	if _, err := s.db.AsyncFlush(); err != nil {
		t.Fatal(err)
	}
	total := time.Duration(0)
	for i, want := 0, time.Second; total < time.Hour; i++ {
		select {
		case got := <-pauses:
			if got != want {
				t.Fatalf("pause %d is %v, want %v", i, got, want)
			}
		case <-tooMany:
			t.Fatalf("%d tries after %d pauses", tries.Load(), i)
		}
		total += want
		want = min(2*want, time.Minute)
		goOn <- time.Time{}
	}
	if n := tries.Load(); n > 70 {
		t.Errorf("%d tries in %v", n, total)
	}
	<-pauses
	s.faults.after = real
	goOn <- time.Time{}
	mu.Lock()
	if len(failures) != 1 || !strings.Contains(failures[0], "no space left on device") || len(recoveries) != 0 {
		t.Errorf("the log has %q and %q", failures, recoveries)
	}
	mu.Unlock()
	failing.Store(false)
	for err = ErrDiskFull; err != nil; _, err = fullRows(s, 10, 1) {
		runtime.Gosched()
	}
	if len(failures) != 1 || len(recoveries) != 1 {
		t.Errorf("the log has %q and %q", failures, recoveries)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	mem, _ := crashed(t)
	fs = errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if onlyWrites(op) && strings.HasSuffix(op.Path, ".sst") {
			tries.Add(1)
			return &pathError{op.Path, syscall.ENOSPC}
		}
		return nil
	}))
	tries.Store(0)
	o = fullOptions(fs)
	if s, err = Open(o); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if n := tries.Load(); n > 5 {
		t.Errorf("%d tries while the store opened and closed", n)
	}
}

// A log of commits that has lost its end, wherever it was cut, is refused by name.
func TestCutLogsAreRefused(t *testing.T) {
	read := func(fs vfs.FS, path string) []byte {
		t.Helper()
		f, err := fs.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		return text
	}
	mem, _ := crashed(t)
	names, err := mem.List("db/log")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	path := "db/log/" + slices.Max(names)
	whole := read(mem, path)
	tried := 0
	for n := 0; n < len(whole); n += 1 + len(whole)/40 {
		mem, _ := crashed(t)
		f, err := mem.Create(path, vfs.WriteCategoryUnspecified)
		if err == nil {
			_, err = f.Write(whole[:n])
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		tried++
		if s, err := Open(fullOptions(mem)); err == nil {
			_ = s.Close()
			t.Errorf("cut to %d of %d bytes, the log is taken", n, len(whole))
		} else if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	if tried < 30 {
		t.Errorf("only %d cuts", tried)
	}
}
