package main

import (
	"strconv"
	"time"

	"pfsd/instr"
)

// lifeCycle measures the start and the end of a thread whose record is there already. Waits
// in between are the plain operation's too, by a thread that lives on.
func lifeCycle(runs int, length time.Duration) ([]row, error) {
	r := everything.registry()
	var locks [3]*instr.Mutex
	for i := range locks {
		locks[i] = r.NewMutex("bench/lock_" + strconv.Itoa(i))
	}
	wait := func() {
		for _, m := range locks {
			m.Lock()
			m.Unlock()
		}
	}
	background := func(between func()) func(n int) {
		return func(n int) {
			for range n {
				t := r.Attach("bench/worker")
				between()
				t.Detach()
			}
		}
	}
	const accounts = 16
	var users [accounts]string
	for i := range users {
		users[i] = "user" + strconv.Itoa(i)
	}
	connection := func(between func()) func(n int) {
		return func(n int) {
			for i := range n {
				t := r.AttachConnection("bench/connection", 1)
				t.SetAccount(users[i%accounts], "localhost")
				between()
				t.Detach()
			}
		}
	}

	rows := measure(runs, length, []operation{
		{run: func(n int) {
			for range n {
				nothing()
			}
		}},
		{name: "thread start and end, pooled", unit: "ns", budget: 200, run: func(n int) {
			for range n {
				r.Attach("bench/worker").Detach()
			}
		}},
		{name: "  connection start, login and end", unit: "ns", budget: noBudget, run: connection(func() {})},
	})
	rows = append(rows, measure(runs, length, []operation{
		operation{run: func(n int) {
			for range n {
				wait()
			}
		}}.asThread(r),
		{name: "thread start and end, after waits for three locks", unit: "ns", budget: 200, run: background(wait)},
		{name: "  connection start, login and end, after waits for three locks", unit: "ns", budget: noBudget, run: connection(wait)},
	})...)

	done := make(chan struct{})
	rows = append(rows, firstWait(runs, length)...)
	body := func() { done <- struct{}{} }
	return append(rows, measure(runs, length, []operation{
		{run: func(n int) {
			for range n {
				go body()
				<-done
			}
		}},
		{name: "  go and instr.Go, till the goroutine says so", unit: "ns", budget: noBudget, run: func(n int) {
			for range n {
				r.Go("bench/worker", body)
				<-done
			}
		}},
	})...), nil
}

// firstWait measures goroutines that wait once and end. The plain operation is the same where they
// do not become threads.
func firstWait(runs int, length time.Duration) []row {
	done := make(chan struct{})
	waiting := func(limit int) func(n int) {
		r := everything.registry()
		r.Setup().SetGoroutineThreads(limit)
		m := r.NewMutex("bench/lock")
		return func(n int) {
			for range n {
				go func() {
					m.Lock()
					m.Unlock()
					done <- struct{}{}
				}()
				<-done
			}
		}
	}
	return measure(runs, length, []operation{
		{run: waiting(0)},
		{name: "first wait of a goroutine that becomes a thread", unit: "ns", budget: 400, run: waiting(instr.DefaultGoroutineThreads)},
	})
}
