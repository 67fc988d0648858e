package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"pfsd/engine/bench/ratios"
	"pfsd/engine/bench/readings"
	"pfsd/instr"
)

// A section measures some figures. If a figure is worse, the section is measured a second time.
type section struct {
	name string
	run  func() ([]ratios.Row, error)
}

// ratio measures each figure of a file, and fails if one has become worse. Then it leaves the file
// unchanged, and writes another file beside it.
func ratio(args []string) error {
	flags := flag.NewFlagSet("bench ratios", flag.ExitOnError)
	path := flags.String("file", "testdata/bench/ratios.tsv", "the `file`")
	pfsd := flags.String("pfsd", "bin/pfsd", "pfsd's `binary`")
	only := flags.String("only", "", "an `expression` that the names of the sections match: hotpath, throughput, connections, allocations, bounds, held, history, mariadb, sysbench, loading")
	_ = flags.Parse(args)
	which, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	file, err := ratios.Read(*path)
	if err != nil {
		return err
	}
	var run []ratios.Row
	for _, s := range []section{
		{"hotpath", hotPath}, {"throughput", lostThroughput}, {"connections", connectionMemory}, {"allocations", allocations},
		{"bounds", boundCosts}, {"held", heldBack}, {"history", historyCosts},
		{"mariadb", func() ([]ratios.Row, error) { return besideMariaDB(*pfsd, file) }},
		{"sysbench", func() ([]ratios.Row, error) { return sysbenchRows(*pfsd, file) }},
		{"loading", func() ([]ratios.Row, error) { return loadingRows(*pfsd, file) }},
	} {
		if !which.MatchString(s.name) {
			continue
		}
		rows, err := s.run()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if _, worse, _ := ratios.Compare(file, rows); len(worse) > 0 {
			again, err := s.run()
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			rows = ratios.Better(rows, again)
		}
		run = append(run, rows...)
	}
	next, worse, gone := ratios.Compare(file, run)
	printRatios(file, run)
	if len(worse) > 0 {
		if err := ratios.Write(*path+".new", run); err != nil {
			return err
		}
		return fmt.Errorf("%d figures are worse than %s says; %[2]s.new has those of this run, for a change that means to move them", len(worse), *path)
	}
	if len(gone) > 0 && *only == "" {
		return fmt.Errorf("%d figures of %s have not been measured, %s the first", len(gone), *path, gone[0].Name)
	}
	return ratios.Write(*path, next)
}

func printRatios(file, run []ratios.Row) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tvalue\tbefore\tbudget\tverdict")
	for _, r := range run {
		before, budget, verdict := "", "", "met"
		if i := slices.IndexFunc(file, r.Same); i >= 0 {
			before = fmt.Sprintf("%.4g", file[i].Value)
		}
		if r.Budget < 0 {
			verdict = ""
		} else if budget = fmt.Sprintf("≤ %g", r.Budget); r.Value > r.Budget {
			verdict = fmt.Sprintf("missed by %.3g", r.Value-r.Budget)
		}
		if _, worse, _ := ratios.Compare(file, []ratios.Row{r}); len(worse) > 0 {
			verdict = "WORSE " + verdict
		}
		if r.Missing {
			verdict = "the peer is missing"
		}
		fmt.Fprintf(w, "%s\t%.4g %s\t%s\t%s\t%s\n", r.Name, r.Value, r.Unit, before, budget, verdict)
	}
	_ = w.Flush()
}

// hotPath measures how much longer plain operations take with instrumentation, as ratios. The time
// of a plain lock differs by a factor of three between processors.
func hotPath() (rows []ratios.Row, err error) {
	processor, err := processorModel()
	if err != nil {
		return nil, err
	}
	out, err := exec.Command("go", "run", "./instr/bench", "-runs=5", "-d=100ms", "-tsv").Output()
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) != 4 {
			return nil, fmt.Errorf("%q has %d columns, want 4", lines.Text(), len(cells))
		}
		r := ratios.Row{Name: cells[0], Unit: cells[2], Margin: 0.25, Slack: 0.3, Budget: -1, Processor: processor}
		if r.Value, err = strconv.ParseFloat(cells[1], 64); err != nil {
			return nil, err
		}
		if cells[3] != "" {
			if r.Budget, err = strconv.ParseFloat(cells[3], 64); err != nil {
				return nil, err
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// processorModel identifies the kind of processor: its vendor, family and model.
func processorModel() (string, error) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "", err
	}
	var parts []string
	for _, name := range []string{"vendor_id", "cpu family", "model"} {
		_, value, found := strings.Cut(string(info), "\n"+name+"\t")
		if !found {
			return runtime.GOARCH, nil
		}
		_, value, _ = strings.Cut(value, ":")
		value, _, _ = strings.Cut(value, "\n")
		parts = append(parts, strings.TrimSpace(value))
	}
	return strings.Join(parts, " "), nil
}

// lostThroughput measures how much throughput the server loses by its own instrumentation.
func lostThroughput() (rows []ratios.Row, err error) {
	runtime.MemProfileRate = 0
	r := instr.NewRegistry()
	addr, stop, err := listen(r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := fill(addr); err != nil {
		return nil, err
	}
	for _, prepared := range []bool{false, true} {
		l, err := startLoad(addr, 1, prepared)
		if err != nil {
			return nil, err
		}
		m, err := alternate(r, l, 60, 50*time.Millisecond)
		if err = errors.Join(err, l.stop()); err != nil {
			return nil, err
		}
		kind := "text"
		if prepared {
			kind = "prepared"
		}
		for setting := settingDefault; setting < settingCount; setting++ {
			rows = append(rows, ratios.Row{
				Name: "point selects, " + kind + ", " + settingNames[setting], Value: quantile(m.lost[setting], 0.5), Unit: "% lost",
				Slack: 4, Budget: settingBudgets[setting],
			})
		}
	}
	return rows, nil
}

// connectionMemory measures the memory of an idle connection.
func connectionMemory() ([]ratios.Row, error) {
	const clients = 500
	all, err := perClient("watched", clients, "")
	if err != nil {
		return nil, err
	}
	bare, err := perClient("unwatched", clients, "")
	return []ratios.Row{
		{Name: "memory of an idle connection", Value: all, Unit: "KiB", Margin: 0.05, Slack: 0.5, Budget: 40},
		{Name: "memory of an idle connection, the instrumentation's part", Value: all - bare, Unit: "KiB", Margin: 0.1, Slack: 0.5, Budget: -1},
	}, err
}

// allocations measures the server's allocations for a statement.
func allocations() (rows []ratios.Row, err error) {
	r := watchAll()
	addr, stop, err := listen(r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	c, err := dialRaw(addr, "performance_schema")
	if err != nil {
		return nil, err
	}
	defer c.close()
	for _, q := range readings.All("1", "wait/synch/mutex/sql/LOCK_thd_list") {
		const times = 200
		least := -1.0
		for range 3 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range times {
				if _, err := c.query(q.Text); err != nil {
					return nil, err
				}
			}
			runtime.ReadMemStats(&after)
			if n := float64(after.Mallocs-before.Mallocs) / times; least < 0 || n < least {
				least = n
			}
		}
		rows = append(rows, ratios.Row{Name: "allocations, " + q.Name, Value: least, Unit: "allocations", Margin: 0.1, Slack: 3, Budget: -1})
	}
	return rows, nil
}

// besideMariaDB measures how much longer pfsd takes than MariaDB for statements that read, as
// ratios. Without MariaDB it returns the rows of the file, marked as missing.
func besideMariaDB(pfsd string, file []ratios.Row) (rows []ratios.Row, err error) {
	if missing := missingPeer(file, "reading, "); missing != nil {
		return missing, nil
	}
	var ours *server
	var theirs *server
	err = withServers(pfsd, "mariadbd", "mariadb-install-db", func(a, b *server) error {
		ours, theirs = a, b
		return measureBoth(a, b, 200, regexp.MustCompile(""))
	})
	if err != nil {
		return nil, err
	}
	for i := range ours.queries {
		a, b := &ours.queries[i], &theirs.queries[i]
		rows = append(rows, ratios.Row{
			Name: "reading, " + a.name, Value: float64(quantile(a.took, 0.1)) / float64(quantile(b.took, 0.1)), Unit: timesMariaDB,
			// Other processes on the machine disturb the two servers in different ways.
			Margin: 0.5, Slack: 0.3, Budget: 1,
		})
	}
	return rows, nil
}

// missingPeer returns the rows of the file whose names begin with prefix, marked as missing, if
// MariaDB or sysbench is not installed. Else it returns nil.
func missingPeer(file []ratios.Row, prefix string) []ratios.Row {
	programs := []string{"mariadbd", "mariadb-install-db"}
	if strings.HasPrefix(prefix, "sysbench") {
		programs = append(programs, "sysbench")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			rows := []ratios.Row{}
			for _, r := range file {
				if strings.HasPrefix(r.Name, prefix) {
					r.Missing = true
					rows = append(rows, r)
				}
			}
			return rows
		}
	}
	return nil
}

const timesMariaDB = "times MariaDB"
