package engine

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// statusOf are the status variables that SHOW STATUS shows a connection, or SHOW GLOBAL STATUS.
func statusOf(t *testing.T, c *sql.Conn, show string) map[string]int {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), show)
	if err != nil {
		t.Fatal(show, err)
	}
	defer func() { _ = rows.Close() }()
	all := map[string]int{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(value); err == nil {
			all[name] = n
		}
	}
	return all
}

// counted is by how much counters have gone up, those in names, or all that are about statements.
func difference(before, after map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		for _, prefix := range []string{"Com_", "Handler_", "Select_", "Sort_", "Created_tmp_tables", "Questions", "Queries", "Slow_queries"} {
			if n := after[name] - before[name]; n != 0 && strings.HasPrefix(name, prefix) {
				all = append(all, fmt.Sprintf("%s=%d", name, n))
			}
		}
	}
	return strings.Join(all, " ")
}

// single returns one connection of its own.
func (r *running) single(t *testing.T, dsn string) *sql.Conn {
	t.Helper()
	c, err := r.open(t, dsn).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Each statement counts exactly what it does, and SHOW STATUS itself only as one.
func TestStatusCounts(t *testing.T) {
	r := serveAll(t, Options{})
	c := r.single(t, "")
	if _, err := c.ExecContext(t.Context(), "USE test"); err != nil {
		t.Fatal(err)
	}
	const show = " Com_show_status=1"
	before := statusOf(t, c, "SHOW STATUS")
	for _, test := range []struct{ statement, want string }{
		{"SELECT 1", "Com_select=1"},
		{"CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT, KEY c (c))", "Com_create_table=1"},
		{"INSERT INTO t VALUES (1, 10, 1), (2, 20, 1), (3, 30, 2)", "Com_insert=1 Handler_commit=1 Handler_write=3"},
		{"SELECT * FROM t", "Com_select=1 Handler_commit=1 Handler_read_rnd_next=4 Select_scan=1"},
		{"SELECT * FROM t LIMIT 2", "Com_select=1 Handler_commit=1 Handler_read_rnd_next=2 Select_scan=1"},
		{"SELECT * FROM t WHERE a = 2", "Com_select=1 Handler_commit=1 Handler_read_key=1"},
		{"SELECT * FROM t WHERE a = 9", "Com_select=1 Handler_commit=1 Handler_read_key=1"},
		{"SELECT * FROM t WHERE c = 1", "Com_select=1 Handler_commit=1 Handler_read_key=1 Handler_read_next=2"},
		{"SELECT * FROM t WHERE a > 1", "Com_select=1 Handler_commit=1 Handler_read_key=1 Handler_read_next=2 Select_range=1"},
		{"SELECT * FROM t ORDER BY b + 1", "Com_select=1 Handler_commit=1 Handler_read_rnd_next=4 Select_scan=1 Sort_rows=3 Sort_scan=1"},
		{"SELECT b, COUNT(*) FROM t GROUP BY b", "Com_select=1 Created_tmp_tables=1 Handler_commit=1 Handler_read_rnd_next=4 Select_scan=1"},
		{"SELECT * FROM t x JOIN t y ON x.b = y.a", "Com_select=1 Handler_commit=1 Handler_read_key=3 Handler_read_rnd_next=4 Select_scan=1"},
		{"UPDATE t SET b = b + 1 WHERE a = 1", "Com_update=1 Handler_commit=1 Handler_read_key=1 Handler_update=1"},
		{"UPDATE t SET b = b WHERE a = 1", "Com_update=1 Handler_commit=1 Handler_read_key=1"},
		{"REPLACE INTO t VALUES (1, 12, 1)", "Com_replace=1 Handler_commit=1 Handler_delete=1 Handler_write=2"},
		{"INSERT INTO t SELECT a + 10, b, c FROM t WHERE a = 1", "Com_insert_select=1 Handler_commit=1 Handler_read_key=1 Handler_write=1"},
		{"DELETE FROM t WHERE a > 3", "Com_delete=1 Handler_commit=1 Handler_delete=1 Handler_read_key=1 Handler_read_next=1"},
		{"START TRANSACTION", "Com_begin=1"},
		{"INSERT INTO t VALUES (4, 4, 4)", "Com_insert=1 Handler_write=1"},
		{"SAVEPOINT s", "Com_savepoint=1 Handler_savepoint=1"},
		{"ROLLBACK TO SAVEPOINT s", "Com_rollback_to_savepoint=1 Handler_savepoint_rollback=1"},
		{"RELEASE SAVEPOINT s", "Com_release_savepoint=1"},
		{"ROLLBACK", "Com_rollback=1 Handler_rollback=1"},
		{"COMMIT", "Com_commit=1"},
		{"SET @a = 1", "Com_set_option=1"},
		{"PREPARE p FROM 'SELECT * FROM t WHERE a = ?'", "Com_prepare_sql=1 Com_stmt_prepare=1"},
		{"EXECUTE p USING @a", "Com_execute_sql=1 Com_select=1 Com_stmt_execute=1 Handler_commit=1 Handler_read_key=1"},
		{"DEALLOCATE PREPARE p", "Com_dealloc_sql=1 Com_stmt_close=1"},
		{"SHOW TABLES", "Com_show_tables=1"},
		{"EXPLAIN SELECT 1", "Com_select=1"},
		{"USE test", "Com_change_db=1"},
		{"SELECT * FROM nosuch", "Com_select=1 error"},
		{"SELEC 1", "error"},
		{"CREATE PROCEDURE p() BEGIN DECLARE x INT; SET x = 1; INSERT INTO t VALUES (7, 7, 7); SET @b = x; END", "Com_create_procedure=1"},
		{"CALL p()", "Com_call_procedure=1 Com_insert=1 Com_set_option=1 Handler_commit=1 Handler_write=1 queries=2"},
		{"CREATE TABLE log (a INT)", "Com_create_table=1"},
		{"CREATE TRIGGER g AFTER DELETE ON t FOR EACH ROW INSERT INTO log VALUES (OLD.a)", "Com_create_trigger=1"},
		{"DELETE FROM t WHERE a = 7", "Com_delete=1 Com_insert=1 Handler_commit=1 Handler_delete=1 Handler_read_key=1 Handler_write=1 queries=1"},
		{"SELECT COUNT(*) FROM performance_schema.performance_timers", "Com_select=1 Handler_read_rnd_next=7 Select_scan=1"},
		{"SELECT * FROM performance_schema.performance_timers LIMIT 1", "Com_select=1 Handler_read_rnd_next=1 Select_scan=1"},
		{"SELECT * FROM performance_schema.setup_consumers WHERE NAME = 'thread_instrumentation'", "Com_select=1 Handler_read_key=1"},
		{"UPDATE performance_schema.setup_consumers SET ENABLED = 'NO' WHERE NAME = 'events_stages_current'", "Com_update=1 Handler_read_key=1"},
		{"UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = 'events_stages_current'", "Com_update=1 Handler_read_key=1 Handler_update=1"},
		{"INSERT INTO performance_schema.setup_actors VALUES ('h', 'u', '%', 'YES', 'YES')", "Com_insert=1 Handler_write=1"},
		{"DELETE FROM performance_schema.setup_actors WHERE USER = 'u'", "Com_delete=1 Handler_delete=1 Handler_read_rnd_next=2"},
		{"SET long_query_time = 0", "Com_set_option=1 Slow_queries=1"},
		{"SELECT 2", "Com_select=1 Slow_queries=2"}, // SHOW STATUS before it was slow as well
		{"SET long_query_time = 10", "Com_set_option=1 Slow_queries=1"},
		{"TRUNCATE TABLE t", "Com_truncate=1"},
		{"DROP TABLE t, log", "Com_drop_table=1"},
	} {
		_, err := c.ExecContext(t.Context(), test.statement)
		want, fails := strings.CutSuffix(test.want, "error")
		if (err != nil) != fails {
			t.Errorf("%s: %v", test.statement, err)
		}
		queries := 2
		if before, n, ok := strings.Cut(want, " queries="); ok {
			inside, _ := strconv.Atoi(n)
			want, queries = before, queries+inside
		}
		after := statusOf(t, c, "SHOW STATUS")
		list := append(strings.Fields(want), strings.Fields(show)...)
		list = append(list, fmt.Sprintf("Queries=%d", queries), "Questions=2")
		slices.Sort(list)
		if got, want := difference(before, after), strings.Join(list, " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", test.statement, got, want)
		}
		before = after
	}
}

// Commands of the protocol count as MySQL counts them.
func TestStatusOfCommands(t *testing.T) {
	r := serveAll(t, Options{})
	c := r.single(t, "")
	ctx := t.Context()
	before := statusOf(t, c, "SHOW STATUS")
	check := func(what, want string) {
		t.Helper()
		after := statusOf(t, c, "SHOW STATUS")
		if got := difference(before, after); got != want {
			t.Errorf("%s\n got %s\nwant %s", what, got, want)
		}
		before = after
	}
	if err := c.PingContext(ctx); err != nil {
		t.Fatal(err)
	}
	check("ping", "Com_admin_commands=1 Com_show_status=1 Queries=1 Questions=1")
	s, err := c.PrepareContext(ctx, "SELECT ?")
	if err != nil {
		t.Fatal(err)
	}
	check("prepare", "Com_show_status=1 Com_stmt_prepare=1 Queries=2 Questions=1")
	for range 3 {
		if _, err := s.ExecContext(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
	check("execute", "Com_select=3 Com_show_status=1 Com_stmt_execute=3 Queries=4 Questions=4")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check("close", "Com_show_status=1 Com_stmt_close=1 Queries=2 Questions=1")
	if _, err := c.PrepareContext(ctx, "SELEC ?"); err == nil {
		t.Error("prepared")
	}
	check("prepare in vain", "Com_show_status=1 Com_stmt_prepare=1 Queries=2 Questions=1")
	multi := r.single(t, "multiStatements=true")
	before = statusOf(t, multi, "SHOW STATUS")
	if _, err := multi.ExecContext(ctx, "SET @a = 1; SET @b = 2; SELECT 1"); err != nil {
		t.Error(err)
	}
	c = multi
	check("several statements", "Com_select=1 Com_set_option=2 Com_show_status=1 Queries=4 Questions=4")
}

// Bytes_sent and Bytes_received are those on the wire, to the last one.
func TestStatusOfBytes(t *testing.T) {
	r := serveAll(t, Options{})
	var m meter
	c, err := m.connect(t, "status_bytes", r.Addr().String()).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	read := func() (in, out int) {
		all := statusOf(t, c, "SHOW STATUS LIKE 'Bytes%'")
		return all["Bytes_received"], all["Bytes_sent"]
	}
	for _, statement := range []string{"DO 0", "SELECT REPEAT('x', 100000)", "SELECT * FROM performance_schema.setup_instruments", "SELEC", "SET @a = '" + strings.Repeat("y", 50000) + "'"} {
		_, _ = c.ExecContext(t.Context(), statement)
		// What goes out for SHOW STATUS itself goes out after it is counted.
		before := m.received.Load()
		in, out := read()
		if want := m.sent.Load(); int64(in) != want {
			t.Errorf("after %.40s: Bytes_received is %d, the client has sent %d", statement, in, want)
		}
		if int64(out) != before {
			t.Errorf("after %.40s: Bytes_sent is %d, the client has received %d", statement, out, before)
		}
	}
}

// What connections have counted is in the sums of their threads, accounts, users, hosts and of
// everybody, while they are there and afterwards.
func TestStatusSums(t *testing.T) {
	r := serveAll(t, Options{})
	for _, s := range []string{"CREATE TABLE test.t (a INT PRIMARY KEY)", "INSERT INTO test.t VALUES (1), (2), (3)", "FLUSH STATUS"} {
		r.exec(t, s)
	}
	var all []*sql.Conn
	for range 3 {
		all = append(all, r.single(t, ""))
	}
	for i, c := range all {
		for range i + 1 {
			if _, err := c.ExecContext(t.Context(), "SELECT * FROM test.t"); err != nil {
				t.Fatal(err)
			}
		}
	}
	const name = "VARIABLE_NAME = 'Handler_commit'"
	check := func(when, threads string) {
		t.Helper()
		r.want(t, "SELECT SUM(VARIABLE_VALUE) FROM status_by_thread WHERE "+name, threads)
		for _, who := range []string{"account WHERE USER = 'root' AND", "user WHERE USER = 'root' AND", "host WHERE HOST = 'localhost' AND"} {
			r.want(t, "SELECT VARIABLE_VALUE FROM status_by_"+who+" "+name, "6")
		}
		r.want(t, "SELECT VARIABLE_VALUE FROM global_status WHERE "+name, "6")
		if t.Failed() {
			t.Fatal(when)
		}
	}
	check("while they are there", "6")
	ended := all[2]
	if err := ended.Raw(func(c any) error { return errors.Join(c.(interface{ Close() error }).Close(), driver.ErrBadConn) }); !errors.Is(err, driver.ErrBadConn) {
		t.Fatal(err)
	}
	eventually(t, "the end of a thread", func() bool {
		return slices.Equal(r.query(t, "SELECT SUM(VARIABLE_VALUE) FROM status_by_thread WHERE "+name), []string{"3"})
	})
	check("after one has ended", "3")
	r.exec(t, "TRUNCATE TABLE status_by_thread")
	check("after TRUNCATE of status_by_thread", "0")
	r.exec(t, "TRUNCATE TABLE status_by_account")
	r.want(t, "SELECT VARIABLE_VALUE FROM status_by_account WHERE USER = 'root' AND "+name, "0")
	r.want(t, "SELECT VARIABLE_VALUE FROM status_by_user WHERE USER = 'root' AND "+name, "6")
	r.exec(t, "TRUNCATE TABLE hosts")
	r.want(t, "SELECT VARIABLE_VALUE FROM status_by_host WHERE HOST = 'localhost' AND "+name, "0")
	r.want(t, "SELECT VARIABLE_VALUE FROM global_status WHERE "+name, "6")
	r.exec(t, "FLUSH STATUS")
	r.want(t, "SELECT VARIABLE_VALUE FROM status_by_user WHERE USER = 'root' AND "+name, "0")
	r.want(t, "SELECT VARIABLE_VALUE FROM global_status WHERE "+name, "0")
}

// Tables that a connection opens stay open for its next statements.
func TestStatusOfTables(t *testing.T) {
	r := serveAll(t, Options{})
	c := r.single(t, "")
	for _, s := range []string{"CREATE TABLE test.t (a INT)", "CREATE TABLE test.u (a INT)"} {
		if _, err := c.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"Opened_tables", "Table_open_cache_hits", "Table_open_cache_misses", "Table_open_cache_overflows"}
	before := statusOf(t, c, "SHOW STATUS")
	for _, test := range []struct {
		statement string
		want      string
		open      int
	}{
		{"SELECT * FROM test.t", "1 0 1 0", 1},
		{"SELECT * FROM test.t", "0 1 0 0", 1},
		{"SELECT * FROM test.t x JOIN test.t y JOIN test.u", "2 1 2 0", 3},
		{"INSERT INTO test.u VALUES (1)", "0 1 0 0", 3},
		{"DROP TABLE test.u", "0 0 0 0", 2},
	} {
		if _, err := c.ExecContext(t.Context(), test.statement); err != nil {
			t.Fatal(err)
		}
		after := statusOf(t, c, "SHOW STATUS")
		var got []string
		for _, n := range names {
			got = append(got, strconv.Itoa(after[n]-before[n]))
		}
		if got := strings.Join(got, " "); got != test.want || after["Open_tables"] != test.open {
			t.Errorf("%s: %s, %d open; want %s, %d", test.statement, got, after["Open_tables"], test.want, test.open)
		}
		before = after
	}
}

// Connections count, come and go while others read, truncate and flush; at the end nothing of what
// is never emptied is lost.
func TestStatusIsReadWhileItIsCounted(t *testing.T) {
	const workers, rounds, statements = 4, 5, 20
	r := serveAll(t, Options{})
	reader := r.single(t, "")
	queries := func() int { return statusOf(t, reader, "SHOW GLOBAL STATUS LIKE 'Queries'")["Queries"] }
	before := queries()
	done, own := make(chan struct{}), 0
	var working, reading sync.WaitGroup
	for range workers {
		working.Go(func() {
			for range rounds {
				db, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s)/performance_schema", r.Addr()))
				if err != nil {
					t.Error(err)
					return
				}
				db.SetMaxOpenConns(1)
				for range statements {
					if _, err := db.Exec("SELECT * FROM setup_consumers"); err != nil {
						t.Error(err)
					}
				}
				_ = db.Close()
			}
		})
	}
	reading.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			for _, q := range []string{"SELECT * FROM status_by_thread", "SELECT * FROM status_by_account", "SHOW GLOBAL STATUS",
				"TRUNCATE TABLE status_by_thread", "TRUNCATE TABLE status_by_host", "TRUNCATE TABLE accounts", "FLUSH STATUS"} {
				if _, err := reader.ExecContext(t.Context(), q); err != nil {
					t.Error(q, err)
				}
				own++
			}
		}
	})
	working.Wait()
	close(done)
	reading.Wait()
	waited := 0
	eventually(t, "the end of the connections", func() bool {
		waited++
		return r.query(t, "SELECT COUNT(*) FROM threads WHERE PROCESSLIST_ID IS NOT NULL")[0] == "2"
	})
	// Each connection says that it goes; the other one has asked after them.
	want := before + workers*rounds*(statements+1) + own + 1
	if got := queries() - waited; got != want {
		t.Errorf("%d queries, want %d", got, want)
	}
}

// FLUSH STATUS wants one of two privileges, TRUNCATE of global_status none, as in MySQL.
func TestWhoMayFlushStatus(t *testing.T) {
	r := serveAll(t, Options{})
	for _, q := range []string{"CREATE USER nobody@localhost", "CREATE USER flusher@localhost", "GRANT FLUSH_STATUS ON *.* TO flusher@localhost"} {
		r.exec(t, q)
	}
	as := func(user string) *running {
		db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/performance_schema", user, r.Addr()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return &running{Server: r.Server, db: db}
	}
	nobody, flusher := as("nobody"), as("flusher")
	nobody.fails(t, "FLUSH STATUS", "1227 42000 Access denied; you need (at least one of) the RELOAD or FLUSH_STATUS privilege(s) for this operation")
	flusher.exec(t, "FLUSH STATUS")
	nobody.exec(t, "TRUNCATE TABLE global_status")
	nobody.want(t, "SELECT VARIABLE_NAME FROM session_status WHERE VARIABLE_NAME = 'Questions'", "Questions")
	nobody.fails(t, "SELECT * FROM status_by_thread", "1142 42000 SELECT command denied to user 'nobody'@'localhost' for table 'status_by_thread'")
}
