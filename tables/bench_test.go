package tables

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pfsd/instr"
)

// history returns a registry whose events_waits_history_long holds n events.
func history(b *testing.B, n int) *instr.Registry {
	reg := watched()
	reg.Setup().SetHistoryLongSize(instr.FamilyWaits, n)
	mutexes := []*instr.Mutex{keep(b, reg.NewMutex("test/a")), keep(b, reg.NewMutex("test/b")), keep(b, reg.NewMutex("test/c"))}
	th := reg.Attach("test/worker")
	b.Cleanup(th.Detach)
	for i := range 2 * n {
		lock(mutexes[i%3], 1)
	}
	return reg
}

// BenchmarkScan reads 10,000 rows of events_waits_history_long: all columns, none, and
// those of one thread that has none.
func BenchmarkScan(b *testing.B) {
	const n = 10_000
	reg := history(b, n)
	tb := tableNamed(b, "events_waits_history_long")
	var all []int
	for i := range tb.Columns() {
		all = append(all, i)
	}
	for _, c := range []struct {
		name string
		cols []int
		key  Key
		rows int
	}{
		{"columns=all", all, nil, n},
		{"columns=none", nil, nil, n},
		{"key=thread", all, Key{number("THREAD_ID", 1<<40)}, 0},
		{"key=event_name", all, Key{is("EVENT_NAME", "wait/synch/mutex/test/none")}, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			values := make([]Value, len(c.cols))
			b.ReportAllocs()
			for b.Loop() {
				got := 0
				for cur := tb.Scan(Of(reg), c.cols, c.key); cur.Next(values); {
					got++
				}
				if got != c.rows {
					b.Fatalf("%d rows", got)
				}
			}
		})
	}
}

// BenchmarkLookup finds one row by its primary key among those of a thousand threads.
func BenchmarkLookup(b *testing.B) {
	reg := watched()
	populate(b, reg, 1000)
	for _, name := range []string{"threads", "events_waits_current", "events_waits_summary_by_thread_by_event_name", "mutex_instances", "setup_instruments"} {
		tb := tableNamed(b, name)
		all := values(tb, reg, nil)
		row := all[len(all)/2]
		primary := slices.IndexFunc(tb.Indexes(), func(ix Index) bool { return ix.Name == "PRIMARY" })
		var key Key
		for _, c := range tb.Indexes()[primary].Columns {
			for i, info := range tb.Columns() {
				if info.Name == c {
					key = append(key, Eq{Column: c, Value: row[i]})
				}
			}
		}
		b.Run("table="+name, func(b *testing.B) {
			values := make([]Value, 1)
			b.ReportAllocs()
			for b.Loop() {
				if !tb.Scan(Of(reg), []int{0}, key).Next(values) {
					b.Fatal("no row")
				}
			}
		})
	}
}

// BenchmarkSumSummaries adds up COUNT_STAR and SUM_TIMER_WAIT in every summary of waits, over
// 10,000 threads that have waited, each for 10 of 40 mutexes of different instruments.
func BenchmarkSumSummaries(b *testing.B) {
	const threads, instruments, used = 10_000, 40, 10
	reg := watched()
	mutexes := make([]*instr.Mutex, instruments)
	for i := range mutexes {
		mutexes[i] = keep(b, reg.NewMutex("test"+strconv.Itoa(i%5)+"/m"+strconv.Itoa(i)))
	}
	threadsIn(b, reg, threads, func(i int, th *instr.Thread) {
		for n := range used {
			lock(mutexes[(i+n)%instruments], 1)
		}
	})
	var summaries []Table
	for _, tb := range All() {
		if strings.HasPrefix(tb.Name(), "events_waits_summary_") {
			summaries = append(summaries, tb)
		}
	}
	sum := func(tb Table) (rows int, count, picoseconds uint64) {
		var columns []int
		for i, c := range tb.Columns() {
			if c.Name == "COUNT_STAR" || c.Name == "SUM_TIMER_WAIT" {
				columns = append(columns, i)
			}
		}
		values := make([]Value, len(columns))
		for c := tb.Scan(Of(reg), columns, nil); c.Next(values); rows++ {
			count += values[0].Bits()
			picoseconds += values[1].Bits()
		}
		return rows, count, picoseconds
	}
	for _, tb := range summaries {
		if rows, count, picoseconds := sum(tb); rows == 0 || count != used*threads || picoseconds == 0 {
			b.Fatalf("%s: %d waits in %d rows, %d ps", tb.Name(), count, rows, picoseconds)
		}
		b.Run("table="+tb.Name(), func(b *testing.B) {
			rows := 0
			for b.Loop() {
				rows, _, _ = sum(tb)
			}
			b.ReportMetric(float64(rows), "rows")
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/pass")
		})
	}
	b.Run("table=all", func(b *testing.B) {
		total := 0
		for b.Loop() {
			total = 0
			for _, tb := range summaries {
				rows, _, _ := sum(tb)
				total += rows
			}
		}
		b.ReportMetric(float64(total), "rows")
		b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/pass")
	})
}
