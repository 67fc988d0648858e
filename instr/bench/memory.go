package main

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// memory measures what a thread needs that has waited and is idle now.
func memory(runs int, _ time.Duration) ([]row, error) {
	const threads = 2000
	// parked returns the bytes that threads goroutines need, each of which has called body.
	parked := func(start func(fn func()), body func()) float64 {
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
	var figures, plain []float64
	for range runs {
		var m sync.Mutex
		goroutine := parked(func(fn func()) { go fn() }, func() { m.Lock(); m.Unlock() })
		r := everything.registry()
		r.SetHistoryLongSize(1) // it is nobody's own
		lock := r.NewMutex("bench/lock")
		idle := parked(func(fn func()) { r.Go("bench/worker", fn) }, func() { lock.Lock(); lock.Unlock() })
		figures, plain = append(figures, idle-goroutine), append(plain, goroutine)
		runtime.KeepAlive(r)
	}
	return []row{{what: "memory of an idle thread", unit: "bytes", budget: 4096, best: slices.Min(figures), median: median(figures), plain: slices.Min(plain), allocations: -1}}, nil
}

// inUse is how many bytes the heap and the stacks hold that are in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
