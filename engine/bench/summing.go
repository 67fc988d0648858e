package main

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/instr"
	"pfsd/tables"
	"pfsd/timers"
)

// summing measures how long it takes to read all summary tables of ten thousand threads, with
// everything on, while other threads lock and unlock as fast as they can: over a connection, and
// directly from the tables. It also measures how much slower the other threads are meanwhile:
// windows of time with a reader alternate with windows without one. The reader has one processor, and the
// other threads have all others.
func summing(args []string) (err error) {
	flags := flag.NewFlagSet("bench summing", flag.ExitOnError)
	rounds := flags.Int("rounds", 60, "how many windows of a quarter of a second there are of each sort")
	each := flags.Bool("each", false, "print each table's time")
	_ = flags.Parse(args)

	r := watchAll()
	defer crowd(r)()
	c, stop, err := serve(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var summaries []tables.Table
	for _, t := range tables.All() {
		for _, family := range []string{"events_waits", "file", "socket"} {
			if strings.HasPrefix(t.Name(), family+"_summary_") {
				summaries = append(summaries, t)
			}
		}
	}
	throughClient := func(t tables.Table) error {
		return run(c, "SELECT SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT) FROM "+t.Name())
	}
	straight := func(t tables.Table) error {
		sum(r, t)
		return nil
	}
	work := startWriters(r, max(1, runtime.GOMAXPROCS(0)-1))
	defer work.end()

	ways := []reader{{"through a connection", throughClient, nil}, {"straight from the tables", straight, nil}}
	var slow []row
	for i := range ways {
		w := &ways[i]
		if w.took, err = w.passes(summaries, 5); err != nil { // a warm-up, whose times are not used
			return err
		}
		w.took = nil
		lost, err := work.slowedBy(*rounds, func(pause bool) error {
			begin := time.Now()
			for {
				took, err := w.passes(summaries, 1)
				if err != nil {
					return err
				}
				w.took = append(w.took, took...)
				if pause || time.Since(begin) > window-2*took[0] {
					time.Sleep(window - time.Since(begin))
					return nil
				}
			}
		})
		if err != nil {
			return err
		}
		slow = append(slow, lost.rows("writers' loss, summed 4 times a second "+w.name, once)...)
		slow = append(slow, lost.rows("writers' loss, summed without pause "+w.name, always)...)
	}
	var out []row
	for _, w := range ways {
		out = append(out, w.row(fmt.Sprintf("summing %d tables, of %d threads and %d instruments, %s", len(summaries), crowdSize, len(r.Reader().Classes()), w.name)))
	}
	for _, t := range summaries {
		if !*each {
			break
		}
		for _, w := range ways {
			if w.took, err = w.passes([]tables.Table{t}, 20); err != nil {
				return err
			}
			r := w.row("  " + t.Name() + ", " + w.name)
			r.budget = noBudget
			out = append(out, r)
		}
	}
	return printRows("best tenth", append(out, slow...))
}

// sum returns the sums of the counts and the times of a table.
func sum(r *instr.Registry, t tables.Table) (count, picoseconds uint64) {
	cols := make([]int, 0, 2)
	for _, name := range []string{"COUNT_STAR", "SUM_TIMER_WAIT"} {
		cols = append(cols, slices.IndexFunc(t.Columns(), func(c tables.ColumnInfo) bool { return c.Name == name }))
	}
	values := make([]tables.Value, len(cols))
	for cursor := t.Scan(tables.Of(r), cols, nil); cursor.Next(values); {
		count += values[0].Bits()
		picoseconds += values[1].Bits()
	}
	return count, picoseconds
}

// reader is a way to read the tables and sum them up.
type reader struct {
	name string
	read func(tables.Table) error
	took []time.Duration // of each pass over all tables
}

// passes reads all tables n times, and returns how long each pass took.
func (r *reader) passes(summaries []tables.Table, n int) ([]time.Duration, error) {
	var took []time.Duration
	for range n {
		begin := time.Now()
		for _, t := range summaries {
			if err := r.read(t); err != nil {
				return nil, err
			}
		}
		took = append(took, time.Since(begin))
	}
	return took, nil
}

func (r *reader) row(what string) row {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	return row{what: what, unit: "ms", budget: 50, best: ms(quantile(r.took, 0.1)), median: ms(quantile(r.took, 0.5))}
}

// writers are threads that lock and unlock as fast as they can. Each has its own mutex.
type writers struct {
	progress []*progress
	stop     atomic.Bool
	done     sync.WaitGroup
}

// progress is the progress of a writer. It has two cache lines of its own.
type progress struct {
	_     [128]byte
	pairs atomic.Uint64 // number of pairs of Lock and Unlock
	cpu   atomic.Uint64 // processor time, in nanoseconds
	_     [128]byte
}

func startWriters(r *instr.Registry, n int) *writers {
	w := &writers{}
	for range n {
		p := new(progress)
		w.progress = append(w.progress, p)
		m := r.NewMutex("bench/writer")
		w.done.Go(func() {
			runtime.LockOSThread() // so that the processor time of the OS thread is that of the writer
			defer r.Attach("bench/writer").Detach()
			for !w.stop.Load() {
				const batch = 5000
				for range batch {
					m.Lock()
					m.Unlock()
				}
				p.cpu.Store(timers.ThreadCPU.Now())
				p.pairs.Add(batch)
			}
		})
	}
	return w
}

func (w *writers) end() {
	w.stop.Store(true)
	w.done.Wait()
}

// rate is the number of pairs of Lock and Unlock in a second, and in a second of processor time.
type rate struct{ clock, cpu float64 }

// rate returns the writers' rate while during runs.
func (w *writers) rate(during func() error) (rate, error) {
	read := func() (pairs, cpu uint64) {
		for _, p := range w.progress {
			pairs += p.pairs.Load()
			cpu += p.cpu.Load()
		}
		return pairs, cpu
	}
	begin := time.Now()
	pairs, cpu := read()
	err := during()
	seconds := time.Since(begin).Seconds()
	pairsNow, cpuNow := read()
	n := float64(pairsNow - pairs)
	return rate{n / seconds, n / (float64(cpuNow-cpu) / 1e9)}, err
}

// window is the length of a measurement of the writers.
const window = time.Second / 4

// The kinds of windows: no reader, a reader that reads once, a reader that reads all the time.
const (
	never = iota
	once
	always
	windowSorts
)

// loss has the writers' rates, by kind of window.
type loss [windowSorts][]rate

// slowedBy measures the writers during windows in which read runs once, runs repeatedly, and does
// not run.
func (w *writers) slowedBy(rounds int, read func(pause bool) error) (l loss, err error) {
	during := [windowSorts]func() error{
		never:  func() error { time.Sleep(window); return nil },
		once:   func() error { return read(true) },
		always: func() error { return read(false) },
	}
	for round := range rounds {
		for i := range during {
			sort := (i + round) % len(during)
			rate, err := w.rate(during[sort])
			if err != nil {
				return l, err
			}
			l[sort] = append(l[sort], rate)
		}
	}
	return l, nil
}

// rows returns how much the writers lost in one kind of window: between the best values, and as the
// median of the differences to the preceding window without a reader. The loss by the clock
// includes what other processes took; the loss by processor time does not.
func (l loss) rows(what string, sort int) []row {
	lost := func(of func(rate) float64) (best, median float64) {
		var all [windowSorts][]float64
		for s := range l {
			for _, r := range l[s] {
				all[s] = append(all[s], of(r))
			}
		}
		each := make([]float64, len(all[sort]))
		for i := range each {
			each[i] = 100 * (1 - all[sort][i]/all[never][i])
		}
		return 100 * (1 - quantile(all[sort], 0.9)/quantile(all[never], 0.9)), quantile(each, 0.5)
	}
	cpu := row{what: what + ", by their processor time", unit: "%", budget: 2}
	cpu.best, cpu.median = lost(func(r rate) float64 { return r.cpu })
	clock := row{what: what + ", by the clock", unit: "%", budget: 2}
	clock.best, clock.median = lost(func(r rate) float64 { return r.clock })
	return []row{cpu, clock}
}
