package instr

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// waiting returns the waits for locks of the thread with a name.
func waiting(r *Registry, name string) (all []LockWait) {
	for _, w := range r.Reader().LockWaits() {
		if w.Thread == threadPrefix+name {
			all = append(all, w)
		}
	}
	return all
}

// parked starts a thread that calls do, and returns when the thread waits for a lock; end waits for the end of
// the thread.
func parked(t *testing.T, r *Registry, name string, do func()) (id uint64, end func()) {
	t.Helper()
	done := make(chan struct{})
	started := make(chan uint64)
	r.Go(name, func() {
		defer close(done)
		started <- Current().ID()
		do()
	})
	id = <-started
	eventually(t, name+" waits", func() bool { return len(waiting(r, name)) > 0 })
	return id, func() { <-done }
}

func TestLockWaits(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	m, rw := r.NewMutex("test/mutex"), r.NewRWMutex("test/rwlock")
	th := r.Attach("test/holder")
	defer th.Detach()

	m.Lock()
	_, end := parked(t, r, "test/waiter", func() { m.Lock(); m.Unlock() })
	held, _ := m.instance.Load().Holding()
	w := waiting(r, "test/waiter")
	if len(w) != 1 || w[0].Blocker.Holder != th.ID() || w[0].Blocker.Source != held.Source || w[0].Blocker.Number != held.Number ||
		!w[0].Blocker.Certain || w[0].Object != m.instance.Load().id || w[0].Pending || w[0].Shared || w[0].Goroutine == 0 {
		t.Errorf("for a mutex it waits for %+v", w)
	}
	m.Unlock()
	end()
	if w := r.Reader().LockWaits(); len(w) != 0 {
		t.Errorf("nobody waits, but %+v", w)
	}

	// A writer waits for the reader, and a reader for the writer that waits.
	rw.RLock()
	writer, endWriter := parked(t, r, "test/writer", func() { rw.Lock(); rw.Unlock() })
	eventually(t, "the writer keeps readers out", func() bool { return rw.instance.Load().writerWaits() })
	_, endReader := parked(t, r, "test/reader", func() { rw.RLock(); rw.RUnlock() })
	if w := waiting(r, "test/writer"); len(w) != 1 || w[0].Blocker.Holder != th.ID() || !w[0].Shared || w[0].Pending || !w[0].Blocker.Certain {
		t.Errorf("the writer waits for %+v", w)
	}
	if w := waiting(r, "test/reader"); len(w) != 1 || w[0].Blocker.Holder != writer || w[0].Shared || !w[0].Pending || !w[0].Blocker.Certain {
		t.Errorf("the reader waits for %+v", w)
	}
	// If two writers wait, it is not known which is in front.
	_, endSecond := parked(t, r, "test/second", func() { rw.Lock(); rw.Unlock() })
	if w := waiting(r, "test/reader"); len(w) != 1 || w[0].Blocker.Holder != writer || w[0].Blocker.Certain {
		t.Errorf("the reader waits for %+v", w)
	}
	rw.RUnlock()
	endWriter()
	endReader()
	endSecond()

	// Locked for writing by a goroutine that is no thread.
	done := make(chan struct{})
	var goroutine uint64
	go func() {
		defer close(done)
		r.Attach("test/gone").Detach()
		goroutine = stackGoid()
		rw.Lock()
	}()
	<-done
	_, end = parked(t, r, "test/reader", func() { rw.RLock(); rw.RUnlock() })
	if w := waiting(r, "test/reader"); len(w) != 1 || w[0].Blocker.Holder != holderGoroutine|goroutine || w[0].Blocker.Goroutine != goroutine {
		t.Errorf("the reader waits for %+v, want goroutine %d", w, goroutine)
	}
	// Locked while the instrument was off.
	rw.instance.Load().class.SetEnabled(false)
	rw.Unlock()
	end()
	rw.Lock()
	rw.instance.Load().class.SetEnabled(true)
	_, end = parked(t, r, "test/reader", func() { rw.RLock(); rw.RUnlock() })
	if w := waiting(r, "test/reader"); len(w) != 1 || w[0].Blocker.Holder != 0 {
		t.Errorf("the reader waits for %+v, want nobody that is known", w)
	}
	rw.Unlock()
	end()
}

// While locks change hands all the time, each blocker is one of the threads that lock, and no thread blocks itself.
func TestLockWaitsAreNeverWrong(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	var mutexes [3]*Mutex
	for i := range mutexes {
		mutexes[i] = r.NewMutex("test/mutex")
	}
	rw := r.NewRWMutex("test/rwlock")
	var all, ready sync.WaitGroup
	ids := make([]uint64, 4)
	ready.Add(len(ids))
	for i := range ids {
		all.Add(1)
		r.Go("test/locker", func() {
			defer all.Done()
			ids[i] = Current().ID()
			ready.Done()
			ready.Wait()
			for range 3000 {
				a, b := rand.IntN(3), rand.IntN(3)
				mutexes[min(a, b)].Lock()
				if a != b {
					mutexes[max(a, b)].Lock()
				}
				runtime.Gosched()
				if a == b {
					rw.Lock()
					rw.Unlock()
				} else {
					rw.RLock()
					runtime.Gosched()
					rw.RUnlock()
					mutexes[max(a, b)].Unlock()
				}
				mutexes[min(a, b)].Unlock()
			}
		})
	}
	ready.Wait()
	known := map[uint64]bool{0: true}
	for _, id := range ids {
		known[id] = true
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for _, w := range r.Reader().LockWaits() {
			if !known[w.ThreadID] || !known[w.Blocker.Holder] || w.Blocker.Holder == w.ThreadID {
				t.Fatalf("%d waits for %+v; the threads are %v", w.ThreadID, w.Blocker, ids)
			}
		}
	}
}
