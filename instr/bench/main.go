package main

import (
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"pfsd/timers"
)

func main() {
	runs := flag.Int("runs", 7, "how many `runs`; at least 5 give a useful best")
	length := flag.Duration("d", 200*time.Millisecond, "how long each operation is measured in each run")
	plain := flag.Bool("tsv", false, "print ratios alone: name, how many times as long as the plain operation it takes, the unit, and its budget")
	flag.Parse()
	if *runs < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := bench(*runs, *length, *plain); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(runs int, length time.Duration, plain bool) error {
	if plain {
		return ratios(runs, length)
	}
	describeMachine(os.Stdout)
	busy := watchOthers()

	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tbudget\tbest\tmedian\tplain\tallocations\tverdict")
	for _, table := range tables {
		rows, err := table(runs, length)
		if err != nil {
			return err
		}
		for _, r := range rows {
			r.print(w)
		}
	}
	w.Flush()
	fmt.Println("\nCycles are the time stamp counter's, of which a nanosecond has",
		fmt.Sprintf("%.3f;", cyclesPerNanosecond()), "figures are added to the plain operation's, in the column plain.")
	busy(os.Stdout)
	return nil
}

var tables = []func(runs int, length time.Duration) ([]row, error){locks, synch, statements, lookup, reads, lifeCycle, writers, memory, collecting}

// ratios prints the rows that have a budget and a plain operation: how many times as long as that they take.
func ratios(runs int, length time.Duration) error {
	for _, table := range tables[:len(tables)-2] {
		rows, err := table(runs, length)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if r.budget >= 0 && r.plain > 0 {
				fmt.Printf("%s\t%.4g\ttimes plain\t%.4g\n", r.what, (r.plain+r.best)/r.plain, (r.plain+r.budget)/r.plain)
			}
		}
	}
	return nil
}

// row is a line of the table.
type row struct {
	what         string
	unit         string
	budget       float64 // less than 0: none
	best, median float64
	plain        float64 // the plain operation's best; less than 0: there is none
	allocations  float64 // less than 0: not counted
}

func (r row) print(w *tabwriter.Writer) {
	format := func(v float64) string {
		switch {
		case r.unit == "times":
			return fmt.Sprintf("%.2f", v)
		case v != 0 && v > -10 && v < 10:
			return fmt.Sprintf("%.1f", v)
		}
		return fmt.Sprintf("%.0f", v)
	}
	budget, verdict, plain, allocations := "", "", "", ""
	if r.budget >= 0 {
		budget = "≤ " + format(r.budget) + " " + r.unit
		verdict = "met"
		if r.best > r.budget {
			verdict = "missed by " + format(r.best-r.budget)
		}
	}
	if r.plain >= 0 {
		plain = format(r.plain)
	}
	if r.allocations >= 0 {
		allocations = fmt.Sprintf("%.3g", r.allocations)
	}
	fmt.Fprintf(w, "%s\t%s\t%s %s\t%s\t%s\t%s\t%s\n", r.what, budget, format(r.best), r.unit, format(r.median), plain, allocations, verdict)
}

func cyclesPerNanosecond() float64 { return float64(timers.Cycle.Frequency()) / 1e9 }
