package engine

import (
	"fmt"
	"strings"
	"testing"

	"pfsd/tables"
)

// Readings of metrics are in buckets of time, and metrics and readings are there after a restart.
func TestMetrics(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	r.exec(t, "SET GLOBAL history_buckets_interval = 1")
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO test.t VALUES (1), (3)")
	r.exec(t, "CALL sys.create_metric('rows', 1, 'SELECT SUM(id) / 8 FROM test.t')")
	const over = "SELECT COUNT(*) > 0, MIN(MIN_VALUE), MAX(MAX_VALUE), MIN(AVG_VALUE), MAX(LATEST_VALUE), SUM(COUNT_ERRORS), COUNT(DISTINCT BOOT_ID) FROM events_waits_history_metric WHERE METRIC_NAME = 'rows' AND FINEST = 'YES' AND BUCKET_SECONDS = 1 AND COUNT_STAR > 0"
	const want = "1|0.5|0.5|0.5|0.5|0|1"
	eventually(t, "a bucket has a reading", func() bool { return r.query(t, over)[0] == want })
	r.want(t, "SELECT METER, METRIC_TYPE, NUM_TYPE FROM setup_metrics WHERE NAME = 'rows'", "pfsd.metrics|ASYNC GAUGE COUNTER|DOUBLE")
	r.stop()

	r = serve(t, Options{DataDir: dir}, tables.All()...)
	r.want(t, over, want)
	r.want(t, "SELECT COUNT(*) FROM setup_metrics WHERE NAME = 'rows'", "1")
	r.want(t, "SELECT COUNT(*) > 0 FROM events_waits_history_metric WHERE METRIC_NAME = 'rows' AND BUCKET_SECONDS = 3600 AND FINEST = 'NO'", "1")
	r.exec(t, "INSERT INTO test.t VALUES (4)")
	eventually(t, "the metric is read again", func() bool {
		return r.query(t, "SELECT COUNT(*) FROM events_waits_history_metric WHERE METRIC_NAME = 'rows' AND LATEST_VALUE = 1")[0] != "0"
	})
	r.exec(t, "CALL sys.drop_metric('rows')")
	r.want(t, "SELECT COUNT(*) FROM events_waits_history_metric", "0")
	r.exec(t, "UPDATE setup_meters SET ENABLED = 'NO' WHERE NAME = 'pfsd.metrics'")
	r.exec(t, "CALL sys.create_metric('rows', 1, 'SELECT 7')")
	r.want(t, "SELECT MAX(BUCKET_START) BETWEEN NOW() - INTERVAL 1 MINUTE AND NOW(), MAX(BUCKET_SECONDS), SUM(COUNT_STAR), PERIOD_SECONDS, CREATED_BY, SELECT_TEXT FROM events_waits_history_metric GROUP BY 4, 5, 6", "1|NULL|0|1|root@localhost|SELECT 7")
}

// A reading that gives no number, or may not be, is counted as an error, says why, and changes nothing.
func TestMetricsThatFail(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "CREATE DATABASE d")
	r.exec(t, "CREATE TABLE d.t (id INT PRIMARY KEY)")
	r.exec(t, "CREATE FUNCTION d.writes() RETURNS INT DETERMINISTIC BEGIN INSERT INTO d.t VALUES (1); RETURN 1; END")
	for i, c := range []struct{ text, reason string }{
		{"SELECT 1, 2", "Operand should contain 1 column(s)"},
		{"SELECT 1 UNION ALL SELECT 2", "Result consisted of more than one row"},
		{"SELECT 1 FROM d.t", "No data"},
		{"SELECT NULL", "gives NULL"},
		{"SELECT ''text''", "must give a number"},
		{"SELECT id FROM d.nosuch", "doesn''t exist"},
		{"SELECT id FROM t", "No database selected"},
		{"SELECT d.writes()", "READ ONLY transaction"},
		{"SELECT SLEEP(20)", "maximum statement execution time exceeded"},
	} {
		r.exec(t, fmt.Sprintf("CALL sys.create_metric('metric %d', 1, '%s')", i, c.text))
		eventually(t, c.text, func() bool {
			return r.query(t, fmt.Sprintf("SELECT COUNT(*) FROM events_waits_history_metric WHERE METRIC_NAME = 'metric %d' AND COUNT_ERRORS > 0 AND COUNT_STAR = 0 AND LATEST_VALUE IS NULL AND LAST_ERROR LIKE '%%%s%%'", i, c.reason))[0] != "0"
		})
	}
	for _, text := range []string{"SELECT " + strings.Repeat("(", 30_000) + "1", "SELECT 1" + strings.Repeat("+1", 30_000), "SELECT 1" + strings.Repeat(" UNION SELECT 1", 4_000)} {
		if _, err := r.db.ExecContext(t.Context(), "CALL sys.create_metric('deep', 1, ?)", text); !strings.HasPrefix(code(err), "1644 45000 No metric is made: its text cannot be parsed") {
			t.Errorf("%.20s: %v", text, err)
		}
	}
	r.want(t, "SELECT COUNT(*) FROM d.t", "0")
	r.want(t, "SELECT COUNT(*) FROM performance_schema.error_log WHERE DATA LIKE '%the metric metric 0 of root@localhost cannot be read, which is said once: Operand%'", "1")
}

// A metric is read with the present rights of the account that made it, also where a program of another account has called the procedure.
func TestMetricsKeepTheirRights(t *testing.T) {
	r := serveAll(t, Options{})
	for _, s := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.secret (id INT PRIMARY KEY)", "INSERT INTO d.secret VALUES (42)", "CREATE USER ann IDENTIFIED BY 'x'", "GRANT EXECUTE ON sys.* TO ann", "GRANT SELECT ON performance_schema.* TO ann",
	} {
		r.exec(t, s)
	}
	c, err := r.enter(t, "ann:x")
	if err != nil {
		t.Fatal(err)
	}
	const create = "CALL sys.create_metric('of ann', 1, 'SELECT id FROM d.secret')"
	if _, err := c.ExecContext(t.Context(), create); !strings.HasPrefix(code(err), "1142 ") {
		t.Errorf("%v", err)
	}
	r.exec(t, "GRANT INSERT ON performance_schema.events_waits_history_metric TO ann")
	if _, err := c.ExecContext(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	reads := func(name, condition string) {
		t.Helper()
		eventually(t, name+" "+condition, func() bool {
			return r.query(t, "SELECT COUNT(*) FROM performance_schema.events_waits_history_metric WHERE METRIC_NAME = '"+name+"' AND BUCKET_SECONDS IS NULL AND BUCKET_START BETWEEN NOW() - INTERVAL 1 MINUTE AND NOW() AND "+condition)[0] != "0"
		})
	}
	r.exec(t, "SET GLOBAL history_buckets_interval = 30")
	reads("of ann", "COUNT_ERRORS > 0 AND COUNT_STAR = 0 AND LAST_ERROR LIKE '%denied%'")
	r.exec(t, "GRANT SELECT ON d.secret TO ann")
	reads("of ann", "LATEST_VALUE = 42 AND LAST_ERROR IS NULL")
	r.exec(t, "REVOKE SELECT ON d.secret FROM ann")
	reads("of ann", "LAST_ERROR LIKE '%denied%'")

	// Root calls a procedure that runs with the rights of ann.
	r.exec(t, "CREATE DEFINER = ann PROCEDURE d.p() SQL SECURITY DEFINER CALL sys.create_metric('by program', 1, 'SELECT id FROM d.secret')")
	r.exec(t, "CALL d.p()")
	reads("by program", "CREATED_BY = 'ann@%' AND COUNT_STAR = 0 AND LAST_ERROR LIKE '%denied%'")
	r.exec(t, "DROP USER ann")
	reads("by program", "COUNT_ERRORS > 1 AND COUNT_STAR = 0 AND LATEST_VALUE IS NULL")
}
