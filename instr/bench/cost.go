package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/sdk/trace"

	"pfsd/instr"
	"pfsd/timers"
)

// setting is how a registry is switched.
type setting struct {
	name      string
	value     instr.PatternValue // of all instruments but those of hold times
	holds     instr.PatternValue
	consumers []instr.Consumer
}

// What MySQL has is everything. Hold times and histograms are off where nobody asks for them, and measured apart.
var (
	off     = setting{name: "off", value: instr.PatternOff}
	counted = setting{name: "counted, no events", value: instr.PatternCounted}
	untimed = setting{name: "enabled, untimed", value: instr.PatternCounted, consumers: []instr.Consumer{instr.ConsumerEventsWaitsCurrent}}
	current = setting{name: "timed, current", value: instr.PatternOn, consumers: []instr.Consumer{instr.ConsumerEventsWaitsCurrent}}
	history = setting{name: "timed, current and history", value: instr.PatternOn,
		consumers: []instr.Consumer{instr.ConsumerEventsWaitsCurrent, instr.ConsumerEventsWaitsHistory}}
	everything = setting{name: "everything on", value: instr.PatternOn,
		consumers: []instr.Consumer{instr.ConsumerEventsWaitsCurrent, instr.ConsumerEventsWaitsHistory, instr.ConsumerEventsWaitsHistoryLong}}
	holdTimes  = setting{name: "everything on, and hold times", value: instr.PatternOn, holds: instr.PatternOn, consumers: everything.consumers}
	histograms = setting{name: "everything on, and histograms", value: instr.PatternOn,
		consumers: append(slices.Clone(everything.consumers), instr.ConsumerEventsWaitsHistogram)}
	objects = setting{name: "everything on, and histograms by instance", value: instr.PatternOn,
		consumers: append(slices.Clone(histograms.consumers), instr.ConsumerEventsWaitsHistogramByInstance)}
)

func (s setting) registry() *instr.Registry {
	r := instr.NewRegistry()
	for c := range instr.ConsumerCount {
		r.Setup().SetConsumer(c, slices.Contains(s.consumers, c) || c == instr.ConsumerGlobalInstrumentation || c == instr.ConsumerThreadInstrumentation)
	}
	r.Setup().AddPattern("%", s.value)
	r.Setup().AddPattern("hold/%", s.holds)
	return r
}

// asThread makes an operation one of a thread of the registry. The plain operation that it
// is compared with is one, too: its batches begin with the same caches.
func (o operation) asThread(r *instr.Registry) operation {
	var t *instr.Thread
	o.before = func() { t = r.Attach("bench/worker") }
	o.after = func() { t.Detach() }
	return o
}

// locks measures Lock and Unlock.
func locks(runs int, length time.Duration) ([]row, error) {
	var plain sync.Mutex
	ops := []operation{operation{run: func(n int) {
		for range n {
			plain.Lock()
			plain.Unlock()
		}
	}}.asThread(off.registry())}
	for _, c := range []struct {
		setting
		budget float64
	}{{off, 3}, {counted, noBudget}, {untimed, 25}, {history, 120}, {everything, 150}, {holdTimes, 170}, {histograms, noBudget}, {objects, noBudget}} {
		r := c.registry()
		m := r.NewMutex("bench/lock")
		ops = append(ops, operation{name: "mutex Lock+Unlock, " + c.name, unit: "cycles", budget: c.budget, run: func(n int) {
			for range n {
				m.Lock()
				m.Unlock()
			}
		}}.asThread(r))
	}

	var profiled sync.Mutex
	ops = append(ops, operation{name: "  sync.Mutex, mutex and block profiles on", unit: "cycles", budget: noBudget,
		before: func() { runtime.SetMutexProfileFraction(1); runtime.SetBlockProfileRate(1) },
		after:  func() { runtime.SetMutexProfileFraction(0); runtime.SetBlockProfileRate(0) },
		run: func(n int) {
			for range n {
				profiled.Lock()
				profiled.Unlock()
			}
		}})
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "wait_seconds", Help: "How long Lock took."})
	var observed sync.Mutex
	ops = append(ops, operation{name: "  sync.Mutex, Prometheus histogram of Lock", unit: "cycles", budget: noBudget, run: func(n int) {
		for range n {
			begin := time.Now()
			observed.Lock()
			histogram.Observe(time.Since(begin).Seconds())
			observed.Unlock()
		}
	}})
	provider := trace.NewTracerProvider(trace.WithSampler(trace.AlwaysSample()), trace.WithBatcher(nowhere{}))
	defer func() { _ = provider.Shutdown(context.Background()) }()
	tracer := provider.Tracer("bench")
	var traced sync.Mutex
	ops = append(ops, operation{name: "  sync.Mutex, OpenTelemetry span of Lock", unit: "cycles", budget: noBudget, run: func(n int) {
		for range n {
			_, span := tracer.Start(context.Background(), "lock")
			traced.Lock()
			span.End()
			traced.Unlock()
		}
	}})
	return measure(runs, length, ops), nil
}

// nowhere is an exporter that throws spans away.
type nowhere struct{}

func (nowhere) ExportSpans(context.Context, []trace.ReadOnlySpan) error { return nil }
func (nowhere) Shutdown(context.Context) error                          { return nil }

// lookup measures how the current thread is found.
func lookup(runs int, length time.Duration) ([]row, error) {
	r := everything.registry()
	var found *instr.Thread
	ops := []operation{
		operation{run: func(n int) {
			for range n {
				found = nothing()
			}
		}}.asThread(r),
		operation{name: "finding the current thread", unit: "cycles", budget: 10, run: func(n int) {
			for range n {
				found = instr.Current()
			}
		}}.asThread(r),
	}
	rows := measure(runs, length, ops)
	runtime.KeepAlive(found)
	return rows, nil
}

//go:noinline
func nothing() *instr.Thread { return nil }

// reads measures pread of 4 KiB that are in the page cache.
func reads(runs int, length time.Duration) ([]row, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "data")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o600); err != nil {
		return nil, err
	}
	plain, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	var failed error
	buf := make([]byte, 4096)
	ops := []operation{operation{run: func(n int) {
		for range n {
			if _, err := plain.ReadAt(buf, 0); err != nil {
				failed = err
			}
		}
	}}.asThread(off.registry())}
	for _, c := range []struct {
		setting
		budget float64
	}{{off, 3}, {everything, 110}} {
		r := c.registry()
		f, err := r.NewFileClass("bench/data").Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		ops = append(ops, operation{name: "pread of 4 KiB, cached, " + c.name, unit: "ns", budget: c.budget, run: func(n int) {
			for range n {
				if _, err := f.ReadAt(buf, 0); err != nil {
					failed = err
				}
			}
		}}.asThread(r))
	}
	ops = append(ops, operation{name: "  pread of 4 KiB, cached, by a function that calls os.File.ReadAt", unit: "ns", budget: noBudget, run: func(n int) {
		for range n {
			if _, err := forward(plain, buf); err != nil {
				failed = err
			}
		}
	}}.asThread(off.registry()))
	rows := measure(runs, length, ops)
	return rows, failed
}

// forward is the least that a wrapper can be. A return after a system call is dear where the
// kernel makes the processor forget where calls came from.
//
//go:noinline
func forward(f *os.File, b []byte) (int, error) { return f.ReadAt(b, 0) }

// writers measures whether two goroutines that record at the same time slow each other down.
func writers(runs int, length time.Duration) ([]row, error) {
	if runtime.NumCPU() < 2 {
		return nil, nil
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	r := everything.registry()
	instrumented := func() func(n int) {
		m := r.NewMutex("bench/own")
		return func(n int) {
			for range n {
				m.Lock()
				m.Unlock()
			}
		}
	}
	plain := func() func(n int) {
		m := new(struct {
			_ [128]byte
			sync.Mutex
			_ [128]byte
		})
		return func(n int) {
			for range n {
				m.Lock()
				m.Unlock()
			}
		}
	}
	ratios := func(what string, budget float64, run func() func(n int)) row {
		var ones, twos, bestOnes, bestTwos []float64
		for range runs {
			// In turns, so that one and two meet the same clock and the same neighbours.
			var one, two []float64
			for begin := time.Now(); time.Since(begin) < 2*length; {
				one = append(one, together(r, 1, run)...)
				two = append(two, together(r, 2, run)...)
			}
			ones, twos = append(ones, median(one)), append(twos, median(two))
			bestOnes, bestTwos = append(bestOnes, quantile(one, 0.1)), append(bestTwos, quantile(two, 0.1))
		}
		return row{what: what, unit: "times", budget: budget, plain: -1, allocations: -1,
			best: slices.Min(bestTwos) / slices.Min(bestOnes), median: median(twos) / median(ones)}
	}
	return []row{
		ratios("two writers against one, everything on", 1.1, instrumented),
		ratios("  two users of sync.Mutexes of their own against one", noBudget, plain),
	}, nil
}

// together has n threads run operations of their own for a while, all at the same time, and
// returns the cycles that an operation took, by batch.
func together(r *instr.Registry, n int, operation func() func(n int)) []float64 {
	const warmUp, batches, size = 20, 100, 128
	var (
		ready, done sync.WaitGroup
		mu          sync.Mutex
		all         []float64
	)
	begin := make(chan struct{})
	ready.Add(n)
	for range n {
		done.Go(func() {
			defer r.Attach("bench/writer").Detach()
			run, cycles := operation(), make([]float64, 0, batches)
			run(size)
			ready.Done()
			<-begin
			for i := range warmUp + batches {
				t := timers.ReadCycle()
				run(size)
				if t = timers.ReadCycle() - t; i >= warmUp {
					cycles = append(cycles, float64(t)/size)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, cycles...)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
	return all
}
