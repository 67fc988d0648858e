package instr

import (
	"math"
	"math/bits"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// The buckets of a histogram: one for each number of cycles below exactCycles, then
// bucketsPerPower between one power of two and the next, so that a bucket's bounds are at
// most an eighth apart. The last one, which begins at 15·2^39 cycles, has no end.
const (
	exactCycles     = 16
	bucketsPerPower = 8
	exactBits       = 4 // log2 exactCycles
	powerBits       = 3 // log2 bucketsPerPower
	cycleBits       = 43
)

// HistogramBuckets is how many buckets a histogram has.
const HistogramBuckets = exactCycles + (cycleBits-exactBits)*bucketsPerPower

// Histogram is how many timed waits took how long: a copy of the counts of the buckets.
type Histogram [HistogramBuckets]uint64

// histogramBucket is the bucket of a wait that took d cycles.
func histogramBucket(d uint64) int {
	if d < exactCycles {
		return int(d)
	}
	power := bits.Len64(d) - 1
	return min(exactCycles+(power-exactBits)*bucketsPerPower+int(d>>(power-powerBits))&(bucketsPerPower-1), HistogramBuckets-1)
}

// histogramLow is the smallest number of cycles of a bucket.
func histogramLow(bucket int) uint64 {
	if bucket < exactCycles {
		return uint64(bucket)
	}
	n := bucket - exactCycles
	return uint64(bucketsPerPower+n%bucketsPerPower) << (exactBits - powerBits + n/bucketsPerPower)
}

// HistogramBounds is the range of a bucket, picoseconds from low up to, but without, high.
// The last one's high is the largest number there is. Safe for concurrent use.
func HistogramBounds(bucket int) (low, high timers.Picoseconds) {
	low = timers.Cycle.PicosecondsSaturated(histogramLow(bucket))
	if bucket == HistogramBuckets-1 {
		return low, math.MaxUint64
	}
	return low, timers.Cycle.PicosecondsSaturated(histogramLow(bucket + 1))
}

// timeCounts is a Histogram, and behind it the longest time.
type timeCounts [HistogramBuckets + 1]uint64

// histogram is a Histogram with many writers, and has the longest time. The zero histogram is
// empty.
type histogram struct {
	bucketCounts[timeCounts]
}

// record counts an event that took d cycles.
//
//go:noinline
func (h *histogram) record(d uint64) {
	shard := h.pin()
	n, longest := &shard[histogramBucket(d)], &shard[HistogramBuckets]
	if ringbuf.Load(longest) < d {
		ringbuf.Store(longest, d)
	}
	ringbuf.Publish(n, ringbuf.Load(n)+1)
	ringbuf.Unpin()
}

// addTo adds what the histogram has.
func (h *histogram) addTo(t *Times) {
	h.sum(func(bucket int, n uint64) {
		if bucket == HistogramBuckets {
			t.Max = max(t.Max, n)
		} else {
			t.Buckets[bucket] += n
		}
	})
}

// Histogram is how long the class's timed events took while the consumer of the histograms of its family was on, such as
// events_waits_histogram. Safe for concurrent use.
func (c *Class) Histogram() Histogram {
	var t Times
	c.histogram.addTo(&t)
	return t.Buckets
}

// ResetHistogram empties it, and those of the class's operations and instances. Safe for concurrent use.
func (c *Class) ResetHistogram() {
	c.eachHistogram(func(h *histogram) { h.reset() })
	var keys []instanceTime
	for key := range c.eachInstanceTime {
		keys = append(keys, key)
	}
	c.dropInstanceTimes(keys)
}
