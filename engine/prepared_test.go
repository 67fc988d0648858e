package engine

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// Statements that the protocol prepares, with a real client.
func TestProtocolPreparedStatements(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a INT PRIMARY KEY, b INT)")
	r.exec(t, "INSERT INTO test.t VALUES (1, 10), (2, 20), (3, 30)")
	c, id := r.conn(t)
	prepare := func(q string) *sql.Stmt {
		t.Helper()
		s, err := c.PrepareContext(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	execute := func(s *sql.Stmt, args ...any) error {
		rows, err := s.QueryContext(t.Context(), args...)
		if err != nil {
			return err
		}
		return drain(rows)
	}
	const columns = "STATEMENT_ID, STATEMENT_NAME, SQL_TEXT, COUNT_EXECUTE, SUM_ROWS_SENT, SUM_ROWS_EXAMINED, SUM_ROWS_AFFECTED, SUM_ERRORS, COUNT_REPREPARE"
	read := "SELECT " + columns + " FROM prepared_statements_instances"

	selects := prepare(" SELECT * FROM test.t WHERE b > ?; ")
	r.want(t, read, "1|NULL|SELECT * FROM test.t WHERE b > ?|0|0|0|0|0|0")
	r.want(t, "SELECT p.TIMER_PREPARE = h.TIMER_WAIT, h.EVENT_NAME FROM prepared_statements_instances p JOIN threads t ON t.THREAD_ID = p.OWNER_THREAD_ID"+
		" JOIN events_statements_history h ON h.THREAD_ID = p.OWNER_THREAD_ID AND h.EVENT_ID = p.OWNER_EVENT_ID WHERE t.PROCESSLIST_ID = "+fmt.Sprint(id), "1|statement/com/Prepare")
	inserts := prepare("INSERT INTO test.t VALUES (?, 0)")
	for _, err := range []error{execute(selects, 10), execute(selects, 20), execute(inserts, 4)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := execute(inserts, 4); err == nil {
		t.Fatal("a row is there twice")
	}
	if _, err := c.PrepareContext(t.Context(), "SELECT * FROM test.nowhere"); err == nil {
		t.Fatal("a statement about no table can be prepared")
	}
	own := " WHERE OWNER_THREAD_ID IN (SELECT THREAD_ID FROM threads WHERE PROCESSLIST_ID = " + fmt.Sprint(id) + ")"
	r.want(t, read+own, "1|NULL|SELECT * FROM test.t WHERE b > ?|2|3|6|0|0|0", "2|NULL|INSERT INTO test.t VALUES (?, 0)|2|0|0|1|1|0")

	// A table that changes is no reason to prepare anew.
	r.exec(t, "ALTER TABLE test.t ADD COLUMN c INT")
	if err := execute(selects, 0); err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT COUNT_EXECUTE, COUNT_REPREPARE FROM prepared_statements_instances"+own+" AND STATEMENT_ID = 1", "3|0")

	// Switched off, an execution does not count, and what is prepared is not there.
	r.exec(t, "UPDATE setup_instruments SET ENABLED = 'NO' WHERE NAME IN ('statement/com/Execute', 'statement/com/Prepare')")
	if err := execute(selects, 0); err != nil {
		t.Fatal(err)
	}
	off := prepare("SELECT 1")
	r.exec(t, "UPDATE setup_instruments SET ENABLED = 'YES' WHERE NAME IN ('statement/com/Execute', 'statement/com/Prepare')")
	if err := execute(off); err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT STATEMENT_ID, COUNT_EXECUTE FROM prepared_statements_instances"+own, "1|3", "2|2")

	// COM_STMT_CLOSE ends a statement, the end of the connection all others.
	if err := inserts.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT STATEMENT_ID FROM prepared_statements_instances"+own, "1")
	r.exec(t, fmt.Sprintf("KILL %d", id))
	eventually(t, "the end of the statements", func() bool { return len(r.reg.Reader().PreparedStatements()) == 0 })
}

// Statements of the protocol and of SQL have their numbers from one counter, and end when the
// connection is reset.
func TestPreparedStatementsOfBothSorts(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	query := func(q string) {
		t.Helper()
		c.write(commandOf(wire.ComQuery, []byte(q)...))
		c.ok()
	}
	first := c.prepare("SET @a = 1")
	query("PREPARE p FROM 'SET @b = 2'")
	second := c.prepare("SET @c = 3")
	query("EXECUTE p")
	c.write(statementOf(wire.ComStmtExec, second, 0, 1, 0, 0, 0))
	c.ok()
	if first != 1 || second != 3 {
		t.Errorf("the protocol's ids are %d and %d", first, second)
	}
	const q = "SELECT STATEMENT_ID, STATEMENT_NAME, COUNT_EXECUTE FROM prepared_statements_instances"
	const variables = "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM user_variables_by_thread"
	r.want(t, q, "1|NULL|0", "2|p|1", "3|NULL|1")
	r.want(t, variables, "b|2", "c|3")
	c.write(commandOf(wire.ComResetConnection))
	c.ok()
	r.want(t, q)
	r.want(t, variables)
	c.prepare("SET @a = 1")
	r.want(t, q, "4|NULL|0")
}

// Commands that come all at once are carried out one after the other: a statement counts what it
// does before it is closed.
func TestPreparedStatementsPipelined(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	id, other := c.prepare("SET @a = 1"), c.prepare("SET @b = 1")
	all := r.reg.Reader().PreparedStatements()
	if len(all) != 2 || all[0].StatementID != uint64(id) {
		t.Fatalf("there are %v", all)
	}
	run := statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0)
	c.write(run, statementOf(wire.ComStmtClose, 99), run, statementOf(wire.ComStmtClose, id), statementOf(wire.ComStmtExec, other, 0, 1, 0, 0, 0), commandOf(0x0e))
	for range 4 {
		c.ok()
	}
	eventually(t, "the end of a statement", func() bool { return slices.Equal(r.reg.Reader().PreparedStatements(), all[1:]) })
	for i, want := range []uint64{2, 1} {
		if n := all[i].Stat().Executed.Count; n != want {
			t.Errorf("statement %d: %d executions, want %d", i, n, want)
		}
	}
}

// The limit is an option.
func TestPreparedStatementsLimit(t *testing.T) {
	r := serve(t, Options{Limits: map[instr.Limit]int{instr.LimitPreparedStatements: 1}}, tables.All()...)
	c, _ := r.conn(t)
	for range 3 {
		s, err := c.PrepareContext(t.Context(), "SELECT 1")
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := s.QueryContext(t.Context()); err != nil || drain(rows) != nil {
			t.Fatal(err)
		}
	}
	r.want(t, "SELECT STATEMENT_ID, COUNT_EXECUTE, @@performance_schema_max_prepared_statements_instances FROM prepared_statements_instances", "1|1|1")
	r.want(t, "SHOW STATUS LIKE '%prepared_statements_lost'", "Performance_schema_prepared_statements_lost|2")
}

// Many connections prepare, set variables and read what the others do.
func TestSessionTablesConcurrently(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	errs := make(chan error, 4)
	for n := range 4 {
		go func() {
			errs <- func() error {
				for i := range 15 {
					db, err := sql.Open("mysql", "root@tcp("+r.addr+")/performance_schema?interpolateParams=false")
					if err != nil {
						return err
					}
					db.SetMaxOpenConns(1)
					for _, q := range []string{
						fmt.Sprintf("SET @a = %d, @b = 'x%d', @c%d = 1.5", i, n, i),
						"SELECT * FROM user_variables_by_thread", "SELECT * FROM prepared_statements_instances", "SELECT * FROM session_connect_attrs",
					} {
						s, err := db.Prepare(q)
						if err != nil {
							return err
						}
						rows, err := s.Query()
						if err != nil {
							return err
						}
						if err := drain(rows); err != nil {
							return err
						}
						if i%2 == 0 {
							_ = s.Close()
						}
					}
					_ = db.Close()
				}
				return nil
			}()
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	eventually(t, "the end of the connections", func() bool { return len(r.reg.Reader().PreparedStatements()) == 0 })
}

// What procedures and the forms of SET and SELECT set.
func TestUserVariablesOfStatements(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	for _, q := range []string{
		"CREATE PROCEDURE test.inner1(OUT o INT) BEGIN DECLARE c CURSOR FOR SELECT 10, 11; SET @deep = 1; SET @`quoted` = 2; SET o = 3; OPEN c; FETCH c INTO @f, @g; END",
		"CREATE PROCEDURE test.p() BEGIN CALL test.inner1(@Out); SELECT 12 INTO @chosen; SET @late = 3; END",
		"SET @x = 1, @y := 2, SESSION sql_mode = DEFAULT", "SET @z = (SELECT 5)", "SELECT 6 INTO @into", "CALL test.p()", "SET @@session.sql_mode = '', @last = 'é'",
	} {
		if e := s.run(q); e.Errno != 0 {
			t.Errorf("%s: %s", q, told(e))
		}
	}
	var got []string
	for _, v := range s.thread.UserVariables(nil) {
		got = append(got, v.Name+"="+v.Value)
	}
	if got, want := strings.Join(got, " "), "chosen=12 deep=1 f=10 g=11 into=6 last=é late=3 Out=3 quoted=2 x=1 y=2 z=5"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// There can be so many of all connections together, instrumented or not.
func TestTooManyPreparedStatements(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "UPDATE setup_instruments SET ENABLED = 'NO' WHERE NAME LIKE 'statement/com/%'")
	r.exec(t, "SET GLOBAL max_prepared_stmt_count = 3")
	defer r.exec(t, "SET GLOBAL max_prepared_stmt_count = DEFAULT")
	const tooMany = "1461 42000 Can't create more than max_prepared_stmt_count statements (current value: 3)"
	count := func(n int) {
		t.Helper()
		r.want(t, "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'", fmt.Sprint("Prepared_stmt_count|", n))
	}
	one, _ := r.conn(t)
	other, id := r.conn(t)
	exec := func(q, want string) {
		t.Helper()
		if _, err := other.ExecContext(t.Context(), q); code(err) != want {
			t.Errorf("%s: %s", q, code(err))
		}
	}
	first, err := one.PrepareContext(t.Context(), "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.PrepareContext(t.Context(), "SELECT * FROM nowhere"); err == nil {
		t.Fatal("a statement about no table can be prepared")
	}
	exec("PREPARE a FROM 'SELECT 1'", "<nil>")
	exec("PREPARE b FROM 'SELECT 1'", "<nil>")
	exec("PREPARE c FROM 'SELECT 1'", tooMany)
	exec("EXECUTE c", "1243 HY000 Unknown prepared statement handler (c) given to EXECUTE")
	if _, err := one.PrepareContext(t.Context(), "SELECT 1"); code(err) != tooMany {
		t.Error(code(err))
	}
	count(3)
	exec("PREPARE A FROM 'SELECT 2'", "<nil>") // in the place of the old one
	exec("DEALLOCATE PREPARE b", "<nil>")
	count(2)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := one.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	count(1)
	r.exec(t, fmt.Sprintf("KILL %d", id))
	eventually(t, "the end of the connection", func() bool {
		return r.query(t, "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'")[0] == "Prepared_stmt_count|0"
	})
}

// A variable that a procedure sets is there for others as soon as the next statement runs.
func TestUserVariablesOfRunningProcedure(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c, _ := r.conn(t)
	r.db = r.open(t, "")
	r.db.SetMaxOpenConns(1) // whose the lock is
	r.want(t, "SELECT GET_LOCK('go', 0)", "1")
	if _, err := c.ExecContext(t.Context(), "CREATE PROCEDURE test.p() BEGIN SET @a = 1; SELECT GET_LOCK('go', 100) INTO @c; SET @b = 2; END"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.ExecContext(t.Context(), "CALL test.p()")
		ended <- err
	}()
	const q = "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM user_variables_by_thread"
	eventually(t, "a variable", func() bool { return slices.Equal(r.query(t, q), []string{"a|1"}) })
	r.want(t, "SELECT RELEASE_LOCK('go')", "1")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	r.want(t, q, "a|1", "b|2", "c|1")
}

// In a procedure, statements are prepared and executed by its statements.
func TestPreparedStatementsOfProcedure(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	s.run("CREATE PROCEDURE test.p(n INT) BEGIN SET @n = n; PREPARE Mine FROM 'SELECT ?'; WHILE n > 0 DO EXECUTE mine USING @n; SET n = n - 1; END WHILE; EXECUTE MINE; END")
	call := s.run("CALL test.p(3)")
	r.want(t, "SELECT STATEMENT_NAME, SQL_TEXT, OWNER_EVENT_ID, OWNER_OBJECT_TYPE, OWNER_OBJECT_SCHEMA, OWNER_OBJECT_NAME, COUNT_EXECUTE, SUM_ROWS_SENT FROM prepared_statements_instances",
		fmt.Sprintf("Mine|SELECT ?|%d|PROCEDURE|test|p|3|3", call.ID))
	if call.Errno != 1210 {
		t.Errorf("CALL ends with %d", call.Errno)
	}
	s.run("CALL test.p(1)")
	r.want(t, "SELECT STATEMENT_ID, STATEMENT_NAME, COUNT_EXECUTE FROM prepared_statements_instances", "2|Mine|1")
	s.run("CREATE PROCEDURE test.q() BEGIN DEALLOCATE PREPARE mINE; END")
	s.run("CALL test.q()")
	r.want(t, "SELECT STATEMENT_ID FROM prepared_statements_instances")
}
