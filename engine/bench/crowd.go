package main

import (
	"fmt"
	"strconv"
	"sync"

	"pfsd/instr"
)

// crowdSize is how many threads a crowd has.
const crowdSize = 10_000

// crowd starts threads of r, of a hundred accounts. Each has waited for some locks and is idle. end ends them.
func crowd(r *instr.Registry) (end func()) {
	var locks [40]*instr.Mutex
	for i := range locks {
		locks[i] = r.NewMutex("bench/crowd_" + strconv.Itoa(i))
	}
	var ready, done sync.WaitGroup
	stop := make(chan struct{})
	ready.Add(crowdSize)
	for i := range crowdSize {
		done.Go(func() {
			t := r.Attach("bench/crowd")
			defer t.Detach()
			t.SetAccount("user"+strconv.Itoa(i/10%10), fmt.Sprintf("192.0.2.%d", i%10))
			for j := range 4 {
				m := locks[(i+j)%len(locks)]
				m.Lock()
				m.Unlock()
			}
			ready.Done()
			<-stop
		})
	}
	ready.Wait()
	return func() {
		close(stop)
		done.Wait()
	}
}

// watchAll returns a registry in which everything is on.
func watchAll() *instr.Registry {
	r := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		r.Setup().SetConsumer(c, true)
	}
	r.Setup().AddPattern("%", instr.PatternOn)
	return r
}
