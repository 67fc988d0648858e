package engine

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// TestSlowRequests: a request, the queries in it, and what it waited for most of all, also those that are served now; and one of them in detail.
func TestSlowRequests(t *testing.T) {
	r := serve(t, Options{Instruments: []string{"wait/synch/mutex/shop/%=ON", "stage/%=ON"}, Consumers: map[string]bool{
		"events_waits_history": true, "events_waits_history_long": true, "events_statements_history_long": true, "events_stages_history": true, "events_stages_current": true}}, tables.All()...)
	served, query := r.reg.NewStatementClass("http/GET /users/{id}"), r.reg.NewStatementClass("db.client/select")
	stage, lock := r.reg.NewStageClass("http/running handler", false), r.reg.NewMutex("shop/cache")
	lock.Lock()
	defer func() { // of the request that does not end
		lock.Unlock()
	}()
	waiting := make(chan *instr.Thread)
	request := func(path string, twice bool) {
		th := instr.Current()
		s := th.StartStatement(served)
		s.Identify(served, "", "GET "+path, r.reg.NewDigest("GET /users/{id}"))
		s.StartStage(stage)
		if twice {
			for range 2 {
				q := th.StartStatement(query)
				q.Identify(query, "shop", "SELECT 1", r.reg.DigestOf("SELECT 1"))
				q.End()
			}
			s.End()
			return
		}
		waiting <- th
		lock.Lock()
		lock.Unlock()
		s.End()
	}
	ended := make(chan struct{})
	defer func() { <-ended }()
	r.reg.Go("shop/client", func() {
		defer close(ended)
		request("/users/1", true)
		request("/users/2", false)
	})
	th := <-waiting
	defer func() { lock.Unlock(); <-ended; lock.Lock() }()
	eventually(t, "the request waits", func() bool { return len(th.CurrentWaits(nil)) == 1 && !th.CurrentWaits(nil)[0].Ended })
	r.want(t, "SELECT request, route, state, statements, statements_took > 0, waited > 0, most_waited_for, waited_at LIKE 'requests_test.go:%', waited_there > 0, error FROM sys.x$slow_requests ORDER BY event_id",
		"GET /users/1|GET /users/{id}|ended|2|1|NULL|NULL|NULL|NULL|0", "GET /users/2|GET /users/{id}|runs|0|NULL|1|wait/synch/mutex/shop/cache|1|1|0")
	r.want(t, "SELECT request, took LIKE '% s' OR took LIKE '%s', waited IS NULL FROM sys.slow_requests ORDER BY event_id", "GET /users/1|1|1", "GET /users/2|1|0")
	got := allOf(t, r, fmt.Sprintf("CALL sys.request(%d, %s)", th.ID(), r.query(t, "SELECT event_id FROM sys.slow_requests WHERE request = 'GET /users/1'")[0]))
	for _, want := range []string{"request|statement/http/GET /users/{id}|GET /users/1", "statement/db.client/select|SELECT 1", "stage/http/running handler"} {
		if !strings.Contains(got, want) {
			t.Errorf("sys.request has no %q:\n%s", want, got)
		}
	}
	got = allOf(t, r, fmt.Sprintf("CALL sys.request(%d, %s)", th.ID(), r.query(t, "SELECT event_id FROM sys.slow_requests WHERE request = 'GET /users/2'")[0]))
	if want := "NULL|wait/synch/mutex/shop/cache|lock|requests_test.go:"; !strings.Contains(got, want) {
		t.Errorf("sys.request has no %q:\n%s", want, got)
	}
	r.fails(t, "CALL sys.request(1, 999999)", "1644 45000 The histories of statements do not have this request, or not any more.")
}

// TestWhatWaits: what a thread waits for is said in words, with its line, the line that started it, and who is in the way and where. Without the switch that
// it needs, the answer has one warning, which names it.
func TestWhatWaits(t *testing.T) {
	r := serve(t, Options{Instruments: []string{"wait/synch/mutex/shop/%=ON"}}, tables.All()...)
	r.want(t, "SELECT ENABLED FROM setup_consumers WHERE NAME = 'events_waits_current'", "YES")
	lock, other := r.reg.NewMutex("shop/cache"), r.reg.NewMutex("shop/journal")
	other.Lock()
	held, ended := make(chan *instr.Thread), make(chan struct{}, 2)
	r.reg.Go("shop/holder", func() {
		lock.Lock()
		held <- instr.Current()
		other.Lock()
		other.Unlock()
		lock.Unlock()
		ended <- struct{}{}
	})
	<-held
	r.reg.Go("shop/waiter", func() {
		lock.Lock()
		lock.Unlock()
		ended <- struct{}{}
	})
	defer func() { other.Unlock(); <-ended; <-ended }()
	eventually(t, "both wait", func() bool { return len(tables.LockWaits(tables.Of(r.reg))) == 2 })
	r.want(t, "SELECT waits_for, waiting > 0, waits_at LIKE 'requests_test.go:%', thread, blocking_thread, blocking_locked_at LIKE 'requests_test.go:%', blocking_held > 0, blocking_waits_for, blocking_waits_at LIKE 'requests_test.go:%', certain FROM sys.x$what_waits WHERE event LIKE '%/shop/cache'",
		"to lock a mutex|1|1|thread/shop/waiter|thread/shop/holder|1|1|wait/synch/mutex/shop/journal|1|YES")
	r.want(t, "SELECT COUNT(*) FROM sys.what_waits WHERE event LIKE 'wait/synch/mutex/shop/%' AND waiting LIKE '%s'", "2")
	r.want(t, "SHOW WARNINGS")
	// Each look-up in lock_waits would find out anew who waits for whom.
	if plan := r.query(t, "EXPLAIN FORMAT=TREE SELECT * FROM sys.x$what_waits")[0]; strings.Contains(plan, "lookup on") {
		t.Errorf("the view looks rows up one by one:\n%s", plan)
	}
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'NO' WHERE NAME = 'events_waits_current'")
	for _, view := range []string{"sys.what_waits", "sys.lock_waits", "sys.deadlocks", "sys.top_waits", "sys.blockers", "sys.active_sessions", "sys.top_statements"} {
		r.query(t, "SELECT COUNT(*) FROM "+view)
		if w := r.query(t, "SHOW WARNINGS"); len(w) != 1 || !strings.Contains(w[0], "the consumer events_waits_current is off") {
			t.Errorf("%s: %q", view, w)
		}
	}
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME = 'events_waits_current'")
}

// allOf returns the rows of all results of a statement, a line each, with | between their cells.
func allOf(t *testing.T, r *running, q string) string {
	t.Helper()
	rows, err := r.db.Query(q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer func() { _ = rows.Close() }()
	var all strings.Builder
	for more := true; more; more = rows.NextResultSet() {
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			cells, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range cells {
				to[i] = &cells[i]
			}
			if err := rows.Scan(to...); err != nil {
				t.Fatal(err)
			}
			for i, c := range cells {
				if !c.Valid {
					c.String = "NULL"
				}
				if i > 0 {
					all.WriteByte('|')
				}
				all.WriteString(c.String)
			}
			all.WriteByte('\n')
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return all.String()
}
