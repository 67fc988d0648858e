package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pfsd/tables"
)

// logLines are the lines of a log in the data directory, with times, ids and durations made the same.
func logLines(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := string(text)
	for _, r := range [][2]string{
		{`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`, "NOW"}, {`timestamp=\d+`, "timestamp=N"}, {`Query_time: \d+\.\d{6}`, "Query_time: N"},
		{`Id: +\d+`, "Id: N"}, {`\t +\d+ `, "\tN "}, {`Lock_time: \d+\.\d{6}`, "Lock_time: N"}, {`pfsd, Version: .*\nTcp port: \d+  Unix socket: .*\n`, "HEADER\n"},
	} {
		s = regexp.MustCompile(r[0]).ReplaceAllString(s, r[1])
	}
	return s
}

// The slow log has what takes too long or uses no index, in MySQL's format, as a file and as a table.
func TestSlowLog(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	c, _ := r.conn(t)
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY, a INT)")
	r.exec(t, "INSERT INTO test.t VALUES (1, 10), (2, 20), (3, 30)")
	r.exec(t, "SET GLOBAL log_output = 'FILE,TABLE'")
	r.exec(t, "SET GLOBAL slow_query_log_file = 'slow.log'")
	r.exec(t, "SET GLOBAL slow_query_log = ON")
	r.must(t, c, "USE test", "SELECT 1", // not slow
		"SET long_query_time = 0", "SELECT * FROM t WHERE id = 2", "SELECT COUNT(*) FROM t WHERE a > 10 ;",
		"SET PASSWORD = 'hidden-word'", "ALTER USER root@localhost IDENTIFIED BY ''", // with hidden texts
		"ALTER TABLE t ADD COLUMN b INT", // not logged by default
		"SET min_examined_row_limit = 3", "SELECT 2", "SELECT * FROM t", "SET min_examined_row_limit = 0",
		"SET long_query_time = 10", "SELECT 3")
	r.exec(t, "SET GLOBAL log_slow_admin_statements = ON")
	r.exec(t, "SET GLOBAL log_queries_not_using_indexes = ON")
	r.must(t, c, "SELECT 4", "SELECT * FROM t WHERE id = 1", "SELECT * FROM t WHERE a = 20")
	r.exec(t, "SET GLOBAL slow_query_log = OFF")
	r.must(t, c, "SELECT * FROM t WHERE a = 21")
	entry := func(sent, examined int, text string) string {
		return fmt.Sprintf("# Time: NOW\n# User@Host: root[root] @ localhost [127.0.0.1]  Id: N\n# Query_time: N  Lock_time: N Rows_sent: %d  Rows_examined: %d\n", sent, examined) + text + ";\n"
	}
	const at = "SET timestamp=N;\n"
	want := "HEADER\nTime                 Id Command    Argument\n" +
		entry(0, 0, "use test;\n"+at+"SET long_query_time = 0") + entry(1, 1, at+"SELECT * FROM t WHERE id = 2") + entry(1, 3, at+"SELECT COUNT(*) FROM t WHERE a > 10") +
		entry(0, 0, at+"SET PASSWORD = '<secret>'") + entry(0, 0, at+"ALTER USER root@localhost IDENTIFIED BY '<secret>'") +
		entry(3, 3, at+"SELECT * FROM t") + entry(0, 0, at+"SET min_examined_row_limit = 0") + entry(1, 3, at+"SELECT * FROM t WHERE a = 20")
	if got := logLines(t, filepath.Join(dir, "slow.log")); got != want {
		t.Errorf("the log has\n%s\nwant\n%s", got, want)
	}
	r.want(t, "SELECT user_host, db, rows_sent, rows_examined, server_id, sql_text, thread_id > 0, start_time > NOW() - INTERVAL 1 HOUR, query_time < '01:00:00', lock_time FROM mysql.slow_log WHERE sql_text LIKE 'SELECT * FROM t W%' ORDER BY start_time",
		"root[root] @ localhost [127.0.0.1]|test|1|1|1|SELECT * FROM t WHERE id = 2|1|1|1|00:00:00", "root[root] @ localhost [127.0.0.1]|test|1|3|1|SELECT * FROM t WHERE a = 20|1|1|1|00:00:00")
	r.want(t, "SELECT COUNT(*) FROM mysql.slow_log", "8")
	r.want(t, "SELECT COUNT(*) FROM mysql.slow_log WHERE sql_text LIKE '%hidden%'", "0")
	check(t, c,
		[2]string{"INSERT INTO mysql.slow_log VALUES (NOW(), '', '0', '0', 0, 0, '', 0, 0, 0, '', 0)", "1556 HY000 You can't use locks with log tables."},
		[2]string{"DELETE FROM mysql.slow_log", "1556 HY000 You can't use locks with log tables."},
		[2]string{"UPDATE mysql.slow_log SET db = ''", "1556 HY000 You can't use locks with log tables."},
		[2]string{"SET GLOBAL slow_query_log_file = '/tmp/elsewhere.log'", "1231 42000 Variable 'slow_query_log_file' can't be set to the value of '/tmp/elsewhere.log'"},
		[2]string{"SET GLOBAL general_log_file = '../x.log'", "1231 42000 Variable 'general_log_file' can't be set to the value of '../x.log'"},
		[2]string{"SET GLOBAL general_log_file = 'mysqld-auto.cnf'", "1231 42000 Variable 'general_log_file' can't be set to the value of 'mysqld-auto.cnf'"},
	)
	r.must(t, c, "TRUNCATE TABLE mysql.slow_log")
	r.want(t, "SELECT COUNT(*) FROM mysql.slow_log", "0")
}

// With log_slow_extra the slow log says what a statement has asked of the storage, and how it has ended; INSERT has its AUTO_INCREMENT value.
func TestSlowLogExtra(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir, Variables: map[string]string{"log_slow_extra": "ON", "log_output": "FILE,TABLE", "slow_query_log_file": "slow.log"}}, tables.All()...)
	c, _ := r.conn(t)
	r.exec(t, "CREATE TABLE test.t (id INT AUTO_INCREMENT PRIMARY KEY, a INT)")
	r.exec(t, "SET GLOBAL slow_query_log = ON")
	const query = "SELECT a FROM test.t ORDER BY a"
	r.must(t, c, "SET long_query_time = 0", "INSERT INTO test.t (a) VALUES (5), (4)", query)
	if _, err := c.ExecContext(t.Context(), "SELECT missing FROM test.t"); err == nil {
		t.Error("there is no such column")
	}
	r.must(t, c, "SET long_query_time = 10") // what was before is in the log
	r.exec(t, "SET GLOBAL slow_query_log = OFF")
	text, err := os.ReadFile(filepath.Join(dir, "slow.log"))
	if err != nil {
		t.Fatal(err)
	}
	const extra = ` Thread_id: \d+ Errno: %s Killed: 0 Bytes_received: (\d+) Bytes_sent: (\d+) Read_first: \d+ Read_last: 0 Read_key: \d+ Read_next: \d+ Read_prev: 0 Read_rnd: 0 Read_rnd_next: (\d+) ` +
		`Sort_merge_passes: 0 Sort_range_count: 0 Sort_rows: %s Sort_scan_count: \d Created_tmp_disk_tables: 0 Created_tmp_tables: 0 Start: \S+Z End: \S+Z\nSET %stimestamp=\d+;\n%s;\n`
	for _, x := range []struct{ errno, sorted, set, text string }{
		{"0", "0", "insert_id=1,", "INSERT INTO test.t (a) VALUES (5), (4)"}, {"0", "2", "", query}, {"1054", "0", "", "SELECT missing FROM test.t"},
	} {
		found := regexp.MustCompile(fmt.Sprintf(extra, x.errno, x.sorted, x.set, regexp.QuoteMeta(x.text))).FindSubmatch(text)
		if found == nil {
			t.Errorf("%s is not in the log as it should be:\n%s", x.text, text)
			continue
		}
		if got := string(found[1]); got != fmt.Sprint(len(x.text)+5) { // with what is around it
			t.Errorf("%s: %s bytes were received", x.text, got)
		}
		if string(found[2]) == "0" || x.text == query && string(found[3]) == "0" {
			t.Errorf("%s: %s", x.text, found[0])
		}
	}
	r.want(t, "SELECT insert_id FROM mysql.slow_log WHERE sql_text LIKE 'INSERT%'", "1")
	r.want(t, "SELECT COUNT(*) > 0 FROM mysql.slow_log WHERE MICROSECOND(start_time) > 0", "1")
}

// The general log has each command when it begins, and can be moved away.
func TestGeneralLog(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir, Variables: map[string]string{"general_log_file": "all.log"}, Init: []string{"CREATE USER u@localhost", "CREATE USER v@localhost", "GRANT SELECT, DROP ON mysql.general_log TO u@localhost"}}, tables.All()...)
	path := filepath.Join(dir, "all.log")
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a log that is off")
	}
	r.exec(t, "SET GLOBAL log_output = 'TABLE,FILE'")
	r.exec(t, "SET GLOBAL general_log = ON")
	c, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	r.must(t, c, "SELECT 1;", "USE information_schema", "SELECT 'a\nb'")
	st, err := c.PrepareContext(t.Context(), "SELECT ? + 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Exec(41); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecContext(t.Context(), "SET PASSWORD FOR v@localhost = 'hidden-word'"); err == nil {
		t.Error("u may do anything")
	}
	if _, err := c.ExecContext(t.Context(), "SELEC hidden IDENTIFIED BY 'hidden-word'"); err == nil {
		t.Error("that is no statement")
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	r.must(t, c, "SELECT 'the answer comes after what has none'")
	r.exec(t, "SET GLOBAL general_log = OFF")
	const want = "NOW\tN Connect\tu@localhost on  using TCP/IP\n" + "NOW\tN Query\tSELECT 1\n" + "NOW\tN Query\tUSE information_schema\n" + "NOW\tN Query\tSELECT 'a\nb'\n" +
		"NOW\tN Prepare\tSELECT ? + 1\n" + "NOW\tN Execute\tSELECT ? + 1\n"
	got := logLines(t, path)
	if !strings.Contains(got, want) || !strings.Contains(got, "NOW\tN Close stmt\t\n") || strings.Contains(got, "hidden-word") || !strings.Contains(got, "SET PASSWORD FOR v@localhost = '<secret>'") {
		t.Errorf("the log has\n%s\nwant\n%s", got, want)
	}
	r.want(t, "SELECT command_type, argument, server_id FROM mysql.general_log WHERE user_host = 'u[u] @ localhost [127.0.0.1]' AND command_type IN ('Prepare', 'Connect') ORDER BY event_time",
		"Connect|u@localhost on  using TCP/IP|1", "Prepare|SELECT ? + 1|1")

	// Who may drop the table may empty it, and nobody else.
	v, err := r.enter(t, "v")
	if err != nil {
		t.Fatal(err)
	}
	check(t, v, [2]string{"TRUNCATE TABLE mysql.general_log", "1142 42000 DROP command denied to user 'v'@'localhost' for table 'general_log'"},
		[2]string{"SET GLOBAL general_log = ON", "1227 42000 Access denied; you need (at least one of) the SUPER or SYSTEM_VARIABLES_ADMIN privilege(s) for this operation"})
	check(t, c, [2]string{"TRUNCATE TABLE mysql.general_log", "ok"}, [2]string{"SELECT COUNT(*) FROM mysql.general_log", "0"})

	// A session without it, and a log that is moved away.
	own, _ := r.conn(t)
	r.exec(t, "SET GLOBAL general_log = ON")
	r.must(t, own, "SET sql_log_off = ON", "SELECT 'secretly'", "SET sql_log_off = OFF")
	r.must(t, own, "SELECT 'before'")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	r.must(t, own, "SELECT 'moved'", "FLUSH GENERAL LOGS", "SELECT 'after'")
	if err := os.Rename(path, path+".2"); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	r.must(t, own, "SELECT 'reloaded'", "SET GLOBAL log_output = 'NONE'", "SELECT 'nowhere'")
	for file, want := range map[string][]string{path + ".1": {"before", "moved"}, path + ".2": {"after"}, path: {"reloaded"}} {
		text := logLines(t, file)
		for _, word := range []string{"secretly", "before", "moved", "after", "reloaded", "nowhere"} {
			if got, in := strings.Contains(text, "SELECT '"+word+"'"), strings.Contains(strings.Join(want, " "), word); got != in {
				t.Errorf("%s: %s is there: %v, want %v", file, word, got, in)
			}
		}
	}
}

// Percona Toolkit's pt-query-digest reads the slow log.
// TestLogTablesLast: what mysql.slow_log and mysql.general_log have is there after a restart.
func TestLogTablesLast(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir, Variables: map[string]string{"log_output": "TABLE"}}, tables.All()...)
	c, _ := r.conn(t)
	r.exec(t, "SET GLOBAL slow_query_log = ON")
	r.exec(t, "SET GLOBAL general_log = ON")
	r.must(t, c, "SET long_query_time = 0", "SELECT 'remembered'")
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	r = serve(t, Options{DataDir: dir}, tables.All()...)
	r.want(t, "SELECT sql_text FROM mysql.slow_log WHERE sql_text LIKE '%remembered%'", "SELECT 'remembered'")
	r.want(t, "SELECT argument FROM mysql.general_log WHERE argument LIKE '%remembered%'", "SELECT 'remembered'")
}

func TestPtQueryDigest(t *testing.T) {
	needClient(t, "pt-query-digest")
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	c, _ := r.conn(t)
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY, a INT)")
	r.exec(t, "INSERT INTO test.t VALUES (1, 10), (2, 20), (3, 30)")
	r.exec(t, "SET GLOBAL slow_query_log_file = 'slow.log'")
	r.exec(t, "SET GLOBAL slow_query_log = ON")
	r.must(t, c, "SET long_query_time = 0", "USE test")
	for i := range 7 {
		r.must(t, c, fmt.Sprintf("SELECT a FROM t WHERE id > %d", i%2))
	}
	r.must(t, c, "UPDATE t SET a = 1 WHERE id = 3")
	r.exec(t, "SET GLOBAL slow_query_log = OFF")
	out := runClient(t, "", "pt-query-digest", "--no-version-check", "--limit", "100%", filepath.Join(dir, "slow.log"))
	for _, want := range []string{`# Overall: 10 total, 4 unique`, `# Count +\d+ +7\n`, `# Rows sent +\d+ +18 `, `# Rows examine +\d+ +18 `, `SELECT a FROM t WHERE id > \d\\G`, `# Databases +test\n`, `# Users +root\n`, `UPDATE t`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}
