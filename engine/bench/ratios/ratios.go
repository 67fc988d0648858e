package ratios

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Row is a figure. A smaller value is better.
type Row struct {
	// Name is the name of the figure. It has no tabs.
	Name string
	// Value is the measured value, in Unit.
	Value float64
	// Unit is the unit of Value: "times plain", "times MariaDB", "KiB", "allocations", "% lost".
	Unit string
	// Margin is the part of Value by which a later run may be larger. Slack is an amount, in Unit,
	// by which it may be larger in addition: it is for values near 0.
	Margin, Slack float64
	// Budget is the largest value that is wanted; a negative number means that there is none.
	Budget float64
	// Processor is the kind of processor that Value was measured on, if Value depends on it, else
	// "".
	Processor string
	// Missing tells that the program that Value is compared with is not installed. Then Value is
	// not used.
	Missing bool
}

// limit returns the largest value that a later run may have.
func (r Row) limit() float64 { return r.Value*(1+r.Margin) + r.Slack }

const head = "name\tvalue\tunit\tmargin\tslack\tbudget\tprocessor"

// Read reads the rows of a file; there are none if there is no file.
func Read(path string) ([]Row, error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []Row
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if line := lines.Text(); line != "" && line != head && !strings.HasPrefix(line, "#") {
			r, err := parse(line)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, err)
			}
			rows = append(rows, r)
		}
	}
	return rows, lines.Err()
}

func parse(line string) (r Row, err error) {
	cells := strings.Split(line, "\t")
	if len(cells) != 7 {
		return r, fmt.Errorf("%d columns, want 7", len(cells))
	}
	r.Name, r.Unit, r.Budget, r.Processor = cells[0], cells[2], -1, cells[6]
	for i, to := range map[int]*float64{1: &r.Value, 3: &r.Margin, 4: &r.Slack, 5: &r.Budget} {
		if i == 5 && cells[i] == "" {
			continue
		}
		if *to, err = strconv.ParseFloat(cells[i], 64); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Write writes rows to a file, after comments that explain it.
func Write(path string, rows []Row) error {
	var b strings.Builder
	b.WriteString("# What make bench has measured: ratios to a plain operation or a peer in the same run, and numbers that are no times.\n" +
		"# A run fails where a value is more than value*(1+margin)+slack. A better value takes the place of the one here.\n" + head + "\n")
	for _, r := range rows {
		budget := ""
		if r.Budget >= 0 {
			budget = strconv.FormatFloat(r.Budget, 'g', 4, 64)
		}
		fmt.Fprintf(&b, "%s\t%.4g\t%s\t%g\t%g\t%s\t%s\n", r.Name, r.Value, r.Unit, r.Margin, r.Slack, budget, r.Processor)
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// Same reports whether both rows are of the same figure.
func (r Row) Same(o Row) bool { return r.Name == o.Name && r.Processor == o.Processor }

// Compare compares the figures of a run with those of the file. next are the rows that the file
// should have afterwards. A figure that is new, or better by more than its margin, has its new
// value. All others keep their old values, so that many small losses cannot add up unnoticed. A
// figure that is not in the run, or that is missing there, stays as it is. worse are the rows of
// the run that are above their limits. gone are the rows of the file that are not in the run,
// except those for another processor.
func Compare(file, run []Row) (next, worse, gone []Row) {
	for _, old := range file {
		i := slices.IndexFunc(run, old.Same)
		if i < 0 {
			next = append(next, old)
			if old.Processor == "" || slices.ContainsFunc(run, func(r Row) bool { return r.Processor == old.Processor }) {
				gone = append(gone, old)
			}
			continue
		}
		now := run[i]
		switch {
		case now.Missing:
			now.Value = old.Value
		case now.Value > old.limit():
			worse = append(worse, now)
			now.Value = old.Value
		case now.limit() >= old.Value:
			now.Value = old.Value
		}
		now.Missing = false
		next = append(next, now)
	}
	for _, now := range run {
		if !now.Missing && !slices.ContainsFunc(file, now.Same) {
			next = append(next, now)
		}
	}
	return next, worse, gone
}

// Better returns the better value of two runs for each figure. A figure that is worse by chance is
// seldom worse twice.
func Better(one, other []Row) []Row {
	best := slices.Clone(one)
	for i, r := range best {
		for _, o := range other {
			if o.Name == r.Name && !o.Missing && (r.Missing || o.Value < r.Value) {
				best[i] = o
			}
		}
	}
	return best
}
