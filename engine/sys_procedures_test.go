package engine

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/engine/sys"
	"pfsd/tables"
)

// TestSysProcedureFacts: the procedures of sys have MySQL's parameters, and can be parsed.
func TestSysProcedureFacts(t *testing.T) {
	head := regexp.MustCompile("(?s)^CREATE DEFINER=`mysql.sys`@`localhost` PROCEDURE `(\\w+)` \\((.*?)\\)\n    COMMENT '.+'\n    SQL SECURITY INVOKER\n    (NOT )?DETERMINISTIC\n    (READS SQL DATA|MODIFIES SQL DATA|CONTAINS SQL)\nBEGIN\n.*END$")
	facts := map[string][]string{}
	for _, f := range sysRoutineFacts(t, "PROCEDURE") {
		facts[f[0]] = f
	}
	for _, p := range sys.Procedures {
		m, f := head.FindStringSubmatch(p.Create), facts[p.Name]
		if m == nil || f == nil || m[1] != p.Name {
			t.Errorf("%s does not begin as a procedure of sys", p.Name)
			continue
		}
		want := strings.ReplaceAll(strings.ToLower(f[1]), " character set utf8mb4", "")
		if got := strings.Join(strings.Fields(m[2]), " "); plainType(got) != plainType(want) {
			t.Errorf("%s: the parameters are %s, want %s", p.Name, got, want)
		}
		if f[3] != "" && m[4] != f[3] || f[4] != "" && (m[3] == "") != (f[4] == "YES") {
			t.Errorf("%s: got %sDETERMINISTIC %s, want %v", p.Name, m[3], m[4], f[3:])
		}
		delete(facts, p.Name)
	}
	for name := range facts {
		t.Errorf("%s is missing", name)
	}
}

// called calls a procedure, and returns its results: of each, the names of the columns and the rows, cells
// separated by |.
func called(t *testing.T, c interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, statement string) (all [][]string, err error) {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), statement)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for {
		columns, err := rows.Columns()
		if err != nil {
			return all, err
		}
		result := []string{strings.Join(columns, "|")}
		for rows.Next() {
			cells, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range cells {
				targets[i] = &cells[i]
			}
			if err := rows.Scan(targets...); err != nil {
				return all, err
			}
			texts := make([]string, len(cells))
			for i, c := range cells {
				if texts[i] = c.String; !c.Valid {
					texts[i] = "NULL"
				}
			}
			result = append(result, strings.Join(texts, "|"))
		}
		if len(columns) > 0 {
			all = append(all, result)
		}
		if !rows.NextResultSet() {
			return all, rows.Err()
		}
	}
}

// calls calls a procedure and checks its only result, one row.
func (s *sqlSession) calls(statement, column, want string) {
	s.t.Helper()
	got, err := called(s.t, s.conn, statement)
	if err != nil || len(got) != 1 || len(got[0]) != 2 || got[0][0] != column || got[0][1] != want {
		s.t.Errorf("%s: got %q, %v, want %s", statement, got, err, want)
	}
}

// TestSysSetup: the procedures that switch things on and off do so, and tell how many were changed.
func TestSysSetup(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	background := len(r.query(t, "SELECT 1 FROM threads WHERE TYPE = 'BACKGROUND'"))
	instruments := len(r.query(t, "SELECT 1 FROM setup_instruments WHERE NAME LIKE '%statement/com/%'"))
	on := len(r.query(t, "SELECT 1 FROM setup_instruments WHERE NAME LIKE '%statement/com/%' AND ENABLED = 'YES' AND TIMED = 'YES'"))
	if background < 2 || instruments < 2 || on < 2 {
		t.Fatal(background, instruments, on)
	}
	for _, test := range []struct{ call, want, query, after string }{
		{"ps_setup_disable_background_threads()", fmt.Sprintf("Disabled %d background threads", background), "SELECT COUNT(*) FROM threads WHERE TYPE = 'BACKGROUND' AND INSTRUMENTED = 'YES'", "0"},
		{"ps_setup_disable_background_threads()", "Disabled 0 background threads", "SELECT COUNT(*) > 0 FROM threads WHERE TYPE = 'FOREGROUND' AND INSTRUMENTED = 'YES'", "1"},
		{"ps_setup_enable_background_threads()", fmt.Sprintf("Enabled %d background threads", background), "SELECT COUNT(*) FROM threads WHERE INSTRUMENTED = 'NO'", "0"},
		{"ps_setup_enable_consumer('events_stages')", "Enabled 4 consumers", "SELECT COUNT(*) FROM setup_consumers WHERE NAME LIKE 'events_stages%' AND ENABLED = 'YES'", "4"},
		{"ps_setup_disable_consumer('stages_history_long')", "Disabled 1 consumer", "SELECT ENABLED FROM setup_consumers WHERE NAME = 'events_stages_history_long'", "NO"},
		{"ps_setup_disable_consumer('nosuch')", "Disabled 0 consumers", "SELECT COUNT(*) FROM setup_consumers WHERE NAME LIKE 'events_stages%' AND ENABLED = 'YES'", "3"},
		{"ps_setup_enable_consumer(NULL)", "Enabled 0 consumers", "SELECT COUNT(*) FROM setup_consumers WHERE NAME LIKE 'events_stages%' AND ENABLED = 'YES'", "3"},
		{"ps_setup_disable_instrument('statement/com/')", fmt.Sprintf("Disabled %d instruments", instruments), "SELECT COUNT(*) FROM setup_instruments WHERE NAME LIKE 'statement/com/%' AND (ENABLED = 'YES' OR TIMED = 'YES')", "0"},
		{"ps_setup_enable_instrument('statement/com/Ping')", "Enabled 1 instrument", "SELECT ENABLED, TIMED FROM setup_instruments WHERE NAME = 'statement/com/Ping'", "YES|YES"},
		{"ps_setup_disable_thread(" + fmt.Sprint(s.id) + ")", "Disabled 1 thread", fmt.Sprintf("SELECT INSTRUMENTED FROM threads WHERE PROCESSLIST_ID = %d", s.id), "NO"},
		{"ps_setup_disable_thread(" + fmt.Sprint(s.id) + ")", "Disabled 0 threads", "SELECT 1", "1"},
		{"ps_setup_enable_thread(" + fmt.Sprint(s.id) + ")", "Enabled 1 thread", fmt.Sprintf("SELECT INSTRUMENTED FROM threads WHERE PROCESSLIST_ID = %d", s.id), "YES"},
		{"ps_setup_enable_thread(999999)", "Enabled 0 threads", "SELECT 1", "1"},
	} {
		s.calls("CALL sys."+test.call, "summary", test.want)
		r.want(t, test.query, test.after)
	}
}

// TestSysSetupShow: what is on or off is shown as the tables have it.
func TestSysSetupShow(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	s.do("INSERT INTO performance_schema.setup_actors VALUES ('h', 'u', '%', 'NO', 'NO')", "CALL sys.ps_setup_disable_background_threads()")
	for state, value := range map[string]string{"enabled": "YES", "disabled": "NO"} {
		consumers := r.query(t, "SELECT NAME FROM setup_consumers WHERE ENABLED = '"+value+"' ORDER BY NAME")
		instruments := r.query(t, "SELECT NAME, TIMED FROM setup_instruments WHERE ENABLED = '"+value+"' ORDER BY NAME")
		objects := r.query(t, "SELECT OBJECT_TYPE, CONCAT(OBJECT_SCHEMA, '.', OBJECT_NAME), ENABLED, TIMED FROM setup_objects WHERE ENABLED = '"+value+"' ORDER BY OBJECT_TYPE, OBJECT_SCHEMA")
		users, threads := "'%'@'%'", "root@localhost|FOREGROUND"
		if value == "NO" {
			users, threads = "'u'@'h'", "sql/main|BACKGROUND"
		}
		check := func(call string, results ...[]string) {
			t.Helper()
			got, err := called(t, s.conn, "CALL sys."+call)
			if err != nil || len(got) != len(results) {
				t.Fatalf("%s: got %d results, %v, want %d", call, len(got), err, len(results))
			}
			for i, want := range results {
				if want[0] == state+"_threads|thread_type" {
					if got[i][0] != want[0] || !strings.Contains(strings.Join(got[i], "\n"), want[1]) {
						t.Errorf("%s: got %q, want %q", call, got[i], want)
					}
				} else if strings.Join(got[i], "\n") != strings.Join(want, "\n") {
					t.Errorf("%s: got %q, want %q", call, got[i], want)
				}
			}
		}
		column := func(name string, rows []string) []string { return append([]string{name}, rows...) }
		check("ps_setup_show_"+state+"_consumers()", column(state+"_consumers", consumers))
		check("ps_setup_show_"+state+"_instruments()", column(state+"_instruments|timed", instruments))
		first := [][]string{
			{"performance_schema_enabled", "1"}, {state + "_users", users}, column("object_type|objects|enabled|timed", objects), column(state+"_consumers", consumers),
		}
		check("ps_setup_show_"+state+"(FALSE, FALSE)", first...)
		check("ps_setup_show_"+state+"(TRUE, FALSE)", append(first, column(state+"_instruments|timed", instruments))...)
		check("ps_setup_show_"+state+"(TRUE, TRUE)", append(first, []string{state + "_threads|thread_type", threads}, column(state+"_instruments|timed", instruments))...)
	}
}

// TestSysSetupReset: everything is as it is from the start, and the statements that do it are shown.
func TestSysSetupReset(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	all := map[string][]string{}
	for _, table := range []string{"setup_actors", "setup_consumers", "setup_instruments", "setup_objects"} {
		all[table] = r.query(t, "SELECT * FROM "+table+" ORDER BY 1, 2")
	}
	s.do("UPDATE performance_schema.setup_actors SET ENABLED = 'NO'", "INSERT INTO performance_schema.setup_actors VALUES ('h', 'u', '%', 'NO', 'NO')",
		"UPDATE performance_schema.setup_consumers SET ENABLED = IF(ENABLED = 'YES', 'NO', 'YES') WHERE NAME NOT LIKE '%instrumentation'",
		"UPDATE performance_schema.setup_instruments SET ENABLED = IF(ENABLED = 'YES', 'NO', 'YES'), TIMED = IF(TIMED = 'YES', 'NO', 'YES')",
		"DELETE FROM performance_schema.setup_objects WHERE OBJECT_TYPE = 'TABLE'", "UPDATE performance_schema.setup_objects SET ENABLED = 'NO'",
		"UPDATE performance_schema.threads SET INSTRUMENTED = 'NO', HISTORY = 'NO'")
	got, err := called(t, s.conn, "CALL sys.ps_setup_reset_to_default(TRUE)")
	if err != nil || len(got) != 7 || got[3][0] != "status" || !strings.HasPrefix(got[3][1], "Resetting: setup_consumers\nUPDATE performance_schema.setup_consumers SET ") {
		t.Errorf("got %q, %v", got, err)
	}
	for table, want := range all {
		if got := r.query(t, "SELECT * FROM "+table+" ORDER BY 1, 2"); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got %q, want %q", table, got, want)
		}
	}
	r.want(t, "SELECT COUNT(*) FROM threads WHERE INSTRUMENTED = 'NO' OR HISTORY = 'NO'", "0")
	if got, err := called(t, s.conn, "CALL sys.ps_setup_reset_to_default(FALSE)"); err != nil || len(got) != 0 {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestSysTruncate: all summaries and histories are truncated, and nothing else.
func TestSysTruncate(t *testing.T) {
	r := serveAll(t, Options{})
	s := r.session(t)
	n := len(r.query(t, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'performance_schema' AND (TABLE_NAME LIKE '%summary%' OR TABLE_NAME LIKE '%history%')"))
	s.do("SELECT 'before'")
	s.calls("CALL sys.ps_truncate_all_tables(FALSE)", "summary", fmt.Sprintf("Truncated %d tables", n))
	r.want(t, "SELECT COUNT(*) FROM events_statements_summary_by_digest WHERE QUERY_SAMPLE_TEXT = 'SELECT ''before'''", "0")
	r.want(t, "SELECT COUNT(*) > 0 FROM setup_instruments", "1")
	got, err := called(t, s.conn, "CALL sys.ps_truncate_all_tables(TRUE)")
	if err != nil || len(got) != n+1 || got[0][0] != "status" || got[0][1] != "Running: TRUNCATE TABLE performance_schema.active_session_history" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestSysStatements: a text is carried out as a statement, and a database gets a twin of views.
func TestSysStatements(t *testing.T) {
	oneAtATime(t)
	s := serve(t, Options{}, tables.All()...).session(t)
	s.calls("CALL sys.execute_prepared_stmt('SELECT 1 + 1 AS two')", "two", "2")
	s.do("SET @sys.debug = 'ON'")
	if got, err := called(t, s.conn, "CALL sys.execute_prepared_stmt('SELECT 1 AS one')"); fmt.Sprint(got, err) != "[[Debug SELECT 1 AS one] [one 1]] <nil>" {
		t.Errorf("got %q, %v", got, err)
	}
	s.do("SET @sys.debug = NULL")
	for call, want := range map[string]string{
		"execute_prepared_stmt(NULL)":                     "1644 45000 The @sys.execute_prepared_stmt.sql must contain a query",
		"execute_prepared_stmt('x')":                      "1644 45000 The @sys.execute_prepared_stmt.sql must contain a query",
		"execute_prepared_stmt('SELECT nope')":            "1054 42S22 Unknown column 'nope' in 'field list'",
		"create_synonym_db('nosuch', 'ps')":               "1644 HY000 Unknown database nosuch",
		"create_synonym_db('performance_schema', 'test')": "1644 HY000 Can't create database test; database exists",
		"execute_prepared_stmt()":                         "1318 42000 Incorrect number of arguments for PROCEDURE sys.execute_prepared_stmt; expected 1, got 0",
		"nosuch()":                                        "1305 42000 PROCEDURE sys.nosuch does not exist",
	} {
		if got := s.fails("CALL sys." + call); got != want {
			t.Errorf("%s: got %s, want %s", call, got, want)
		}
	}
	s.do("CREATE TABLE test.`a``b` (x INT)", "INSERT INTO test.`a``b` VALUES (7)", "CREATE VIEW test.v AS SELECT x + 1 AS y FROM test.`a``b`")
	s.calls("CALL sys.create_synonym_db('test', 'te`st')", "summary", "Created 2 views in the `te``st` database")
	if got := s.column("SELECT x + y FROM `te``st`.`a``b` JOIN `te``st`.v"); got != "15" {
		t.Errorf("got %s", got)
	}
	s.calls("CALL sys.create_synonym_db('performance_schema', 'ps')", "summary", fmt.Sprintf("Created %d views in the `ps` database", len(tables.All())))
	if got := s.column("SELECT COUNT(*) > 0 FROM ps.threads"); got != "1" {
		t.Errorf("got %s", got)
	}
}

// TestSysTableExists: tables, views and temporary tables are told from each other.
func TestSysTableExists(t *testing.T) {
	s := serve(t, Options{}, tables.All()...).session(t)
	s.do("CREATE TABLE test.t (a INT)", "CREATE TABLE test.both (a INT)", "CREATE TEMPORARY TABLE test.both (b INT)", "CREATE TEMPORARY TABLE test.tt (a INT)", "CREATE VIEW test.v AS SELECT 1")
	for table, want := range map[string]string{
		"'test', 't'": "BASE TABLE", "'test', 'v'": "VIEW", "'sys', 'session'": "VIEW", "'performance_schema', 'threads'": "BASE TABLE", "'test', 'tt'": "TEMPORARY",
		"'test', 'both'": "TEMPORARY", "'test', 'none'": "", "'nosuch', 't'": "", "NULL, 't'": "", "'test', NULL": "", "'performance_schema', 'none'": "", "'sys', 'none'": "",
	} {
		s.do("CALL sys.table_exists(" + table + ", @kind)")
		if got := s.column("SELECT @kind"); got != want {
			t.Errorf("%s: got %s, want %s", table, got, want)
		}
	}
	if got := s.fails("SELECT * FROM test.none"); !strings.HasPrefix(got, "1146 ") {
		t.Errorf("asking has made a table: %s", got)
	}
}

// TestSysConfig: the settings of sys are a table that remembers who has changed what.
func TestSysConfig(t *testing.T) {
	r := serve(t, Options{Init: []string{"CREATE USER u", "GRANT SELECT, UPDATE ON sys.sys_config TO u", "CREATE USER v", "GRANT SELECT ON sys.* TO v"}}, tables.All()...)
	r.want(t, "SELECT variable, value, set_time BETWEEN NOW() - INTERVAL 1 HOUR AND NOW(), set_by FROM sys.sys_config ORDER BY variable",
		"diagnostics.allow_i_s_tables|OFF|1|NULL", "diagnostics.include_raw|OFF|1|NULL", "ps_thread_trx_info.max_length|65535|1|NULL",
		"statement_performance_analyzer.limit|100|1|NULL", "statement_performance_analyzer.view|NULL|1|NULL", "statement_truncate_len|64|1|NULL")
	s := r.session(t)
	s.do("UPDATE sys.sys_config SET value = '32' WHERE variable = 'statement_truncate_len'", "INSERT INTO sys.sys_config (variable, value) VALUES ('x', 'y')")
	r.want(t, "SELECT variable, value, set_by FROM sys.sys_config WHERE set_by IS NOT NULL ORDER BY variable", "statement_truncate_len|32|root@localhost", "x|y|root@localhost")
	r.want(t, "SELECT sys.sys_get_config('X', 'no'), sys.format_statement(REPEAT('a', 33))", "y|"+strings.Repeat("a", 14)+" ... "+strings.Repeat("a", 14))
	u, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	check(t, u, [2]string{"UPDATE sys.sys_config SET value = 'z' WHERE variable = 'x'", "ok"},
		[2]string{"DELETE FROM sys.sys_config", "1142 42000 DELETE command denied to user 'u'@'localhost' for table 'sys_config'"})
	r.want(t, "SELECT value, set_by FROM sys.sys_config WHERE variable = 'x'", "z|u@localhost")
	s.do("SET @sys.ignore_sys_config_triggers = TRUE", "UPDATE sys.sys_config SET value = 'w' WHERE variable = 'x'")
	r.want(t, "SELECT value, set_by FROM sys.sys_config WHERE variable = 'x'", "w|u@localhost")
	for statement, want := range map[string]string{
		"INSERT INTO sys.sys_config (variable) VALUES ('X')":                                 "1062 23000 Duplicate entry 'x' for key 'sys_config.PRIMARY'",
		"UPDATE sys.sys_config SET variable = 'x' WHERE variable = 'statement_truncate_len'": "1062 23000 Duplicate entry 'x' for key 'sys_config.PRIMARY'",
		"DROP TABLE sys.sys_config":                                                          "1044 42000 Access denied for user 'root'@'localhost' to database 'sys'",
	} {
		if got := s.fails(statement); got != want {
			t.Errorf("%s: got %s, want %s", statement, got, want)
		}
	}
	s.do("REPLACE INTO sys.sys_config (variable, value) VALUES ('x', '1')", "INSERT INTO sys.sys_config (variable, value) VALUES ('x', '2') ON DUPLICATE KEY UPDATE value = '3'",
		"UPDATE sys.sys_config SET variable = 'renamed' WHERE variable = 'x'")
	r.want(t, "SELECT value FROM sys.sys_config WHERE variable IN ('x', 'renamed')", "3")
	s.do("DELETE FROM sys.sys_config WHERE variable = 'renamed'")
	r.want(t, "SELECT COUNT(*) FROM sys.sys_config", "6")
	v, err := r.enter(t, "v")
	if err != nil {
		t.Fatal(err)
	}
	check(t, v, [2]string{"SELECT COUNT(*) FROM sys.sys_config", "6"},
		[2]string{"CALL sys.ps_setup_show_enabled_consumers()", "1370 42000 execute command denied to user 'v'@'%' for routine 'sys.ps_setup_show_enabled_consumers'"})
	r.exec(t, "GRANT EXECUTE ON sys.* TO v")
	check(t, v, [2]string{"CALL sys.ps_setup_show_enabled_consumers()", "1142 42000 SELECT command denied to user 'v'@'localhost' for table 'setup_consumers'"})
}

// TestSysSetupSaved: what is switched on and off can be kept and brought back, by one session at a time.
func TestSysSetupSaved(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s, other := r.session(t), r.session(t)
	const missing = "1644 90001 An error occurred, was sys.ps_setup_save() run before this procedure?"
	if got := s.fails("CALL sys.ps_setup_reload_saved()"); got != missing {
		t.Errorf("got %s", got)
	}
	s.do("UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = 'events_waits_current'", "UPDATE performance_schema.setup_instruments SET TIMED = 'NO' WHERE NAME LIKE 'statement/sql/%'")
	all := map[string][]string{}
	queries := []string{
		"SELECT * FROM setup_actors ORDER BY 1, 2", "SELECT * FROM setup_consumers ORDER BY 1", "SELECT NAME, ENABLED, TIMED FROM setup_instruments ORDER BY 1",
		"SELECT THREAD_ID, INSTRUMENTED, HISTORY FROM threads WHERE TYPE = 'BACKGROUND' ORDER BY 1",
	}
	for _, q := range queries {
		all[q] = r.query(t, q)
	}
	s.do("CALL sys.ps_setup_save(10)")
	if got := other.fails("CALL sys.ps_setup_save(0)"); got != "1644 90000 Could not lock the sys.ps_setup_save user lock, another thread has a saved configuration" {
		t.Errorf("got %s", got)
	}
	if got := other.fails("CALL sys.ps_setup_reload_saved()"); got != missing {
		t.Errorf("got %s", got)
	}
	s.do("CALL sys.ps_setup_reset_to_default(FALSE)", "CALL sys.ps_setup_disable_instrument('statement')", "CALL sys.ps_setup_disable_background_threads()",
		"INSERT INTO performance_schema.setup_actors VALUES ('h', 'u', '%', 'NO', 'NO')", "CALL sys.ps_setup_reload_saved()")
	for _, q := range queries {
		if got := r.query(t, q); strings.Join(got, "\n") != strings.Join(all[q], "\n") {
			t.Errorf("%s: got %q, want %q", q, got, all[q])
		}
	}
	other.do("CALL sys.ps_setup_save(0)", "CALL sys.ps_setup_reload_saved()")
}

// TestSysHistogram: every digest is in one of 16 buckets.
func TestSysHistogram(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	s.do("SELECT SLEEP(0.05)", "SELECT 1", "SELECT 1, 2", "SELECT 'a' FROM DUAL")
	got, err := called(t, s.conn, "CALL sys.ps_statement_avg_latency_histogram()")
	if err != nil || len(got) != 1 || got[0][0] != "Performance Schema Statement Digest Average Latency Histogram" {
		t.Fatalf("got %q, %v", got, err)
	}
	buckets, counted := regexp.MustCompile(`(?m)^\((\d+) - (\d+)ms\) +(\d+) +\| ([.*#]*)$`).FindAllStringSubmatch(got[0][1], -1), 0
	for _, b := range buckets {
		n, err := strconv.Atoi(b[3])
		if counted += n; err != nil || (n == 0) != (b[4] == "") {
			t.Errorf("got %q", b[0])
		}
	}
	total := regexp.MustCompile(`Total Statements: (\d+); Buckets: 16; Bucket Size: (\d+) ms;`).FindStringSubmatch(got[0][1])
	if len(buckets) != 16 || total == nil || total[1] != strconv.Itoa(counted) || counted < 4 || buckets[0][2] != total[2] {
		t.Errorf("got %s", got[0][1])
	}
}

// watch has a session call a procedure that watches for some seconds, and does work over and over while it
// sleeps; for longer, until what it answers is enough: none of the work need come in its time.
func (s *sqlSession) watch(call func(seconds int) string, work func(), enough func(results [][]string) bool) (results [][]string) {
	s.t.Helper()
	for seconds := 1; ; seconds *= 3 {
		done, statement := make(chan error, 1), call(seconds)
		go func() {
			var err error
			results, err = called(s.t, s.conn, statement)
			done <- err
		}()
		for ended := false; !ended; {
			select {
			case err := <-done:
				if ended = true; err != nil {
					s.t.Fatal(err)
				}
			case <-time.After(time.Millisecond):
				if s.state() == "User sleep" {
					work()
				}
			}
		}
		if enough(results) {
			return results
		}
		if seconds > 60 {
			s.t.Fatalf("nothing is seen in %d seconds: %q", seconds, results)
		}
	}
}

// TestSysTraceThread: the events of a thread are written as a graph, and all is set up as it was.
func TestSysTraceThread(t *testing.T) {
	oneAtATime(t)
	dir := t.TempDir()
	r := serve(t, Options{SecureFilePriv: dir}, tables.All()...)
	s, seen := r.session(t), r.session(t)
	consumers := r.query(t, "SELECT * FROM setup_consumers")
	file := filepath.Join(dir, "it's.dot")
	statement := regexp.MustCompile(`\n  (\d+ -> )?(\d+; )?\d+ \[label="\([0-9.]+ \w+\) sql/select\\nSELECT 'a\\"b\\\\\\\\c', COUNT\(\*\) FROM performance_schema.setup_actors\\nerrors: 0\\n`)
	var graph []byte
	s.watch(func(seconds int) string {
		_ = os.Remove(file)
		return fmt.Sprintf("CALL sys.ps_trace_thread(%d, '%s', %d, 0.1, TRUE, TRUE, TRUE)", seen.thread.ID(), strings.ReplaceAll(file, "'", "''"), seconds)
	}, func() {
		seen.do(`SELECT 'a"b\\c', COUNT(*) FROM performance_schema.setup_actors`)
	}, func([][]string) bool {
		var err error
		if graph, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		return statement.Match(graph)
	})
	for _, want := range []string{
		"^digraph events \\{ rankdir=LR; nodesep=0.10;\n// Stack created .....: \\d{4}-",
		`\n  \d+ -> \d+; \d+ \[label="\([0-9.]+ \w+\) sql/executing\\n\w+\.go:\d+", style=filled, color=slategray3\];\n`, `color=lightskyblue\];\n`, `color=orange\];\n`, "\n}\n$",
	} {
		if !regexp.MustCompile(want).Match(graph) {
			t.Errorf("no %s in the graph", want)
		}
	}
	if got := r.query(t, "SELECT * FROM setup_consumers"); strings.Join(got, "\n") != strings.Join(consumers, "\n") {
		t.Errorf("the consumers are %q", got)
	}
	r.want(t, "SELECT COUNT(*) FROM threads WHERE INSTRUMENTED = 'NO'", "0")
	for name, want := range map[string]string{
		file:                                "1086 HY000 File '" + file + "' already exists",
		filepath.Join(t.TempDir(), "x.dot"): "1290 HY000 The MySQL server is running with the --secure-file-priv option so it cannot execute this statement",
	} {
		if got := s.fails(fmt.Sprintf("CALL sys.ps_trace_thread(%d, '%s', 0, 1, FALSE, TRUE, FALSE)", seen.thread.ID(), strings.ReplaceAll(name, "'", "''"))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	r.want(t, "SELECT COUNT(*) FROM threads WHERE INSTRUMENTED = 'NO'", "0")
}

// TestSysTraceDigest: what executions of a statement have done is summed up, and the longest one shown.
func TestSysTraceDigest(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s, seen := r.session(t), r.session(t)
	digest := s.column("SELECT STATEMENT_DIGEST('SELECT ENABLED FROM performance_schema.setup_actors WHERE 1 = 1')")
	n, sums := 0, []string{}
	results := s.watch(func(seconds int) string {
		n = 0
		return fmt.Sprintf("CALL sys.ps_trace_statement_digest('%s', %d, 0.1, TRUE, TRUE)", digest, seconds)
	}, func() {
		if n < 100 { // more may overflow the history of stages
			n++
			seen.do(fmt.Sprintf("SELECT ENABLED FROM performance_schema.setup_actors WHERE %d = %d", n, n))
		}
	}, func(results [][]string) bool {
		sums = strings.Split(results[2][1], "|")
		return sums[0] != "0"
	})
	executions, err := strconv.Atoi(sums[0])
	if results[1][1] != "SUMMARY STATISTICS" || err != nil || executions == 0 || executions > n || sums[1] == "NULL" || sums[3] != sums[0] || sums[5] != sums[0] {
		t.Errorf("%d statements, got %q", n, results[2])
	}
	if results[3][0] != "event_name|count|latency" || !strings.Contains(strings.Join(results[3], "\n"), "stage/sql/executing|") {
		t.Errorf("got %q", results[3])
	}
	if results[4][1] != "LONGEST RUNNING STATEMENT" || !strings.HasPrefix(results[5][1], fmt.Sprint(seen.thread.ID(), "|")) || !strings.HasPrefix(results[6][1], "SELECT ENABLED FROM") || len(results[7]) < 3 {
		t.Errorf("got %q", results[4:8])
	}
}

// TestSysAnalyzer: snapshots of digests are made, kept, compared and reported on.
func TestSysAnalyzer(t *testing.T) {
	oneAtATime(t)
	s := serve(t, Options{}, tables.All()...).session(t)
	report := func(call string) [][]string {
		t.Helper()
		got, err := called(t, s.conn, "CALL sys.statement_performance_analyzer("+call+")")
		if err != nil {
			t.Errorf("%s: %v", call, err)
		}
		return got
	}
	s.do("SELECT 'seen' AS before_it", "CALL sys.statement_performance_analyzer('create_tmp', 'test.kept', NULL)", "CALL sys.statement_performance_analyzer('create_table', 'test.other', NULL)",
		"CALL sys.statement_performance_analyzer('snapshot', NULL, NULL)", "CALL sys.statement_performance_analyzer('save', 'test.kept', NULL)",
		"SELECT 'seen' AS before_it", "SELECT 'seen' AS before_it", "SELECT 'new' AS after_it")
	if got := s.column("SELECT COUNT(*) > 2 FROM test.kept"); got != "1" {
		t.Errorf("nothing is kept")
	}
	got := report("'delta', 'test.kept', 'analysis'")
	if len(got) != 2 || got[0][0] != "Next Output" || got[0][1] != "Top 100 Queries Ordered by Total Latency" {
		t.Fatalf("got %q", got)
	}
	text := strings.Join(got[1], "\n")
	for statement, n := range map[string]string{"SELECT ? AS `before_it`": "2", "SELECT ? AS `after_it`": "1"} {
		if !regexp.MustCompile("(?m)^" + regexp.QuoteMeta(statement) + `\|performance_schema\|\|` + n + `\|`).MatchString(text) {
			t.Errorf("no %s, %s times, in %s", statement, n, text)
		}
	}
	if strings.Contains(text, "create_tmp") {
		t.Errorf("what was before is in %s", text)
	}
	got = report("'overall', NULL, NULL")
	titles := []string{}
	for i := 0; i < len(got); i++ {
		if got[i][0] == "Next Output" {
			titles = append(titles, got[i][1])
		}
	}
	if want := "Queries with Runtime in 95th Percentile, Top 100 Queries Ordered by Total Latency, Top 100 Queries with Errors, Top 100 Queries with Full Table Scan, Top 100 Queries with Sorting, Top 100 Queries with Internal Temporary Tables"; strings.Join(titles, ", ") != want || len(got) != 12 || len(got[1]) < 2 || len(got[3]) < 4 {
		t.Errorf("got %q", got)
	}
	if got := report("'overall', 'test.other', 'analysis'"); len(got) != 2 || len(got[1]) != 1 {
		t.Errorf("an empty table has %q", got)
	}
	s.do("SET @sys.statement_performance_analyzer.limit = 1", "SET @sys.statement_performance_analyzer.view = 'sys.statement_analysis'")
	if got := report("'overall', NOW(), 'analysis'"); len(got) != 2 || got[0][1] != "Top 1 Queries Ordered by Total Latency" || len(got[1]) != 2 {
		t.Errorf("got %q", got)
	}
	if got := report("'overall', NULL, 'custom'"); len(got) != 2 || got[0][1] != "Top 1 Queries Using Custom View" || len(got[1]) != 2 {
		t.Errorf("got %q", got)
	}
	s.do("SET @sys.statement_performance_analyzer.view = 'SELECT DIGEST_TEXT FROM performance_schema.events_statements_summary_by_digest LIMIT 2'")
	if got := report("'overall', NULL, 'custom'"); len(got) != 2 || got[1][0] != "DIGEST_TEXT" || len(got[1]) != 3 {
		t.Errorf("got %q", got)
	}
	s.do("SET @sys.statement_performance_analyzer.view = 'SELECT DIGEST_TEXT FROM performance_schema.events_statements_summary_by_digest'")
	if got := report("'overall', 'NOW()', 'custom'"); len(got) != 2 || len(got[1]) != 2 {
		t.Errorf("got %q", got)
	}
	s.do("SET @sys.statement_performance_analyzer.limit = 0")
	if got := report("'overall', NULL, 'custom'"); len(got) != 2 || len(got[1]) < 4 {
		t.Errorf("got %q", got)
	}
	s.do("CREATE TABLE test.wrong (a INT)", "SET @sys.statement_performance_analyzer.view = NULL", "CALL sys.statement_performance_analyzer('cleanup', NULL, NULL)")
	for call, want := range map[string]string{
		"'create_tmp', 'test.kept', NULL":     "1644 45000 Cannot create the table `test`.`kept` as it already exists.",
		"'create_table', 'test.other', NULL":  "1644 45000 Cannot create the table `test`.`other` as it already exists.",
		"'delta', 'test.none', 'analysis'":    "1644 45000 The delta action requires in_table to be an existing table. The table `test`.`none` does not exist.",
		"'save', 'test.none', NULL":           "1644 45000 The save action requires in_table to be an existing table. The table `test`.`none` does not exist.",
		"'delta', NULL, NULL":                 "1644 45000 The delta action requires in_table to be an existing table.",
		"'overall', 'test.none', 'analysis'":  "1644 45000 The overall action requires in_table to be NULL, NOW() or specify an existing table. The table `test`.`none` does not exist.",
		"'overall', NULL, 'custom'":           "1644 45000 The @sys.statement_performance_analyzer.view user variable must be set with the view or query to use.",
		"'overall', 'test.wrong', 'analysis'": "1644 45000 The table `test`.`wrong` has the wrong definition.",
		"'nosuch', NULL, NULL":                "1265 01000 Data truncated for column 'in_action' at row 1",
		"'overall', NULL, 'nosuch'":           "1265 01000 Data truncated for column 'in_views' at row 1",
	} {
		if got := s.fails("CALL sys.statement_performance_analyzer(" + call + ")"); got != want {
			t.Errorf("%s: got %s, want %s", call, got, want)
		}
	}
}

// TestSysDiagnostics: a report has all its parts, and what has changed meanwhile.
func TestSysDiagnostics(t *testing.T) {
	oneAtATime(t)
	r := serveAll(t, Options{})
	s := r.session(t)
	s.do("CREATE TABLE test.t (a INT PRIMARY KEY)", "INSERT INTO test.t VALUES (1)")
	consumers := r.query(t, "SELECT * FROM setup_consumers")
	got, err := called(t, s.conn, "CALL sys.diagnostics(1, 1, 'full')")
	if err != nil {
		t.Fatalf("after %d results, the last of which is %q: %v", len(got), got[len(got)-1], err)
	}
	parts := map[string][]string{}
	for i, result := range got {
		columns := strings.Split(result[0], "|")
		if columns[len(columns)-1] == "The following output is:" && i+1 < len(got) && len(result) == 2 {
			cells := strings.Split(result[1], "|")
			parts[cells[len(cells)-1]] = got[i+1]
		}
	}
	for _, part := range []string{
		"GLOBAL VARIABLES", "Performance Schema Setup - Consumers", "Performance Schema Setup - Instruments", "Iteration Number 1", "Iteration Number 2",
		"SHOW ENGINE PERFORMANCE_SCHEMA STATUS", "SELECT * FROM sys.processlist", "Overall", "Delta", "Overall host_summary_by_statement_type", "Delta user_summary_by_statement_type",
		"Delta waits_global_by_latency", "Delta io_global_by_file_by_latency", "SELECT * FROM sys.metrics",
	} {
		if parts[part] == nil {
			t.Errorf("no %s", part)
		}
	}
	if rows := parts["SELECT * FROM sys.metrics"]; len(rows) < 100 || !strings.HasPrefix(rows[0], "Variable_name|Output 1|Output 2|Delta|Delta per second|") {
		t.Errorf("the metrics are %.300q", rows)
	}
	// Averages are those of the time between.
	for _, view := range []string{"Delta waits_global_by_latency", "Delta host_summary_by_statement_latency", "Delta io_global_by_wait_by_bytes"} {
		if rows := parts[view]; len(rows) > 1 && strings.Contains(rows[0], "|avg_latency") {
			cells := strings.Split(rows[1], "|")
			of := func(name string) string { return cells[slices.Index(strings.Split(rows[0], "|"), name)] }
			if of("total") == "1" && of("avg_latency") != of("total_latency") {
				t.Errorf("%s: the average of one is %s, not %s", view, of("avg_latency"), of("total_latency"))
			}
		}
	}
	if rows := parts["Overall waits_global_by_latency"]; len(rows) < 3 {
		t.Errorf("the waits are %q", rows)
	}
	if got := r.query(t, "SELECT * FROM setup_consumers"); strings.Join(got, "\n") != strings.Join(consumers, "\n") {
		t.Errorf("the consumers are %q", got)
	}
	for call, want := range map[string]string{
		"0, 1, 'current'": "1644 45000 in_max_runtime must be greater than or equal to in_interval",
		"1, 0, 'current'": "1644 45000 in_interval must be greater than 0",
		"1, 1, 'nosuch'":  "1265 01000 Data truncated for column 'in_auto_config' at row 1",
	} {
		if got := s.fails("CALL sys.diagnostics(" + call + ")"); got != want {
			t.Errorf("%s: got %s, want %s", call, got, want)
		}
	}
}
