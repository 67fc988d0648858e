package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pfsd/tables"
)

// TestHints: hints that are about a statement as a whole are carried out, and what is no hint is a warning.
func TestHints(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.script(t, [][2]string{
		{"SELECT /*+ MAX_EXECUTION_TIME(50) */ COUNT(*) FROM performance_schema.setup_instruments a, performance_schema.setup_instruments b, performance_schema.setup_instruments c WHERE a.NAME <> b.NAME AND b.NAME <> c.NAME",
			"3024 HY000 Query execution was interrupted, maximum statement execution time exceeded"},
		{"SELECT /*+ MAX_EXECUTION_TIME(50) */ SLEEP(30)", "1"},
		{"SELECT /*+ SET_VAR(group_concat_max_len = 2K) SET_VAR(sql_mode='ANSI_QUOTES') */ @@group_concat_max_len, @@sql_mode", "2048|ANSI_QUOTES"},
		{"SELECT @@group_concat_max_len, @@sql_mode LIKE '%ANSI%'", "1024|0"},
		{"SELECT /*+ SET_VAR(port = 1) SET_VAR(nosuch = 1) SET_VAR(sort_buffer_size = 65536) */ @@sort_buffer_size", "65536"},
		{"SHOW WARNINGS", "Warning|3637|Variable 'port' cannot be set using SET_VAR hint. Warning|3128|Unresolved name 'nosuch' for SET_VAR hint"},
		{"SELECT /*+ NO_SUCH(1) */ 1", "1"},
		{"SHOW WARNINGS", "Warning|1064|Optimizer hint syntax error near 'NO_SUCH(1) */ 1' at line 1"},
		{"SELECT (SELECT /*+ MAX_EXECUTION_TIME(1) */ 1)", "1"},
		{"SHOW WARNINGS", "Warning|3125|The MAX_EXECUTION_TIME hint is supported by top-level standalone SELECT statements only"},
		{"SELECT /*+ BKA(t) JOIN_ORDER(a, b) */ '/*+ NO_SUCH(1) */'", "/*+ NO_SUCH(1) */"},
		{"SHOW WARNINGS", ""},
		{"PREPARE p FROM 'SELECT /*+ SET_VAR(max_error_count = 3) */ @@max_error_count'", ""},
		{"EXECUTE p", "3"}, {"SELECT @@max_error_count", "1024"},
	})
}

// TestInterruptedSleep: SLEEP returns 1 if KILL QUERY interrupts a statement that only sleeps, and the next one runs; another statement fails.
func TestInterruptedSleep(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a INT)")
	r.exec(t, "INSERT INTO test.t VALUES (1)")
	c, id := r.conn(t)
	for _, s := range [][2]string{
		{"SELECT SLEEP(300)", "1"}, {"SELECT SLEEP(300), 'x'", "1|x"},
		{"SELECT 1 FROM test.t WHERE SLEEP(300)", "1317 70100 Query execution was interrupted"},
	} {
		answered := make(chan string)
		go func() { answered <- r.answer(t, c, s[0]) }()
		r.until(t, fmt.Sprintf("SELECT COUNT(*) FROM performance_schema.threads WHERE PROCESSLIST_ID = %d AND PROCESSLIST_STATE = 'User sleep'", id), "1")
		r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
		if got := <-answered; got != s[1] {
			t.Errorf("%s: %q, want %q", s[0], got, s[1])
		}
		if got := r.answer(t, c, "SELECT 2"); got != "2" {
			t.Errorf("after %s: %q", s[0], got)
		}
	}
}

// until asks until the answer is want.
func (r *running) until(t *testing.T, q, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		if got := r.query(t, q); len(got) == 1 && got[0] == want {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s is never %s", q, want)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestLockInstance: LOCK INSTANCE FOR BACKUP holds up what defines something, and nothing else.
func TestLockInstance(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a INT)")
	backup, _ := r.conn(t)
	other, _ := r.conn(t)
	r.answer(t, other, "SET lock_wait_timeout = 1")
	if got := r.answer(t, backup, "LOCK INSTANCE FOR BACKUP"); got != "" {
		t.Fatal(got)
	}
	r.want(t, "SELECT LOCK_TYPE, LOCK_DURATION, LOCK_STATUS FROM performance_schema.metadata_locks WHERE OBJECT_TYPE = 'BACKUP LOCK'", "SHARED|EXPLICIT|GRANTED")
	for _, q := range []string{"CREATE TABLE test.u (a INT)", "ALTER TABLE test.t ADD b INT", "DROP TABLE test.t", "CREATE DATABASE d", "TRUNCATE test.t"} {
		if got := r.answer(t, other, q); got != "1205 HY000 Lock wait timeout exceeded; try restarting transaction" {
			t.Errorf("%s: %q", q, got)
		}
	}
	if got := r.answer(t, other, "INSERT INTO test.t VALUES (1)"); got != "" {
		t.Error(got)
	}
	if got := r.answer(t, backup, "CREATE TABLE test.own (a INT)"); got != "" {
		t.Error(got)
	}
	r.answer(t, backup, "UNLOCK TABLES") // another lock
	if got := r.answer(t, other, "DROP TABLE test.t"); got == "" {
		t.Error("UNLOCK TABLES has released the backup lock")
	}
	r.answer(t, backup, "UNLOCK INSTANCE")
	if got := r.answer(t, other, "DROP TABLE test.t"); got != "" {
		t.Error(got)
	}
}

// TestEventOfDataLocks: the manual's query finds the statement that asked for a lock.
func TestEventOfDataLocks(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO test.t VALUES (1)")
	holder, _ := r.conn(t)
	r.answer(t, holder, "BEGIN")
	r.answer(t, holder, "SELECT * FROM test.t WHERE a = 1 FOR UPDATE")
	waiter, id := r.conn(t)
	done := make(chan string)
	go func() { done <- r.answer(t, waiter, "DELETE FROM test.t WHERE a = 1") }()
	r.until(t, "SELECT COUNT(*) FROM performance_schema.data_lock_waits", "1")
	r.want(t, `SELECT DISTINCT s.SQL_TEXT FROM performance_schema.events_statements_current s JOIN performance_schema.data_locks l ON l.THREAD_ID = s.THREAD_ID
		WHERE s.EVENT_ID < l.EVENT_ID AND (l.EVENT_ID < s.END_EVENT_ID OR s.END_EVENT_ID IS NULL) AND l.LOCK_STATUS = 'WAITING'`, "DELETE FROM test.t WHERE a = 1")
	r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
	<-done
	r.answer(t, holder, "ROLLBACK")
}

// TestCoveringIndex: what an index has is read from the index alone, and is what the table has, whatever its type; EXPLAIN calls nothing else
// covering.
func TestCoveringIndex(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.script(t, [][2]string{
		{`CREATE TABLE test.c (id BIGINT UNSIGNED PRIMARY KEY, a TINYINT, b SMALLINT UNSIGNED, d DECIMAL(20,3), e DATE, f DATETIME(6), g TIME(6), h VARBINARY(10), x VARCHAR(9) COLLATE utf8mb4_0900_ai_ci,
			i YEAR, n DOUBLE, k ENUM('p','q'), KEY ka (a, b), KEY kd (d, e), KEY kf (f, g), KEY kh (h, i), KEY kx (x), KEY kn (n), KEY kk (k), UNIQUE KEY u (b))`, ""},
		{`INSERT INTO test.c VALUES (1, -5, 65535, -12345678901234567.125, '1000-01-01', '2024-02-29 23:59:59.123456', '-838:59:58.5', x'00ff00', 'Ab', 2024, -0.0, 'q'),
			(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (18446744073709551615, 127, 0, 0.001, '9999-12-31', '1970-01-01', '00:00:00', '', 'aB', 1901, 1.5, 'p')`, ""},
	})
	for _, q := range []string{
		"id, a, b FROM test.c%s WHERE a IS NULL OR a > -100 ORDER BY a, b", "id, d, e FROM test.c%s WHERE d < 100 ORDER BY d", "f, g FROM test.c%s WHERE f > '1960-01-01' ORDER BY f",
		"HEX(h), i, id FROM test.c%s WHERE h >= '' ORDER BY h", "x FROM test.c%s WHERE x = 'AB' ORDER BY id", "n, id FROM test.c%s WHERE n < 100 ORDER BY n", "k FROM test.c%s WHERE k IN ('p', 'q') ORDER BY k",
		"b, id FROM test.c%s WHERE b = 65535", "SUM(a), COUNT(*), MIN(b) FROM test.c%s WHERE a < 127", "a FROM test.c%s WHERE a = -5 FOR UPDATE",
	} {
		plain := r.query(t, "SELECT "+fmt.Sprintf(q, " IGNORE INDEX (ka, kd, kf, kh, kx, kn, kk, u)"))
		r.want(t, "SELECT "+fmt.Sprintf(q, ""), plain...)
	}
	for q, want := range map[string]bool{"a, b, id FROM test.c WHERE a = 1": true, "d, e FROM test.c WHERE d = 1": true, "x FROM test.c WHERE x = 'a'": false, "k FROM test.c WHERE k = 'p'": false, "a, x FROM test.c WHERE a = 1": false} {
		if got := strings.Contains(strings.Join(r.query(t, "EXPLAIN SELECT "+q), " "), "Using index"); got != want {
			t.Errorf("EXPLAIN SELECT %s: covering %v, want %v", q, got, want)
		}
	}
	// Reads of many rows by an index read no rows of the table: as many keys as there are entries.
	r.exec(t, "CREATE TABLE test.m (id INT AUTO_INCREMENT PRIMARY KEY, v INT, t VARCHAR(500), KEY (v))")
	r.exec(t, "INSERT INTO test.m (v, t) SELECT 1, REPEAT('x', 500) FROM performance_schema.setup_instruments LIMIT 200")
	r.want(t, "SELECT SUM(v), COUNT(*) FROM test.m FORCE INDEX (v) WHERE v > 0", "200|200")
}
