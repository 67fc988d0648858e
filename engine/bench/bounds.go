package main

import (
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/engine"
	"pfsd/engine/bench/ratios"
	"pfsd/instr"
)

// guest starts a server in this process with the options o, and a client of the server. The caller
// must call stop.
func guest(o engine.Options) (c *rawClient, addr string, stop func() error, err error) {
	o.Addr, o.Registry, o.LogError = "127.0.0.1:0", instr.NewRegistry(), os.DevNull
	o.InitializeInsecure = !o.SkipGrantTables
	addr, end, err := listenWith(o)
	if err != nil {
		return nil, "", nil, err
	}
	if c, err = dialRaw(addr, "performance_schema"); err != nil {
		return nil, "", nil, errors.Join(err, end())
	}
	return c, addr, func() error { return errors.Join(c.close(), end()) }, nil
}

// boundCosts returns how much longer statements take with limits than without, as a ratio: for a
// statement that reads a few rows, and for one that keeps rows.
func boundCosts() (rows []ratios.Row, err error) {
	free := engine.Options{QueryMemoryLimit: 1 << 40, ConnectionMemoryLimit: 1 << 40, GlobalConnectionMemoryLimit: 1 << 40, ProcessorShare: -1, MaxRunningStatements: -1, SkipGrantTables: true}
	bare, _, stop, err := guest(free)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for _, bound := range []struct {
		name string
		with func(o *engine.Options)
	}{
		{"limits on memory", func(o *engine.Options) {
			o.QueryMemoryLimit, o.ConnectionMemoryLimit, o.GlobalConnectionMemoryLimit = 0, 0, 0
		}},
		{"privileges", func(o *engine.Options) { o.SkipGrantTables = false }},
		{"the processor budget", func(o *engine.Options) { o.ProcessorShare, o.MaxRunningStatements = 64, 64 }}, // a budget that is never used up
	} {
		o := free
		bound.with(&o)
		bounded, _, stop, err := guest(o)
		if err != nil {
			return nil, err
		}
		for _, q := range []struct{ name, text string }{
			{"few rows", "SELECT * FROM threads"},
			{"groups", "SELECT NAME, COUNT(*) FROM setup_instruments GROUP BY NAME"},
		} {
			const rounds = 400
			var took [2][]time.Duration
			for round := range rounds {
				for i, c := range []*rawClient{bare, bounded} {
					begin := time.Now()
					if _, err := c.query(q.text); err != nil {
						return nil, errors.Join(err, stop())
					}
					if round >= rounds/10 {
						took[i] = append(took[i], time.Since(begin))
					}
				}
			}
			rows = append(rows, ratios.Row{
				Name: "cost of " + bound.name + ", " + q.name, Value: float64(quantile(took[1], 0.1)) / float64(quantile(took[0], 0.1)), Unit: "times without",
				Margin: 0.2, Slack: 0.1, Budget: -1,
			})
		}
		if err := stop(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// The statements that keep the server busy, and their share of a processor.
const (
	busyStatement = "SELECT SUM(a.ID + b.ID + c.ID) FROM information_schema.collations a, information_schema.collations b, information_schema.collations c"
	busyClients   = 4
	busyShare     = 0.25
)

// besideBusy makes clients keep a server busy while another client runs a short statement every 5
// ms. It returns the number of processors that the process uses, and the 99th percentile of the
// times of the other client's statements.
func besideBusy(share float64) (processors float64, p99 time.Duration, err error) {
	places := busyClients + 1
	if share < 0 {
		places = -1
	}
	c, addr, stop, err := guest(engine.Options{ProcessorShare: share, MaxRunningStatements: places})
	if err != nil {
		return 0, 0, err
	}
	var all sync.WaitGroup
	var over atomic.Bool
	var busy []*rawClient
	for range busyClients {
		b, err := dialRaw(addr, "performance_schema")
		if err != nil {
			return 0, 0, errors.Join(err, stop())
		}
		busy = append(busy, b)
		all.Go(func() {
			for !over.Load() {
				if _, err := b.query(busyStatement); err != nil {
					return // the server stops
				}
			}
		})
	}
	time.Sleep(time.Second) // until all clients run
	const asked = 600
	var took []time.Duration
	cpu, begin := processorTime(), time.Now()
	for range asked {
		at := time.Now()
		if _, err = c.query("SELECT COUNT(*) FROM threads"); err != nil {
			break
		}
		took = append(took, time.Since(at))
		time.Sleep(5 * time.Millisecond)
	}
	processors = float64(processorTime()-cpu) / float64(time.Since(begin))
	over.Store(true)
	for _, b := range busy {
		_ = b.close() // the connection's statement ends
	}
	all.Wait()
	if err = errors.Join(err, stop()); err != nil {
		return 0, 0, err
	}
	slices.Sort(took)
	return processors, took[len(took)*99/100], nil
}

// heldBack measures how much the processor budget helps other work while clients keep the server
// busy.
func heldBack() ([]ratios.Row, error) {
	_, free, err := besideBusy(-1)
	if err != nil {
		return nil, err
	}
	processors, held, err := besideBusy(busyShare)
	if err != nil {
		return nil, err
	}
	return []ratios.Row{
		// Garbage collection and the other client use processor time in addition to the share.
		{Name: "four busy clients with a share of a quarter", Value: processors, Unit: "processors", Margin: 0.25, Slack: 0.1, Budget: 0.5},
		{Name: "p99 beside four busy clients with a share of a quarter", Value: float64(held) / float64(free), Unit: "times without", Margin: 1, Slack: 0.15, Budget: 1},
	}, nil
}
