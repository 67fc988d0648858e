package tables

import (
	"errors"
	"strings"
	"testing"

	"pfsd/instr"
)

func TestThreadsInTheBackground(t *testing.T) {
	reg := instr.NewRegistry()
	th := reg.Attach("test/worker")
	defer th.Detach()
	expect(t, one(t, reg, "threads"), row{
		"THREAD_ID": text(Uint(th.ID())), "NAME": "thread/test/worker", "TYPE": "BACKGROUND",
		"PROCESSLIST_ID": "NULL", "PROCESSLIST_USER": "NULL", "PROCESSLIST_HOST": "NULL", "PROCESSLIST_DB": "NULL",
		"PROCESSLIST_COMMAND": "NULL", "PROCESSLIST_TIME": "0", "PROCESSLIST_STATE": "NULL", "PROCESSLIST_INFO": "NULL",
		"PARENT_THREAD_ID": "NULL", "ROLE": "NULL", "INSTRUMENTED": "YES", "HISTORY": "YES", "CONNECTION_TYPE": "NULL",
		"RESOURCE_GROUP": "SYS_default", "EXECUTION_ENGINE": "PRIMARY", "CONTROLLED_MEMORY": "0", "MAX_CONTROLLED_MEMORY": "0",
		"TOTAL_MEMORY": "0", "MAX_TOTAL_MEMORY": "0", "TELEMETRY_ACTIVE": "NO",
	})
}

func TestThreadsOfConnections(t *testing.T) {
	reg := instr.NewRegistry()
	parent := reg.Attach("test/listener")
	parentID := parent.ID()
	defer parent.Detach()
	done := make(chan struct{})
	reg.Go("test/child", func() { // a thread that a thread has started
		defer close(done)
		expect(t, one(t, reg, "threads", is("NAME", "thread/test/child")), row{"PARENT_THREAD_ID": text(Uint(parentID)), "TYPE": "BACKGROUND"})
	})
	<-done

	threadsIn(t, reg, 2, func(i int, th *instr.Thread) {
		if i == 0 {
			return
		}
		expect(t, one(t, reg, "threads", number("THREAD_ID", th.ID())), row{"PROCESSLIST_COMMAND": "Sleep", "PROCESSLIST_DB": "NULL"})
		th.SetDB("test")
		th.SetCommand("Query")
		th.SetState(strings.Repeat("ä", 70))
		th.SetInfo("SELECT 1")
		th.SetConnectionType("TCP/IP")
	})
	expect(t, one(t, reg, "threads", number("PROCESSLIST_ID", 1)), row{
		"NAME": "thread/sql/one_connection", "TYPE": "FOREGROUND", "PROCESSLIST_ID": "1", "PROCESSLIST_USER": "user", "PROCESSLIST_HOST": "host",
		"PROCESSLIST_DB": "test", "PROCESSLIST_COMMAND": "Query", "PROCESSLIST_STATE": strings.Repeat("ä", 64), "PROCESSLIST_INFO": "SELECT 1",
		"CONNECTION_TYPE": "TCP/IP", "RESOURCE_GROUP": "USR_default",
	})
}

func TestUpdateThreads(t *testing.T) {
	reg := watched()
	m := keep(t, reg.NewMutex("test/a"))
	th := reg.Attach("test/worker")
	defer th.Detach()
	tb := tableNamed(t, "threads")
	key := Key{number("THREAD_ID", th.ID())}
	update := func(column, v string) {
		t.Helper()
		if err := tb.Update(Of(reg), key, column, Text(v)); err != nil {
			t.Error(err)
		}
		expect(t, one(t, reg, "threads", key...), row{column: strings.ToUpper(v)})
	}
	lock(m, 1)
	update("HISTORY", "no")
	lock(m, 1) // counted, not in the histories
	update("INSTRUMENTED", "No")
	lock(m, 1) // nothing
	update("INSTRUMENTED", "YES")
	update("HISTORY", "YES")
	lock(m, 1)
	if n := len(rows(t, reg, "events_waits_history")); n != 2 {
		t.Errorf("%d events in the history, want 2", n)
	}
	expect(t, one(t, reg, "events_waits_summary_global_by_event_name", is("EVENT_NAME", "wait/synch/mutex/test/a")), row{"COUNT_STAR": "3"})
	for _, column := range []string{"NAME", "THREAD_ID", "PROCESSLIST_USER"} {
		if err := tb.Update(Of(reg), key, column, Text("1")); !errors.Is(err, ErrColumnNotUpdatable) {
			t.Errorf("UPDATE %s: %v", column, err)
		}
	}
}

func TestThreadsThatEndVanish(t *testing.T) {
	reg := watched()
	m := keep(t, reg.NewMutex("test/a"))
	th := reg.Attach("test/worker")
	lock(m, 2)
	key := number("THREAD_ID", th.ID())
	perThread := []string{"threads", "events_waits_current", "events_waits_history", "events_waits_summary_by_thread_by_event_name"}
	for _, name := range perThread {
		if len(rows(t, reg, name, key)) == 0 {
			t.Errorf("%s: no row of a live thread", name)
		}
	}
	th.Detach()
	for _, name := range perThread {
		if n := len(rows(t, reg, name, key)); n != 0 {
			t.Errorf("%s: %d rows of a thread that has ended", name, n)
		}
	}
	if n := len(rows(t, reg, "events_waits_history_long", key)); n != 2 {
		t.Errorf("events_waits_history_long: %d rows, want 2", n)
	}
}

// An UPDATE that has found a thread must not change the next thread that uses its record.
func TestUpdateOfAThreadThatHasEnded(t *testing.T) {
	reg := instr.NewRegistry()
	th := reg.Attach("test/worker")
	tb := tableNamed(t, "threads").(*table[*threadRow])
	found := make([]*threadRow, 1)
	if n := tb.def.Rows(Of(reg), nil)(found); n != 1 {
		t.Fatalf("%d threads", n)
	}
	th.Detach()
	defer reg.Attach("test/next").Detach()
	for _, column := range []string{"INSTRUMENTED", "HISTORY"} {
		if err := tb.def.Columns[tb.byName[column]].Set(Of(reg), found[0], yes(false)); err != nil {
			t.Error(err)
		}
		expect(t, one(t, reg, "threads"), row{"NAME": "thread/test/next", column: "YES"})
	}
}
