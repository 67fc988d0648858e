package instr

import (
	"runtime"
	"sync"
	"testing"
)

// The switches of a class of locks and those of its class of holds are independent.
func TestHoldsAreCounted(t *testing.T) {
	needsThreadLookup(t)
	for _, waits := range []PatternValue{PatternOff, PatternCounted, PatternOn} {
		for _, hold := range []PatternValue{PatternOff, PatternCounted, PatternOn} {
			r := NewRegistry()
			r.Setup().AddPattern("wait/%", waits)
			r.Setup().AddPattern("hold/%", hold)
			r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true)
			m, rw := r.NewMutex("test/lock"), r.NewRWMutex("test/lock")
			th := r.Attach("test/holder")
			m.Lock()
			m.Unlock()
			if m.TryLock() {
				if m.TryLock() {
					t.Fatal("a held mutex is locked")
				}
				m.Unlock()
			}
			rw.Lock()
			if rw.TryRLock() {
				t.Fatal("a held lock is locked")
			}
			rw.Unlock()
			rw.RLock()
			rw.RLocker().Lock()
			rw.RUnlock()
			rw.RUnlock()
			th.Detach()
			for _, c := range []struct {
				name         string
				holds, waits uint64
			}{{"mutex", 2, 3}, {"rwlock", 3, 4}} {
				class := r.Reader().ClassByName("hold/synch/" + c.name + "/test/lock")
				want := c.holds
				if hold == PatternOff {
					want = 0
				}
				buckets := uint64(0)
				for _, n := range class.Histogram() {
					buckets += n
				}
				if got := class.Waits(); got.Count != want || got.Timed() != (hold == PatternOn) || hold == PatternOn && buckets != want {
					t.Errorf("%s, waits %v, holds %v: %+v, in the histogram %d", c.name, waits, hold, got, buckets)
				}
				if want = c.waits; waits == PatternOff {
					want = 0
				}
				if got := r.Reader().ClassByName("wait/synch/" + c.name + "/test/lock").Waits(); got.Count != want {
					t.Errorf("%s, waits %v, holds %v: %d waits, want %d", c.name, waits, hold, got.Count, want)
				}
				class.Reset()
				class.ResetHistogram()
				if got := class.Waits(); got != NoStat {
					t.Errorf("after a reset: %+v", got)
				}
			}
			runtime.KeepAlive(m)
			runtime.KeepAlive(rw)
		}
	}
}

// Holds are off until they are switched on, at once for all locks, and a hold that has begun is not counted afterwards.
func TestHoldsAreOffByDefault(t *testing.T) {
	r := NewRegistry()
	m := r.NewMutex("test/lock")
	class := r.Reader().ClassByName("hold/synch/mutex/test/lock")
	if class.Enabled() || class.Timed() {
		t.Error("the instrument is on")
	}
	m.Lock()
	class.SetEnabled(true)
	class.SetTimed(true)
	m.Unlock()
	if got := class.Waits().Count; got != 0 {
		t.Errorf("%d holds, want 0: it began before", got)
	}
	m.Lock()
	done := make(chan struct{})
	go func() { m.Unlock(); close(done) }()
	<-done
	if got := class.Waits(); got.Count != 1 || !got.Timed() {
		t.Errorf("unlocked by another goroutine: %+v", got)
	}
	m.Lock()
	r.Setup().SetConsumer(ConsumerGlobalInstrumentation, false)
	m.Unlock()
	m.Lock()
	m.Unlock()
	if got := class.Waits().Count; got != 1 {
		t.Errorf("%d holds, want 1: all is off", got)
	}
	r.Setup().SetConsumer(ConsumerGlobalInstrumentation, true)
	m.Lock()
	m.Unlock()
	if got := class.Waits().Count; got != 2 {
		t.Errorf("%d holds, want 2", got)
	}
}

// Many holders count exactly, and a lock that is collected leaves what it has counted to its class.
func TestHoldsCountExactly(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	const goroutines, rounds = 4, 1000
	func() {
		m, rw := r.NewMutex("test/lock"), r.NewRWMutex("test/lock")
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() {
				for range rounds {
					m.Lock()
					m.Unlock()
					rw.Lock()
					rw.Unlock()
					rw.RLock()
					rw.RUnlock()
				}
			})
		}
		all.Wait()
	}()
	mutex, rwlock := r.Reader().ClassByName("hold/synch/mutex/test/lock"), r.Reader().ClassByName("hold/synch/rwlock/test/lock")
	check := func() {
		t.Helper()
		if got := mutex.Waits().Count; got != goroutines*rounds {
			t.Errorf("the mutex was held %d times, want %d", got, goroutines*rounds)
		}
		if got := rwlock.Waits().Count; got != 2*goroutines*rounds {
			t.Errorf("the rwlock was held %d times, want %d", got, 2*goroutines*rounds)
		}
	}
	check()
	collected(t, "the locks", func() bool {
		return len(instancesOf[*MutexInstance](r, KindMutex))+len(instancesOf[*RWMutexInstance](r, KindRWMutex)) == 0
	})
	check()
}
