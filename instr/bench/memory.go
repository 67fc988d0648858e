package main

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"pfsd/instr"
)

// memory measures what a thread needs that has waited for a few locks and is idle now:
// where the program has few instruments, and where it has many and the locks' are far apart.
func memory(runs int, _ time.Duration) ([]row, error) {
	runs = min(runs, 5) // that much it does not vary
	var rows []row
	for _, c := range []struct {
		what string
		setting
		budget      float64
		instruments int // from one lock's to the next one's
		byItself    bool
	}{
		{"memory of an idle thread", everything, 4, 1, false},
		{"  memory of an idle thread, of the first, 100th, 200th and 300th instrument", everything, noBudget, 100, false},
		{"memory of a goroutine that became a thread, without history", current, 1.5, 1, true},
	} {
		var figures, plain []float64
		for run := range 1 + runs {
			var m sync.Mutex
			goroutine := parked(func(fn func()) { go fn() }, func() { m.Lock(); m.Unlock() })
			r := c.setting.registry()
			r.Setup().SetGoroutineThreads(2 * instr.DefaultGoroutineThreads)
			start := func(fn func()) { r.Go("bench/worker", fn) }
			if c.byItself {
				start = func(fn func()) { go fn() }
			}
			r.Setup().SetLimit(instr.LimitMutexClasses, -1)
			r.Setup().SetHistoryLongSize(instr.FamilyWaits, 1) // it is nobody's own
			var locks []*instr.Mutex
			for len(locks) < 4 {
				locks = append(locks, r.NewMutex("bench/lock_"+strconv.Itoa(len(locks))))
				for i := range c.instruments - 1 {
					r.NewMutex(fmt.Sprintf("bench/unused_%d_%d", len(locks), i))
				}
			}
			idle := parked(start, func() {
				for _, l := range locks {
					l.Lock()
					l.Unlock()
				}
			})
			if run > 0 { // the memory of what came before has been given back
				figures, plain = append(figures, (idle-goroutine)/1024), append(plain, goroutine/1024)
			}
			for r.Reader().ThreadCount() > 0 { // the next run must not be the one that ends them
				runtime.Gosched()
			}
		}
		rows = append(rows, row{what: c.what, unit: "KiB", budget: c.budget, best: slices.Min(figures), median: median(figures), plain: slices.Min(plain), allocations: -1})
	}
	return rows, nil
}

// parked returns the bytes that each of ten thousand goroutines needs that has called body.
func parked(start func(fn func()), body func()) float64 {
	const threads = 10_000
	before := inUse()
	var ready, done sync.WaitGroup
	stop := make(chan struct{})
	ready.Add(threads)
	done.Add(threads)
	for range threads {
		start(func() {
			defer done.Done()
			body()
			ready.Done()
			<-stop
		})
	}
	ready.Wait()
	after := inUse()
	close(stop)
	done.Wait()
	return float64(after-before) / threads
}

// inUse is how many bytes the heap and the stacks hold that are in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
