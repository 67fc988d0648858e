// This program has C call Go, in its own threads and in goroutines, where locks are used that are watched. It says what is wrong.
package main

/*
#cgo LDFLAGS: -lpthread
void calls_by_threads(int n);
void calls_here(int n);
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	"pfsd/instr"
)

var (
	registry = instr.NewRegistry()
	lock     = registry.NewMutex("test/lock")
	nameless sync.Map // of goroutines that are no threads
)

//export called
func called() {
	lock.Lock()
	t := instr.Current()
	if t == nil || t.ID() == 0 {
		nameless.Store(fmt.Sprint(t), true)
	}
	lock.Unlock()
}

func main() {
	for c := range instr.ConsumerCount {
		registry.Setup().SetConsumer(c, true)
	}
	registry.Setup().AddPattern("%", instr.PatternOn)
	const rounds, threads, each, goroutines = 20, 16, 10, 8
	for range rounds {
		C.calls_by_threads(threads)
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() { C.calls_here(each) })
		}
		lock.Lock()
		lock.Unlock()
		all.Wait()
		runtime.GC()
		registry.Reader().Threads() // ends those that have ended
	}
	class := registry.Reader().ClassByName("wait/synch/mutex/test/lock")
	want := uint64(rounds * (threads*each + goroutines*each + 1))
	if n := class.Waits().Count; n != want {
		fmt.Printf("%d waits, want %d\n", n, want)
		os.Exit(1)
	}
	held := class.Instances()[0].(*instr.MutexInstance).Holder()
	if n := registry.Reader().ThreadCount(); held != 0 || n > threads+goroutines+16 {
		fmt.Printf("%d threads are left, the lock is held by %d\n", n, held)
		os.Exit(1)
	}
	nameless.Range(func(what, _ any) bool {
		fmt.Println("a goroutine is the thread", what)
		os.Exit(1)
		return false
	})
	fmt.Println("ok")
}
