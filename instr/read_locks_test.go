package instr

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// readersNamed returns the readers of a lock that the registry names.
func readersNamed(r *Registry, m *RWMutex) (named []Holding) {
	for _, l := range r.Reader().ReadLocks() {
		if l.Lock == m.instance.Load() {
			named = append(named, l.Holding)
		}
	}
	return named
}

func TestReadersAreNamed(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	m, other := r.NewRWMutex("test/lock"), r.NewRWMutex("test/other")
	th := r.Attach("test/holder")
	defer th.Detach()
	if named := readersNamed(r, m); len(named) != 0 {
		t.Errorf("a free lock is read by %+v", named)
	}
	m.RLock()
	_, _, line, _ := runtime.Caller(0)
	named := readersNamed(r, m)
	want := fmt.Sprintf("read_locks_test.go:%d", line-1)
	if len(named) != 1 || named[0].Holder != th.ID() || named[0].Source != want || !named[0].Timed || !named[0].Certain || named[0].Goroutine != stackGoid() {
		t.Fatalf("the readers are %+v, want thread %d, goroutine %d at %s", named, th.ID(), stackGoid(), want)
	}
	// Unlocking in another order than locking, and the same lock twice.
	other.RLock()
	m.RLock()
	if named := readersNamed(r, m); len(named) != 2 || named[0].Number == named[1].Number {
		t.Errorf("locked twice, the readers are %+v", named)
	}
	m.RUnlock()
	m.RUnlock()
	if named := readersNamed(r, m); len(named) != 0 {
		t.Errorf("unlocked, the lock is read by %+v", named)
	}
	if named := readersNamed(r, other); len(named) != 1 || named[0].Holder != th.ID() {
		t.Errorf("the readers of the other lock are %+v", named)
	}
	other.RUnlock()

	for _, lock := range []func(){func() { m.RLocker().Lock() }, func() { m.TryRLock() }, func() { m.RLockAs(th) }} {
		lock()
		if named := readersNamed(r, m); len(named) != 1 || !named[0].Certain {
			t.Errorf("the readers are %+v", named)
		}
		m.RLocker().Unlock()
		if named := readersNamed(r, m); len(named) != 0 {
			t.Errorf("unlocked, the readers are %+v", named)
		}
	}
}

// A thread is named as the reader of maxReadLocks locks; the others are counted.
func TestReadersBeyondTheLimit(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	defer r.Attach("test/holder").Detach()
	locks := make([]*RWMutex, maxReadLocks+2)
	for i := range locks {
		locks[i] = r.NewRWMutex("test/lock")
		locks[i].RLock()
	}
	if got := len(r.Reader().ReadLocks()); got != maxReadLocks {
		t.Errorf("%d readers are named, want %d", got, maxReadLocks)
	}
	for _, m := range locks {
		if got := m.instance.Load().Readers(); got != 1 {
			t.Errorf("%d readers are counted, want 1", got)
		}
		m.RUnlock()
	}
	if named := r.Reader().ReadLocks(); len(named) != 0 {
		t.Errorf("unlocked, the readers are %+v", named)
	}
}

// If another goroutine unlocks a lock, no reader is named with Certain that does not hold it.
func TestReadersUnlockedByOthers(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	m := r.NewRWMutex("test/lock")
	th := r.Attach("test/holder")
	defer th.Detach()
	elsewhere := func(do func()) {
		done := make(chan struct{})
		go func() { defer close(done); do() }()
		<-done
	}
	m.RLock()
	elsewhere(m.RUnlock)
	if named := readersNamed(r, m); len(named) != 0 {
		t.Errorf("a free lock is read by %+v", named)
	}
	// While there is a reader, it may be this thread.
	m.RLock()
	if named := readersNamed(r, m); slices.ContainsFunc(named, func(h Holding) bool { return h.Certain }) {
		t.Errorf("the readers are certain: %+v", named)
	}
	m.RUnlock()
	// After a hold for writing, readers are certain again.
	m.Lock()
	if named := readersNamed(r, m); len(named) != 0 {
		t.Errorf("while the lock is held for writing it is read by %+v", named)
	}
	m.Unlock()
	m.RLock()
	if named := readersNamed(r, m); len(named) != 1 || !named[0].Certain || named[0].Holder != th.ID() {
		t.Errorf("the readers are %+v", named)
	}
	m.RUnlock()

	// Locked while on, unlocked while off, and the other way round.
	m.instance.Load().class.holds.SetEnabled(false)
	m.RLock()
	m.instance.Load().class.SetEnabled(false)
	m.RUnlock()
	m.RLock()
	m.instance.Load().class.SetEnabled(true)
	if named := readersNamed(r, m); len(named) != 0 {
		t.Errorf("locked while off, the readers are %+v", named)
	}
	m.RUnlock()
}

// A reader that panics or ends its goroutine without unlocking goes on reading, as sync.RWMutex says.
func TestReadersThatPanic(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	m := r.NewRWMutex("test/lock")
	defer r.Attach("test/holder").Detach()
	func() {
		defer func() { _ = recover() }()
		m.RLock()
		panic("between")
	}()
	if named := readersNamed(r, m); len(named) != 1 || !named[0].Certain {
		t.Errorf("after a panic the readers are %+v", named)
	}
	m.RUnlock()
	func() {
		defer func() { _ = recover() }()
		m.RLock()
		defer m.RUnlock()
		panic("between")
	}()
	if named := readersNamed(r, m); len(named) != 0 {
		t.Errorf("after a panic with a deferred RUnlock the readers are %+v", named)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.RLock()
		runtime.Goexit()
	}()
	<-done
	if got := m.instance.Load().Readers(); got != 1 {
		t.Errorf("%d readers are counted, want 1", got)
	}
	m.RUnlock()
	if named := readersNamed(r, m); len(named) != 0 {
		t.Errorf("a free lock is read by %+v", named)
	}
}

// A copy of a thread's read locks has the right place for each lock, in whatever order they are
// unlocked.
func TestReadLocksAreNeverMixed(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	var locks [4]*RWMutex
	for i := range locks {
		locks[i] = r.NewRWMutex("test/lock")
	}
	done := make(chan struct{})
	r.Go("test/holder", func() {
		defer close(done)
		for range 30_000 {
			for _, i := range rand.Perm(4) {
				switch i { // each lock at a place of its own
				case 0:
					locks[0].RLock()
				case 1:
					locks[1].RLock()
				case 2:
					locks[2].RLock()
				case 3:
					locks[3].RLock()
				}
			}
			for _, i := range rand.Perm(4) {
				locks[i].RUnlock()
			}
		}
	})
	sources := map[uint64]string{}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		seen := map[uint64]bool{}
		for _, l := range r.Reader().ReadLocks() {
			id := l.Lock.ID()
			if !l.Certain || seen[id] || sources[id] != "" && sources[id] != l.Source {
				t.Fatalf("lock %d: %+v, after %q", id, l.Holding, sources[id])
			}
			seen[id], sources[id] = true, l.Source
		}
	}
	if named := r.Reader().ReadLocks(); len(named) != 0 {
		t.Errorf("unlocked, the readers are %+v", named)
	}
}

// Readers and writers at the same time: each named reader is one, and none is named while a writer holds the lock.
func TestReadersAmongWriters(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	m := r.NewRWMutex("test/lock")
	var all sync.WaitGroup
	ids := make([]uint64, 3)
	var ready sync.WaitGroup
	ready.Add(len(ids))
	for i := range ids {
		all.Add(1)
		r.Go("test/holder", func() {
			defer all.Done()
			ids[i] = Current().ID()
			ready.Done()
			for n := range 20_000 {
				if n%4 == i {
					m.Lock()
					if named := readersNamed(r, m); len(named) != 0 {
						t.Errorf("a lock that is held for writing is read by %+v", named)
					}
					m.Unlock()
					continue
				}
				m.RLock()
				m.RUnlock()
			}
		})
	}
	ready.Wait()
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for _, h := range readersNamed(r, m) {
			if !h.Certain || !slices.Contains(ids, h.Holder) {
				t.Fatalf("%+v reads, the threads are %v", h, ids)
			}
		}
	}
}
