package tables

import (
	"sync"
	"testing"

	"pfsd/instr"
)

const perThread, perAccount = "events_waits_summary_by_thread_by_event_name", "events_waits_summary_by_account_by_event_name"
const perUser, perHost = "events_waits_summary_by_user_by_event_name", "events_waits_summary_by_host_by_event_name"
const global = "events_waits_summary_global_by_event_name"

// session runs work in a new thread of a connection that logs in as user@host.
func session(reg *instr.Registry, user, host string, work func(*instr.Thread)) {
	var ended sync.WaitGroup
	ended.Go(func() {
		th := reg.AttachConnection("sql/one_connection", 1)
		defer th.Detach()
		th.SetAccount(user, host)
		work(th)
	})
	ended.Wait()
}

// waitsOf is COUNT_STAR of mutexA in the rows of a summary that match key, added up; -1 if there
// is no row.
func waitsOf(t *testing.T, reg *instr.Registry, table string, key ...Eq) int {
	t.Helper()
	sum := -1
	for _, r := range rows(t, reg, table, append(key, is("EVENT_NAME", mutexA))...) {
		sum = max(sum, 0) + int(numberIn(t, r, "COUNT_STAR"))
	}
	return sum
}

func TestActors(t *testing.T) {
	reg := watched()
	session(reg, "anna", "here", func(*instr.Thread) {})
	session(reg, "anna", "here", func(*instr.Thread) {
		expect(t, one(t, reg, "accounts", is("USER", "anna")), row{
			"USER": "anna", "HOST": "here", "CURRENT_CONNECTIONS": "1", "TOTAL_CONNECTIONS": "2",
			"MAX_SESSION_CONTROLLED_MEMORY": "0", "MAX_SESSION_TOTAL_MEMORY": "0",
		})
	})
	session(reg, "anna", "there", func(*instr.Thread) {})
	session(reg, "Anna", "HERE", func(*instr.Thread) {}) // another user, the same host
	defer reg.Attach("test/worker").Detach()

	for _, c := range []struct {
		table          string
		key            Key
		current, total string
	}{
		{"accounts", Key{is("USER", "anna"), is("HOST", "Here")}, "0", "2"},
		{"accounts", Key{is("USER", "anna"), is("HOST", "there")}, "0", "1"},
		{"accounts", Key{is("USER", "Anna")}, "0", "1"},
		{"users", Key{is("USER", "anna")}, "0", "3"},
		{"users", Key{is("USER", "Anna")}, "0", "1"},
		{"hosts", Key{is("HOST", "here")}, "0", "3"},
		{"hosts", Key{is("HOST", "there")}, "0", "1"},
	} {
		expect(t, one(t, reg, c.table, c.key...), row{"CURRENT_CONNECTIONS": c.current, "TOTAL_CONNECTIONS": c.total})
	}
	for _, c := range []struct {
		table, column string
		rows          int
	}{{"accounts", "USER", 4}, {"users", "USER", 3}, {"hosts", "HOST", 3}} {
		all := rows(t, reg, c.table)
		if len(all) != c.rows {
			t.Errorf("%s: %d rows, want %d", c.table, len(all), c.rows)
		}
		nulls := 0
		for _, r := range all {
			if r[c.column] == "NULL" {
				nulls++
				expect(t, r, row{"CURRENT_CONNECTIONS": "1"})
			}
		}
		if nulls != 1 {
			t.Errorf("%s: %d rows of the background", c.table, nulls)
		}
		// Nothing equals NULL, and a user is not found by another letter case.
		for _, key := range []Key{{{Column: c.column, Value: Null}}, {is(c.column, "NULL")}, {is(c.column, "")}} {
			if n := len(rows(t, reg, c.table, key...)); n != 0 {
				t.Errorf("%s where %v: %d rows", c.table, key, n)
			}
		}
	}
	if n := len(rows(t, reg, "users", is("USER", "ANNA"))); n != 0 {
		t.Errorf("user ANNA: %d rows", n)
	}
}

// TRUNCATE removes actors without threads, and counts the others from 0.
func TestTruncateActors(t *testing.T) {
	for _, c := range []struct {
		table                  string
		accounts, users, hosts int
	}{{"accounts", 2, 3, 3}, {"users", 2, 2, 3}, {"hosts", 2, 3, 2}} {
		reg := watched()
		session(reg, "gone", "far", func(*instr.Thread) {})
		session(reg, "anna", "here", func(*instr.Thread) {})
		th := reg.Attach("test/worker")
		tableNamed(t, c.table).Truncate(Of(reg))
		session(reg, "anna", "here", func(*instr.Thread) {
			for table, want := range map[string]int{"accounts": c.accounts, "users": c.users, "hosts": c.hosts} {
				if n := len(rows(t, reg, table)); n != want {
					t.Errorf("after TRUNCATE %s: %d %s, want %d", c.table, n, table, want)
				}
			}
			tableNamed(t, c.table).Truncate(Of(reg))
			for _, r := range rows(t, reg, c.table) {
				expect(t, r, row{"CURRENT_CONNECTIONS": "1", "TOTAL_CONNECTIONS": "1"})
			}
		})
		th.Detach()
	}
}

// The waits of live threads, of ended ones, and of background threads, by actor.
func TestActorSummaries(t *testing.T) {
	reg := watched()
	a := keep(t, reg.NewMutex("test/a"))
	keep(t, reg.NewMutex("test/b"))
	background := reg.Attach("test/worker")
	defer background.Detach()
	lock(a, 1)
	worker := func(user, host string, times int, then func()) {
		session(reg, user, host, func(*instr.Thread) {
			lock(a, times)
			then()
		})
	}
	worker("anna", "here", 2, func() {})
	worker("anna", "there", 4, func() {})
	worker("Anna", "here", 8, func() {})
	worker("anna", "here", 16, func() {
		for _, c := range []struct {
			table string
			key   Key
			waits int
		}{
			{perAccount, nil, 31},
			{perAccount, Key{is("USER", "anna")}, 22},
			{perAccount, Key{is("USER", "anna"), is("HOST", "HERE")}, 18},
			{perAccount, Key{is("USER", "Anna"), is("HOST", "here")}, 8},
			{perAccount, Key{is("USER", "ANNA")}, -1},
			{perUser, nil, 31},
			{perUser, Key{is("USER", "anna")}, 22},
			{perHost, nil, 31},
			{perHost, Key{is("HOST", "here")}, 26},
			{perHost, Key{is("HOST", "nowhere")}, -1},
			{perThread, nil, 17},
			{global, nil, 31},
		} {
			if n := waitsOf(t, reg, c.table, c.key...); n != c.waits {
				t.Errorf("%s where %v: %d waits, want %d", c.table, c.key, n, c.waits)
			}
		}
		for _, table := range []string{perAccount, perUser, perHost} {
			nulls := 0
			for _, r := range rows(t, reg, table) {
				if (r["USER"] == "NULL" || r["HOST"] == "NULL") && r["EVENT_NAME"] == mutexA {
					nulls++
					expect(t, r, row{"COUNT_STAR": "1"})
				}
				if r["EVENT_NAME"] == mutexB || r["EVENT_NAME"] == "idle" {
					expect(t, r, row{"COUNT_STAR": "0", "SUM_TIMER_WAIT": "0", "MIN_TIMER_WAIT": "0", "AVG_TIMER_WAIT": "0", "MAX_TIMER_WAIT": "0"})
				}
			}
			if nulls != 1 {
				t.Errorf("%s: %d rows of the background", table, nulls)
			}
		}
		// Every instrument has a row for each actor.
		if n, want := len(rows(t, reg, perAccount)), 4*len(reg.Reader().FamilyClasses(instr.FamilyWaits)); n != want {
			t.Errorf("%d rows for 4 accounts, want %d", n, want)
		}
	})
}

// TRUNCATE of a level does not change the levels above it.
func TestTruncateActorSummaries(t *testing.T) {
	tables := []string{perThread, perAccount, perUser, perHost, global}
	for _, c := range []struct {
		table string
		want  []int // what is left in each table
	}{
		{perThread, []int{0, 7, 7, 7, 7}},
		{"events_waits_summary_by_thread_by_genus", []int{0, 7, 7, 7, 7}},
		{perAccount, []int{0, 0, 7, 7, 7}},
		{perUser, []int{0, 0, 0, 7, 7}},
		{perHost, []int{0, 0, 7, 0, 7}},
		{"accounts", []int{0, 0, 7, 7, 7}},
		{global, []int{3, 7, 7, 7, 0}},
		{"events_waits_summary_global_by_class", []int{3, 7, 7, 7, 0}},
	} {
		reg := watched()
		a := keep(t, reg.NewMutex("test/a"))
		session(reg, "anna", "here", func(*instr.Thread) { lock(a, 4) })
		session(reg, "anna", "here", func(*instr.Thread) {
			lock(a, 3)
			tableNamed(t, c.table).Truncate(Of(reg))
			for i, table := range tables {
				if n := waitsOf(t, reg, table); n != c.want[i] {
					t.Errorf("after TRUNCATE %s: %s has %d waits, want %d", c.table, table, n, c.want[i])
				}
			}
			lock(a, 1)
			for i, table := range tables {
				if n := waitsOf(t, reg, table); n != c.want[i]+1 {
					t.Errorf("after TRUNCATE %s and a wait: %s has %d waits, want %d", c.table, table, n, c.want[i]+1)
				}
			}
		})
	}
}
