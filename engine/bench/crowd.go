package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"pfsd/instr"
)

// crowdSize is the number of threads in a crowd.
const crowdSize = 10_000

// crowd starts threads of r, which belong to a hundred accounts. Each has waited for some locks and
// is idle. end ends them.
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

// watchAll returns a registry in which everything is on that MySQL has, too.
func watchAll() *instr.Registry {
	r := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		r.Setup().SetConsumer(c, !ownConsumer(c))
	}
	r.Setup().AddPattern("%", instr.PatternOn)
	r.Setup().AddPattern("hold/%", instr.PatternOff)
	return r
}

// ownConsumer reports whether MySQL does not have the consumer.
func ownConsumer(c instr.Consumer) bool { return strings.Contains(c.String(), "histogram") }
