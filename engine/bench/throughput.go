package main

import (
	"cmp"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine"
	"pfsd/instr"
)

// throughput measures how much longer statements take a client when the server watches
// itself: one server, whose switches are turned from batch to batch, and one connection.
func throughput(args []string) (err error) {
	flags := flag.NewFlagSet("bench throughput", flag.ExitOnError)
	rounds := flags.Int("rounds", 1000, "how many batches under each setting")
	_ = flags.Parse(args)
	_ = mysql.SetLogger(&mysql.NopLogger{})

	r := instr.NewRegistry()
	s, err := engine.New(engine.Options{Addr: "127.0.0.1:0", Registry: r, LogError: os.DevNull})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	defer func() {
		cancel()
		if e := <-served; err == nil {
			err = e
		}
	}()
	db, err := sql.Open("mysql", "root@tcp("+s.Addr().String()+")/performance_schema")
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, q := range []string{
		"CREATE DATABASE bench", "CREATE TABLE bench.t (a INT PRIMARY KEY, b VARCHAR(20))",
		"INSERT INTO bench.t VALUES (1, 'one'), (2, 'two'), (3, 'three')",
	} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	work := func() error {
		for range 5 {
			for _, q := range []string{"SELECT 1", "SELECT b FROM bench.t WHERE a = 2", "SELECT * FROM setup_instruments WHERE NAME = 'idle'", "UPDATE bench.t SET b = 'x' WHERE a = 1"} {
				rows, err := c.QueryContext(ctx, q)
				if err != nil {
					return fmt.Errorf("%s: %w", q, err)
				}
				for rows.Next() {
				}
				if err := rows.Close(); err != nil {
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
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tbudget\tbest tenth\tmedian\tverdict")
	for setting, budget := range [...]float64{standard: 1, all: 3} {
		if setting == off {
			continue
		}
		best := 100 * (quantile(took[setting], 0.1)/quantile(took[off], 0.1) - 1)
		verdict := "met"
		if best > budget {
			verdict = fmt.Sprintf("missed by %.1f", best-budget)
		}
		fmt.Fprintf(w, "throughput lost, %s\t≤ %.0f %%\t%.1f %%\t%.1f %%\t%s\n", [...]string{standard: "default instruments", all: "everything on"}[setting],
			budget, best, 100*(quantile(ratios[setting], 0.5)-1), verdict)
	}
	return w.Flush()
}

// switchTo turns the instruments and consumers of waits: off, or to their defaults, or on.
func switchTo(r *instr.Registry, on, all bool) {
	for c := range instr.ConsumerCount {
		r.SetConsumer(c, on && (all || c.Default()))
	}
	for _, c := range r.Classes() {
		enabled := on && (all || c.Kind() == instr.KindFile || c.Kind() == instr.KindIdle)
		c.SetEnabled(enabled)
		c.SetTimed(enabled)
	}
}

func quantile[T cmp.Ordered](v []T, q float64) T {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[int(q*float64(len(v)))]
}
