package workload

import (
	"context"
	"time"
)

// queueLimit is how many entries a queue holds before its producers drop the oldest.
const queueLimit = 1000

// queue is a producer that puts work into a queue, consumers that wait for it under a mutex
// and a condition, and a supervisor that waits until they have drained it, with a limit in
// time.
func queue(r *run) ([]job, error) {
	lock := r.Registry.NewMutex("workload/queue_lock")
	filled := r.Registry.NewCond("workload/queue_filled", lock)
	drained := r.Registry.NewCond("workload/queue_drained", lock)
	var entries []time.Time
	ended := false
	r.closers = append(r.closers, func() {
		lock.Lock()
		ended = true
		lock.Unlock()
		filled.Broadcast()
		drained.Broadcast()
	})

	jobs := []job{{"producer", func(context.Context) error {
		lock.Lock()
		defer lock.Unlock()
		if entries = append(entries, time.Now()); len(entries) > queueLimit {
			entries = entries[1:]
		}
		filled.Signal()
		return nil
	}}}
	jobs = append(jobs, r.perWorker("consumer", func(int) func(context.Context) error {
		return func(context.Context) error {
			lock.Lock()
			defer lock.Unlock()
			for len(entries) == 0 && !ended {
				filled.Wait()
			}
			if ended {
				return errEnded
			}
			if entries = entries[1:]; len(entries) == 0 {
				drained.Signal()
			}
			return nil
		}
	})...)
	return append(jobs, job{"supervisor", func(context.Context) error {
		lock.Lock()
		defer lock.Unlock()
		if !ended {
			drained.WaitTimeout(20 * time.Millisecond)
		}
		return nil
	}}), nil
}
