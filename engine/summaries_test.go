package engine

import (
	"database/sql"
	"strconv"
	"strings"
	"testing"

	"pfsd/tables"
	"pfsd/tables/tabletest"
)

// TestSummariesAddUp: with the workload and everything switched on, each row of each summary is right in
// itself: from the start, while instruments are timed and not timed, with other timers, and after TRUNCATE.
func TestSummariesAddUp(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{Workload: "mixed", WorkloadRate: 200, DataDir: t.TempDir(), Init: patient, Instruments: []string{"%=ON"}}, tables.All()...)
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES'")
	check := func(timed bool) {
		t.Helper()
		seen := 0
		for _, tb := range tables.All() {
			var names []string
			for _, c := range tb.Columns() {
				names = append(names, c.Name)
			}
			if s := tabletest.NewSummary(names); s != nil {
				seen++
				r.checkSummary(t, tb.Name(), s, len(names), timed)
			}
		}
		if seen < 40 {
			t.Errorf("%d summaries", seen)
		}
	}
	busy := func(what string) {
		before := strings.Join(r.query(t, "SELECT SUM(COUNT_STAR) FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME LIKE '%/workload/%'"), "")
		eventually(t, "there is work "+what, func() bool {
			return strings.Join(r.query(t, "SELECT SUM(COUNT_STAR) > 300 + "+before+" FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME LIKE '%/workload/%'"), "") == "1"
		})
	}
	busy("from the start")
	check(true)
	r.exec(t, "UPDATE setup_instruments SET TIMED = 'NO' WHERE NAME NOT LIKE '%mutex%'")
	busy("that is not timed")
	check(false)
	r.exec(t, "UPDATE setup_timers SET TIMER_NAME = 'NANOSECOND'")
	r.exec(t, "UPDATE setup_instruments SET TIMED = 'YES'")
	for _, tb := range tables.All() {
		if tb.Truncatable() && strings.Contains(tb.Name(), "summary_by") {
			r.exec(t, "TRUNCATE TABLE "+tb.Name())
		}
	}
	busy("with another timer")
	check(false)
	// What is recorded of sockets that are idle most of the time is the time of reading.
	r.want(t, "SELECT COUNT(*) FROM socket_summary_by_instance WHERE COUNT_READ > 0 AND AVG_TIMER_READ < MIN_TIMER_READ", "0")
}

// checkSummary checks each row of a summary.
func (r *running) checkSummary(t *testing.T, table string, s *tabletest.Summary, columns int, timed bool) {
	t.Helper()
	rows, err := r.db.QueryContext(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatalf("%s: %v", table, err)
	}
	defer func() { _ = rows.Close() }()
	cells, at := make([]sql.NullString, columns), make([]any, columns)
	for i := range cells {
		at[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(func(c int) uint64 { n, _ := strconv.ParseUint(cells[c].String, 10, 64); return n }, timed); err != nil {
			t.Errorf("%s: %v in %v", table, err, cells)
		}
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%s: %v", table, err)
	}
}
