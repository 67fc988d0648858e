package instr

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"pfsd/timers"
)

// holdingLock is a Mutex or an RWMutex.
type holdingLock interface {
	sync.Locker
	TryLock() bool
}

// eachExclusive calls do with a lock of each kind and a function that reads who holds it.
func eachExclusive(t *testing.T, r *Registry, do func(t *testing.T, l holdingLock, holding func() (Holding, bool))) {
	m, rw := r.NewMutex("test/lock"), r.NewRWMutex("test/lock")
	t.Run("Mutex", func(t *testing.T) { do(t, m, m.instance.Load().Holding) })
	t.Run("RWMutex", func(t *testing.T) { do(t, rw, rw.instance.Load().Holding) })
}

func TestHolding(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	eachExclusive(t, r, func(t *testing.T, l holdingLock, holding func() (Holding, bool)) {
		th := r.Attach("test/holder")
		defer th.Detach()
		if h, ok := holding(); ok {
			t.Errorf("a free lock is held by %+v", h)
		}
		l.Lock()
		_, _, line, _ := runtime.Caller(0)
		first, ok := holding()
		if want := fmt.Sprintf("exclusive_test.go:%d", line-1); !ok || first.Holder != th.ID() || first.Source != want {
			t.Errorf("the holder is %d at %s, %v, want %d at %s", first.Holder, first.Source, ok, th.ID(), want)
		}
		if l.TryLock() {
			t.Fatal("TryLock of a held lock succeeds")
		}
		again, _ := holding()
		if !first.Timed || again.Held < first.Held || again.Number != first.Number {
			t.Errorf("held for %d ps and then %d, hold %d and then %d", first.Held, again.Held, first.Number, again.Number)
		}
		done := make(chan struct{})
		go func() { l.Unlock(); close(done) }()
		<-done
		if h, ok := holding(); ok {
			t.Errorf("a lock that another goroutine has unlocked is held by %+v", h)
		}
		if !l.TryLock() {
			t.Fatal("TryLock of a free lock fails")
		}
		_, _, line, _ = runtime.Caller(0)
		next, _ := holding()
		if want := fmt.Sprintf("exclusive_test.go:%d", line-3); next.Source != want || next.Number == first.Number {
			t.Errorf("after TryLock the holder is at %s, hold %d, want %s", next.Source, next.Number, want)
		}
		l.Unlock()
	})
}

// With every timer it is known since when a lock is held; without a timer it is not.
func TestHoldingTimers(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	eachExclusive(t, r, func(t *testing.T, l holdingLock, holding func() (Holding, bool)) {
		r.Setup().AddPattern("%", PatternOn)
		for _, timer := range []timers.ID{timers.Cycle, timers.Nanosecond, timers.Microsecond} {
			r.Setup().SetTimer(TimerWait, timer)
			l.Lock()
			h, _ := holding()
			if !h.Timed || h.Held > timers.Cycle.PicosecondsSaturated(timers.ReadCycle()-r.start[timers.Cycle]) {
				t.Errorf("with timer %v held for %d ps, %v", timer, h.Held, h.Timed)
			}
			l.Unlock()
		}
		r.Setup().AddPattern("%", PatternCounted)
		l.Lock()
		h, ok := holding()
		if !ok || h.Timed {
			t.Errorf("without a timer: held %v, timed %v", ok, h.Timed)
		}
		l.Unlock()
	})
}

// A copy never has the place of one hold and the holder of another.
func TestHoldingIsNeverMixed(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	eachExclusive(t, r, func(t *testing.T, l holdingLock, holding func() (Holding, bool)) {
		const rounds = 20_000
		places := [2]func(){
			func() { l.Lock() },
			func() { l.Lock() },
		}
		var ids [2]uint64
		var sources [2]string
		var ready, writers sync.WaitGroup
		ready.Add(2)
		start, done := make(chan struct{}), make(chan struct{})
		for i := range 2 {
			writers.Go(func() {
				th := r.Attach(fmt.Sprint("test/writer", i))
				defer th.Detach()
				places[i]()
				h, _ := holding()
				ids[i], sources[i] = th.ID(), h.Source
				l.Unlock()
				ready.Done()
				<-start
				for range rounds {
					places[i]()
					l.Unlock()
				}
			})
		}
		ready.Wait()
		if sources[0] == sources[1] {
			t.Fatal("both lock at the same place")
		}
		go func() { writers.Wait(); close(done) }()
		close(start)
		last := uint64(0)
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			h, ok := holding()
			if !ok {
				continue
			}
			i := 0
			if h.Holder == ids[1] {
				i = 1
			}
			if h.Holder != ids[i] || h.Source != sources[i] || h.Number < last {
				t.Fatalf("holder %d at %s, hold %d after %d; the holders are %v at %v", h.Holder, h.Source, h.Number, last, ids, sources)
			}
			last = h.Number
		}
	})
}
