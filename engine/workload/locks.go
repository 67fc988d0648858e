package workload

import (
	"context"
	"math/rand/v2"
	"time"
)

// locks is a cache that many read and few write under a reader-writer lock, and a slow
// worker that keeps a mutex for a while, which others wait for.
func locks(r *run) ([]job, error) {
	cacheLock := r.Registry.NewRWMutex("workload/cache_lock")
	cache := map[int]int{}
	reportLock := r.Registry.NewMutex("workload/report_lock")
	reports := 0

	jobs := r.perWorker("cache_reader", func(int) func(context.Context) error {
		return func(context.Context) error {
			sum := 0
			for range 10 {
				cacheLock.RLock()
				sum += cache[rand.IntN(1000)]
				cacheLock.RUnlock()
			}
			return nil
		}
	})
	jobs = append(jobs, job{"cache_writer", func(ctx context.Context) error {
		cacheLock.Lock()
		cache[rand.IntN(1000)]++
		pause(ctx, time.Millisecond)
		cacheLock.Unlock()
		return nil
	}})
	jobs = append(jobs, job{"report_builder", func(ctx context.Context) error {
		reportLock.Lock()
		pause(ctx, 100*time.Millisecond)
		reports++
		reportLock.Unlock()
		return nil
	}})
	return append(jobs, r.perWorker("report_reader", func(int) func(context.Context) error {
		return func(context.Context) error {
			if !reportLock.TryLock() {
				reportLock.Lock()
			}
			_ = reports
			reportLock.Unlock()
			return nil
		}
	})...), nil
}
