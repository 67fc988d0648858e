package ringbuf

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

var ringSizes = []int{0, 1, 2, 10, 16, 1000}

func TestRingShowsTheLastEvents(t *testing.T) {
	for _, size := range append(ringSizes, -1) {
		r := NewRing[testEvent](size)
		want := uint64(max(size, 0))
		if r.Size() != int(want) {
			t.Errorf("size %d: Size is %d", size, r.Size())
		}
		for n := range 3*want + 3 {
			e := newTestEvent(7, n, n)
			r.Append(&e)
			first, end := r.Range()
			if end != n+1 || end-first != min(end, want) {
				t.Fatalf("size %d after %d events: Range is %d, %d", size, n+1, first, end)
			}
			for at := first; at < end; at++ {
				var got testEvent
				if ok := r.Read(at, &got); !ok || got != newTestEvent(7, at, at) {
					t.Fatalf("size %d after %d events: event %d is %v, %v", size, n+1, at, got, ok)
				}
			}
		}
		r.Truncate()
		if first, end := r.Range(); first != end {
			t.Errorf("size %d: Range is %d, %d after Truncate", size, first, end)
		}
	}
}

func TestRingOfZeroValueShowsNothing(t *testing.T) {
	var r Ring[testEvent]
	r.Append(new(testEvent))
	if first, end := r.Range(); first != end || r.Size() != 0 {
		t.Errorf("Range is %d, %d, Size %d", first, end, r.Size())
	}
	r.Truncate()
	r.Reset()
}

func TestRingDoesNotAllocate(t *testing.T) {
	r := NewRing[testEvent](10)
	var e testEvent
	if n := testing.AllocsPerRun(1000, func() { r.Append(&e); r.Read(0, &e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Read returns one whole event, the requested one, whatever the writer does.
func TestRingIsNeverTorn(t *testing.T) {
	for _, size := range ringSizes {
		for _, p := range paces {
			for _, writers := range []int{1, 3} {
				t.Run(fmt.Sprintf("size=%d/readers=%s/writers=%d", size, p.name, writers), func(t *testing.T) {
					testRingIsNeverTorn(t, size, p, writers)
				})
			}
		}
	}
}

// testRingIsNeverTorn runs writers that take turns under a lock.
func testRingIsNeverTorn(t *testing.T, size int, p pace, writers int) {
	r := NewRing[testEvent](size)
	var (
		lock sync.Mutex
		next uint64 // guarded by lock
		stop atomic.Bool
		wg   sync.WaitGroup
	)
	for range writers {
		wg.Go(func() {
			for !stop.Load() {
				lock.Lock()
				for range 16 {
					e := newTestEvent(1, next, next)
					if next%2 == 0 {
						r.Append(&e)
					} else {
						e.fill(r.Claim())
						r.Commit()
					}
					next++
				}
				lock.Unlock()
			}
		})
	}
	defer wg.Wait()
	defer stop.Store(true)
	eventually(t, "the ring goes round", func() bool { _, end := r.Range(); return end > uint64(2*size) })

	whole, lapped := 0, 0
	oldest := uint64(0)
	p.read(t, func() error {
		first, end := r.Range()
		if end-first > uint64(size) || first < oldest {
			return fmt.Errorf("Range is %d, %d after %d", first, end, oldest)
		}
		oldest = first
		for n := first; n < end; n++ {
			var e testEvent
			if !r.Read(n, &e) {
				lapped++
				continue
			}
			whole++
			if e[testSeq] != n {
				return fmt.Errorf("event %d is number %d", n, e[testSeq])
			}
			if err := e.torn(); err != nil {
				return err
			}
			if seq, ok := r.readWord(n, testSeq); ok && seq != n {
				return fmt.Errorf("event %d is number %d by readWord", n, seq)
			}
		}
		return nil
	})
	// A reader whose events are always overwritten tests nothing, so it must find the last of
	// these.
	stop.Store(true)
	wg.Wait()
	for n, end := r.Range(); n < end; n++ {
		var e testEvent
		if !r.Read(n, &e) || e[testSeq] != n || e.torn() != nil {
			t.Errorf("event %d is %v when nobody writes", n, e)
		}
		whole++
	}
	if whole < size {
		t.Errorf("only %d events read", whole)
	}
	t.Logf("%s: %d written, %d read whole, %d lapped", Variant, next, whole, lapped)
}

// An event that Truncate has hidden stays hidden, whoever else truncates.
func TestRingTruncateIsForGood(t *testing.T) {
	r := NewRing[testEvent](1000)
	var (
		stop atomic.Bool
		wg   sync.WaitGroup
	)
	wg.Go(func() {
		for n := uint64(0); !stop.Load(); n++ {
			e := newTestEvent(1, n, n)
			r.Append(&e)
		}
	})
	for range 2 {
		wg.Go(func() {
			for !stop.Load() {
				r.Truncate()
			}
		})
	}
	defer wg.Wait()
	defer stop.Store(true)
	oldest := uint64(0)
	p := paces[len(paces)-1]
	p.rounds *= 100
	p.read(t, func() error {
		first, end := r.Range()
		if first < oldest || end < first {
			return fmt.Errorf("Range is %d, %d after %d", first, end, oldest)
		}
		oldest = first
		return nil
	})
}

// A reset ring only shows the events of its next writer, also if a Truncate began before the reset.
func TestRingResetHidesTheFormerWriter(t *testing.T) {
	r := NewRing[testEvent](16)
	var (
		stop atomic.Bool
		wg   sync.WaitGroup
	)
	wg.Go(func() {
		for !stop.Load() {
			r.Truncate()
		}
	})
	defer wg.Wait()
	defer stop.Store(true)
	p := paces[len(paces)-1]
	p.rounds *= 10
	seq := uint64(0)
	writer := uint64(0)
	p.read(t, func() error {
		writer++
		r.Reset()
		for range 5 {
			e := newTestEvent(writer, seq, seq)
			r.Append(&e)
			seq++
		}
		for n, end := r.Range(); n < end; n++ {
			var e testEvent
			if !r.Read(n, &e) || e[testWriter] != writer {
				return fmt.Errorf("writer %d finds %v", writer, e)
			}
		}
		return nil
	})
}
