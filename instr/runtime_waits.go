package instr

import (
	"math"
	"runtime/metrics"
	"slices"
	"sync"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// runtimeWaits are what goroutines wait for that no instrument sees: the Go runtime's own histograms.
type runtimeWaits struct {
	once sync.Once

	mu      sync.Mutex // guards the rest
	classes []*Class   // of each of runtimeMetrics
	samples []metrics.Sample
	last    [][]uint64 // counts of the buckets at the last reading, nil before
}

// runtimeMetrics are the histograms of the runtime that are instruments wait/synch/runtime/go/NAME.
var runtimeMetrics = []struct{ metric, name, doc string }{
	{"/sched/latencies:seconds", "scheduler", "Goroutines that could run and waited for a processor."},
	{"/sched/pauses/total/gc:seconds", "gc_pause", "Times when the garbage collector had stopped the program."},
	{"/sched/pauses/total/other:seconds", "other_pause", "Times when something else, such as a profile of all goroutines, had stopped the program."},
}

// WatchRuntime makes the instruments wait/synch/runtime/go/..., what goroutines wait for in the Go runtime itself: scheduler, gc_pause and
// other_pause. They are on, and cost nothing: the runtime counts anyway, and its figures are fetched when somebody reads the
// instrument. What happens while one is off is left out, as long as somebody reads it meanwhile. There are no events, as the runtime
// does not say who waited. Each time is the middle of a bucket of the runtime's, up to an eighth off. Safe for concurrent use.
func (r *Registry) WatchRuntime() {
	w := &r.runtimeWaits
	w.once.Do(func() {
		var classes []*Class
		var samples []metrics.Sample
		for _, m := range runtimeMetrics {
			c := r.class(KindSynch, "runtime/go/"+m.name)
			c.SetDocumentation(m.doc)
			c.SetEnabled(true)
			c.SetTimed(true)
			classes, samples = append(classes, c), append(samples, metrics.Sample{Name: m.metric})
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.classes, w.samples, w.last = classes, samples, make([][]uint64, len(classes))
	})
}

// WatchRuntime makes the instruments wait/synch/runtime/go/... of the default registry.
func WatchRuntime() { Default.WatchRuntime() }

// fetch counts what the runtime has counted since the last time, if c is one of the instruments.
func (w *runtimeWaits) fetch(c *Class) {
	if c.kind != KindSynch {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.classes, c) {
		return
	}
	metrics.Read(w.samples)
	for i, c := range w.classes {
		v := w.samples[i].Value
		if v.Kind() != metrics.KindFloat64Histogram {
			continue // a runtime without it
		}
		h := v.Float64Histogram()
		last := w.last[i]
		w.last[i] = slices.Clone(h.Counts)
		sw := switches(c.switches.Load())
		if sw == 0 {
			continue
		}
		for b, n := range h.Counts {
			if last != nil {
				n -= last[b]
			}
			if n == 0 {
				continue
			}
			d := cyclesBetween(h.Buckets[b], h.Buckets[b+1])
			c.direct.recordMany(sw&swTimed != 0, d*n, n)
			if sw&(swHistogram|swTimed) == swHistogram|swTimed {
				c.histogram.recordMany(d, n)
			}
		}
	}
}

// cyclesBetween is the middle of a bucket whose bounds are seconds; an infinite bound is none.
func cyclesBetween(low, high float64) uint64 {
	if math.IsInf(low, -1) {
		low = 0
	}
	if math.IsInf(high, 1) {
		high = low
	}
	return uint64((low + high) / 2 * float64(timers.Cycle.Frequency()))
}

// recordMany counts n events that took d cycles each.
func (h *histogram) recordMany(d, n uint64) {
	shard := h.pin()
	count, longest := &shard[histogramBucket(d)], &shard[HistogramBuckets]
	if ringbuf.Load(longest) < d {
		ringbuf.Store(longest, d)
	}
	ringbuf.Publish(count, ringbuf.Load(count)+n)
	ringbuf.Unpin()
}
