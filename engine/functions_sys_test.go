package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/tables"
)

// sysRoutineFacts are the lines of MySQL's routines of sys of a kind: name, parameters, type, what they
// do with data, whether they are deterministic.
func sysRoutineFacts(t *testing.T, kind string) (all [][]string) {
	t.Helper()
	text, err := os.ReadFile("../testdata/mysql84/sys_routines.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		if cells := strings.Split(line, "\t"); cells[0] == kind {
			all = append(all, cells[1:])
		}
	}
	return all
}

// plainType is a type without what does not tell it from others.
func plainType(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, " ", ""))
	return strings.TrimSuffix(s, "charsetutf8mb4")
}

// TestSysFunctionFacts: the functions of sys are MySQL's.
func TestSysFunctionFacts(t *testing.T) {
	facts := sysRoutineFacts(t, "FUNCTION")
	for _, f := range facts {
		ours := sysschema.Functions[f[0]]
		if ours == nil {
			t.Errorf("%s is missing", f[0])
			continue
		}
		var params []string
		for _, p := range ours.Params {
			params = append(params, p.Name+" "+p.Kind.Declared)
		}
		if got := strings.Join(params, ", "); plainType(got) != plainType(f[1]) {
			t.Errorf("%s: the parameters are %s, want %s", f[0], got, f[1])
		}
		if plainType(ours.Returns.Declared) != plainType(f[2]) || ours.Data != f[3] || ours.Varies != (f[4] == "NO") {
			t.Errorf("%s returns %s, %s, varies %t, want %v", f[0], ours.Returns.Declared, ours.Data, ours.Varies, f[2:])
		}
	}
	if len(facts) != len(sysschema.Functions) {
		t.Errorf("%d functions, want %d", len(sysschema.Functions), len(facts))
	}
}

// TestSysFunctions: what the functions of sys say.
func TestSysFunctions(t *testing.T) {
	oneAtATime(t)
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	for _, test := range []struct {
		function string
		args     []string
		want     []string
	}{
		{"format_time", []string{"NULL", "0", "1", "999", "1000", "999999", "1000000", "1000000000", "1000000000000", "59999999999999", "60000000000000", "3600000000000000", "86400000000000000", "604800000000000000", "18446744073709551615", "18446744073709551616"},
			[]string{"NULL", "0 ps", "1 ps", "999 ps", "1.00 ns", "1000.00 ns", "1.00 us", "1.00 ms", "1.00 s", "60.00 s", "1.00 m", "1.00 h", "1.00 d", "1.00 w", "30.50 w", "30.50 w"}},
		{"format_time", []string{"-1", "-5000", "'x'", "''", "1.5", "1e30", "'12abc'", "2125", "1005", "'1e3'", "3501", "188732396662000", "-18446744073709551615"},
			[]string{"-1 ps", "-5000 ps", "x ps", " ps", "1.5 ps", "1653439153439.15 w", "12abc ps", "2.12 ns", "1.00 ns", "1.00 ns", "3.50 ns", "3.15 m", "-18446744073709551615 ps"}},
		{"format_bytes", []string{"NULL", "0", "-1", "-2048", "'x'", "1023", "1024", "1048576", "1073741824", "18446744073709551615", "18446744073709551616", "'1024abc'"},
			[]string{"NULL", "   0 bytes", "  -1 bytes", "-2.00 KiB", "   0 bytes", "1023 bytes", "1.00 KiB", "1.00 MiB", "1.00 GiB", "16.00 EiB", "16.00 EiB", "1.00 KiB"}},
		{"extract_schema_from_file_name", []string{"'/var/lib/mysql/employees/employee.ibd'", "'employee.ibd'", "'/employee.ibd'", "'a/employee.ibd'", "NULL", "'/x/'", "''", `'c:\\v\\d\\e.ibd'`, "CONCAT('/', REPEAT('é', 70), '/t.ibd')"},
			[]string{"employees", "employee.ibd", "", "a", "NULL", "x", "", "d", strings.Repeat("é", 64)}},
		{"extract_table_from_file_name", []string{"'/v/d/e@0024x.ibd'", "'/v/d/e'", "'e.ibd'", "'/v/d/e.x.y'", "NULL", "'/v/d/'", "'/v/d/t1#p#p0.ibd'", "'/v/d/e@002df.ibd'"},
			[]string{"e$x", "e", "e", "e", "NULL", "", "t1#p#p0", "e@002df"}},
		{"format_path", []string{"NULL", "'" + dir + "/a/b.sst'", "'" + dir + "'", "'/x" + dir + "/a'", "'" + dir + "x/a'", "CONCAT('/private', @@tmpdir, '/f')", "''"},
			[]string{"NULL", "@@datadir/a/b.sst", "@@tmpdir" + strings.TrimPrefix(dir, os.TempDir()), "/x" + dir + "/a", "@@tmpdir" + strings.TrimPrefix(dir, os.TempDir()) + "x/a", "@@tmpdir/f", ""}},
		{"quote_identifier", []string{"'a`b'", "NULL", "''", "'x y'"}, []string{"`a``b`", "NULL", "``", "`x y`"}},
		{"list_add", []string{"'a,b','c'", "'','c'", "NULL,'c'", "'a',''", "'a','a'"}, []string{"a,b,c", "c", "c", "a,", "a,a"}},
		{"list_drop", []string{"'a,b,c','b'", "'a,b,c','a'", "'a,b,c','c'", "'a','a'", "'a, b,c','b'", "'a,b','x'", "NULL,'a'", "'a,b,b,c','b'", "'','a'", "'A,b','a'", "'b,ab,bc','b'"},
			[]string{"a,c", "b,c", "a,b", "", "a,c", "a,b", "NULL", "a,c", "", "A,b", "ab,bc"}},
		{"ps_is_account_enabled", []string{"'localhost','root'", "NULL,NULL"}, []string{"YES", "YES"}},
		{"ps_is_consumer_enabled", []string{"'global_instrumentation'", "'events_waits_history'", "'Events_Statements_History'", "'statements_digest'", "NULL"}, []string{"YES", "NO", "YES", "YES", "NULL"}},
		{"ps_is_instrument_default_enabled", []string{"'statement/sql/select'", "'memory/sql/x'", "'wait/io/file/x/y'", "'wait/synch/mutex/x/y'", "'stage/x/y'", "'x'", "''", "NULL"}, []string{"YES", "YES", "YES", "NO", "NO", "NO", "NO", "NO"}},
		{"ps_is_instrument_default_timed", []string{"'statement/sql/select'", "'memory/sql/x'", "'wait/io/file/x/y'", "'wait/synch/mutex/x/y'", "'idle'", "NULL"}, []string{"YES", "NO", "YES", "NO", "YES", "NO"}},
		{"ps_is_thread_instrumented", []string{"CONNECTION_ID()", "999999", "NULL", "0"}, []string{"YES", "UNKNOWN", "NULL", "UNKNOWN"}},
		{"ps_thread_id", []string{"999999", "'x'"}, []string{"NULL", "NULL"}},
		{"ps_thread_account", []string{"sys.ps_thread_id(NULL)", "999999", "NULL", "(SELECT MIN(THREAD_ID) FROM performance_schema.threads WHERE TYPE = 'BACKGROUND')"}, []string{"root@localhost", "NULL", "NULL", "BACKGROUND"}},
		{"sys_get_config", []string{"'statement_truncate_len','1'", "'STATEMENT_truncate_len',NULL", "'none','dflt'", "'none',NULL", "NULL,'a'", "'statement_performance_analyzer.view','x'"}, []string{"64", "64", "dflt", "NULL", "a", "x"}},
		{"version_major", []string{""}, []string{"8"}},
		{"version_minor", []string{""}, []string{"4"}},
		{"version_patch", []string{""}, []string{"8"}},
	} {
		calls := make([]string, len(test.args))
		for i, a := range test.args {
			calls[i] = "sys." + test.function + "(" + a + ")"
		}
		r.want(t, "SELECT "+strings.Join(calls, ", "), strings.Join(test.want, "|"))
	}
	r.want(t, "SELECT sys.ps_thread_id(CONNECTION_ID()) = PS_CURRENT_THREAD_ID(), sys.ps_thread_id(NULL) = PS_CURRENT_THREAD_ID()", "1|1")
}

// TestSysFormatStatement: half of what statement_truncate_len lets through is the beginning of a
// statement, half its end; the session keeps the setting that it has used first.
func TestSysFormatStatement(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	for _, test := range []struct{ limit, statement, want string }{
		{"NULL", "REPEAT('x', 64)", strings.Repeat("x", 64)},
		{"@sys.statement_truncate_len", "REPEAT('x', 65)", strings.Repeat("x", 30) + " ... " + strings.Repeat("x", 30)},
		{"64", `'a\nb  c'`, "a b  c"},
		{"32", "REPEAT('abcdefghi ', 8)", "abcdefghi abcd ... ghi abcdefghi "},
		{"31", "REPEAT('abcdefghi ', 8)", "abcdefghi abcd ... ghi abcdefghi "},
		{"10", "REPEAT('é', 11)", "ééé ... ééé"},
		{"10", "REPEAT('é', 10)", "éééééééééé"},
		{"'0'", "'abc'", " ... "},
		{"-5", "'abc'", " ... "},
		{"'x'", "'abc'", " ... "},
	} {
		s.do("SET @sys.statement_truncate_len = " + test.limit)
		if got := s.column("SELECT sys.format_statement(" + test.statement + ")"); got != test.want {
			t.Errorf("%s of %s: got %q, want %q", test.limit, test.statement, got, test.want)
		}
	}
	s.do("SET @sys.statement_truncate_len = NULL")
	if got := s.column("SELECT COALESCE(sys.format_statement(NULL), @sys.statement_truncate_len, 'none')"); got != "none" {
		t.Errorf("NULL sets the variable to %s", got)
	}
	if got := s.column("SELECT CONCAT(sys.format_statement('a'), @sys.statement_truncate_len)"); got != "a64" {
		t.Errorf("got %s", got)
	}
}

// TestSysFunctionNames: functions of sys are found with their database, or in it, and nowhere else.
func TestSysFunctionNames(t *testing.T) {
	s := serve(t, Options{}, tables.All()...).session(t)
	s.do("USE test")
	for _, q := range []string{
		"SELECT SYS.Format_Time(3501)", "SELECT `sys`.`format_time` (3501)", "SELECT sys . format_time(3501)", "SELECT sys./* . */format_time(3501)",
		"SELECT (SELECT sys.format_time(3501))", "SELECT a FROM (SELECT sys.format_time(3501) AS a) x WHERE a = sys.format_time(3501) ORDER BY sys.format_time(a)",
	} {
		if got := s.column(q); got != "3.50 ns" {
			t.Errorf("%s: got %s", q, got)
		}
	}
	s.do("CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES (sys.format_time(1000))", "UPDATE t SET a = CONCAT(a, sys.quote_identifier(a))", "DELETE FROM t WHERE a = sys.format_time(1)",
		"CREATE VIEW v AS SELECT sys.list_add(a, 'x') AS a FROM t",
		"CREATE PROCEDURE p() BEGIN DECLARE n TEXT DEFAULT sys.format_time(2000); SET @n = CONCAT(n, sys.version_major()); END", "CALL p()", "PREPARE q FROM 'SELECT sys.format_time(?)'")
	if got := s.column("SELECT CONCAT(a, @n) FROM v"); got != "1.00 ns`1.00 ns`,x2.00 ns8" {
		t.Errorf("got %s", got)
	}
	s.do("SET @p = 3501")
	if got := s.column("EXECUTE q USING @p"); got != "3.50 ns" {
		t.Errorf("got %s", got)
	}
	var bound string
	if err := s.conn.QueryRowContext(t.Context(), "SELECT sys.format_time(?)", 3501).Scan(&bound); err != nil || bound != "3.50 ns" {
		t.Errorf("got %s, %v", bound, err)
	}
	for call, want := range map[string]string{
		"format_time(1)":                        "1305 42000 FUNCTION test.format_time does not exist",
		"nosuchdb.f()":                          "1305 42000 FUNCTION nosuchdb.f does not exist",
		"sys.f(1)":                              "1305 42000 FUNCTION sys.f does not exist",
		"sys.concat(1)":                         "1305 42000 FUNCTION sys.concat does not exist",
		"sys.ps_current_thread_id()":            "1305 42000 FUNCTION sys.ps_current_thread_id does not exist",
		"test.format_bytes(1)":                  "1305 42000 FUNCTION test.format_bytes does not exist",
		"sys.format_time()":                     "1318 42000 Incorrect number of arguments for FUNCTION sys.format_time; expected 1, got 0",
		"sys.list_add('a')":                     "1318 42000 Incorrect number of arguments for FUNCTION sys.list_add; expected 2, got 1",
		"sys.version_major(1)":                  "1318 42000 Incorrect number of arguments for FUNCTION sys.version_major; expected 0, got 1",
		"sys.list_add('a', NULL)":               "1138 02200 Function sys.list_add: in_add_value input variable should not be NULL",
		"sys.list_drop('', NULL)":               "1138 02200 Function sys.list_drop: in_drop_value input variable should not be NULL",
		"sys.ps_is_consumer_enabled('no_such')": "3047 HY000 Invalid argument error: no_such in function sys.ps_is_consumer_enabled.",
	} {
		if got := s.fails("SELECT " + call); got != want {
			t.Errorf("%s: got %s, want %s", call, got, want)
		}
	}
}

// TestSysThreadStack: the events of a thread are a tree, and what Workbench reads is there.
func TestSysThreadStack(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES'")
	r.exec(t, "UPDATE setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME LIKE 'stage/%'")
	s := r.session(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
	_ = s.column(`SELECT 'a"b\\c' FROM t`)
	for _, debug := range []string{"TRUE", "FALSE"} {
		var stack struct {
			Version string `json:"mysql_version"`
			User    string `json:"mysql_user"`
			Events  []struct {
				Nesting string   `json:"nesting_event_id"`
				ID      string   `json:"event_id"`
				Wait    *float64 `json:"timer_wait"`
				Info    string   `json:"event_info"`
				More    string   `json:"wait_info"`
				Source  string   `json:"source"`
				Type    string   `json:"event_type"`
			} `json:"events"`
		}
		text := r.query(t, fmt.Sprintf("SELECT sys.ps_thread_stack(%d, %s)", s.thread.ID(), debug))[0]
		if err := json.Unmarshal([]byte(text), &stack); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		types, ids, statement := map[string]int{}, map[string]bool{}, ""
		for _, e := range stack.Events {
			types[e.Type]++
			ids[e.ID] = true
			if e.Info == "sql/select" {
				statement = e.More
			}
			if (e.Source != "") != (debug == "TRUE") {
				t.Errorf("debug %s: the source is %q", debug, e.Source)
			}
		}
		nested := 0
		for _, e := range stack.Events {
			if ids[e.Nesting] {
				nested++
			}
		}
		if types["stmt"] == 0 || types["stage"] == 0 || types["io/table"] == 0 || types["io/socket"] == 0 || types[""] != 0 || nested == 0 {
			t.Errorf("got %v, %d nested", types, nested)
		}
		if !strings.HasPrefix(statement, "SELECT 'a\"b\\\\c' FROM t\nerrors: 0\nwarnings: 0\n") || !strings.Contains(statement, "\nrows sent: 1\nrows examined: 1\n") || stack.User != "root@localhost" {
			t.Errorf("got %q by %s", statement, stack.User)
		}
	}
}

// TestSysTransactionInfo: the transactions of a thread and their statements; a text that gets too
// long is an error in JSON.
func TestSysTransactionInfo(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	s.do("USE test", "CREATE TABLE t (a INT)", "START TRANSACTION", "INSERT INTO t VALUES (1), (2)", "COMMIT", "START TRANSACTION READ ONLY")
	_ = s.column("SELECT a FROM t")
	var all []struct {
		Time, State, Mode, Autocommitted, GTID, Isolation string
		Statements                                        []struct {
			Text     string `json:"sql_text"`
			Schema   string
			Affected int `json:"rows_affected"`
			Sent     int `json:"rows_sent"`
		} `json:"statements_executed"`
	}
	call := fmt.Sprintf("sys.ps_thread_trx_info(%d)", s.thread.ID())
	text := r.query(t, "SELECT "+call)[0]
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	n := len(all)
	if n < 2 || all[n-1].State != "ACTIVE" || all[n-1].Mode != "READ ONLY" || all[n-2].State != "COMMITTED" || all[n-2].Autocommitted != "NO" ||
		len(all[n-2].Statements) != 2 || all[n-2].Statements[0].Affected != 2 || all[n-2].Statements[0].Schema != "test" || all[n-1].Statements[0].Sent != 2 {
		t.Errorf("got %s", text)
	}
	r.want(t, "SELECT sys.ps_thread_trx_info(NULL), sys.ps_thread_trx_info(999999)", "NULL|NULL")
	other := r.session(t)
	other.do("SET @sys.ps_thread_trx_info.max_length = 10")
	if got := other.column("SELECT " + call); got != `{ "error": "Trx info truncated: Row 1 was cut by GROUP_CONCAT()" }` {
		t.Errorf("got %s", got)
	}
}

// TestSysFunctionPrivileges: who calls a function of sys needs EXECUTE, and SELECT on what it reads.
func TestSysFunctionPrivileges(t *testing.T) {
	r := serve(t, Options{Init: []string{"CREATE USER u"}}, tables.All()...)
	c, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(call, want string) {
		t.Helper()
		if got := answerTo(t.Context(), c, "SELECT "+call); got != want {
			t.Errorf("%s: got %s, want %s", call, got, want)
		}
	}
	const denied = "1370 42000 execute command denied to user 'u'@'%%' for routine 'sys.%s'"
	ask("sys.format_time(1)", fmt.Sprintf(denied, "format_time"))
	r.exec(t, "GRANT EXECUTE ON FUNCTION sys.format_time TO u")
	ask("sys.format_time(1)", "ok")
	ask("sys.version_major()", fmt.Sprintf(denied, "version_major"))
	r.exec(t, "GRANT EXECUTE ON sys.* TO u")
	ask("sys.version_major()", "ok")
	ask("sys.ps_thread_account(1)", "1142 42000 SELECT command denied to user 'u'@'localhost' for table 'threads'")
	r.exec(t, "GRANT SELECT ON performance_schema.threads TO u")
	ask("sys.ps_thread_account(1)", "ok")
	ask("sys.sys_get_config('a', 'b')", "1142 42000 SELECT command denied to user 'u'@'localhost' for table 'sys_config'")
}

// TestSysShowCreateFunction: the declarations of the functions of sys are shown.
func TestSysShowCreateFunction(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	got := r.query(t, "SHOW CREATE FUNCTION sys.list_add")
	want := "list_add|" + sysvar.DefaultSQLMode + "|CREATE DEFINER=`mysql.sys`@`localhost` FUNCTION `list_add`(in_list TEXT, in_add_value TEXT) RETURNS TEXT\n    DETERMINISTIC\n    SQL SECURITY INVOKER\n    COMMENT 'A list with a value more at its end.'\n|utf8mb4|utf8mb4_0900_ai_ci|utf8mb4_0900_ai_ci"
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %q", got)
	}
	s := r.session(t)
	for _, name := range []string{"sys.nosuch", "test.list_add"} {
		if got, want := s.fails("SHOW CREATE FUNCTION "+name), "1305 42000 FUNCTION "+name[strings.IndexByte(name, '.')+1:]+" does not exist"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
