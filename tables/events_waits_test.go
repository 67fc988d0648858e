package tables

import (
	"strconv"
	"strings"
	"testing"

	"pfsd/instr"
)

// numberIn is the number in a column of a row.
func numberIn(t testing.TB, r row, column string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(r[column], 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", column, err)
	}
	return n
}

// Three waits for a mutex, the last one not timed: the columns of their events.
func TestEventsOfAMutex(t *testing.T) {
	reg := watched()
	m := keep(t, reg.NewMutex("test/a"))
	c := reg.Reader().ClassByName("wait/synch/mutex/test/a")
	th := reg.Attach("test/worker")
	defer th.Detach()
	lock(m, 2)
	c.SetTimed(false)
	if !m.TryLock() {
		t.Fatal("the mutex is locked")
	}
	m.Unlock()

	object := one(t, reg, "mutex_instances")["OBJECT_INSTANCE_BEGIN"]
	for _, name := range []string{"events_waits_history", "events_waits_history_long"} {
		got := rows(t, reg, name)
		if len(got) != 3 {
			t.Fatalf("%s: %d rows, want 3", name, len(got))
		}
		for i, r := range got {
			id := text(Uint(uint64(i + 1)))
			want := row{
				"THREAD_ID": text(Uint(th.ID())), "EVENT_ID": id, "END_EVENT_ID": id, "EVENT_NAME": "wait/synch/mutex/test/a",
				"SPINS": "NULL", "OBJECT_SCHEMA": "NULL", "OBJECT_NAME": "NULL", "INDEX_NAME": "NULL", "OBJECT_TYPE": "NULL",
				"OBJECT_INSTANCE_BEGIN": object, "NESTING_EVENT_ID": "NULL", "NESTING_EVENT_TYPE": "NULL", "OPERATION": "lock",
				"NUMBER_OF_BYTES": "NULL", "FLAGS": "NULL",
			}
			file := "world_test.go"
			if i == 2 {
				want["TIMER_START"], want["TIMER_END"], want["TIMER_WAIT"], want["OPERATION"] = "NULL", "NULL", "NULL", "try_lock"
				file = "events_waits_test.go"
			} else {
				start, end, wait := numberIn(t, r, "TIMER_START"), numberIn(t, r, "TIMER_END"), numberIn(t, r, "TIMER_WAIT")
				if end < start || end-start > wait+1 || wait > end-start+1 {
					t.Errorf("%s: start %d, end %d, wait %d", name, start, end, wait)
				}
			}
			expect(t, r, want)
			got, line, _ := strings.Cut(r["SOURCE"], ":")
			if _, err := strconv.Atoi(line); got != file || err != nil {
				t.Errorf("%s: SOURCE %q", name, r["SOURCE"])
			}
		}
	}
	expect(t, one(t, reg, "events_waits_current"), row{"EVENT_ID": "3", "OPERATION": "try_lock", "END_EVENT_ID": "3"})
	expect(t, one(t, reg, "events_waits_history", number("THREAD_ID", th.ID()), number("EVENT_ID", 2)), row{"EVENT_ID": "2"})
}

// A wait that goes on has a duration so far, which grows, and no end.
func TestARunningWait(t *testing.T) {
	reg := watched()
	m := keep(t, reg.NewMutex("test/a"))
	m.Lock()
	var id uint64
	started := make(chan struct{})
	ended := make(chan struct{})
	reg.Go("test/waiter", func() {
		defer close(ended)
		id = instr.Current().ID()
		close(started)
		m.Lock()
		m.Unlock()
	})
	<-started
	key := number("THREAD_ID", id)
	eventually(t, "the wait", func() bool { return len(rows(t, reg, "events_waits_current", key)) == 1 })
	first := one(t, reg, "events_waits_current", key)
	expect(t, first, row{"END_EVENT_ID": "NULL", "OPERATION": "lock", "EVENT_NAME": "wait/synch/mutex/test/a"})
	eventually(t, "time to pass", func() bool {
		later := one(t, reg, "events_waits_current", key)
		return numberIn(t, later, "TIMER_WAIT") > numberIn(t, first, "TIMER_WAIT") && numberIn(t, later, "TIMER_END") > numberIn(t, first, "TIMER_END")
	})
	if n := len(rows(t, reg, "events_waits_history", key)); n != 0 {
		t.Errorf("%d running waits are in the history", n)
	}
	m.Unlock()
	<-ended
}

func TestHistorySizes(t *testing.T) {
	for _, size := range []int{0, 1, 3} {
		reg := watched()
		reg.Setup().SetHistorySize(instr.FamilyWaits, size)
		reg.Setup().SetHistoryLongSize(instr.FamilyWaits, size)
		m := keep(t, reg.NewMutex("test/a"))
		th := reg.Attach("test/worker")
		lock(m, 5)
		for _, name := range []string{"events_waits_history", "events_waits_history_long"} {
			got := rows(t, reg, name)
			if len(got) != size {
				t.Errorf("%s of size %d: %d rows", name, size, len(got))
			}
			for i, r := range got {
				expect(t, r, row{"EVENT_ID": text(Uint(uint64(5 - size + i + 1)))})
			}
		}
		th.Detach()
	}
}

// More rows than one batch come out whole and in order.
func TestALongHistoryLong(t *testing.T) {
	const n = 1000
	reg := watched()
	reg.Setup().SetHistoryLongSize(instr.FamilyWaits, n)
	m := keep(t, reg.NewMutex("test/a"))
	th := reg.Attach("test/worker")
	defer th.Detach()
	lock(m, 2*n)
	got := map[string]bool{}
	for _, r := range rows(t, reg, "events_waits_history_long") {
		got[r["EVENT_ID"]] = true
	}
	for i := uint64(n + 1); i <= 2*n; i++ {
		if !got[text(Uint(i))] {
			t.Errorf("event %d is missing", i)
		}
	}
	if len(got) != n {
		t.Errorf("%d events, want %d", len(got), n)
	}
}

func TestTruncateEvents(t *testing.T) {
	for _, truncated := range []string{"events_waits_current", "events_waits_history", "events_waits_history_long"} {
		reg := watched()
		m := keep(t, reg.NewMutex("test/a"))
		th := reg.Attach("test/worker")
		lock(m, 3)
		tableNamed(t, truncated).Truncate(Of(reg))
		for name, n := range map[string]int{"events_waits_current": 1, "events_waits_history": 3, "events_waits_history_long": 3} {
			if name == truncated {
				n = 0
			}
			if got := len(rows(t, reg, name)); got != n {
				t.Errorf("after TRUNCATE %s, %s has %d rows, want %d", truncated, name, got, n)
			}
		}
		lock(m, 1)
		if got := rows(t, reg, truncated); len(got) != 1 || got[0]["EVENT_ID"] != "4" {
			t.Errorf("%s after TRUNCATE and one wait: %v", truncated, got)
		}
		th.Detach()
	}
}

// A wait inside another one names it; the outer one ends after it.
func TestNestedWaits(t *testing.T) {
	reg := watched()
	m := keep(t, reg.NewMutex("test/a"))
	th := reg.Attach("test/worker")
	defer th.Detach()
	outer := th.StartIdle()
	lock(m, 2)
	outer.End()
	want := []row{
		{"EVENT_ID": "2", "END_EVENT_ID": "2", "NESTING_EVENT_ID": "1", "NESTING_EVENT_TYPE": "WAIT", "OPERATION": "lock"},
		{"EVENT_ID": "3", "END_EVENT_ID": "3", "NESTING_EVENT_ID": "1", "NESTING_EVENT_TYPE": "WAIT", "OPERATION": "lock"},
		{"EVENT_ID": "1", "END_EVENT_ID": "3", "NESTING_EVENT_ID": "NULL", "NESTING_EVENT_TYPE": "NULL", "OPERATION": "idle"},
	}
	for i, r := range rows(t, reg, "events_waits_history") {
		expect(t, r, want[i])
	}
	expect(t, one(t, reg, "events_waits_current"), want[2])
}
