package instr

import (
	"fmt"
	"math"
	"math/bits"
	"sync"
	"testing"
	"testing/quick"

	"pfsd/timers"
)

func (h Histogram) total() (n uint64) {
	for _, c := range h {
		n += c
	}
	return n
}

func TestHistogramBounds(t *testing.T) {
	for b := range HistogramBuckets {
		low, high := HistogramBounds(b)
		if low >= high {
			t.Errorf("bucket %d is from %d to %d", b, low, high)
		}
		if b+1 < HistogramBuckets {
			if next, _ := HistogramBounds(b + 1); next != high {
				t.Errorf("bucket %d ends at %d, the next one begins at %d", b, high, next)
			}
		}
		from := histogramLow(b)
		if histogramBucket(from) != b || from > 0 && histogramBucket(from-1) != b-1 {
			t.Errorf("%d cycles are in bucket %d, one less in %d; want %d and %d", from, histogramBucket(from), histogramBucket(from-1), b, b-1)
		}
		if b >= exactCycles && b < HistogramBuckets-1 && (histogramLow(b+1)-from)*bucketsPerPower > from {
			t.Errorf("bucket %d of %d cycles is wider than an eighth of them", b, from)
		}
	}
	if low, _ := HistogramBounds(0); low != 0 {
		t.Errorf("the first bucket begins at %d", low)
	}
	if _, high := HistogramBounds(HistogramBuckets - 1); high != math.MaxUint64 {
		t.Errorf("the last bucket ends at %d", high)
	}
	if got := histogramLow(HistogramBuckets - 1); got != 15<<39 {
		t.Errorf("the last bucket begins at %d cycles, want 15·2^39", got)
	}
}

// checkBucket wants d cycles to lie in their bucket.
func checkBucket(d uint64) error {
	b := histogramBucket(d)
	if b < 0 || b >= HistogramBuckets || d < histogramLow(b) || b+1 < HistogramBuckets && d >= histogramLow(b+1) {
		return fmt.Errorf("%d cycles are in bucket %d, which is from %d", d, b, histogramLow(b))
	}
	return nil
}

func TestHistogramBucketsHoldEveryDuration(t *testing.T) {
	if err := quick.Check(func(d uint64, shift uint8) bool {
		d >>= shift % 64
		for _, d := range []uint64{d, d - 1, d + 1, 1 << (63 - bits.LeadingZeros64(d|1))} {
			if err := checkBucket(d); err != nil {
				t.Log(err)
				return false
			}
		}
		return true
	}, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}

func FuzzHistogramBucket(f *testing.F) {
	for _, d := range []uint64{0, 1, 15, 16, 17, 1 << 42, 15<<39 - 1, 15 << 39, 1 << 43, math.MaxUint64} {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, d uint64) {
		if err := checkBucket(d); err != nil {
			t.Error(err)
		}
	})
}

// If it is timed and the consumer is on, a wait counts in the histogram of its class, in the bucket
// of the time that the statistics have, also if the goroutine is no thread.
func TestHistogramCountsTimedWaits(t *testing.T) {
	r := NewRegistry()
	m := r.NewMutex("test/lock")
	class := r.Reader().ClassByName("wait/synch/mutex/test/lock")
	lock := func() { m.Lock(); m.Unlock() }
	inThread := func() {
		defer r.Attach("test/worker").Detach()
		lock()
	}
	for _, step := range []struct {
		name string
		do   func()
		want uint64 // what a lock of a thread and one of a goroutine that is none add
	}{
		{"off", func() {}, 0},
		{"enabled and timed", func() { class.SetEnabled(true); class.SetTimed(true) }, 0},
		{"consumer", func() { r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true) }, 2},
		{"events", func() { r.Setup().SetConsumer(ConsumerEventsWaitsCurrent, true) }, 2},
		{"untimed", func() { class.SetTimed(false) }, 0},
		{"timed", func() { class.SetTimed(true) }, 2},
		{"no threads", func() { r.Setup().SetConsumer(ConsumerThreadInstrumentation, false) }, 2},
		{"another timer", func() { r.Setup().SetTimer(TimerWait, timers.Nanosecond) }, 2},
		{"nothing", func() { r.Setup().SetConsumer(ConsumerGlobalInstrumentation, false) }, 0},
		{"all", func() { r.Setup().SetConsumer(ConsumerGlobalInstrumentation, true) }, 2},
		{"no consumer", func() { r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, false) }, 0},
		{"consumer again", func() { r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true) }, 2},
		{"disabled", func() { class.SetEnabled(false) }, 0},
	} {
		step.do()
		before := class.Histogram()
		class.Reset()
		inThread()
		lock()
		after := class.Histogram()
		if got := after.total() - before.total(); got != step.want {
			t.Errorf("%s: the histogram has %d more waits, want %d", step.name, got, step.want)
		}
		s := class.Waits()
		for b := range after {
			if n := after[b] - before[b]; n != 0 && (b < histogramBucket(s.Min) || b > histogramBucket(s.Max)) {
				t.Errorf("%s: %d waits are in bucket %d, want them from %d to %d", step.name, n, b, histogramBucket(s.Min), histogramBucket(s.Max))
			}
		}
	}
	class.ResetHistogram()
	if got := class.Histogram(); got != (Histogram{}) {
		t.Errorf("%d waits after a reset", got.total())
	}
}

// Waits that are not timed are not in the histogram.
func TestHistogramLeavesUntimedOut(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true)
	_, client, server := socketPair(t, r, "tcp", "127.0.0.1:0")
	class := server.Instance().Class()
	must(client.Write([]byte("12")))
	before := class.Histogram().total()
	class.SetTimed(false)
	must(server.Read(make([]byte, 1)))
	if got := class.Histogram().total(); got != before {
		t.Errorf("%d untimed waits", got-before)
	}
	class.SetTimed(true)
	must(server.Read(make([]byte, 1)))
	if got := class.Histogram().total(); got != before+1 {
		t.Errorf("%d waits, want %d", got, before+1)
	}
}

// The buckets of many goroutines on all processors hold each wait once.
func TestHistogramOfManyGoroutines(t *testing.T) {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true)
	const goroutines, each = 16, 500
	locks := []*Mutex{r.NewMutex("test/a"), r.NewMutex("test/a"), r.NewMutex("test/b")}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			if g%2 == 0 {
				defer r.Attach("test/worker").Detach()
			}
			for i := range each {
				m := locks[(g+i)%len(locks)]
				m.Lock()
				m.Unlock()
			}
		})
	}
	all.Wait()
	sum := uint64(0)
	for _, c := range r.Reader().FamilyClasses(FamilyWaits) {
		h := c.Histogram()
		if s := c.Waits(); h.total() != s.Count {
			t.Errorf("%s: %d waits in the histogram, %d in the statistics", c.Name(), h.total(), s.Count)
		}
		sum += h.total()
	}
	if sum != goroutines*each {
		t.Errorf("%d waits in all, want %d", sum, goroutines*each)
	}
}

// If several goroutines record the first events at the same time, they use the same shards.
func TestHistogramBeginsOnce(t *testing.T) {
	const goroutines, each = 4, 10
	for range 2000 {
		var c Class
		var all sync.WaitGroup
		together := atOnce(goroutines)
		for range goroutines {
			all.Go(func() {
				together()
				for range each {
					c.histogram.record(1)
				}
			})
		}
		all.Wait()
		if got := c.Histogram()[1]; got != goroutines*each {
			t.Fatalf("%d waits, want %d", got, goroutines*each)
		}
	}
}

// A reset while others record removes every wait that has ended before it, and none that begins
// after it.
func TestHistogramResetWhileRecording(t *testing.T) {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true)
	r.NewMutex("test/lock")
	class := r.Reader().ClassByName("wait/synch/mutex/test/lock")
	const goroutines, rounds, each = 4, 40, 50
	record := func() {
		for range each {
			w := class.begin(switches(class.switches.Load()), OpLock, 0, 0)
			w.end(class, 0)
		}
	}
	for range rounds {
		var during, after sync.WaitGroup
		reset := make(chan struct{})
		for range goroutines {
			during.Go(func() {
				record()
				after.Go(func() {
					<-reset
					record()
				})
			})
		}
		class.ResetHistogram()
		close(reset)
		during.Wait()
		after.Wait()
		if got := class.Histogram().total(); got < goroutines*each || got > 2*goroutines*each {
			t.Fatalf("%d waits, of which %d began after the reset, and %d more", got, goroutines*each, goroutines*each)
		}
		class.ResetHistogram()
		if got := class.Histogram().total(); got != 0 {
			t.Fatalf("%d waits are left by a reset after them", got)
		}
	}
}

func TestHistogramAllocatesNothing(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true)
	m := r.NewMutex("test/lock")
	defer r.Attach("test/locker").Detach()
	wantNoAllocs(t, "a lock with a histogram", func() { m.Lock(); m.Unlock() })
}

// BenchmarkHistogram measures reading a class's histogram.
func BenchmarkHistogram(b *testing.B) {
	r := NewRegistry()
	r.NewMutex("test/lock")
	class := r.Reader().ClassByName("wait/synch/mutex/test/lock")
	class.histogram.record(1)
	for b.Loop() {
		if class.Histogram().total() != 1 {
			b.Fatal("the wait is not there")
		}
	}
}
