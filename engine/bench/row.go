package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
)

// row is a line of the printed table.
type row struct {
	what         string
	unit         string
	budget       float64
	best, median float64
}

// noBudget is the budget of a row that is only printed for comparison.
const noBudget = -1

// printRows prints a table; best is the heading of the column with the best value.
func printRows(best string, rows []row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "what\tbudget\t%s\tmedian\tverdict\n", best)
	for _, r := range rows {
		budget, verdict := "", ""
		if r.budget >= 0 {
			budget, verdict = fmt.Sprintf("≤ %g %s", r.budget, r.unit), "met"
			if r.best > r.budget {
				verdict = fmt.Sprintf("missed by %.1f", r.best-r.budget)
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f %s\t%.1f %s\t%s\n", r.what, budget, r.best, r.unit, r.median, r.unit, verdict)
	}
	return w.Flush()
}

func quantile[T cmp.Ordered](v []T, q float64) T {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[int(q*float64(len(v)))]
}
