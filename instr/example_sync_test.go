package instr_test

import (
	"fmt"
	"sync"

	"pfsd/instr"
)

// A Mutex is used like a sync.Mutex. While it is locked, its instance shows who holds it.
func ExampleMutex() {
	r := instr.NewRegistry()
	r.Setup().AddPattern("wait/synch/mutex/%", instr.PatternOn)
	cacheLock := r.NewMutex("cache/lock") // wait/synch/mutex/cache/lock
	t := r.Attach("cache/cleaner")
	defer t.Detach()

	cacheLock.Lock()
	for _, in := range r.Reader().ClassByName("wait/synch/mutex/cache/lock").Instances() {
		fmt.Println("locked by this thread:", in.(*instr.MutexInstance).Holder() == t.ID())
	}
	cacheLock.Unlock()

	s := r.Reader().ClassByName("wait/synch/mutex/cache/lock").Waits()
	fmt.Println("locked", s.Count, "time")
	// Output:
	// locked by this thread: true
	// locked 1 time
}

// An RWMutex is used like a sync.RWMutex. Its instance shows how many readers hold it.
func ExampleRWMutex() {
	r := instr.NewRegistry()
	r.Setup().AddPattern("wait/synch/rwlock/%", instr.PatternOn)
	routes := r.NewRWMutex("web/routes") // wait/synch/rwlock/web/routes

	routes.RLock()
	routes.RLock()
	for _, in := range r.Reader().ClassByName("wait/synch/rwlock/web/routes").Instances() {
		fmt.Println("readers:", in.(*instr.RWMutexInstance).Readers())
	}
	routes.RUnlock()
	routes.RUnlock()
	routes.Lock()
	routes.Unlock()

	s := r.Reader().ClassByName("wait/synch/rwlock/web/routes").Waits()
	fmt.Println("locked", s.Count, "times")
	// Output:
	// readers: 2
	// locked 3 times
}

// A Cond is used like a sync.Cond: while Wait waits, the lock is free for others.
func ExampleCond() {
	r := instr.NewRegistry()
	r.Setup().AddPattern("wait/synch/%", instr.PatternOn)
	m := r.NewMutex("queue/lock")
	notEmpty := r.NewCond("queue/not_empty", m)
	length := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		m.Lock()
		defer m.Unlock()
		for length == 0 {
			notEmpty.Wait()
		}
		length--
	})
	m.Lock()
	length++
	m.Unlock()
	notEmpty.Signal()
	wg.Wait()
	fmt.Println(length)
	// Output: 0
}

// Go runs a function in a new goroutine, which is a thread while it runs: a row of the table
// threads, with events of its own.
func ExampleGo() {
	started, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	instr.Go("worker/compact", func() { // thread/worker/compact
		defer close(ended)
		close(started)
		<-end
	})
	<-started
	for _, t := range instr.Default.Reader().Threads() {
		if info, ok := t.Snapshot(); ok && info.Name == "thread/worker/compact" {
			fmt.Println(info.Name, "runs")
		}
	}
	close(end)
	<-ended
	// Output: thread/worker/compact runs
}
