package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pfsd/tables"
)

// patient has a server wait for logins for as long as they take on a busy machine: an operation of
// the workload that fails is in the log.
var patient = []string{"SET GLOBAL connect_timeout = 300"}

// TestMixedWorkload: with the workload every table has rows that has any without somebody's doing, those that count go on
// counting, some waits are still waiting, and no operation of it fails.
func TestMixedWorkload(t *testing.T) {
	dir := t.TempDir()
	r := serveAll(t, Options{Workload: "mixed", WorkloadRate: 200, DataDir: dir, Init: patient})
	one := func(q string) string { return strings.Join(r.query(t, q), " ") }
	one("UPDATE setup_instruments SET ENABLED = 'YES', TIMED = 'YES'")
	one("UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events%current' OR NAME LIKE 'events%history%' OR NAME LIKE 'events%histogram%'")
	for _, table := range tables.All() {
		if table.Empty() != "" {
			r.want(t, "SELECT COUNT(*) FROM "+table.Name(), "0")
			continue
		}
		if slices.Contains([]string{"goroutine_threads", "host_cache", "persisted_variables", "pool_connections", "deadlocks", "synch_instances", "synch_waits", "captures", "cpu_profile", "goroutine_leaks", "events_waits_snapshot", "events_waits_history_metric"}, table.Name()) {
			continue // nothing of the workload is there
		}
		eventually(t, table.Name()+" has rows", func() bool { return one("SELECT COUNT(*) FROM "+table.Name()) != "0" })
	}
	static := map[string]string{}
	for _, table := range tables.All() {
		if table.Static() != "" {
			static[table.Name()] = one("SELECT * FROM " + table.Name())
		}
	}
	for table, pulse := range map[string]string{
		"events_waits_current":                         "MAX(TIMER_START)",
		"events_waits_history":                         "MAX(TIMER_END)",
		"events_waits_history_long":                    "MAX(TIMER_END)",
		"events_waits_summary_by_instance":             "SUM(COUNT_STAR)",
		"events_waits_summary_by_thread_by_event_name": "SUM(COUNT_STAR)",
		"events_waits_summary_global_by_event_name":    "SUM(COUNT_STAR)",
		"file_summary_by_instance":                     "SUM(SUM_NUMBER_OF_BYTES_WRITE)",
		"file_summary_by_event_name":                   "SUM(SUM_NUMBER_OF_BYTES_READ)",
		"socket_summary_by_instance":                   "SUM(COUNT_WRITE)",
		"socket_summary_by_event_name":                 "SUM(COUNT_READ)",
		"file_instances":                               "MAX(FILE_NAME)",
		"socket_instances":                             "SUM(OBJECT_INSTANCE_BEGIN)",
		"table_io_waits_summary_by_table":              "SUM(COUNT_INSERT)",
		"table_io_waits_summary_by_index_usage":        "SUM(COUNT_DELETE)",
		"table_lock_waits_summary_by_table":            "SUM(COUNT_WRITE_EXTERNAL)",
		"objects_summary_global_by_type":               "SUM(COUNT_STAR)",
		"threads":                                      "MAX(THREAD_ID)",
		"events_stages_history_long":                   "MAX(TIMER_END)",
		"events_statements_summary_by_digest":          "SUM(COUNT_STAR)",
		"events_statements_summary_by_program":         "SUM(COUNT_STATEMENTS)",
		"events_transactions_history_long":             "SUM(NUMBER_OF_ROLLBACK_TO_SAVEPOINT)",
		"prepared_statements_instances":                "SUM(COUNT_EXECUTE)",
	} {
		q := "SELECT " + pulse + " FROM " + table + " WHERE 1"
		if strings.HasPrefix(table, "file_") || strings.HasPrefix(table, "events_waits_summary") || strings.HasPrefix(table, "socket_") {
			// The reader's own statements count, too: look at the workload alone.
			q = "SELECT " + pulse + " FROM " + table + " WHERE EVENT_NAME LIKE '%/workload/%'"
		}
		before := one(q)
		eventually(t, table+" changes", func() bool { return one(q) != before })
	}
	for _, waiting := range []string{"wait/synch/mutex/workload/report_lock", "wait/synch/cond/workload/queue_filled", "wait/io/socket/workload/echo_listener"} {
		eventually(t, "somebody waits for "+waiting, func() bool {
			return one("SELECT COUNT(*) FROM events_waits_current WHERE END_EVENT_ID IS NULL AND TIMER_WAIT > 0 AND EVENT_NAME = '"+waiting+"'") != "0"
		})
	}
	eventually(t, "the holder of a mutex is a thread of the workload", func() bool {
		return one("SELECT DISTINCT t.NAME FROM mutex_instances m JOIN threads t ON m.LOCKED_BY_THREAD_ID = t.THREAD_ID WHERE m.NAME LIKE '%/report_lock' AND t.NAME LIKE '%builder'") == "thread/workload/report_builder"
	})
	for table, rows := range static {
		r.want(t, "SELECT * FROM "+table, rows)
	}
	r.checkLost(t, nil) // MySQL's sizes are enough
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(r.options.LogError)
	if err != nil || strings.Contains(string(b), "workload:") {
		t.Errorf("the log says %s, %v", b, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "workload-*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
