package engine

import (
	"sync"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// BenchmarkLockWaits reads sys.lock_waits in a program with 100,000 goroutines that are threads, 10,000 of which wait for one of
// 100 mutexes.
func BenchmarkLockWaits(b *testing.B) {
	const goroutines, waiters, locks = 100_000, 10_000, 100
	reg := instr.NewRegistry()
	reg.Setup().SetGoroutineThreads(goroutines + locks)
	r := serveFor(b, Options{Registry: reg, Instruments: []string{"wait/%=ON"}, Consumers: map[string]bool{"events_waits_current": true}}, tables.All()...)
	var all, ready sync.WaitGroup
	release := make(chan struct{})
	defer all.Wait()
	defer close(release)
	start := func(do func()) {
		all.Add(1)
		ready.Add(1)
		go func() {
			defer all.Done()
			do()
		}()
	}
	lone := reg.NewMutex("test/lone")
	for range goroutines - waiters - locks {
		start(func() {
			lone.Lock()
			lone.Unlock()
			ready.Done()
			<-release
		})
	}
	mutexes := make([]*instr.Mutex, locks)
	for i := range mutexes {
		mutexes[i] = reg.NewMutex("test/lock")
		start(func() {
			mutexes[i].Lock()
			ready.Done()
			<-release
			mutexes[i].Unlock()
		})
	}
	ready.Wait()
	for i := range waiters {
		start(func() {
			ready.Done()
			mutexes[i%locks].Lock()
			mutexes[i%locks].Unlock()
		})
	}
	ready.Wait()
	waiting := func() int { return len(reg.Reader().LockWaits()) }
	for waiting() < waiters {
	}
	b.Run("by=instr", func(b *testing.B) {
		for b.Loop() {
			if n := waiting(); n < waiters {
				b.Fatal(n)
			}
		}
	})
	for name, q := range map[string]string{
		"all":      "SELECT * FROM sys.lock_waits",
		"raw":      "SELECT * FROM sys.x$lock_waits",
		"table":    "SELECT * FROM performance_schema.lock_waits",
		"count":    "SELECT COUNT(*) FROM sys.lock_waits",
		"deadlock": "SELECT * FROM sys.deadlocks",
	} {
		b.Run("by=sql/rows="+name, func(b *testing.B) {
			for b.Loop() {
				rows, err := r.db.QueryContext(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				for rows.Next() {
				}
				if err := rows.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
