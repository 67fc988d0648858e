package main

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"pfsd/instr"
)

// The settings that throughput compares.
const (
	settingOff = iota
	settingDefault
	settingAll
	settingOwn
	settingCount
)

var settingNames = [settingCount]string{"off", "default instruments", "everything on", "everything on, histograms and hold times"}

// settingBudgets says how much throughput each setting may cost, in percent; a negative number
// means that there is no limit. Everything means what MySQL has, too: histograms and hold times are
// off by default.
var settingBudgets = [settingCount]float64{0, 1, 3, -1}

// throughput measures how much the server loses by its own instrumentation. The server's switches
// change from slice to slice, while a client in its own process selects rows by key. The result
// uses the server's processor time, because other processes on the machine change it less than the
// time by the clock.
func throughput(args []string) (err error) {
	flags := flag.NewFlagSet("bench throughput", flag.ExitOnError)
	rounds := flags.Int("rounds", 200, "how many slices under each setting")
	slice := flags.Duration("slice", 100*time.Millisecond, "how long a slice is")
	connections := flags.Int("connections", 1, "how many clients at once")
	_ = flags.Parse(args)

	runtime.MemProfileRate = 0 // pfsd does not profile its memory either

	r := instr.NewRegistry()
	addr, stop, err := listen(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := fill(addr); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "point selects\tstatements/s\tserver's processor time\tbudget\tthroughput lost\tquartiles\tverdict\tlost by the clock")
	for _, prepared := range []bool{false, true} {
		l, err := startLoad(addr, *connections, prepared)
		if err != nil {
			return err
		}
		t, err := alternate(r, l, *rounds, *slice)
		if err = errors.Join(err, l.stop()); err != nil {
			return err
		}
		t.print(w, prepared)
	}
	return w.Flush()
}

// fill creates the table that load reads.
func fill(addr string) (err error) {
	db, err := sql.Open("mysql", "root@tcp("+addr+")/")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	values := make([]string, loadRows)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, 'row %d')", i, i)
	}
	for _, q := range []string{
		"CREATE DATABASE bench", "CREATE TABLE bench.t (a INT PRIMARY KEY, b VARCHAR(20))",
		"INSERT INTO bench.t VALUES " + strings.Join(values, ", "),
	} {
		if _, err := db.Exec(q); err != nil {
			return err
		}
	}
	return nil
}

// measured has, for each setting, the statements per second, the server's processor time for a
// statement, and the part of the statements that is lost compared with the neighbouring slice with
// everything off: for a second of the server's processor time, and for a second by the clock.
type measured struct {
	rates, costs, lost, lostByClock [settingCount][]float64
}

// alternate runs the load under each setting in turn, in a new order each time.
func alternate(r *instr.Registry, l *loader, rounds int, slice time.Duration) (*measured, error) {
	m := new(measured)
	for round := -1; round < rounds; round++ { // the first round is a warm-up
		var rates, costs [settingCount]float64
		for _, setting := range rand.Perm(settingCount) {
			switchTo(r, setting)
			if _, err := l.run(slice / 4); err != nil { // the data of instruments that have just been switched on is not in the processor's caches yet
				return nil, err
			}
			begin, cpu := time.Now(), processorTime()
			n, err := l.run(slice)
			if err != nil {
				return nil, err
			}
			rates[setting] = float64(n) / time.Since(begin).Seconds()
			costs[setting] = float64(processorTime()-cpu) / float64(n)
		}
		for setting := range settingCount {
			if round < 0 {
				continue
			}
			m.rates[setting] = append(m.rates[setting], rates[setting])
			m.costs[setting] = append(m.costs[setting], costs[setting])
			m.lost[setting] = append(m.lost[setting], 100*(1-costs[settingOff]/costs[setting]))
			m.lostByClock[setting] = append(m.lostByClock[setting], 100*(1-rates[setting]/rates[settingOff]))
		}
	}
	return m, nil
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (m *measured) print(w io.Writer, prepared bool) {
	kind := "text"
	if prepared {
		kind = "prepared"
	}
	for setting := range settingCount {
		fmt.Fprintf(w, "%s, %s\t%.0f\t%.1f µs\t", kind, settingNames[setting], quantile(m.rates[setting], 0.5), quantile(m.costs[setting], 0.5)/1e3)
		if setting == settingOff {
			fmt.Fprintln(w, "\t\t\t\t")
			continue
		}
		lost, budget, verdict := m.lost[setting], "", ""
		median := quantile(lost, 0.5)
		if most := settingBudgets[setting]; most >= 0 {
			budget, verdict = fmt.Sprintf("≤ %g %%", most), "met"
			if median > most {
				verdict = fmt.Sprintf("missed by %.1f", median-most)
			}
		}
		fmt.Fprintf(w, "%s\t%.1f %%\t%.1f to %.1f\t%s\t%.1f %%\n",
			budget, median, quantile(lost, 0.25), quantile(lost, 0.75), verdict, quantile(m.lostByClock[setting], 0.5))
	}
}

// switchTo switches instruments and consumers.
func switchTo(r *instr.Registry, setting int) {
	on, all, own := setting != settingOff, setting >= settingAll, setting == settingOwn
	for c := range instr.ConsumerCount {
		r.Setup().SetConsumer(c, on && (all && (own || !ownConsumer(c)) || c.Default()))
	}
	for _, c := range r.Reader().Classes() {
		enabled := all
		switch c.Kind() {
		case instr.KindFile, instr.KindIdle, instr.KindStatement, instr.KindTransaction, instr.KindError:
			enabled = on
		case instr.KindMutexHold, instr.KindRWMutexHold:
			enabled = own
		}
		c.SetEnabled(enabled)
		c.SetTimed(enabled)
	}
}
