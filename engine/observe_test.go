package engine

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pfsd/instr"
)

// session is a connection under observation.
type sqlSession struct {
	t      *testing.T
	server *running
	conn   *sql.Conn
	thread *instr.Thread
	id     uint32
}

func (r *running) session(t *testing.T) *sqlSession {
	t.Helper()
	c, id := r.conn(t)
	s := &sqlSession{t: t, server: r, conn: c, id: id}
	for _, th := range r.reg.Reader().Threads() {
		if info, ok := th.Snapshot(); ok && info.Process == uint64(id) {
			s.thread = th
		}
	}
	if s.thread == nil {
		t.Fatal("the connection has no thread")
	}
	return s
}

// run executes a statement and returns its event; what it fails with is for the event to tell.
func (s *sqlSession) run(q string, args ...any) instr.StatementEvent {
	s.t.Helper()
	if rows, err := s.conn.QueryContext(s.t.Context(), q, args...); err == nil {
		_ = drain(rows)
	}
	return s.last(1)[0]
}

// last returns the events of the last n statements, oldest first.
func (s *sqlSession) last(n int) []instr.StatementEvent {
	s.t.Helper()
	all := s.thread.StatementsHistory(nil)
	if len(all) < n {
		s.t.Fatalf("%d statements in the history, want %d", len(all), n)
	}
	return all[len(all)-n:]
}

// told is an event in short: its name, then what is not 0.
func told(e instr.StatementEvent) string {
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(e.Class.Name(), "statement/"))
	for _, c := range []struct {
		name    string
		counter instr.StatementCounter
	}{
		{"errors", instr.Errors}, {"warnings", instr.Warnings}, {"affected", instr.RowsAffected}, {"sent", instr.RowsSent},
		{"examined", instr.RowsExamined}, {"full_join", instr.SelectFullJoin}, {"range_join", instr.SelectFullRangeJoin},
		{"range", instr.SelectRange}, {"scan", instr.SelectScan}, {"sort_range", instr.SortRange}, {"sort_rows", instr.SortRows},
		{"sort_scan", instr.SortScan}, {"tmp", instr.CreatedTmpTables}, {"no_index", instr.NoIndexUsed},
	} {
		if n := e.Counters[c.counter]; n != 0 {
			fmt.Fprintf(&b, " %s=%d", c.name, n)
		}
	}
	if e.Errno != 0 {
		fmt.Fprintf(&b, " errno=%d", e.Errno)
	}
	if e.SQLState != "" {
		b.WriteString(" " + e.SQLState)
	}
	if e.Message != "" {
		b.WriteString(" " + e.Message)
	}
	return b.String()
}

// What statements count, against what they do.
func TestStatements(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 1000})
	s := r.session(t)
	for _, test := range []struct{ text, want string }{
		{"SELECT 1", "sql/select sent=1"},
		{"CREATE TABLE test.t (a INT PRIMARY KEY, b INT, KEY (b))", "sql/create_table 00000"},
		{"INSERT INTO test.t VALUES (1, 10), (2, 20), (3, 30), (4, 40)", "sql/insert affected=4 00000 Records: 4  Duplicates: 0  Warnings: 0"},
		{"INSERT INTO test.t VALUES (1, 10)", "sql/insert errors=1 errno=1062 23000 Duplicate entry '1' for key 't.PRIMARY'"},
		{"INSERT INTO test.t SELECT a + 10, b FROM test.t", "sql/insert_select affected=4 examined=4 scan=1 no_index=1 00000 Records: 4  Duplicates: 0  Warnings: 0"},
		{"UPDATE test.t SET b = 0 WHERE b + 0 <= 20", "sql/update affected=4 examined=8 no_index=1 00000 Rows matched: 4  Changed: 4  Warnings: 0"},
		{"SELECT * FROM test.t", "sql/select sent=8 examined=8 scan=1 no_index=1"},
		{"SELECT * FROM test.t WHERE a = 3", "sql/select sent=1 examined=1"},
		{"SELECT * FROM test.t WHERE a > 3", "sql/select sent=5 examined=5 range=1"},
		{"SELECT COUNT(*) FROM test.t x JOIN test.t y ON x.a = y.a", "sql/select sent=1 examined=16 full_join=1 scan=1 no_index=1"},
		{"SELECT * FROM test.t ORDER BY a + b LIMIT 3", "sql/select sent=3 examined=8 scan=1 sort_rows=3 sort_scan=1 no_index=1"},
		{"SELECT * FROM test.t WHERE a > 2 ORDER BY a + b", "sql/select sent=6 examined=6 range=1 sort_range=1 sort_rows=6"},
		{"SELECT (SELECT SUM(a) FROM test.t)", "sql/select sent=1 examined=8 scan=1 no_index=1"},
		{"SELECT b, COUNT(*) FROM test.t GROUP BY b", "sql/select sent=3 examined=8 scan=1 tmp=1 no_index=1"},
		{"SELECT DISTINCT b FROM test.t", "sql/select sent=3 examined=8 scan=1 tmp=1 no_index=1"},
		{"SELECT COUNT(DISTINCT b) FROM test.t", "sql/select sent=1 examined=8 scan=1 no_index=1"},
		{"SELECT 1 UNION ALL SELECT 2", "sql/select sent=2"},
		{"SELECT 1 UNION SELECT 1", "sql/select sent=1 tmp=1"},
		{"(SELECT a FROM test.t) UNION ALL (SELECT 0) ORDER BY a DESC LIMIT 2", "sql/select sent=2 examined=8 scan=1 sort_rows=9 sort_scan=1 no_index=1"},
		{"SELECT a FROM test.t EXCEPT SELECT 1", "sql/select sent=7 examined=8 scan=1 tmp=1 no_index=1"},
		{"SELECT a, RANK() OVER (ORDER BY b) FROM test.t", "sql/select sent=8 examined=8 scan=1 tmp=1 no_index=1"},
		{"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r", "sql/select sent=5 tmp=1"},
		{"SELECT a FROM test.t WHERE b IN (SELECT b + 10 FROM test.t WHERE a < 3)", "sql/select examined=10 range=1 scan=1 tmp=1 no_index=1"},
		{"SELECT x.a FROM test.t x JOIN (SELECT b, MAX(a) AS m FROM test.t GROUP BY b) y ON x.a < y.m", "sql/select sent=18 examined=32 scan=2 tmp=1 no_index=1"},
		{"DELETE FROM test.t WHERE a > 10", "sql/delete affected=4 examined=4 00000"},
		{"TRUNCATE TABLE test.t", "sql/truncate 00000"},
		{"SELECT * FROM numbers", "sql/select sent=1000 examined=1000 scan=1 no_index=1"},
		{"SELECT ID FROM numbers LIMIT 700", "sql/select sent=700 examined=700 scan=1 no_index=1"},
		{"SELECT * FROM numbers WHERE ID = 7", "sql/select sent=1 examined=1"},
		{"SELECT * FROM numbers WHERE ID IN (7, 8)", "sql/select sent=2 examined=2 range=1"},
		{"SELECT COUNT(*) FROM numbers", "sql/select sent=1 examined=1000 scan=1 no_index=1"},
		{"SELECT ENABLED, COUNT(*) FROM numbers GROUP BY ENABLED", "sql/select sent=1 examined=1000 scan=1 tmp=1 no_index=1"},
		{"EXPLAIN SELECT * FROM numbers", "sql/select warnings=1 sent=1"},
		{"PREPARE p FROM 'DELETE FROM test.t'", "sql/prepare_sql 00000 Statement prepared"},
		{"EXECUTE p", "sql/execute_sql no_index=1 00000"},
		{"SET @a = 1", "sql/set_option 00000"},
		{"SELEC 1", "sql/error errors=1 errno=1064 42000 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC 1' at line 1"},
		{"/* nothing */", "sql/empty_query errors=1 errno=1065 42000 Query was empty"},
		{"SELECT * FROM nowhere", "sql/select errors=1 errno=1146 42S02 Table 'performance_schema.nowhere' doesn't exist"},
		{"DROP TABLE test.t", "sql/drop_table 00000"},
	} {
		got := told(s.run(test.text))
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// What is said of a statement: its text as MySQL keeps it, its database, its digest.
func TestStatementTexts(t *testing.T) {
	r := serve(t, Options{})
	s := r.session(t)
	a := s.run("  SELECT /* one */ 1 ; ")
	b := s.run("SELECT 2")
	if a.SQLText != "SELECT /* one */ 1" || a.Schema != "performance_schema" || a.Digest == nil || b.Digest == nil || a.Digest.Hex() != b.Digest.Hex() {
		t.Errorf("got %+v and %+v", a, b)
	}
	if got := a.Digest.Text(); got != "SELECT ?" {
		t.Errorf("digest %q", got)
	}
	if e := s.run("SELEC 1"); e.Digest != nil || e.SQLText != "SELEC 1" {
		t.Errorf("a statement that is none: %+v", e)
	}
	if e := s.run("USE test"); e.Schema != "performance_schema" {
		t.Errorf("schema %q", e.Schema)
	}
	if e := s.run("SELECT 1"); e.Schema != "test" {
		t.Errorf("schema %q", e.Schema)
	}
	if e := s.run("SELECT SLEEP(0.001)"); !e.Timed() || e.TimerWait() < 1_000_000_000 {
		t.Errorf("took %d ps", e.TimerWait())
	}
}

func TestPreparedProtocol(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 10})
	s := r.session(t)
	s.run("SELECT * FROM numbers WHERE LEVEL < ?", 0)
	if err := s.conn.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := s.run("SELECT ? +", 1); told(e)[:len("com/Prepare errors=1 errno=1064 42000")] != "com/Prepare errors=1 errno=1064 42000" {
		t.Errorf("got %s", told(e))
	}
	var got []string
	for _, e := range s.last(5) {
		got = append(got, told(e))
	}
	want := []string{"com/Prepare", "com/Execute sent=9 examined=10 scan=1 no_index=1", "com/Close stmt", "com/Ping 00000"}
	if !slices.Equal(got[:4], want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if events := s.last(5); events[1].Digest == nil || events[1].SQLText != "SELECT * FROM numbers WHERE LEVEL < ?" {
		t.Errorf("got %+v", events[1])
	}
}

func TestMultiStatementEvents(t *testing.T) {
	r := serve(t, Options{})
	r.db = r.open(t, "multiStatements=true")
	s := r.session(t)
	s.run("SELECT 1; SELECT 2, 3; SELEC")
	var got []string
	for _, e := range s.last(3) {
		got = append(got, e.Class.Name()+" "+e.SQLText)
	}
	if want := []string{"statement/sql/select SELECT 1", "statement/sql/select SELECT 2, 3", "statement/sql/error SELEC"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// transactions says of each transaction in the thread's history what it was.
func (s *sqlSession) transactions() (all []string) {
	for _, e := range s.thread.TransactionsHistory(nil) {
		state := [...]string{"ACTIVE", "COMMITTED", "ROLLED BACK"}[e.State]
		if e.Autocommit {
			state += " autocommit"
		}
		if e.ReadOnly {
			state += " read only"
		}
		all = append(all, state+" "+e.Isolation)
	}
	return all
}

func TestTransactions(t *testing.T) {
	r := serve(t, Options{})
	s := r.session(t)
	for _, q := range []string{
		"CREATE TABLE test.t (a INT PRIMARY KEY)", "SELECT * FROM setup_consumers", "SELECT 1", // nothing transactional
		"INSERT INTO test.t VALUES (1)",
		"INSERT INTO test.t VALUES (1)", // fails
		"SELECT * FROM test.t",
		"BEGIN", "INSERT INTO test.t VALUES (2)", "INSERT INTO test.t VALUES (2)", "COMMIT",
		"SET transaction_isolation = 'READ-COMMITTED'", "START TRANSACTION READ ONLY", "ROLLBACK", "ROLLBACK",
		"SET autocommit = 0", "INSERT INTO test.t VALUES (3)", "SELECT * FROM test.t", "ROLLBACK",
		"SET autocommit = 1", "BEGIN", "START TRANSACTION", "CREATE TABLE test.u (a INT)",
	} {
		s.run(q)
	}
	want := []string{
		"COMMITTED autocommit REPEATABLE READ", "ROLLED BACK autocommit REPEATABLE READ", "COMMITTED autocommit REPEATABLE READ",
		"COMMITTED REPEATABLE READ", "ROLLED BACK read only READ COMMITTED", "ROLLED BACK READ COMMITTED",
		"COMMITTED READ COMMITTED", "COMMITTED READ COMMITTED",
	}
	if got := s.transactions(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if current := s.thread.CurrentTransaction(nil); s.thread.InTransaction() || len(current) != 1 || !current[0].Ended {
		t.Errorf("a transaction goes on: %+v", current)
	}
}

// Each stage is part of its statement, and one follows the other.
func TestStages(t *testing.T) {
	r := serve(t, Options{Instruments: []string{"stage/%=ON"}, Consumers: map[string]bool{
		"events_stages_current": true, "events_stages_history": true, "events_stages_history_long": true,
	}}, &fake{name: "numbers", rows: 10})
	s := r.session(t)
	s.run("CREATE TABLE test.t (a INT)")
	for _, test := range []struct{ text, want string }{
		{"SELECT 1", "starting, executing, closing tables, query end, freeing items, cleaning up"},
		{"SELECT * FROM test.t ORDER BY a", "starting, checking permissions, Opening tables, init, optimizing, statistics, preparing, executing, Creating sort index, executing, closing tables, waiting for handler commit, query end, freeing items, cleaning up"},
		{"SELECT COUNT(*) FROM numbers", "starting, checking permissions, Opening tables, init, optimizing, statistics, preparing, executing, closing tables, query end, freeing items, cleaning up"},
		{"UPDATE test.t SET a = 1", "starting, checking permissions, Opening tables, updating, closing tables, waiting for handler commit, query end, freeing items, cleaning up"},
		{"INSERT INTO test.t VALUES (1)", "starting, checking permissions, Opening tables, update, closing tables, waiting for handler commit, query end, freeing items, cleaning up"},
		{"SELECT SLEEP(0), SLEEP(0)", "starting, executing, User sleep, executing, User sleep, executing, closing tables, query end, freeing items, cleaning up"},
		{"SELEC", "starting, cleaning up"},
	} {
		e := s.run(test.text)
		var names []string
		end := e.TimerStart()
		for _, g := range r.reg.Reader().StagesHistoryLong() {
			if g.ThreadID != e.ThreadID || g.NestingID != e.ID {
				continue
			}
			names = append(names, strings.TrimPrefix(g.Class.Name(), "stage/sql/"))
			if g.NestingType != instr.NestingStatement || g.TimerStart() < end || g.TimerEnd() > e.TimerEnd() || g.EndID > e.EndID {
				t.Errorf("%s: %s does not fit in", test.text, g.Class.Name())
			}
			end = g.TimerEnd()
		}
		if got := strings.Join(slices.Compact(names), ", "); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// However a statement is broken off, its event ends with the reason.
func TestBrokenStatements(t *testing.T) {
	read := make(chan struct{}, 1) // a row that is not the first
	numbers := &fake{name: "numbers", rows: 1 << 40, at: func(i int) {
		if i == 1000 {
			read <- struct{}{}
		}
	}}
	r := serve(t, Options{Consumers: map[string]bool{"events_statements_history_long": true}}, numbers,
		&fake{name: "broken", rows: 10, at: func(i int) {
			if i == 5 {
				panic("row 5")
			}
		}})
	s := r.session(t)
	if e := s.run("SELECT * FROM broken"); e.Errno != 1815 || e.Counters[instr.Errors] != 1 || !e.Ended {
		t.Errorf("after a panic: %s", told(e))
	}
	ended := make(chan error, 1)
	go func() {
		_, err := count(context.Background(), s.conn, "SELECT COUNT(*) FROM numbers")
		ended <- err
	}()
	<-read
	r.exec(t, fmt.Sprintf("KILL QUERY %d", s.id))
	if err := <-ended; err == nil {
		t.Error("not killed")
	}
	if e := s.last(1)[0]; e.Errno != 1317 || e.SQLState != "70100" || e.Counters[instr.RowsExamined] == 0 {
		t.Errorf("after KILL: %s", told(e))
	}
	gone, cancel := context.WithCancel(t.Context())
	thread := s.thread.ID()
	go func() {
		_, err := count(gone, s.conn, "SELECT SUM(LEVEL) FROM numbers")
		ended <- err
	}()
	<-read
	cancel() // the driver closes the connection
	<-ended
	eventually(t, "the statement ends", func() bool {
		return slices.ContainsFunc(r.reg.Reader().StatementsHistoryLong(), func(e instr.StatementEvent) bool {
			return e.ThreadID == thread && e.Errno == 1159
		})
	})
}

// Connections that come, work and go at once leave nothing running, and each statement counts once.
func TestManyConnectionsStatements(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.t (a INT)")
	selects := r.reg.Reader().ClassByName("statement/sql/show_databases")
	const workers, rounds = 4, 25
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range rounds {
				db := r.open(t, "")
				for range 3 {
					if rows, err := db.Query("SHOW DATABASES"); err == nil {
						_ = drain(rows)
					} else {
						t.Error(err)
					}
				}
				_ = db.Close()
			}
		})
	}
	all.Wait()
	global := r.reg.Reader().GlobalWork()
	if got := global.Statement(selects); got.Count != workers*rounds*3 || got.Counters[instr.RowsSent] == 0 {
		t.Errorf("%d statements counted, want %d", got.Count, workers*rounds*3)
	}
	quit := r.reg.Reader().ClassByName("statement/com/Quit")
	eventually(t, "all have quit", func() bool {
		global := r.reg.Reader().GlobalWork()
		return global.Statement(quit).Count == workers*rounds
	})
}

// The time of the processor is measured where it is wanted.
func TestCPUTime(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, &fake{name: "numbers", rows: 200_000})
	s := r.session(t)
	if e := s.run("SELECT COUNT(*) FROM numbers"); e.Counters[instr.CPUTime] != 0 {
		t.Errorf("%d ps, and nobody asked", e.Counters[instr.CPUTime])
	}
	r.reg.Setup().SetConsumer(instr.ConsumerEventsStatementsCPU, true)
	e := s.run("SELECT COUNT(*) FROM numbers")
	if cpu, wait := e.Counters[instr.CPUTime], e.TimerWait(); cpu == 0 || cpu > wait+uint64(20*time.Millisecond)*1000 {
		t.Errorf("%d ps of %d", cpu, wait)
	}
}
