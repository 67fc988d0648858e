package ringbuf

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

var longSizes = []int{0, 1, 10, 1000}

// all returns the events that a cursor finds.
func (l *Long[E]) all(buf []E) (events []E) {
	for c := l.Cursor(); ; {
		n := c.Next(buf)
		if n == 0 {
			return events
		}
		events = append(events, buf[:n]...)
	}
}

// checkLong says what is wrong with events that a cursor has returned: they must be whole,
// in the order of their stamps, at most as many as the history's size, and those of one
// writer must be in the order in which it wrote them, none of them twice.
func checkLong(events []testEvent, size int) error {
	if len(events) > size {
		return fmt.Errorf("%d events, but the size is %d", len(events), size)
	}
	last := map[uint64]uint64{}
	for i := range events {
		e := &events[i]
		if err := e.torn(); err != nil {
			return err
		}
		if i > 0 && e[testStamp] < events[i-1][testStamp] {
			return fmt.Errorf("stamp %d after %d", e[testStamp], events[i-1][testStamp])
		}
		if seq, ok := last[e[testWriter]]; ok && e[testSeq] <= seq {
			return fmt.Errorf("writer %d: number %d after %d", e[testWriter], e[testSeq], seq)
		}
		last[e[testWriter]] = e[testSeq]
	}
	return nil
}

// longWriters are goroutines that append to a history until stop.
type longWriters struct {
	long  *Long[testEvent]
	stamp atomic.Uint64
	done  []atomic.Uint64 // by writer: how many events it has appended
	ended atomic.Bool
	wg    sync.WaitGroup
}

func startWriters(l *Long[testEvent], n int) *longWriters {
	w := &longWriters{long: l, done: make([]atomic.Uint64, n)}
	for id := range w.done {
		w.wg.Go(func() {
			for seq := uint64(0); !w.ended.Load(); seq++ {
				e := newTestEvent(uint64(id), seq, w.stamp.Add(1))
				if seq%2 == 0 {
					l.Append(&e)
				} else {
					var r *Ring[testEvent]
					r, e[testStamp] = l.Pin(e[testStamp])
					e.fill(r.Claim())
					r.Commit()
					Unpin()
				}
				w.done[id].Store(seq + 1)
			}
		})
	}
	return w
}

func (w *longWriters) stop() {
	w.ended.Store(true)
	w.wg.Wait()
}

// checkQuiet says what is wrong with the history when nobody writes: it must have the last events
// of all writers, as many as its size.
func (w *longWriters) checkQuiet(size int) error {
	total := uint64(0)
	for i := range w.done {
		total += w.done[i].Load()
	}
	events := w.long.all(make([]testEvent, 7))
	if err := checkLong(events, size); err != nil {
		return err
	}
	if uint64(len(events)) != min(total, uint64(size)) {
		return fmt.Errorf("%d of %d events, size %d", len(events), total, size)
	}
	of := make([]uint64, len(w.done))
	for _, e := range events {
		of[e[testWriter]]++
	}
	for _, e := range events {
		if e[testSeq]+of[e[testWriter]] < w.done[e[testWriter]].Load() {
			return fmt.Errorf("writer %d: number %d of %d is there, but not all after it", e[testWriter], e[testSeq], w.done[e[testWriter]].Load())
		}
	}
	// The rings themselves say which stamps are the newest.
	var stamps []uint64
	for _, r := range w.long.rings.All() {
		if r == nil {
			continue
		}
		for n, end := r.Range(); n < end; n++ {
			var e testEvent
			if !r.Read(n, &e) {
				return fmt.Errorf("event %d of a ring cannot be read", n)
			}
			stamps = append(stamps, e[testStamp])
		}
	}
	slices.Sort(stamps)
	stamps = stamps[len(stamps)-len(events):]
	for i, e := range events {
		if e[testStamp] != stamps[i] {
			return fmt.Errorf("place %d has stamp %d, want %d", i, e[testStamp], stamps[i])
		}
	}
	return nil
}

func eachProcs(t *testing.T, f func(t *testing.T, procs int)) {
	for _, procs := range []int{1, 2, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		f(t, procs)
	}
}

func TestLongIsNeverTorn(t *testing.T) {
	eachProcs(t, func(t *testing.T, procs int) {
		for _, size := range longSizes {
			for _, p := range paces {
				t.Run(fmt.Sprintf("procs=%d/size=%d/readers=%s", procs, size, p.name), func(t *testing.T) {
					testLongIsNeverTorn(t, size, p)
				})
			}
		}
	})
}

func testLongIsNeverTorn(t *testing.T, size int, p pace) {
	l := NewLong[testEvent](size, testStamp)
	w := startWriters(l, 4)
	defer w.stop()
	eventually(t, "all write", func() bool {
		for i := range w.done {
			if w.done[i].Load() <= uint64(size) {
				return false
			}
		}
		return true
	})
	read, buf := 0, 1
	p.read(t, func() error {
		buf = buf%200 + 1
		events := l.all(make([]testEvent, buf))
		read += len(events)
		return checkLong(events, size)
	})
	w.stop()
	if err := w.checkQuiet(size); err != nil {
		t.Errorf("when nobody writes: %v", err)
	}
	t.Logf("%s: %d written, %d read whole, %d lapped", Variant, w.stamp.Load(), read, l.Lapped())
}

// An event that was there when Truncate was called is never seen again.
func TestLongTruncateWhileWriting(t *testing.T) {
	eachProcs(t, func(t *testing.T, procs int) {
		for _, size := range longSizes {
			t.Run(fmt.Sprintf("procs=%d/size=%d", procs, size), func(t *testing.T) {
				l := NewLong[testEvent](size, testStamp)
				w := startWriters(l, 3)
				defer w.stop()
				p := paces[len(paces)-1]
				p.rounds /= 10
				gone := make([]uint64, len(w.done))
				p.read(t, func() error {
					for i := range gone {
						gone[i] = w.done[i].Load()
					}
					l.Truncate()
					events := l.all(make([]testEvent, 64))
					for _, e := range events {
						if e[testSeq] < gone[e[testWriter]] {
							return fmt.Errorf("writer %d: number %d is there, but those before %d are truncated", e[testWriter], e[testSeq], gone[e[testWriter]])
						}
					}
					return checkLong(events, size)
				})
				w.stop()
				l.Truncate()
				if events := l.all(make([]testEvent, 64)); len(events) != 0 {
					t.Errorf("%d events after Truncate", len(events))
				}
			})
		}
	})
}

// A reader that holds a cursor open while the writers lap it gets fewer events, not wrong ones.
func TestLongCursorIsLapped(t *testing.T) {
	const size = 1000
	l := NewLong[testEvent](size, testStamp)
	w := startWriters(l, 2)
	defer w.stop()
	eventually(t, "the history is full", func() bool { return w.done[0].Load() > 4*size })
	c := l.Cursor()
	var events []testEvent
	buf := make([]testEvent, 100)
	for n := c.Next(buf); n > 0; n = c.Next(buf) {
		events = append(events, buf[:n]...)
		from := w.stamp.Load()
		eventually(t, "the rings go round", func() bool { return w.stamp.Load() > from+20*size })
	}
	if err := checkLong(events, size); err != nil {
		t.Error(err)
	}
	if len(events) == size || l.Lapped() == 0 {
		t.Errorf("%d events read, %d lapped", len(events), l.Lapped())
	}
	if n := c.Next(buf); n != 0 {
		t.Errorf("%d more events after the end", n)
	}
}

// Each processor's T has one writer at a time.
func TestPerPHasOneWriterAtATime(t *testing.T) {
	type cell struct {
		busy  atomic.Bool
		count uint64
	}
	eachProcs(t, func(t *testing.T, procs int) {
		var (
			cells PerP[cell]
			wg    sync.WaitGroup
			both  atomic.Bool
		)
		const goroutines, each = 8, 20_000
		for range goroutines {
			wg.Go(func() {
				for i := range each {
					c := cells.Pin(func() *cell { return new(cell) })
					if !c.busy.CompareAndSwap(false, true) {
						both.Store(true)
					}
					Store(&c.count, Load(&c.count)+1)
					c.busy.Store(false)
					Unpin()
					if i%64 == 0 {
						runtime.Gosched()
					}
				}
			})
		}
		wg.Wait()
		if both.Load() {
			t.Errorf("procs=%d: two goroutines had one processor's cell", procs)
		}
		total := uint64(0)
		for _, c := range cells.All() {
			if c != nil {
				total += Load(&c.count)
			}
		}
		if total != goroutines*each {
			t.Errorf("procs=%d: counted %d, want %d", procs, total, goroutines*each)
		}
	})
}

func TestLongDoesNotAllocate(t *testing.T) {
	l := NewLong[testEvent](100, testStamp)
	e := newTestEvent(0, 0, 1)
	// The rings of the processors are made once.
	if n := testing.AllocsPerRun(10_000, func() { l.Append(&e) }); n >= 1 {
		t.Errorf("%v allocations an event", n)
	}
}
