package main

import (
	"errors"
	"flag"
	"time"

	"pfsd/instr"
)

// throughput measures how much longer statements take a client when the server watches
// itself: one server, whose switches are turned from batch to batch, and one connection.
func throughput(args []string) (err error) {
	flags := flag.NewFlagSet("bench throughput", flag.ExitOnError)
	rounds := flags.Int("rounds", 1000, "how many batches under each setting")
	_ = flags.Parse(args)

	r := instr.NewRegistry()
	c, stop, err := serve(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for _, q := range []string{
		"CREATE DATABASE bench", "CREATE TABLE bench.t (a INT PRIMARY KEY, b VARCHAR(20))",
		"INSERT INTO bench.t VALUES (1, 'one'), (2, 'two'), (3, 'three')",
	} {
		if err := run(c, q); err != nil {
			return err
		}
	}
	work := func() error {
		for range 5 {
			for _, q := range []string{"SELECT 1", "SELECT b FROM bench.t WHERE a = 2", "SELECT * FROM setup_instruments WHERE NAME = 'idle'", "UPDATE bench.t SET b = 'x' WHERE a = 1"} {
				if err := run(c, q); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for range 20 {
		if err := work(); err != nil {
			return err
		}
	}

	const off, standard, all = 0, 1, 2
	var took, ratios [3][]float64 // by setting: of all batches, and to the batch with all off beside it
	for round := range *rounds {
		var seconds [3]float64
		for i := range seconds {
			setting := (i + round) % len(seconds)
			switchTo(r, setting != off, setting == all)
			begin := time.Now()
			if err := work(); err != nil {
				return err
			}
			seconds[setting] = time.Since(begin).Seconds()
		}
		for setting, s := range seconds {
			took[setting] = append(took[setting], s)
			ratios[setting] = append(ratios[setting], s/seconds[off])
		}
	}
	lost := func(setting int, name string, budget float64) row {
		return row{what: "throughput lost, " + name, unit: "%", budget: budget,
			best:   100 * (quantile(took[setting], 0.1)/quantile(took[off], 0.1) - 1),
			median: 100 * (quantile(ratios[setting], 0.5) - 1)}
	}
	return printRows("best tenth", []row{lost(standard, "default instruments", 1), lost(all, "everything on", 3)})
}

// switchTo turns the instruments and consumers: off, or to their defaults, or on.
func switchTo(r *instr.Registry, on, all bool) {
	for c := range instr.ConsumerCount {
		r.SetConsumer(c, on && (all || c.Default()))
	}
	for _, c := range r.Classes() {
		enabled := on && all
		switch c.Kind() {
		case instr.KindFile, instr.KindIdle, instr.KindStatement, instr.KindTransaction:
			enabled = on
		}
		c.SetEnabled(enabled)
		c.SetTimed(enabled)
	}
}
