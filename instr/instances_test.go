package instr

import (
	"io"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !condition(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("not within two minutes: %s", what)
		}
	}
}

// collected collects garbage until the condition holds.
func collected(t *testing.T, what string, condition func() bool) {
	t.Helper()
	eventually(t, what+" is collected", func() bool {
		if condition() {
			return true
		}
		runtime.GC()
		return false
	})
}

// wantNoAllocs wants f not to allocate when it is called again and again.
func wantNoAllocs(t *testing.T, what string, f func()) {
	t.Helper()
	if raceEnabled {
		return // the detector makes sync.Pool forget at random
	}
	if n := testing.AllocsPerRun(200, f); n != 0 {
		t.Errorf("%s allocates %v times", what, n)
	}
}

// The package's functions do what the methods of the default registry do.
func TestDefaultRegistry(t *testing.T) {
	c := NewCond("test/default", NewRWMutex("test/default").RLocker())
	c.L.Lock()
	c.WaitTimeout(0)
	c.L.Unlock()
	f := must(NewFileClass("test/default").Create(filepath.Join(t.TempDir(), "f")))
	l := must(Listen("tcp", "127.0.0.1:0", "test/default"))
	client := must(Dial("tcp", l.Addr().String(), "test/default"))
	for _, end := range []io.Closer{f, client, l} {
		check(t, end.Close())
	}
	for _, name := range []string{"wait/synch/cond/", "wait/synch/rwlock/", "wait/io/file/", "wait/io/socket/"} {
		if Default.Reader().ClassByName(name+"test/default") == nil {
			t.Errorf("there is no %stest/default", name)
		}
	}
	for _, in := range instancesOf[*condInstance](Default, KindCond) {
		if in.Class().Kind() != KindCond || Default.Reader().Instance(in.ID()) != Instance(in) {
			t.Errorf("%d is %s", in.ID(), in.Class().Name())
		}
	}
}

// instancesOf returns the instances of all classes of a kind.
func instancesOf[T Instance](r *Registry, k Kind) []T {
	var all []T
	for _, c := range r.Reader().Classes() {
		if c.kind != k {
			continue
		}
		for _, in := range c.Instances() {
			all = append(all, in.(T))
		}
	}
	return all
}

// TestRegistriesAreCollected: a registry that nobody uses any more is collected, even if it leads to an instrumented object of its own.
func TestRegistriesAreCollected(t *testing.T) {
	var gone atomic.Int32
	func() {
		r := NewRegistry()
		m := r.NewMutex("test/own")
		r.Reader().Provide("own", m)
		runtime.AddCleanup(r, func(int) { gone.Add(1) }, 0)
	}()
	collected(t, "the registry", func() bool { return gone.Load() == 1 })
}
