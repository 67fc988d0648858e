package instr

import (
	"sync"
	"testing"
)

func TestRWMutexCountsExactly(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	r.Setup().SetGoroutineThreads(0)
	m := r.NewRWMutex("test/lock")
	in, class := m.instance.Load(), r.Reader().ClassByName("wait/synch/rwlock/test/lock")
	const goroutines, rounds = 4, 500
	// In each round: Lock, TryLock, RLock, RLocker's Lock, TryRLock.
	const perRound = 5
	var done, counted sync.WaitGroup
	release := make(chan struct{})
	value := 0
	for i := range goroutines {
		done.Add(1)
		counted.Add(1)
		run := func() {
			defer done.Done()
			for range rounds {
				m.Lock()
				value++
				m.Unlock()
				if m.TryLock() {
					m.Unlock()
				}
				m.RLock()
				m.RUnlock()
				l := m.RLocker()
				l.Lock()
				l.Unlock()
				if m.TryRLock() {
					m.RUnlock()
				}
			}
			counted.Done()
			<-release
		}
		if i%2 == 0 {
			r.Go("test/locker", run)
		} else {
			go run()
		}
	}
	counted.Wait()
	if value != goroutines*rounds {
		t.Errorf("the lock did not exclude: %d", value)
	}
	if got := in.Waits().Count; got != goroutines*rounds*perRound {
		t.Errorf("the instance counts %d, want %d", got, goroutines*rounds*perRound)
	}
	threads := uint64(0)
	for _, th := range r.Reader().Threads() {
		threads += th.classWaits(class).Count
	}
	if HasThreadLookup && threads != goroutines/2*rounds*perRound {
		t.Errorf("the threads count %d, want %d", threads, goroutines/2*rounds*perRound)
	}
	close(release)
	done.Wait()
	if got := class.Waits().Count; got != goroutines*rounds*perRound {
		t.Errorf("the class counts %d after the threads have ended", got)
	}
	if in.Holder() != 0 || in.Readers() != 0 {
		t.Errorf("the lock is free, but held by %d and %d readers", in.Holder(), in.Readers())
	}
	class.Reset()
	if got := class.Waits(); got != NoStat {
		t.Errorf("after a reset: %+v", got)
	}
}

func TestRWMutexHolders(t *testing.T) {
	if readersOf(new(sync.RWMutex)) != 0 {
		t.Fatal("a free lock has readers")
	}
	var held sync.RWMutex
	held.RLock()
	if readersOf(&held) != 1 {
		t.Fatal("sync.RWMutex does not count its readers as it used to")
	}
	r := NewRegistry()
	m := r.NewRWMutex("test/lock")
	in := m.instance.Load()
	th := r.Attach("test/holder")
	defer th.Detach()

	// Locked while the instrument is off, unlocked while it is on, and the other way round.
	m.RLock()
	m.RLock()
	if got := in.Readers(); got != 2 {
		t.Errorf("%d readers, want 2", got)
	}
	watchAll(r)
	m.RUnlock()
	if got := in.Readers(); got != 1 {
		t.Errorf("%d readers, want 1", got)
	}
	m.RLocker().Lock()
	in.class.SetEnabled(false)
	m.RUnlock()

	// A writer waits for the reader that is left.
	watchAll(r)
	locked, unlock := make(chan uint64), make(chan struct{})
	r.Go("test/writer", func() {
		id := uint64(holderGoroutine)
		if th := Current(); th != nil {
			id = th.ID()
		}
		m.Lock()
		locked <- id
		<-unlock
		m.Unlock()
		locked <- 0
	})
	eventually(t, "the writer waits", func() bool { return readerCount(&m.mu) < 0 && readerWait(&m.mu) == 1 })
	if got := in.Readers(); got != 1 || in.Holder() != 0 {
		t.Errorf("%d readers, want 1; writer %d, want none", got, in.Holder())
	}
	if m.TryLock() || m.TryRLock() {
		t.Error("a writer that waits is overtaken")
	}
	m.RUnlock()
	writer := <-locked
	if got := in.Readers(); got != 0 || in.Holder() != writer {
		t.Errorf("%d readers, want none; writer %d, want %d", got, in.Holder(), writer)
	}
	close(unlock)
	<-locked
	if got := in.Readers(); got != 0 || in.Holder() != 0 {
		t.Errorf("%d readers, writer %d, want none", got, in.Holder())
	}
}

func TestRWMutexOff(t *testing.T) {
	r := NewRegistry()
	m := r.NewRWMutex("test/lock")
	m.Lock()
	if m.TryLock() || m.TryRLock() {
		t.Error("a held lock is locked again")
	}
	m.Unlock()
	m.RLock()
	m.RUnlock()
	m.RLocker().Lock()
	m.RLocker().Unlock()
	if got := instancesOf[*RWMutexInstance](r, KindRWMutex)[0].Waits().Count; got != 0 {
		t.Errorf("%d waits counted with the instrument off", got)
	}
}

var globalRWMutex RWMutex

func TestRWMutexZeroValue(t *testing.T) {
	var local RWMutex
	for _, m := range []*RWMutex{&local, &globalRWMutex} {
		m.RLock()
		m.RUnlock()
		m.Lock()
		m.Unlock()
		in := m.instance.Load()
		if got := in.Class().Name(); got != "wait/synch/rwlock/instr/RWMutex" {
			t.Errorf("the class is %s", got)
		}
		if got := in.Readers(); got != 0 {
			t.Errorf("%d readers", got)
		}
	}
}

// A lock that is collected leaves its counts to its class.
func TestRWMutexCollected(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	func() {
		m := r.NewRWMutex("test/lock")
		m.Lock()
		m.Unlock()
	}()
	collected(t, "the lock", func() bool { return len(instancesOf[*RWMutexInstance](r, KindRWMutex)) == 0 })
	if got := r.Reader().ClassByName("wait/synch/rwlock/test/lock").Waits().Count; got != 1 {
		t.Errorf("the class has kept %d waits, want 1", got)
	}
}

func TestRWMutexAllocatesNothing(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewRWMutex("test/lock")
	defer r.Attach("test/locker").Detach()
	wantNoAllocs(t, "RWMutex", func() {
		m.Lock()
		m.Unlock()
		m.RLock()
		m.RUnlock()
	})
}
