package main

import (
	"context"
	"sync"
	"time"

	"pfsd/instr"
)

// synch measures channels, condition variables and a semaphore. Each pair of operations that is one's own is a budget of 10 ns where one is 5.
func synch(runs int, length time.Duration) ([]row, error) {
	plain := make(chan int, 1)
	ops := []operation{operation{run: func(n int) {
		for range n {
			plain <- 1
			<-plain
		}
	}}.asThread(off.registry())}
	for _, c := range []struct {
		setting
		budget float64
	}{{off, 10}, {everything, noBudget}} {
		r := c.registry()
		queue := instr.NewChanIn[int](r, "bench/queue", 1)
		ops = append(ops, operation{name: "buffered Chan, send and receive, " + c.name, unit: "ns", budget: c.budget, run: func(n int) {
			for range n {
				queue.Send(1)
				queue.Receive()
			}
		}}.asThread(r))
	}
	rows := measure(runs, length, ops)

	var mu sync.Mutex
	ops = []operation{signalled(&mu, sync.NewCond(&mu))}
	for _, c := range []struct {
		setting
		budget float64
	}{{off, 5}, {everything, noBudget}} {
		cond := signalled(&mu, c.registry().NewCond("bench/cond", &mu))
		cond.name, cond.unit, cond.budget = "Cond, Wait and Signal, "+c.name, "ns", c.budget
		ops = append(ops, cond)
	}
	rows = append(rows, measure(runs, length, ops)...)

	var once sync.Once
	ops = []operation{{run: func(n int) {
		for range n {
			once.Do(func() {})
		}
	}}}
	own := off.registry().NewOnce("bench/once")
	ops = append(ops, operation{name: "Once.Do, done", unit: "ns", budget: 5, run: func(n int) {
		for range n {
			own.Do(func() {})
		}
	}})
	rows = append(rows, measure(runs, length, ops)...)

	places := make(chan struct{}, 1)
	ops = []operation{{run: func(n int) {
		for range n {
			places <- struct{}{}
			<-places
		}
	}}}
	for _, c := range []setting{off, everything} {
		r := c.registry()
		s := r.NewSemaphore("bench/slots", 1)
		ops = append(ops, operation{name: "  Semaphore, Acquire and Release, against a channel, " + c.name, unit: "ns", budget: noBudget, run: func(n int) {
			for range n {
				_ = s.Acquire(context.Background(), 1)
				s.Release(1)
			}
		}}.asThread(r))
	}
	return append(rows, measure(runs, length, ops)...), nil
}

// signalled is a wait for a condition that another goroutine signals, which waits itself meanwhile. It is half of what the two do in turn.
func signalled(mu *sync.Mutex, c interface {
	Wait()
	Signal()
}) operation {
	return operation{run: func(n int) {
		turn := 0
		play := func(me int) {
			mu.Lock()
			defer mu.Unlock()
			for range (n + 1) / 2 {
				for turn != me {
					c.Wait()
				}
				turn = 1 - me
				c.Signal()
			}
		}
		var other sync.WaitGroup
		other.Go(func() { play(1) })
		play(0)
		other.Wait()
	}}
}
