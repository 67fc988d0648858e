package tables

import (
	"slices"
	"testing"

	"pfsd/instr"
)

// history returns a registry whose events_waits_history_long holds n events.
func history(b *testing.B, n int) *instr.Registry {
	reg := watched()
	reg.SetHistoryLongSize(n)
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
				for cur := tb.Scan(reg, c.cols, c.key); cur.Next(values); {
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
				if !tb.Scan(reg, []int{0}, key).Next(values) {
					b.Fatal("no row")
				}
			}
		})
	}
}
