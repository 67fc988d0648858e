package engine

import (
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pfsd/tables"
)

// rowWaiter has one connection lock rows and another wait for one of them.
type rowWaiter struct {
	holder, waiter     *sql.Conn
	holderID, waiterID uint32
	waits              chan error
}

func (r *running) must(t *testing.T, c *sql.Conn, all ...string) {
	t.Helper()
	for _, q := range all {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// waitForRow begins a statement that waits for a lock.
func (r *running) waitForRow(t *testing.T, w *rowWaiter, q string) {
	t.Helper()
	go func() {
		_, err := w.waiter.ExecContext(t.Context(), q)
		w.waits <- err
	}()
	eventually(t, q+" waits", func() bool {
		return r.query(t, "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")[0] == "Innodb_row_lock_current_waits|1"
	})
}

func newRowWaiter(t *testing.T, r *running) *rowWaiter {
	w := &rowWaiter{waits: make(chan error, 1)}
	w.holder, w.holderID = r.conn(t)
	w.waiter, w.waiterID = r.conn(t)
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY, a INT, KEY by_a (a))")
	r.exec(t, "INSERT INTO test.t VALUES (1, 10), (2, 20), (3, 30)")
	return w
}

// A wait for a row's lock is an event while it lasts and when it has ended, INNODB_TRX says since when and for what, and the status counts it.
func TestRowLockWaitIsShown(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	w := newRowWaiter(t, r)
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES' WHERE NAME LIKE 'events_waits%'")
	thread := func(id uint32) string {
		return r.query(t, fmt.Sprintf("SELECT THREAD_ID FROM threads WHERE PROCESSLIST_ID = %d", id))[0]
	}
	waiting := thread(w.waiterID)
	const summary = "SELECT COUNT_STAR, SUM_TIMER_WAIT > 0 FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME = 'wait/lock/row/sql/handler'"
	r.want(t, summary, "0|0")
	r.want(t, "SELECT ENABLED, TIMED FROM setup_instruments WHERE NAME = 'wait/lock/row/sql/handler'", "YES|YES")

	r.must(t, w.holder, "BEGIN", "UPDATE test.t SET a = 11 WHERE id = 1")
	r.must(t, w.waiter, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN")
	r.waitForRow(t, w, "UPDATE test.t SET a = 12 WHERE id = 1")
	const event = `SELECT EVENT_NAME, OPERATION, OBJECT_TYPE, OBJECT_SCHEMA, OBJECT_NAME, INDEX_NAME, NUMBER_OF_BYTES, END_EVENT_ID IS NULL, TIMER_WAIT > 0, SOURCE LIKE 'row\_locks.go:%', NESTING_EVENT_TYPE FROM `
	running := event + "events_waits_current WHERE EVENT_NAME LIKE 'wait/lock/row/%' AND THREAD_ID = " + waiting
	r.want(t, running, "wait/lock/row/sql/handler|row lock|TABLE|test|t|PRIMARY|NULL|1|1|1|WAIT")
	r.want(t, fmt.Sprintf(`SELECT trx_state, trx_wait_started <= NOW(), trx_wait_started >= trx_started, trx_requested_lock_id = l.ENGINE_LOCK_ID, trx_query
		FROM information_schema.INNODB_TRX JOIN data_locks l ON l.LOCK_STATUS = 'WAITING' AND l.ENGINE_TRANSACTION_ID = trx_id WHERE trx_mysql_thread_id = %d`, w.waiterID),
		"LOCK WAIT|1|1|1|UPDATE test.t SET a = 12 WHERE id = 1")
	r.want(t, fmt.Sprintf("SELECT trx_state, trx_wait_started, trx_requested_lock_id, trx_rows_locked FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = %d", w.holderID), "RUNNING|NULL|NULL|2")
	monitor := r.query(t, "SHOW ENGINE INNODB STATUS")[0]
	shown := regexp.MustCompile("LOCK WAIT 0 lock struct\\(s\\), heap size 0, 0 row lock\\(s\\)\n(?:.*\n){2}------- TRX HAS BEEN WAITING \\d+ SEC FOR THIS LOCK TO BE GRANTED:\n" +
		"RECORD LOCKS space id 0 page no 0 n bits 0 index PRIMARY of table `test`\\.`t` trx id \\d+ lock_mode X locks rec but not gap waiting\nRecord: 1\n")
	if !shown.MatchString(monitor) {
		t.Errorf("the monitor does not say what is waited for: %s", monitor)
	}
	r.must(t, w.holder, "COMMIT")
	if err := <-w.waits; err != nil {
		t.Fatal(err)
	}
	r.must(t, w.waiter, "COMMIT")
	r.want(t, summary, "1|1")
	r.want(t, event+"events_waits_history WHERE EVENT_NAME LIKE 'wait/lock/row/%' AND THREAD_ID = "+waiting, "wait/lock/row/sql/handler|row lock|TABLE|test|t|PRIMARY|NULL|0|1|1|WAIT")
	r.want(t, "SELECT COUNT_STAR FROM events_waits_summary_by_thread_by_event_name WHERE EVENT_NAME = 'wait/lock/row/sql/handler' AND THREAD_ID = "+waiting, "1")
	r.want(t, "SELECT COUNT(*) FROM events_statements_history WHERE SQL_TEXT = 'UPDATE test.t SET a = 12 WHERE id = 1' AND LOCK_TIME BETWEEN 1 AND TIMER_WAIT", "1")
	r.want(t, "SELECT COUNT(*) FROM events_statements_history WHERE SQL_TEXT = 'UPDATE test.t SET a = 11 WHERE id = 1' AND LOCK_TIME = 0", "1")

	// One that takes too long is a wait, too; one that does not wait is none.
	r.must(t, w.holder, "BEGIN", "UPDATE test.t SET a = 13 WHERE id = 1")
	r.must(t, w.waiter, "SET innodb_lock_wait_timeout = 1", "BEGIN")
	if _, err := w.waiter.ExecContext(t.Context(), "DELETE FROM test.t WHERE id = 1"); code(err) != "1205 HY000 Lock wait timeout exceeded; try restarting transaction" {
		t.Error(err)
	}
	if _, err := w.waiter.ExecContext(t.Context(), "SELECT * FROM test.t WHERE id = 1 FOR UPDATE NOWAIT"); err == nil {
		t.Error("it has got the lock")
	}
	r.must(t, w.waiter, "ROLLBACK")
	r.must(t, w.holder, "ROLLBACK")
	r.want(t, summary, "2|1")
	status := map[string]int{}
	for _, row := range r.query(t, "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock%'") {
		name, value, _ := strings.Cut(row, "|")
		status[name], _ = strconv.Atoi(value)
	}
	time := status["Innodb_row_lock_time"]
	if status["Innodb_row_lock_waits"] != 2 || status["Innodb_row_lock_current_waits"] != 0 || time < 1000 || status["Innodb_row_lock_time_avg"] != time/2 ||
		status["Innodb_row_lock_time_max"] < time/2 || status["Innodb_row_lock_time_max"] > time {
		t.Errorf("the status is %v", status)
	}
	r.want(t, "SELECT NAME, COUNT FROM information_schema.INNODB_METRICS WHERE NAME IN ('lock_timeouts', 'lock_deadlocks', 'lock_row_lock_waits', 'lock_row_lock_current_waits') ORDER BY NAME",
		"lock_deadlocks|0", "lock_row_lock_current_waits|0", "lock_row_lock_waits|2", "lock_timeouts|1")
}

// deadlock has the two wait for each other: the holder is given up.
func (w *rowWaiter) deadlock(t *testing.T, r *running) {
	t.Helper()
	r.must(t, w.holder, "BEGIN", "UPDATE test.t SET a = 11 WHERE id = 1")
	r.must(t, w.waiter, "BEGIN", "UPDATE test.t SET a = 21 WHERE id = 2")
	r.waitForRow(t, w, "UPDATE test.t SET a = 22 WHERE id = 1")
	if _, err := w.holder.ExecContext(t.Context(), "UPDATE test.t SET a = 12 WHERE id = 2"); code(err) != "1213 40001 Deadlock found when trying to get lock; try restarting transaction" {
		t.Fatal(err)
	}
	if err := <-w.waits; err != nil {
		t.Fatal(err)
	}
	r.must(t, w.waiter, "COMMIT")
}

// Two connections that wait for each other: the monitor and the log say who they were.
func TestDeadlockIsShown(t *testing.T) {
	r := serve(t, Options{LogErrorVerbosity: 3}, tables.All()...)
	w := newRowWaiter(t, r)
	if s := r.query(t, "SHOW ENGINE INNODB STATUS")[0]; strings.Contains(s, "LATEST DETECTED DEADLOCK") {
		t.Errorf("there was no deadlock yet: %s", s)
	}
	r.exec(t, "SET GLOBAL innodb_print_all_deadlocks = ON")
	w.deadlock(t, r)
	s := r.query(t, "SHOW ENGINE INNODB STATUS")[0]
	want := fmt.Sprintf("\n------------------------\nLATEST DETECTED DEADLOCK\n------------------------\nTIME\n"+
		"*** (1) TRANSACTION:\nTRANSACTION B, ACTIVE 0 sec\nLOCK WAIT 2 lock struct(s), heap size 0, 2 row lock(s), undo log entries 1\n"+
		"MySQL thread id %[1]d, query id 0 localhost root updating\nUPDATE test.t SET a = 22 WHERE id = 1\n\n"+
		"*** (1) HOLDS THE LOCK(S):\nRECORD LOCKS space id 0 page no 0 n bits 0 index PRIMARY of table `test`.`t` trx id B lock_mode X locks rec but not gap\nRecord: 2\n\n"+
		"*** (1) WAITING FOR THIS LOCK TO BE GRANTED:\nRECORD LOCKS space id 0 page no 0 n bits 0 index PRIMARY of table `test`.`t` trx id B lock_mode X locks rec but not gap waiting\nRecord: 1\n\n"+
		"*** (2) TRANSACTION:\nTRANSACTION A, ACTIVE 0 sec\nLOCK WAIT 2 lock struct(s), heap size 0, 2 row lock(s), undo log entries 1\n"+
		"MySQL thread id %[2]d, query id 0 localhost root updating\nUPDATE test.t SET a = 12 WHERE id = 2\n\n"+
		"*** (2) HOLDS THE LOCK(S):\nRECORD LOCKS space id 0 page no 0 n bits 0 index PRIMARY of table `test`.`t` trx id A lock_mode X locks rec but not gap\nRecord: 1\n\n"+
		"*** (2) WAITING FOR THIS LOCK TO BE GRANTED:\nRECORD LOCKS space id 0 page no 0 n bits 0 index PRIMARY of table `test`.`t` trx id A lock_mode X locks rec but not gap waiting\nRecord: 2\n\n"+
		"*** WE ROLL BACK TRANSACTION (2)\n------------\nTRANSACTIONS\n", w.waiterID, w.holderID)
	ids := regexp.MustCompile(`TRANSACTION (\d+), ACTIVE`).FindAllStringSubmatch(s, 2)
	if len(ids) != 2 || ids[0][1] == ids[1][1] {
		t.Fatalf("the transactions are %q", ids)
	}
	got := regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n\*`).ReplaceAllString(s, "TIME\n*")
	got = regexp.MustCompile(`ACTIVE \d+ sec`).ReplaceAllString(got, "ACTIVE 0 sec")
	for i, name := range []string{"B", "A"} {
		got = regexp.MustCompile(`(TRANSACTION|trx id) `+ids[i][1]+`\b`).ReplaceAllString(got, "$1 "+name)
	}
	if !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	r.want(t, "SELECT COUNT(*) FROM error_log WHERE ERROR_CODE = 'MY-012468' AND DATA LIKE '%WE ROLL BACK TRANSACTION (2)%'", "1")
	r.want(t, "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_deadlocks'", "1")
}

// Percona Toolkit's deadlock logger reads the section on the last deadlock.
func TestPtDeadlockLogger(t *testing.T) {
	needClient(t, "pt-deadlock-logger")
	r := serve(t, Options{}, tables.All()...)
	w := newRowWaiter(t, r)
	w.deadlock(t, r)
	out := runClient(t, "", "pt-deadlock-logger", "--iterations", "1", "--no-version-check", "--columns", "thread,user,hostname,db,tbl,idx,lock_type,lock_mode,wait_hold,victim,query",
		"h=127.0.0.1,P="+r.port()+",u=root")
	for id, rest := range map[uint32]string{
		w.waiterID: "root localhost test t PRIMARY RECORD X w 0 UPDATE test.t SET a = 22 WHERE id = 1", w.holderID: "root localhost test t PRIMARY RECORD X w 1 UPDATE test.t SET a = 12 WHERE id = 2",
	} {
		if line := fmt.Sprintf("%d %s", id, rest); !strings.Contains(out, line) {
			t.Errorf("no %q in %s", line, out)
		}
	}
}

// A statement that waits for a row takes no place of those that may run: who holds the row can go on.
func TestRowLockWaitTakesNoPlace(t *testing.T) {
	r := serve(t, Options{ProcessorShare: -1, MaxRunningStatements: 1, Init: []string{"CREATE USER u@localhost", "GRANT ALL ON test.* TO u@localhost"}}, tables.All()...)
	w := newRowWaiter(t, r)
	for _, c := range []**sql.Conn{&w.holder, &w.waiter} {
		var err error
		if *c, err = r.enter(t, "u"); err != nil {
			t.Fatal(err)
		}
	}
	r.must(t, w.holder, "BEGIN", "UPDATE test.t SET a = 11 WHERE id = 1")
	r.waitForRow(t, w, "UPDATE test.t SET a = 12 WHERE id = 1")
	r.must(t, w.holder, "COMMIT")
	if err := <-w.waits; err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT a FROM test.t WHERE id = 1", "12")
}
