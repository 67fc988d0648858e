package main

import (
	"runtime"
	"slices"
	"time"

	"pfsd/timers"
)

// operation is something that is measured.
type operation struct {
	name   string
	unit   string  // "cycles" or "ns"
	budget float64 // of what it costs more than the first operation; less than 0: none
	// before and after surround each batch, and are not measured; nil for nothing.
	before, after func()
	// run does the operation n times.
	run func(n int)
}

// noBudget is the budget of what is there for comparison.
const noBudget = -1

// batchLength is short enough for most batches to be free of interruptions, and long
// enough for the counter's own cost to be nothing.
const batchLength = 20 * time.Microsecond

// batch runs the operation n times and returns the cycles of one.
func (o *operation) batch(n int) float64 {
	if o.before != nil {
		o.before()
	}
	o.run(1 + n/16) // the caches are another operation's
	begin := timers.ReadCycle()
	o.run(n)
	cycles := float64(timers.ReadCycle()-begin) / float64(n)
	if o.after != nil {
		o.after()
	}
	return cycles
}

// batchSize is how many operations fill a batch.
func (o *operation) batchSize() int {
	n := 1
	for target := cyclesPerNanosecond() * float64(batchLength); o.batch(n)*float64(n) < target/2 && n < 1<<20; {
		n *= 2
	}
	return n
}

// measure measures operations side by side, and returns a row for each but the first, which
// is the plain one.
func measure(runs int, length time.Duration, ops []operation) []row {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	bests, middles := make([][]float64, len(ops)), make([][]float64, len(ops)) // by operation and run
	sizes := make([]int, len(ops))
	batches := make([][]float64, len(ops))
	for i := range ops {
		sizes[i] = ops[i].batchSize()
	}
	for range runs {
		for i := range batches {
			batches[i] = batches[i][:0]
		}
		runtime.GC()
		for begin := time.Now(); time.Since(begin) < time.Duration(len(ops))*length; {
			for i := range ops {
				batches[i] = append(batches[i], ops[i].batch(sizes[i]))
			}
		}
		for i := range ops {
			bests[i] = append(bests[i], quantile(batches[i], 0.1))
			middles[i] = append(middles[i], median(batches[i]))
		}
	}
	var rows []row
	best, middle := slices.Min(bests[0]), median(middles[0])
	for i := range ops[1:] {
		o := &ops[i+1]
		scale := 1.0
		if o.unit == "ns" {
			scale = 1 / cyclesPerNanosecond()
		}
		rows = append(rows, row{
			what: o.name, unit: o.unit, budget: o.budget, allocations: o.allocations(),
			best: (slices.Min(bests[i+1]) - best) * scale, median: (median(middles[i+1]) - middle) * scale, plain: best * scale,
		})
	}
	return rows
}

// allocations is how many allocations one operation makes.
func (o *operation) allocations() float64 {
	const n = 10_000
	if o.before != nil {
		o.before()
	}
	if o.after != nil {
		defer o.after()
	}
	o.run(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o.run(n)
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / n)
}

func median(v []float64) float64 { return quantile(v, 0.5) }

func quantile(v []float64, q float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[int(q*float64(len(v)))]
}
