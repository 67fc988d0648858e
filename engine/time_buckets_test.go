package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// TestTimeBuckets: statements, errors and waits are in the buckets of the time when they were, once at the finest resolution, and after a
// restart, too.
func TestTimeBuckets(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	r.exec(t, "SET GLOBAL history_buckets_interval = 1")
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY)")
	begin := r.query(t, "SELECT NOW() - INTERVAL 1 SECOND")[0]
	for _, id := range []string{"1", "2", "3"} {
		r.exec(t, "INSERT INTO test.t VALUES ("+id+")")
	}
	if _, err := r.db.ExecContext(t.Context(), "INSERT INTO test.t VALUES (1)"); err == nil {
		t.Error("a key is twice in a table")
	}
	statements := "SELECT SUM(COUNT_STAR), SUM(SUM_ERRORS), SUM(SUM_ROWS_AFFECTED), MIN(DIGEST_TEXT), SUM(SUM_TIMER_WAIT) > 0, MIN(QUANTILE_95) > 0, MIN(SCHEMA_NAME), COUNT(DISTINCT BOOT_ID) FROM history.statements_by_digest " +
		"WHERE FINEST = 'YES' AND BUCKET_START >= '" + begin + "' AND DIGEST_TEXT LIKE 'INSERT INTO%'"
	const want = "4|1|3|INSERT INTO `test` . `t` VALUES (?)|1|1|performance_schema|1"
	eventually(t, "a bucket has the statements", func() bool { return r.query(t, statements)[0] == want })
	others := map[string]string{
		"SELECT SUM(SUM_ERROR_RAISED) FROM history.errors_by_error WHERE FINEST = 'YES' AND ERROR_NUMBER = 1062":                                             "1",
		"SELECT SUM(COUNT_INSERT), MIN(OBJECT_TYPE) FROM history.table_io_by_table WHERE FINEST = 'YES' AND OBJECT_SCHEMA = 'test' AND OBJECT_NAME = 't'":    "4|TABLE",
		"SELECT SUM(COUNT_STAR) >= 4, SUM(SUM_ERRORS) >= 1 FROM history.statements_by_user WHERE FINEST = 'YES' AND USER = 'root'":                           "1|1",
		"SELECT SUM(COUNT_STAR) >= 4 FROM history.statements_by_host WHERE FINEST = 'YES' AND HOST = 'localhost'":                                            "1",
		"SELECT COUNT(*) > 0, MIN(COUNT_STAR) > 0 FROM history.waits_by_event_name WHERE FINEST = 'YES' AND EVENT_NAME LIKE 'wait/io/file/%'":                "1|1",
		"SELECT SUM(COUNT_WRITE) > 0, SUM(SUM_NUMBER_OF_BYTES_WRITE) > 0 FROM history.files_by_event_name WHERE FINEST = 'YES'":                              "1|1",
		"SELECT COUNT(*) > 0, MAX(CURRENT_NUMBER_OF_BYTES_USED) > 0 FROM history.memory_by_event_name WHERE EVENT_NAME = 'memory/go/heap/objects'":           "1|1",
		"SELECT SUM(COUNT_STAR) >= 4 FROM history.transactions_by_event_name WHERE FINEST = 'YES'":                                                           "1",
		"SELECT COUNT(*) FROM history.statements_by_digest WHERE BUCKET_SECONDS = 1 AND FLOOR(UNIX_TIMESTAMP(BUCKET_START)) <> UNIX_TIMESTAMP(BUCKET_START)": "0",
	}
	for q, want := range others {
		r.want(t, q, want)
	}
	r.stop()

	r = serve(t, Options{DataDir: dir}, tables.All()...)
	r.want(t, statements, want)
	for q, want := range others {
		r.want(t, q, want)
	}
	r.want(t, "SELECT COUNT(*) > 0, MAX(BUCKET_SECONDS) FROM history.statements_by_digest WHERE FINEST = 'NO'", "1|3600") // of the first run
	for _, q := range []string{
		"SELECT * FROM history.statements_by_digest WHERE BUCKET_START > NOW() + INTERVAL 1 DAY",
		"SELECT * FROM history.statements_by_digest WHERE BUCKET_SECONDS = 7",
		"SELECT * FROM history.statements_by_digest WHERE BUCKET_START < '2001-01-01'",
	} {
		r.exec(t, q)
		r.want(t, "SELECT ROWS_EXAMINED FROM events_statements_history WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND SQL_TEXT = '"+strings.ReplaceAll(q, "'", "''")+"'", "0")
	}
	r.exec(t, "SET GLOBAL history_buckets_interval = 30")
	const once = "SELECT 'before the summary is emptied'"
	r.exec(t, once)
	r.exec(t, "TRUNCATE TABLE events_statements_summary_by_digest")
	r.exec(t, once)
	r.exec(t, once)
	r.exec(t, "SET GLOBAL history_buckets = OFF")
	eventually(t, "all three are counted", func() bool {
		return r.query(t, "SELECT SUM(COUNT_STAR) FROM history.statements_by_digest WHERE FINEST = 'YES' AND DIGEST_TEXT = 'SELECT ?'")[0] == "3"
	})
	r.exec(t, "TRUNCATE TABLE history.statements_by_digest")
	r.want(t, "SELECT COUNT(*) FROM history.statements_by_digest", "0")
	r.want(t, "SELECT COUNT(*) > 0 FROM history.files_by_event_name", "1")
	r.want(t, "SELECT COUNT(*) FROM information_schema.tables WHERE TABLE_SCHEMA = 'history' AND ENGINE = 'PERFORMANCE_SCHEMA'", "11")
	r.want(t, "SELECT COUNT(*) FROM information_schema.columns WHERE TABLE_SCHEMA = 'history' AND COLUMN_NAME IN ('BOOT_ID', 'BUCKET_START', 'BUCKET_SECONDS')", "33")
}

// TestTimeBucketsAccess: an account needs SELECT to read a table of history, and DROP to empty it; nobody changes or makes one.
func TestTimeBucketsAccess(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "CREATE USER ann IDENTIFIED BY 'x'")
	c, err := r.enter(t, "ann:x")
	if err != nil {
		t.Fatal(err)
	}
	fails := func(errno, statement string) {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "Error "+errno) {
			t.Errorf("%s: %v, want error %s", statement, err, errno)
		}
	}
	fails("1142", "SELECT * FROM history.errors_by_error")
	r.exec(t, "GRANT SELECT ON history.* TO ann")
	if _, err := c.ExecContext(t.Context(), "SELECT * FROM history.errors_by_error"); err != nil {
		t.Error(err)
	}
	fails("1142", "TRUNCATE TABLE history.errors_by_error")
	r.exec(t, "GRANT DROP ON history.* TO ann")
	if _, err := c.ExecContext(t.Context(), "TRUNCATE TABLE history.errors_by_error"); err != nil {
		t.Error(err)
	}
	r.exec(t, "GRANT ALL ON *.* TO ann")
	if c, err = r.enter(t, "ann:x"); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"INSERT INTO history.errors_by_error VALUES ()", "DELETE FROM history.errors_by_error", "UPDATE history.errors_by_error SET SQL_STATE = 'x'", "DROP TABLE history.errors_by_error"} {
		fails("1142", statement)
	}
	for _, statement := range []string{"CREATE TABLE history.x (a INT)", "CREATE VIEW history.x AS SELECT 1", "DROP DATABASE history", "ALTER TABLE history.errors_by_error ADD x INT", "CREATE FUNCTION history.f() RETURNS INT RETURN 1"} {
		fails("1044", statement)
	}
	fails("1007", "CREATE DATABASE history")
}

// TestUsersHistory: who has a database of this name keeps it, and the log says that the buckets cannot be read.
func TestUsersHistory(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	if err := r.tables.CreateDatabase(nil, "history"); err != nil {
		t.Fatal(err)
	}
	r.stop()
	r = serve(t, Options{DataDir: dir}, tables.All()...)
	r.exec(t, "CREATE TABLE history.t (id INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO history.t VALUES (1)")
	r.want(t, "SELECT * FROM history.t", "1")
	r.want(t, "SHOW TABLES FROM history", "t")
	r.want(t, "SELECT COUNT(*) FROM performance_schema.error_log WHERE DATA LIKE '%the database history is the users%'", "1")
}

// TestForeignBuckets: a file that is not a store of buckets stays as it is; the server starts, says so, and has buckets in memory.
func TestForeignBuckets(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "history", "buckets")
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(path, "FORMAT")
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	r.want(t, "SELECT COUNT(*) FROM performance_schema.error_log WHERE DATA LIKE '%the buckets of history in %new ones are in memory%'", "1")
	r.exec(t, "SET GLOBAL history_buckets_interval = 1")
	eventually(t, "there are buckets", func() bool { return r.query(t, "SELECT COUNT(*) > 0 FROM history.memory_by_event_name")[0] == "1" })
	if text, err := os.ReadFile(path); err != nil || string(text) != "something else" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// TestHistoryDir: without a data directory, Options.HistoryDir has samples and buckets, which outlive the server. A directory that cannot be
// used, or that another server uses, is an error that names it.
func TestHistoryDir(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{HistoryDir: dir}, tables.All()...)
	r.exec(t, "SET GLOBAL active_session_history_interval = 100")
	r.exec(t, "SET GLOBAL history_buckets_interval = 1")
	const buckets = "SELECT COUNT(DISTINCT BOOT_ID) FROM history.memory_by_event_name"
	r.exec(t, "SELECT SLEEP(0.3)")
	const own = "SELECT COUNT(*) > 0 FROM active_session_history WHERE DIGEST_TEXT LIKE 'SELECT `SLEEP`%'"
	eventually(t, "there are samples", func() bool { return r.query(t, own)[0] == "1" })
	eventually(t, "there are buckets", func() bool { return r.query(t, buckets)[0] == "1" })
	refused := func(dir, why string) {
		t.Helper()
		s, err := New(Options{Addr: "127.0.0.1:0", HistoryDir: dir, Registry: instr.NewRegistry(), SkipGrantTables: true})
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "cannot use --history-dir "+dir+": ") || !strings.Contains(err.Error(), why) {
			t.Errorf("another server with %s: %v, want %s", dir, err, why)
		}
	}
	refused(dir, "uses it, which holds the lock of")
	r.stop()
	r = serve(t, Options{HistoryDir: dir}, tables.All()...)
	r.want(t, own, "1")
	eventually(t, "both servers have buckets", func() bool { return r.query(t, buckets)[0] == "2" })
	r.stop()

	data := t.TempDir()
	r = serve(t, Options{DataDir: data}, tables.All()...)
	refused(filepath.Join(data, "history"), "lock")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(file, "not a directory")
}
