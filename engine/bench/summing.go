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
)

// summing measures how long it takes to sum up all summary tables of ten thousand threads
// while others lock and unlock as fast as they can, with everything on: through a
// connection, and straight from the tables. And how much slower the others are meanwhile:
// windows of time with a reader alternate with some without. The others have all processors
// but one, which is the reader's.
func summing(args []string) (err error) {
	flags := flag.NewFlagSet("bench summing", flag.ExitOnError)
	rounds := flags.Int("rounds", 15, "how many windows of a second there are of each sort")
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
		if strings.Contains(t.Name(), "_summary_") {
			summaries = append(summaries, t)
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
		if w.took, err = w.passes(summaries, 5); err != nil { // the warm-up, thrown away with its times
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
		slow = append(slow, lost.row("writers' loss, summed "+w.name+" once a second", once, 2), lost.row("writers' loss, summed "+w.name+" without pause", always, 2))
	}
	var out []row
	for _, w := range ways {
		out = append(out, w.row(fmt.Sprintf("summing %d tables, of %d threads and %d instruments, %s", len(summaries), crowdSize, len(r.Classes()), w.name)))
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

// sum adds up the counts and the times of a table.
func sum(r *instr.Registry, t tables.Table) (count, picoseconds uint64) {
	cols := make([]int, 0, 2)
	for _, name := range []string{"COUNT_STAR", "SUM_TIMER_WAIT"} {
		cols = append(cols, slices.IndexFunc(t.Columns(), func(c tables.ColumnInfo) bool { return c.Name == name }))
	}
	values := make([]tables.Value, len(cols))
	for cursor := t.Scan(r, cols, nil); cursor.Next(values); {
		count += values[0].Bits()
		picoseconds += values[1].Bits()
	}
	return count, picoseconds
}

// reader is a way to sum up a table.
type reader struct {
	name string
	read func(tables.Table) error
	took []time.Duration // of each pass over all tables
}

// passes reads the tables n times, and returns how long each time took.
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

// writers are threads that lock and unlock as fast as they can, each its own lock.
type writers struct {
	pairs []*paddedCount // what each has done
	stop  atomic.Bool
	done  sync.WaitGroup
}

type paddedCount struct {
	_ [128]byte
	n atomic.Uint64
	_ [128]byte
}

func startWriters(r *instr.Registry, n int) *writers {
	w := &writers{}
	for range n {
		count := new(paddedCount)
		w.pairs = append(w.pairs, count)
		m := r.NewMutex("bench/writer")
		w.done.Go(func() {
			defer r.Attach("bench/writer").Detach()
			for !w.stop.Load() {
				const batch = 1000
				for range batch {
					m.Lock()
					m.Unlock()
				}
				count.n.Add(batch)
			}
		})
	}
	return w
}

func (w *writers) end() {
	w.stop.Store(true)
	w.done.Wait()
}

// rate is how many pairs of Lock and Unlock the writers do in a second while during runs.
func (w *writers) rate(during func() error) (float64, error) {
	count := func() (n uint64) {
		for _, p := range w.pairs {
			n += p.n.Load()
		}
		return n
	}
	before, begin := count(), time.Now()
	err := during()
	return float64(count()-before) / time.Since(begin).Seconds(), err
}

// window is how long the writers are watched in one go.
const window = time.Second

// The sorts of windows: no reader, one that reads once, one that reads all the time.
const (
	never = iota
	once
	always
	windowSorts
)

// loss is the writers' rates, by sort of window.
type loss [windowSorts][]float64

// slowedBy measures the writers while read reads for a window, once or without pause, and
// while it does not.
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

// row tells what the writers lost in windows of a sort: at their best, and in the middle of
// what each window lost beside the one without a reader.
func (l loss) row(what string, sort int, budget float64) row {
	lost := make([]float64, len(l[sort]))
	for i := range lost {
		lost[i] = 100 * (1 - l[sort][i]/l[never][i])
	}
	return row{what: what, unit: "%", budget: budget,
		best: 100 * (1 - quantile(l[sort], 0.9)/quantile(l[never], 0.9)), median: quantile(lost, 0.5)}
}
