package main

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// collecting measures a full garbage collection with 100,000 parked goroutines, beside the same when each has become a thread by a wait
// for a lock.
func collecting(runs int, _ time.Duration) ([]row, error) {
	const goroutines = 100_000
	runs = min(runs, 5)
	collect := func(body func()) (fastest float64) {
		var ready, done sync.WaitGroup
		stop := make(chan struct{})
		ready.Add(goroutines)
		for range goroutines {
			done.Go(func() {
				body()
				ready.Done()
				<-stop
			})
		}
		ready.Wait()
		runtime.GC()
		var all []float64
		for range 2 * runs {
			began := time.Now()
			runtime.GC()
			all = append(all, float64(time.Since(began).Nanoseconds())/1e6)
		}
		close(stop)
		done.Wait()
		return slices.Min(all)
	}
	var plain, threads []float64
	for range runs {
		var m sync.Mutex
		plain = append(plain, collect(func() { m.Lock(); m.Unlock() }))
		r := current.registry()
		r.Setup().SetGoroutineThreads(goroutines)
		l := r.NewMutex("bench/lock")
		threads = append(threads, collect(func() { l.Lock(); l.Unlock() }))
		if n := r.Reader().ThreadCount(); n > goroutines {
			panic("too many threads")
		}
		runtime.GC() // the registry goes
	}
	return []row{{
		what: "full collection with 100,000 goroutines, as threads against none", unit: "times", budget: 1.3,
		best: slices.Min(threads) / slices.Min(plain), median: median(threads) / median(plain), plain: -1, allocations: -1,
	}}, nil
}
