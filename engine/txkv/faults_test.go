package txkv

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pfsd/instr"
)

// changes reports whether an operation changes the device.
func changes(op errorfs.Op) bool {
	switch op.Kind {
	case errorfs.OpCreate, errorfs.OpLink, errorfs.OpRename, errorfs.OpReuseForWrite, errorfs.OpMkdirAll,
		errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
		return true
	}
	return false
}

var faultStep = flag.Int64("faultstep", 41, "TestDeviceFails lets each operation of this many fail")

// One operation after another fails for a while, in each of the store's files. The statement gets
// the error, reads go on, and writes work again when the device does. All acknowledged writes are
// there, at once and after a restart.
func TestDeviceFails(t *testing.T) {
	step := *faultStep * int64(testSize(t, 1, 4))
	for _, number := range []syscall.Errno{syscall.EIO, syscall.ENOSPC} {
		for at := int64(0); ; at += step {
			if !deviceFails(t, number, at) {
				if at < 400 {
					t.Fatalf("there were only %d operations", at)
				}
				break
			}
		}
	}
}

// deviceFails makes operations fail from the nth on, and reports whether there are so many.
func deviceFails(t *testing.T, number syscall.Errno, n int64) bool {
	t.Helper()
	var failing, counting atomic.Bool
	var ops atomic.Int64
	mem := vfs.NewCrashableMem()
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if !changes(op) || !counting.Load() {
			return nil
		}
		if ops.Add(1) == n+1 {
			failing.Store(true)
		}
		if failing.Load() {
			return &pathError{op.Path, number}
		}
		return nil
	}))
	var failures, recoveries atomic.Int64
	s, err := Open(Options{Dir: "db", FS: fs, MemTableBytes: 64 << 10, CacheBytes: 1 << 20, BallastBytes: 64 << 10, TransactionMemory: 1000,
		LogError: func(string) { failures.Add(1) }, LogRecovered: func(string) { recoveries.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	counting.Store(true)
	model := map[string]string{}
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	commit := func(i int) error {
		x := s.Begin(TxnOptions{})
		defer x.Rollback()
		k, v := fmt.Sprintf("k%03d", rng.IntN(200)), fmt.Sprintf("%d-%s", i, strings.Repeat("x", rng.IntN(2000)))
		wait := time.Duration(-1)
		if failing.Load() { // a commit in files may still hold the lock until the device works again
			wait = NoWait
		}
		if _, err := x.Lock(context.Background(), []byte(k), Exclusive, wait); err != nil {
			return err
		}
		if err := x.Put([]byte(k), []byte(v)); err != nil {
			return err
		}
		if i%16 == 0 { // so large that it goes to files
			if err := errors.Join(x.Put([]byte("l"), nil), x.Put([]byte(k), []byte(v))); err != nil {
				return err
			}
		}
		err := x.Commit()
		if err == nil {
			model[k] = v
		} else {
			delete(model, k) // the write may be there or not
		}
		return err
	}
	i := 0
	for ; i < 400 && !failing.Load(); i++ {
		if err := commit(i); err != nil && !failing.Load() {
			t.Fatal(err)
		}
	}
	hit := failing.Load()
	counting.Store(hit)
	if hit {
		want := ErrIO
		if number == syscall.ENOSPC {
			want = ErrDiskFull
		}
		refused := false
		for range 200 {
			if err := commit(i); err != nil {
				if !errors.Is(err, want) && !errors.Is(err, ErrLocked) {
					t.Fatalf("operation %d: %v", n, err)
				}
				refused = true
			}
			i++
		}
		if !refused {
			t.Fatalf("operation %d: 200 commits succeeded on a device that fails", n)
		}
		s.Memory() // must not wait for the device
		x := s.Begin(TxnOptions{})
		for k, v := range model {
			if got := get(t, x, k); got != v {
				t.Fatalf("operation %d: %s is %.10q, and %.10q was written", n, k, got, v)
			}
		}
		x.Rollback()
		failing.Store(false)
		for tries := 0; ; tries++ {
			if err := commit(i); err == nil {
				break
			} else if tries == 1000 {
				t.Fatalf("operation %d: writes are still refused: %v", n, err)
			}
			i++
		}
		for range 20 {
			if err := commit(i); err != nil {
				t.Fatalf("operation %d: refused again: %v", n, err)
			}
			i++
		}
		if failures.Load() == 0 || recoveries.Load() == 0 {
			t.Errorf("operation %d: %d failures and %d recoveries are in the log", n, failures.Load(), recoveries.Load())
		}
	}
	check := func(s *Store, when string) {
		t.Helper()
		x := s.Begin(TxnOptions{})
		defer x.Rollback()
		for k, v := range model {
			if got := get(t, x, k); got != v {
				t.Fatalf("operation %d, %s: %s is %.10q, and %.10q was written", n, when, k, got, v)
			}
		}
	}
	check(s, "after")
	after := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
	if err := s.Close(); err != nil {
		t.Fatalf("operation %d, closing: %v", n, err)
	}
	for when, fs := range map[string]vfs.FS{"closed": mem, "power cut": after} {
		s, err := Open(Options{Dir: "db", FS: fs, CacheBytes: 1 << 20, BallastBytes: -1})
		if err != nil {
			t.Fatalf("operation %d, %s: %v", n, when, err)
		}
		check(s, when)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return hit
}

// If the device fails while commits wait for compactions, writes are refused and do not wait.
func TestDeviceFailsUnderCompactions(t *testing.T) {
	var failing atomic.Bool
	held, reached := make(chan struct{}), make(chan struct{})
	var once sync.Once
	registry := instr.NewRegistry()
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if !changes(op) {
			return nil
		}
		if thread := instr.Current(); thread != nil && thread.Class().Name() == "thread/txkv/compaction" {
			once.Do(func() { close(reached) })
			<-held
		}
		if failing.Load() {
			return syscall.EIO
		}
		return nil
	}))
	s := open(t, Options{Dir: "db", FS: fs, Registry: registry, MemTableBytes: 64 << 10, BallastBytes: -1})
	commit := func() error {
		x := s.Begin(TxnOptions{})
		defer x.Rollback()
		if err := x.Put([]byte("k"), make([]byte, 20_000)); err != nil {
			return err
		}
		return x.Commit()
	}
	refused := make(chan error)
	go func() {
		for {
			if err := commit(); err != nil {
				refused <- err
				return
			}
		}
	}()
	<-reached
	for deep := false; !deep; runtime.Gosched() {
		s.log.oldMu.Lock()
		deep = s.log.layers >= maxLayers
		s.log.oldMu.Unlock()
	}
	failing.Store(true)
	close(held)
	if err := <-refused; !errors.Is(err, ErrIO) {
		t.Error(err)
	}
	if err := commit(); !errors.Is(err, ErrIO) {
		t.Error(err)
	}
	failing.Store(false)
	for commit() != nil {
		runtime.Gosched()
	}
}

type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return e.path + ": " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

// A store whose device fails closes all the same, with all of its goroutines, and loses no
// acknowledged commit.
func TestCloseOnADeviceThatFails(t *testing.T) {
	manifests := func(op errorfs.Op) bool { return strings.Contains(op.Path, "MANIFEST") }
	step := int64(testSize(t, 1, 4))
	for n := int64(0); n < 40; n += step {
		closeFailing(t, n, changes, nil)
	}
	// Pebble ends the process if it cannot write its manifest.
	for n := range int64(3) {
		closeFailing(t, n, func(op errorfs.Op) bool { return changes(op) && manifests(op) }, make(chan struct{}))
	}
}

// closeFailing closes a store whose operations fail after n; fails selects these operations. If
// firstFailure is not nil, an operation fails before Close.
func closeFailing(t *testing.T, n int64, fails func(errorfs.Op) bool, firstFailure chan struct{}) {
	t.Helper()
	var failing atomic.Bool
	var ops atomic.Int64
	var once sync.Once
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing.Load() && fails(op) && ops.Add(1) > n {
			if firstFailure != nil {
				once.Do(func() { close(firstFailure) })
			}
			return syscall.EIO
		}
		return nil
	}))
	s, err := Open(Options{Dir: "db", FS: fs, MemTableBytes: 64 << 10, CacheBytes: 1 << 20, BallastBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	failing.Store(true)
	acknowledged := 0
	commit := func(i int) {
		x := s.Begin(TxnOptions{})
		defer x.Rollback()
		if x.Put(fmt.Append(nil, i), make([]byte, 4000)) == nil && x.Commit() == nil && acknowledged == i {
			acknowledged++
		}
	}
	for i := range 100 {
		commit(i)
	}
	if firstFailure != nil {
		_, _ = s.db.AsyncFlush()
		<-firstFailure
		if err := s.Close(); err == nil {
			t.Errorf("operation %d: Close on a device that fails has no error", n)
		}
	} else {
		_ = s.Close()
	}
	failing.Store(false)
	s, err = Open(Options{Dir: "db", FS: fs, CacheBytes: 1 << 20, BallastBytes: -1})
	if err != nil {
		t.Fatalf("operation %d: %v", n, err)
	}
	x := s.Begin(TxnOptions{})
	for i := range acknowledged {
		if get(t, x, fmt.Sprint(i)) == "" {
			t.Fatalf("operation %d: %d of %d is lost", n, i, acknowledged)
		}
	}
	x.Rollback()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// If the device fails while the store opens, Open returns an error.
func TestOpenOnADeviceThatFails(t *testing.T) {
	opened := false
	for n := int64(0); !opened; n++ {
		var done atomic.Bool
		var ops atomic.Int64
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if !done.Load() && changes(op) && ops.Add(1) == n+1 {
				return syscall.EIO
			}
			return nil
		}))
		s, err := Open(Options{Dir: "db", FS: fs, CacheBytes: 1 << 20, BallastBytes: 64 << 10})
		if err == nil {
			opened = ops.Load() <= n
			done.Store(true)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		} else if !errors.Is(err, ErrIO) {
			t.Fatalf("operation %d: %v", n, err)
		}
	}
}

func TestBulkOnADeviceThatFails(t *testing.T) {
	var failing atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if changes(op) && failing.Load() {
			return syscall.ENOSPC
		}
		return nil
	}))
	s := open(t, Options{Dir: "db", FS: fs, BallastBytes: -1})
	b := s.NewBulk()
	if err := b.Put([]byte("k"), []byte("v")); err != nil {
		t.Fatal(err)
	}
	failing.Store(true)
	if err := b.Commit(context.Background()); !errors.Is(err, ErrDiskFull) {
		t.Fatal(err)
	}
	failing.Store(false)
}

// A commit at the moment at which the device works again is done or refused, and never lost.
func TestCommitWhileWritesReturn(t *testing.T) {
	s := open(t, Options{Dir: "db", FS: vfs.NewMem(), BallastBytes: -1})
	x := s.Begin(TxnOptions{})
	if err := x.Put([]byte("k"), []byte("v")); err != nil {
		t.Fatal(err)
	}
	s.faults.failed.Store(true) // as a commit sees it that read it just before clear removed the cause
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
	s.faults.failed.Store(false)
	y := s.Begin(TxnOptions{})
	defer y.Rollback()
	if got := get(t, y, "k"); got != "v" {
		t.Errorf("a commit was acknowledged and is not there: %q", got)
	}
}
