package instr

import "pfsd/timers"

// HistogramBuckets is how many buckets a histogram has.
const HistogramBuckets = 328

// Histogram is how many timed waits took how long: a copy of the counts of the buckets.
type Histogram [HistogramBuckets]uint64

// HistogramBounds is the range of a bucket: from low up to, but without, high.
func HistogramBounds(bucket int) (low, high timers.Picoseconds) { return 0, 0 }

// Histogram is the class's histogram. Safe for concurrent use.
func (c *Class) Histogram() Histogram { return Histogram{} }

// ResetHistogram empties it. Safe for concurrent use.
func (c *Class) ResetHistogram() {}
