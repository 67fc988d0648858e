package tables

import (
	"testing"

	"pfsd/instr"
)

const mutexA, mutexB = "wait/synch/mutex/test/a", "wait/synch/mutex/test/b"

// counts reads COUNT_STAR of an instrument in the tables of waits: of all its objects
// together, of the current thread, and global.
func counts(t *testing.T, reg *instr.Registry, th *instr.Thread, class string) (instances, thread, global string) {
	t.Helper()
	total := uint64(0)
	for _, r := range rows(t, reg, "events_waits_summary_by_instance", is("EVENT_NAME", class)) {
		total += numberIn(t, r, "COUNT_STAR")
	}
	return text(Uint(total)),
		one(t, reg, "events_waits_summary_by_thread_by_event_name", number("THREAD_ID", th.ID()), is("EVENT_NAME", class))["COUNT_STAR"],
		one(t, reg, "events_waits_summary_global_by_event_name", is("EVENT_NAME", class))["COUNT_STAR"]
}

func TestSummaries(t *testing.T) {
	reg := watched()
	a1, a2, b := keep(t, reg.NewMutex("test/a")), keep(t, reg.NewMutex("test/a")), keep(t, reg.NewMutex("test/b"))
	th := reg.Attach("test/worker")
	defer th.Detach()
	lock(a1, 5)
	lock(a2, 2)
	if i, th, g := counts(t, reg, th, mutexA); i != "7" || th != "7" || g != "7" {
		t.Errorf("%s by instance, %s by thread, %s global, want 7 each", i, th, g)
	}
	// An instrument that was not used has its row all the same.
	for _, name := range []string{"events_waits_summary_by_thread_by_event_name", "events_waits_summary_global_by_event_name", "events_waits_summary_by_instance"} {
		expect(t, one(t, reg, name, is("EVENT_NAME", mutexB)), row{
			"COUNT_STAR": "0", "SUM_TIMER_WAIT": "0", "MIN_TIMER_WAIT": "0", "AVG_TIMER_WAIT": "0", "MAX_TIMER_WAIT": "0",
		})
	}
	// Untimed waits only count.
	reg.Reader().ClassByName(mutexB).SetTimed(false)
	lock(b, 3)
	for _, name := range []string{"events_waits_summary_by_thread_by_event_name", "events_waits_summary_global_by_event_name", "events_waits_summary_by_instance"} {
		expect(t, one(t, reg, name, is("EVENT_NAME", mutexB)), row{
			"COUNT_STAR": "3", "SUM_TIMER_WAIT": "0", "MIN_TIMER_WAIT": "0", "AVG_TIMER_WAIT": "0", "MAX_TIMER_WAIT": "0",
		})
	}
	r := one(t, reg, "events_waits_summary_global_by_event_name", is("EVENT_NAME", mutexA))
	sum, low := numberIn(t, r, "SUM_TIMER_WAIT"), numberIn(t, r, "MIN_TIMER_WAIT")
	avg, high := numberIn(t, r, "AVG_TIMER_WAIT"), numberIn(t, r, "MAX_TIMER_WAIT")
	if low == 0 || low > avg || avg > high || sum < 6*low+high || sum > 6*high+low {
		t.Errorf("7 waits: sum %d, min %d, avg %d, max %d", sum, low, avg, high)
	}
	if n, want := len(rows(t, reg, "events_waits_summary_by_thread_by_event_name")), len(reg.Reader().FamilyClasses(instr.FamilyWaits)); n != want {
		t.Errorf("%d rows for one thread, want one for each of %d instruments", n, want)
	}
}

// The totals stay when the mutex or the thread does not exist any more.
func TestGlobalSummaryOutlivesThreads(t *testing.T) {
	reg := watched()
	m := keep(t, reg.NewMutex("test/a"))
	for range 3 {
		th := reg.Attach("test/worker")
		lock(m, 4)
		th.Detach()
	}
	lock(m, 1) // by a goroutine that is no thread
	expect(t, one(t, reg, "events_waits_summary_global_by_event_name", is("EVENT_NAME", mutexA)), row{"COUNT_STAR": "13"})
	expect(t, one(t, reg, "events_waits_summary_by_instance", is("EVENT_NAME", mutexA)), row{"COUNT_STAR": "13"})
}

// What TRUNCATE empties, and what it leaves alone.
func TestTruncateSummaries(t *testing.T) {
	for _, c := range []struct{ table, instances, thread, global string }{
		{"events_waits_summary_by_instance", "0", "3", "0"},
		{"events_waits_summary_by_thread_by_event_name", "3", "0", "3"},
		{"events_waits_summary_global_by_event_name", "0", "3", "0"},
	} {
		reg := watched()
		m := keep(t, reg.NewMutex("test/a"))
		th := reg.Attach("test/worker")
		lock(m, 3)
		before := len(rows(t, reg, c.table))
		tableNamed(t, c.table).Truncate(Of(reg))
		if after := len(rows(t, reg, c.table)); after != before {
			t.Errorf("TRUNCATE %s: %d rows of %d are left", c.table, after, before)
		}
		if i, tt, g := counts(t, reg, th, mutexA); i != c.instances || tt != c.thread || g != c.global {
			t.Errorf("after TRUNCATE %s: %s by instance, %s by thread, %s global", c.table, i, tt, g)
		}
		lock(m, 2)
		r := one(t, reg, c.table, is("EVENT_NAME", mutexA))
		expect(t, r, row{"COUNT_STAR": "2"})
		if r["MIN_TIMER_WAIT"] == "0" || r["MAX_TIMER_WAIT"] == "0" {
			t.Errorf("%s after TRUNCATE and two waits: %v", c.table, r)
		}
		th.Detach()
	}
}
