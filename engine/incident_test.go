package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pfsd/tables"
)

// TestIncidentBeforeRestart: sessions wait for a row, the server is restarted, and samples, the comparison with a quiet time and
// the report still say what happened, who was in the way, and which setting was changed meanwhile.
func TestIncidentBeforeRestart(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	w := newRowWaiter(t, r)
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events_waits%'")
	r.exec(t, "SET GLOBAL active_session_history_interval = 100")
	r.exec(t, "SET GLOBAL history_buckets_interval = 1")
	r.must(t, w.holder, "BEGIN", "UPDATE test.t SET a = 11 WHERE id = 1")
	now := func() string { return r.query(t, "SELECT NOW(6)")[0] }
	begin := now()
	r.waitForRow(t, w, "UPDATE test.t SET a = 12 WHERE id = 1")
	waits := "FROM performance_schema.active_session_history WHERE EVENT_NAME = 'wait/lock/row/sql/handler'"
	eventually(t, "samples have the wait", func() bool {
		return r.query(t, "SELECT COUNT(DISTINCT SAMPLE_ID) >= 5 "+waits)[0] == "1"
	})
	const blockers = "SELECT COUNT(*) > 0, COUNT(blocking_thread) > 0 FROM sys.blockers WHERE event = 'wait/lock/row/sql/handler'"
	eventually(t, "the thread in the way has a name", func() bool { return r.query(t, blockers)[0] == "1|1" })
	r.exec(t, "SET GLOBAL long_query_time = 7")
	end := now()
	r.must(t, w.holder, "ROLLBACK")
	if err := <-w.waits; err != nil {
		t.Error(err)
	}
	blocked := "SELECT COUNT(*) >= 5, MAX(DIGEST_TEXT), COUNT(DISTINCT BLOCKING_THREAD_ID) " + waits + " AND SAMPLE_TIME BETWEEN '" + begin + "' AND '" + end + "'"
	const want = "1|UPDATE `test` . `t` SET `a` = ? WHERE `id` = ?|1"
	r.want(t, blocked, want)
	latest := r.query(t, "SELECT MAX(SAMPLE_ID) FROM active_session_history")[0]
	results := func(statement string) [][]string {
		t.Helper()
		all, err := called(t, r.db, statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		return all
	}
	before := results("CALL sys.report('" + begin + "', '" + end + "')")
	r.stop()

	r = serve(t, Options{DataDir: dir}, tables.All()...)
	r.want(t, blocked, want)
	r.want(t, blockers, "1|1") // the samples know who it was
	r.want(t, "SELECT MIN(SAMPLE_ID), COUNT(DISTINCT SAMPLE_ID, THREAD_ID) = COUNT(*), MAX(SAMPLE_ID) >= "+latest+" FROM active_session_history", "1|1|1")
	report := results("CALL sys.report('" + begin + "', '" + end + "')")
	const samples, reports = 6, 12 // results that come from samples, all
	if len(report) != reports || len(before) != reports {
		t.Fatalf("%d and %d results, want %d: %q", len(before), len(report), reports, report)
	}
	for i, set := range report[:samples] {
		if diff := cmp.Diff(before[i], set); diff != "" {
			t.Errorf("the report after the restart: %s", diff)
		}
	}
	has := func(set int, parts ...string) {
		t.Helper()
		for _, row := range before[set][1:] {
			found := true
			for _, p := range parts {
				found = found && strings.Contains(row, p)
			}
			if found {
				return
			}
		}
		t.Errorf("result %d has no row with %q: %q", set, parts, before[set])
	}
	has(1, "|wait/lock/row|")
	has(2, "wait/lock/row/sql/handler|test.t|")
	has(3, "UPDATE `test` . `t` SET `a` = ? WHERE `id` = ?|performance_schema|")
	has(4, "|idle|wait/lock/row/sql/handler|test.t|1|")
	has(7, "long_query_time|7.000000|", "|root|")
	// A collector that is late puts what it finds into the bucket before. The second server, which reads the files of samples, may be in the last one.
	around := "'" + begin + "' - INTERVAL 10 SECOND, '" + end + "' + INTERVAL 10 SECOND"
	counted := results("CALL sys.report(" + around + ")")
	for i, part := range []string{8: "SET GLOBAL `long_query_time` = ?|performance_schema|1|", 9: "wait/", 10: "wait/io/file/sql/active_session_history|"} {
		if part != "" && !strings.Contains(strings.Join(counted[i][1:], "\n"), part) {
			t.Errorf("result %d does not have %s: %q", i, part, counted[i])
		}
	}
	quiet := "'" + begin + "' - INTERVAL 1 HOUR, '" + begin + "' - INTERVAL 30 MINUTE"
	comparison := results("CALL sys.compare(" + quiet + ", " + around + ")")
	if len(comparison) != 2 || !strings.Contains(strings.Join(comparison[1], "\n"), "statement|SET GLOBAL `long_query_time` = ?|performance_schema|0|") {
		t.Fatalf("compare: %q", comparison)
	}
	compared := results("CALL sys.compare(" + quiet + ", '" + begin + "', '" + end + "')")[0]
	found := false
	for _, row := range compared[1:] {
		found = found || strings.HasPrefix(row, "wait|wait/lock/row/sql/handler|test.t|") && strings.HasSuffix(row, "|NULL")
	}
	if !found || compared[0] != "kind|name|object|source|active_sessions_before|active_sessions_after|difference|times" {
		t.Errorf("compare: %q", compared)
	}
	reverse := results("CALL sys.compare('" + begin + "', '" + end + "', " + quiet + ")")[0]
	if len(reverse) != len(compared) {
		t.Errorf("compare the other way round: %q", reverse)
	}
	for _, call := range []string{"compare(NULL, NOW(), NOW(), NOW())", "compare(NOW(), NOW(), NOW(), NOW())", "report(NOW(), NULL)", "report(NOW(), NOW())"} {
		if _, err := r.db.Exec("CALL sys." + call); err == nil || !strings.Contains(err.Error(), "1644 (45000)") {
			t.Errorf("%s: %v", call, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "history", "samples-*.ash"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	r.exec(t, "SET GLOBAL active_session_history_file_size = 0")
	for _, name := range files {
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("%s with a limit of 0: %v", name, err)
		}
	}
	r.stop()
	r = serve(t, Options{DataDir: dir}, tables.All()...)
	r.want(t, "SELECT COUNT(*) "+waits, "0")
}

// TestWindowsOfTime: a window that the table reads by its bounds has the same rows as one that it has to compare row by row, however
// its ends are written, and in any time zone.
func TestWindowsOfTime(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "SET GLOBAL active_session_history_interval = 100")
	r.query(t, "SELECT SLEEP(0.6)")
	eventually(t, "there are samples", func() bool {
		return r.query(t, "SELECT COUNT(DISTINCT SAMPLE_ID) > 5 FROM active_session_history")[0] == "1"
	})
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'NO' WHERE NAME = 'active_session_history'")
	c, err := r.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask := func(q string, args ...any) (s string) {
		t.Helper()
		if err := c.QueryRowContext(t.Context(), q, args...).Scan(&s); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		return s
	}
	examined := func(q string, args ...any) string {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), q, args...); err != nil {
			t.Fatal(err)
		}
		return ask("SELECT ROWS_EXAMINED FROM events_statements_history h JOIN threads t USING (THREAD_ID) WHERE t.PROCESSLIST_ID = CONNECTION_ID() AND EVENT_NAME IN ('statement/sql/select', 'statement/com/Execute') ORDER BY EVENT_ID DESC LIMIT 1")
	}
	if n := examined("SELECT * FROM active_session_history WHERE SAMPLE_TIME > NOW() + INTERVAL 1 DAY"); n != "0" {
		t.Errorf("%s rows read for a window that has none", n)
	}
	if n := examined("SELECT * FROM active_session_history WHERE SAMPLE_TIME > ?", "2100-01-01 00:00:00"); n != "0" {
		t.Errorf("%s rows read for a prepared window that has none", n)
	}
	if n := examined("SELECT * FROM active_session_history WHERE SAMPLE_TIME < ?", "2100-01-01 00:00:00"); n == "0" {
		t.Error("no rows read for a prepared window that has all")
	}
	if n := examined("SELECT * FROM active_session_history WHERE SAMPLE_TIME < NOW() + INTERVAL 1 DAY"); n == "0" {
		t.Error("no rows read for a window that has all")
	}
	for _, zone := range []string{"+00:00", "+05:30", "Europe/Berlin", "SYSTEM"} {
		if _, err := c.ExecContext(t.Context(), "SET time_zone = ?", zone); err != nil {
			t.Fatal(err)
		}
		at := ask("SELECT SAMPLE_TIME FROM active_session_history ORDER BY SAMPLE_ID LIMIT 1 OFFSET 3")
		for _, window := range []string{
			"SAMPLE_TIME %s> '@'", "SAMPLE_TIME %s>= '@'", "SAMPLE_TIME %s< '@'", "SAMPLE_TIME %s<= '@'", "'@' < SAMPLE_TIME %s", "SAMPLE_TIME %sBETWEEN '@' AND NOW() + INTERVAL 1 MINUTE",
			"SAMPLE_TIME %s> TIMESTAMP'@'", "SAMPLE_TIME %s>= NOW() - INTERVAL 1 DAY", "SAMPLE_TIME %s> NOW() + INTERVAL 1 DAY", "SAMPLE_TIME %s< DATE_SUB(NOW(6), INTERVAL 2 HOUR)",
			"SAMPLE_TIME %s> CURDATE() - INTERVAL 1 DAY", "SAMPLE_TIME %s> 20200101000000", "SAMPLE_TIME %s= '@'", "SAMPLE_TIME %s> '2020-01-01'", "NOT (SAMPLE_TIME %s> '@')", "SAMPLE_TIME %s> '@' OR SAMPLE_ID = 1",
		} {
			window = strings.ReplaceAll(window, "@", at)
			bounded, plain := strings.Replace(window, "%s", "", 1), strings.Replace(window, "%s", "+ INTERVAL 0 SECOND ", 1)
			const count = "SELECT CONCAT_WS(' ', COUNT(*), MIN(SAMPLE_ID), MAX(SAMPLE_ID)) FROM active_session_history WHERE "
			if got, want := ask(count+bounded), ask(count+plain); got != want {
				t.Errorf("%s, %s: %s, want %s", zone, bounded, got, want)
			}
		}
		if got, want := ask("SELECT COUNT(*) FROM active_session_history WHERE SAMPLE_TIME >= ?", at), ask("SELECT COUNT(*) FROM active_session_history WHERE SAMPLE_TIME + INTERVAL 0 SECOND >= ?", at); got != want {
			t.Errorf("%s, prepared: %s, want %s", zone, got, want)
		}
	}
}
