package tables

import (
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
)

var taxonomy = []string{"class", "order", "family", "genus"}

// levelSums adds up a summary's rows by the first parts of the names: how many waits, and how long.
func levelSums(t *testing.T, reg *instr.Registry, table string, parts int, key ...Eq) map[string][2]uint64 {
	t.Helper()
	sums := map[string][2]uint64{}
	for _, r := range rows(t, reg, table, key...) {
		words := strings.Split(r["EVENT_NAME"], "/")
		name := strings.Join(words[:min(parts, len(words))], "/")
		s := sums[name]
		s[0] += numberIn(t, r, "COUNT_STAR")
		s[1] += numberIn(t, r, "SUM_TIMER_WAIT")
		sums[name] = s
	}
	return sums
}

// Each level is the sum of the level below it, down to the instruments: for the threads, for
// one thread, and global.
func TestTaxonomy(t *testing.T) {
	reg := watched()
	reg.Setup().SetGoroutineThreads(0)
	populate(t, reg, 20)
	deep := keep(t, reg.NewMutex("test/a/b/c/d")) // seven parts
	th := reg.Attach("test/worker")
	defer th.Detach()
	lock(deep, 5)
	for _, scope := range []struct {
		table string
		key   Key
	}{
		{"events_waits_summary_by_thread_by_", nil},
		{"events_waits_summary_by_thread_by_", Key{number("THREAD_ID", th.ID())}},
		{"events_waits_summary_global_by_", nil},
	} {
		for i, level := range taxonomy {
			got := levelSums(t, reg, scope.table+level, 9, scope.key...)
			want := levelSums(t, reg, scope.table+"event_name", i+1, scope.key...)
			if len(got) != len(want) {
				t.Errorf("%s%s: %v, want %v", scope.table, level, got, want)
			}
			for name, w := range want {
				// Each row's time is rounded down to a picosecond.
				if g := got[name]; g[0] != w[0] || g[1] < w[1] || g[1] > w[1]+2000 {
					t.Errorf("%s%s: %s has %d waits, want %d", scope.table, level, name, g, w)
				}
			}
		}
	}
	for i, name := range []string{"wait", "wait/synch", "wait/synch/mutex", "wait/synch/mutex/test"} {
		key := Key{number("THREAD_ID", th.ID()), is("EVENT_NAME", strings.ToUpper(name))}
		expect(t, one(t, reg, "events_waits_summary_by_thread_by_"+taxonomy[i], key...), row{"EVENT_NAME": name, "COUNT_STAR": "5"})
		if n := len(rows(t, reg, "events_waits_summary_by_thread_by_"+taxonomy[(i+1)%4], key...)); n != 0 {
			t.Errorf("%s has %d rows of %s", taxonomy[(i+1)%4], n, name)
		}
	}
}

func TestNamesOfTheTaxonomy(t *testing.T) {
	reg := watched()
	keep(t, reg.NewMutex("test/a/b"))
	keep(t, reg.NewMutex("test/c"))
	keep(t, reg.NewMutex("other/a"))
	keep(t, reg.NewRWMutex("test/a"))
	reg.NewFileClass("test/a")
	for level, want := range map[string]string{
		"class":  "wait idle",
		"order":  "wait/synch wait/io wait/lock idle",
		"family": "wait/synch/mutex wait/synch/rwlock wait/io/file wait/io/table wait/lock/table idle",
		"genus":  "wait/synch/mutex/test wait/synch/mutex/other wait/synch/rwlock/test wait/io/file/test wait/io/table/sql wait/lock/table/sql idle",
	} {
		var names []string
		for _, r := range rows(t, reg, "events_waits_summary_global_by_"+level) {
			names = append(names, r["EVENT_NAME"])
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", level, got, want)
		}
	}
}

func FuzzFirstParts(f *testing.F) {
	for _, s := range []string{"", "idle", "wait/synch/mutex/sql/LOCK_open", "wait/io/file/a/b/c", "/", "a//b"} {
		f.Add(s, 2)
	}
	f.Fuzz(func(t *testing.T, name string, n int) {
		n = n&7 + 1
		parts := strings.Split(name, "/")
		if got, want := firstParts(name, n), strings.Join(parts[:min(n, len(parts))], "/"); got != want {
			t.Errorf("the first %d parts of %q: %q, want %q", n, name, got, want)
		}
	})
}

// Two instruments whose names differ by the case of a letter are both found.
func TestInstrumentsThatDifferByCase(t *testing.T) {
	reg := watched()
	lock(keep(t, reg.NewMutex("test/a")), 1)
	lock(keep(t, reg.NewMutex("test/A")), 2)
	var counts []string
	for _, r := range rows(t, reg, global, is("EVENT_NAME", "WAIT/synch/mutex/test/a")) {
		counts = append(counts, r["COUNT_STAR"])
	}
	if !slices.Equal(counts, []string{"1", "2"}) {
		t.Errorf("counts %v", counts)
	}
}
