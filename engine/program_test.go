package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// programs is a server in which everything is on and kept.
func programSession(t *testing.T) *sqlSession {
	r := serve(t, Options{Instruments: []string{"statement/%=ON"}, Consumers: map[string]bool{"events_statements_history_long": true}}, tables.All()...)
	return r.session(t)
}

// nested runs a statement and says what was part of it, in order: a tab for each level, the
// instruction, the program, its text, and what is not 0.
func (s *sqlSession) nested(q string) []string {
	s.t.Helper()
	s.server.reg.Reader().TruncateStatementsHistoryLong()
	top := s.run(q)
	var all []instr.StatementEvent
	for _, e := range s.server.reg.Reader().StatementsHistoryLong() {
		if e.ThreadID == top.ThreadID && e.ID > top.ID && e.ID <= top.EndID {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b instr.StatementEvent) int { return int(a.ID) - int(b.ID) })
	open := []instr.StatementEvent{top}
	var lines []string
	for _, e := range all {
		for open[len(open)-1].EndID < e.ID {
			open = open[:len(open)-1]
		}
		parent := open[len(open)-1]
		if e.NestingType != instr.NestingStatement && e.NestingType != instr.NestingTransaction || e.NestingType == instr.NestingStatement && e.NestingID != parent.ID || e.Level != len(open) {
			s.t.Errorf("%s: event %d on level %d is part of event %d, want %d", q, e.ID, e.Level, e.NestingID, parent.ID)
		}
		open = append(open, e)
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s%s %s.%s %s", strings.Repeat("> ", e.Level), strings.TrimPrefix(told(e), "sp/"), e.ObjectSchema, e.ObjectName, e.SQLText)))
	}
	return lines
}

func (s *sqlSession) wantNested(q string, want ...string) {
	s.t.Helper()
	if got := s.nested(q); !slices.Equal(got, want) {
		s.t.Errorf("%s:\n got\n%s\nwant\n%s", q, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// do runs statements that must not fail.
func (s *sqlSession) do(statements ...string) {
	s.t.Helper()
	for _, q := range statements {
		if _, err := s.conn.ExecContext(s.t.Context(), q); err != nil {
			s.t.Fatalf("%s: %v", q, err)
		}
	}
}

func TestProcedureStatements(t *testing.T) {
	s := programSession(t)
	s.do("CREATE DATABASE shop", "USE shop", "CREATE TABLE t (a INT PRIMARY KEY, b INT)",
		"CREATE PROCEDURE Fill(n INT) BEGIN DECLARE i INT DEFAULT 0; WHILE i < n DO INSERT INTO t VALUES (i, i * 2); SET i = i + 1; END WHILE; END",
		"CREATE PROCEDURE work() BEGIN CALL fill(2); SELECT * FROM t WHERE b > 0; UPDATE t SET b = b + 1; END",
		"USE performance_schema")
	s.wantNested("CALL shop.work()",
		"> stmt affected=1 00000 shop.work CALL fill(2)",
		"> > set shop.Fill", "> > jump_if_not shop.Fill",
		"> > stmt affected=1 00000 shop.Fill INSERT INTO t VALUES (i, i * 2)",
		"> > set shop.Fill", "> > jump shop.Fill", "> > jump_if_not shop.Fill",
		"> > stmt affected=1 00000 shop.Fill INSERT INTO t VALUES (i, i * 2)",
		"> > set shop.Fill", "> > jump shop.Fill", "> > jump_if_not shop.Fill",
		"> stmt sent=1 examined=2 scan=1 no_index=1 shop.work SELECT * FROM t WHERE b > 0",
		"> stmt affected=2 examined=2 no_index=1 00000 Rows matched: 2  Changed: 2  Warnings: 0 shop.work UPDATE t SET b = b + 1",
	)
	for _, e := range s.server.reg.Reader().StatementsHistoryLong() {
		if e.ObjectType != "" && (e.Schema != "shop" || e.ObjectType != "PROCEDURE" || e.Digest != nil) {
			t.Errorf("%s: schema %s, %s, digest %v", e.SQLText, e.Schema, e.ObjectType, e.Digest)
		}
	}
}

func TestProcedureControl(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT)",
		"CREATE PROCEDURE branches(n INT) BEGIN IF n = 1 THEN SET @x = 'one'; ELSEIF n = 2 THEN SET @x = 'two'; ELSE SET @x = 'more'; END IF; IF n > 5 THEN SET @x = 'many'; END IF; END",
		"CREATE PROCEDURE cases(n INT) BEGIN CASE n + 1 WHEN 2 THEN SET @x = 'one'; WHEN 3 THEN SET @x = 'two'; END CASE; CASE WHEN n = 1 THEN SET @y = 1; ELSE BEGIN END; END CASE; END",
		"CREATE PROCEDURE loops() BEGIN DECLARE i INT DEFAULT 0; l: LOOP SET i = i + 1; IF i = 1 THEN ITERATE l; END IF; IF i > 2 THEN LEAVE l; END IF; END LOOP l; REPEAT SET i = i - 1; UNTIL i < 2 END REPEAT; SET @x = i; END",
		"CREATE PROCEDURE blocks() a: BEGIN b: BEGIN DECLARE c CURSOR FOR SELECT 1; DECLARE CONTINUE HANDLER FOR NOT FOUND SET @x = 'end'; OPEN c; LEAVE a; END b; SET @x = 'never'; END a",
	)
	s.wantNested("CALL branches(1)", "> jump_if_not test.branches", "> stmt 00000 test.branches SET @x = 'one'", "> jump test.branches", "> jump_if_not test.branches")
	s.wantNested("CALL branches(2)", "> jump_if_not test.branches", "> jump_if_not test.branches", "> stmt 00000 test.branches SET @x = 'two'", "> jump test.branches", "> jump_if_not test.branches")
	s.wantNested("CALL branches(9)", "> jump_if_not test.branches", "> jump_if_not test.branches", "> stmt 00000 test.branches SET @x = 'more'", "> jump_if_not test.branches", "> stmt 00000 test.branches SET @x = 'many'")
	if got := s.column("SELECT @x"); got != "many" {
		t.Errorf("got %s", got)
	}
	s.wantNested("CALL cases(1)", "> set_case_expr test.cases", "> stmt 00000 test.cases SET @x = 'one'", "> jump test.cases",
		"> jump_if_not test.cases", "> stmt 00000 test.cases SET @y = 1", "> jump test.cases")
	s.wantNested("CALL cases(2)", "> set_case_expr test.cases", "> stmt 00000 test.cases SET @x = 'two'", "> jump test.cases", "> jump_if_not test.cases")
	s.wantNested("CALL cases(3)", "> set_case_expr test.cases", "> error errors=1 errno=1339 20000 Case not found for CASE statement test.cases")
	s.wantNested("CALL loops()",
		"> set test.loops", "> set test.loops", "> jump_if_not test.loops", "> jump test.loops",
		"> set test.loops", "> jump_if_not test.loops", "> jump_if_not test.loops", // false, and leads on to the jump at the end
		"> set test.loops", "> jump_if_not test.loops", "> jump_if_not test.loops", "> jump test.loops",
		"> set test.loops", "> jump_if_not test.loops", "> set test.loops", "> jump_if_not test.loops",
		"> stmt 00000 test.loops SET @x = i")
	if got := s.column("SELECT @x"); got != "1" {
		t.Errorf("got %s", got)
	}
	s.wantNested("CALL blocks()", "> cpush test.blocks", "> hpush_jump test.blocks", "> copen test.blocks", "> hpop test.blocks", "> cpop test.blocks", "> jump test.blocks")
}

func TestProcedureHandlers(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2), (3)",
		"CREATE PROCEDURE sum_up(OUT total INT) BEGIN DECLARE done INT DEFAULT 0; DECLARE v INT; DECLARE c CURSOR FOR SELECT a FROM t; DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1;\n"+
			"SET total = 0; OPEN c; l: LOOP FETCH c INTO v; IF done THEN LEAVE l; END IF; SET total = total + v; END LOOP; CLOSE c; END",
		"CREATE PROCEDURE goes_on() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN SET @n = @n + 1; SET @m = @n; END; INSERT INTO t VALUES (1); INSERT INTO t VALUES (4); INSERT INTO nowhere VALUES (1); END",
		"CREATE PROCEDURE gives_up() BEGIN BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION SET @n = 10; INSERT INTO t VALUES (1); SET @n = 20; END; SET @m = @n; END",
		"CREATE PROCEDURE passes_on() BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SET @n = 5; RESIGNAL; END; SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no', MYSQL_ERRNO = 4711; END",
		"CREATE PROCEDURE outer_one() BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION SET @n = 6; CALL inner_one(); END",
		"CREATE PROCEDURE inner_one() BEGIN INSERT INTO t VALUES (1); END",
		"CREATE PROCEDURE condition_fails() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @n = 7; IF (SELECT a FROM nowhere) THEN SET @n = 8; ELSE SET @n = 9; END IF; SET @m = @n; END",
		"SET @n = 0")
	s.do("CALL sum_up(@total)")
	if got := s.column("SELECT @total"); got != "6" {
		t.Errorf("the cursor's rows add up to %s", got)
	}
	fetches, none := 0, 0
	for _, line := range s.nested("CALL sum_up(@total)") {
		if strings.HasPrefix(line, "> cfetch") {
			fetches++
			if strings.Contains(line, "errors=1 errno=1329 02000 No data - zero rows fetched, selected, or processed") {
				none++
			}
		}
	}
	if fetches != 4 || none != 1 {
		t.Errorf("%d fetches, %d without a row", fetches, none)
	}
	s.wantNested("CALL goes_on()", "> hpush_jump test.goes_on",
		"> stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 't.PRIMARY' test.goes_on INSERT INTO t VALUES (1)",
		"> stmt 00000 test.goes_on SET @n = @n + 1", "> stmt 00000 test.goes_on SET @m = @n", "> hreturn test.goes_on",
		"> stmt affected=1 00000 test.goes_on INSERT INTO t VALUES (4)",
		"> stmt errors=1 errno=1146 42S02 Table 'test.nowhere' doesn't exist test.goes_on INSERT INTO nowhere VALUES (1)",
		"> stmt 00000 test.goes_on SET @n = @n + 1", "> stmt 00000 test.goes_on SET @m = @n", "> hreturn test.goes_on", "> hpop test.goes_on")
	s.wantNested("CALL gives_up()", "> hpush_jump test.gives_up",
		"> stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 't.PRIMARY' test.gives_up INSERT INTO t VALUES (1)",
		"> stmt 00000 test.gives_up SET @n = 10", "> hreturn test.gives_up", "> hpop test.gives_up", "> stmt 00000 test.gives_up SET @m = @n")
	s.wantNested("CALL passes_on()", "> hpush_jump test.passes_on",
		"> stmt errors=1 errno=4711 45000 no test.passes_on SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no', MYSQL_ERRNO = 4711",
		"> stmt 00000 test.passes_on SET @n = 5", "> stmt errors=1 errno=4711 45000 no test.passes_on RESIGNAL")
	if got := s.fails("CALL passes_on()"); got != "4711 45000 no" {
		t.Errorf("got %s", got)
	}
	s.wantNested("CALL outer_one()", "> hpush_jump test.outer_one",
		"> stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 't.PRIMARY' test.outer_one CALL inner_one()",
		"> > stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 't.PRIMARY' test.inner_one INSERT INTO t VALUES (1)",
		"> stmt 00000 test.outer_one SET @n = 6", "> hreturn test.outer_one", "> hpop test.outer_one")
	s.wantNested("CALL condition_fails()", "> hpush_jump test.condition_fails",
		"> jump_if_not errors=1 errno=1146 42S02 Table 'test.nowhere' doesn't exist test.condition_fails",
		"> stmt 00000 test.condition_fails SET @n = 7", "> hreturn test.condition_fails", "> stmt 00000 test.condition_fails SET @m = @n", "> hpop test.condition_fails")
	if e := s.run("CALL inner_one()"); told(e) != "sql/call_procedure errors=1 errno=1062 23000 Duplicate entry '1' for key 't.PRIMARY'" {
		t.Errorf("got %s", told(e))
	}
}

// An error counts once, however many programs it goes through, as raised or as handled.
func TestProcedureErrorsCount(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1)",
		"CREATE PROCEDURE fails() INSERT INTO t VALUES (1)", "CREATE PROCEDURE calls() CALL fails()",
		"CREATE PROCEDURE handles() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; CALL calls(); CALL fails(); END",
		"CREATE PROCEDURE passes_on() BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION RESIGNAL; CALL calls(); END")
	index := slices.IndexFunc(s.server.reg.Reader().ServerErrors(), func(e instr.ServerError) bool { return e.Number == 1062 })
	for _, test := range []struct {
		name            string
		raised, handled uint64
	}{{"fails", 1, 0}, {"calls", 1, 0}, {"handles", 0, 2}, {"passes_on", 1, 1}} {
		before := s.server.reg.Reader().GlobalWork()
		s.run("CALL " + test.name + "()")
		after := s.server.reg.Reader().GlobalWork()
		a, b := before.Error(index), after.Error(index)
		if raised, handled := b.Raised-a.Raised, b.Handled-a.Handled; raised != test.raised || handled != test.handled {
			t.Errorf("%s: %d raised, %d handled", test.name, raised, handled)
		}
	}
}

func TestProcedureVariables(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20), c DECIMAL(10,2), d DATETIME)",
		"CREATE PROCEDURE put(n INT, x VARCHAR(20), m DECIMAL(10,2), w DATETIME) BEGIN INSERT INTO t VALUES (n, x, m, w) ON DUPLICATE KEY UPDATE b = x; UPDATE t SET b = CONCAT(b, x), c = c + m WHERE a = n AND d = w; END",
		"CREATE PROCEDURE fac(n INT, OUT r INT) BEGIN IF n < 2 THEN SET r = 1; ELSE CALL fac(n - 1, r); SET r = r * n; END IF; END",
		"CREATE PROCEDURE twice(INOUT n INT) SET n = n * 2",
		"CREATE PROCEDURE four(INOUT n INT) BEGIN CALL twice(n); CALL twice(n); END",
		"CREATE PROCEDURE find(k INT) BEGIN DECLARE i INT DEFAULT 0; DECLARE v VARCHAR(20); WHILE i < 2 DO SELECT b INTO v FROM t WHERE a = k; SELECT a, b INTO @a, @b FROM t WHERE a = k; SET i = i + 1; END WHILE; SELECT i, v; END",
		"CREATE PROCEDURE many() BEGIN DECLARE v INT; SELECT a INTO v FROM t; END",
		"CREATE PROCEDURE nothing() BEGIN DECLARE v INT DEFAULT 7; SELECT a INTO v FROM t WHERE a < 0; SET @v = v; END",
		"CREATE PROCEDURE first_ones(n INT) SELECT a FROM t ORDER BY a LIMIT n",
		"CREATE PROCEDURE dynamic(n INT) BEGIN SET @n = n; PREPARE st FROM 'SELECT a FROM t WHERE a > ?'; EXECUTE st USING @n; DEALLOCATE PREPARE st; END",
		"CREATE PROCEDURE unset(OUT n INT) BEGIN END",
		"CREATE PROCEDURE big() BEGIN DECLARE v TINYINT; SET v = 300; END",
	)
	s.do("CALL put(1, 'it''s', 1.25, '2024-02-03 04:05:06')", "CALL put(2, 'two', 2, NULL)", "CALL put(1, 'x', 2.25, '2024-02-03 04:05:06')")
	if got := s.column("SELECT CONCAT(a, ' ', b, ' ', c, ';') FROM t ORDER BY a"); got != "1 xx 4.75; 2 two 2.00;" {
		t.Errorf("got %s", got)
	}
	s.do("SET max_sp_recursion_depth = 20", "CALL fac(6, @r)", "SET @n = 3", "CALL four(@n)")
	if got := s.column("SELECT CONCAT(@r, ' ', @n)"); got != "720 12" {
		t.Errorf("got %s", got)
	}
	rows, err := s.conn.QueryContext(t.Context(), "CALL find(1)")
	if err != nil {
		t.Fatal(err)
	}
	if columns, _ := rows.Columns(); !slices.Equal(columns, []string{"i", "v"}) {
		t.Errorf("the columns are %q", columns)
	}
	_ = drain(rows)
	if got := s.column("SELECT CONCAT(@a, @b)"); got != "1xx" {
		t.Errorf("got %s", got)
	}
	s.do("CALL unset(@n)", "CALL nothing()")
	for _, test := range []struct{ q, want string }{
		{"SELECT @n IS NULL", "1"}, {"SELECT @v", "7"}, {"CALL first_ones(1)", "1"}, {"CALL dynamic(1)", "2"},
	} {
		if got := s.column(test.q); got != test.want {
			t.Errorf("%s: got %s, want %s", test.q, got, test.want)
		}
	}
	for _, test := range []struct{ q, want string }{
		{"CALL many()", "1172 42000 Result consisted of more than one row"},
		{"CALL unset(1)", "1414 42000 OUT or INOUT argument 1 for routine test.unset is not a variable or NEW pseudo-variable in BEFORE trigger"},
		{"CALL big()", "1264 22003 Out of range value for column 'v' at row 1"},
	} {
		if got := s.fails(test.q); got != test.want {
			t.Errorf("%s: got %s, want %s", test.q, got, test.want)
		}
	}
	s.wantNested("CALL dynamic(0)", "> stmt 00000 test.dynamic SET @n = n", "> stmt 00000 Statement prepared test.dynamic PREPARE st FROM 'SELECT a FROM t WHERE a > ?'",
		"> stmt sent=2 examined=2 range=1 test.dynamic EXECUTE st USING @n", "> stmt 00000 test.dynamic DEALLOCATE PREPARE st")
	if e := s.run("CALL nothing()"); e.Counters[instr.Errors] != 0 {
		t.Errorf("no row is an error: %s", told(e))
	}
}

// Deeper than the stack of statements nothing is seen, and deeper than MySQL allows nothing runs.
func TestProcedureRecursion(t *testing.T) {
	r := serve(t, Options{Sizes: map[string]int{"max_statement_stack": 3}, Consumers: map[string]bool{"events_statements_history_long": true}})
	s := r.session(t)
	s.do("USE test", "CREATE PROCEDURE down(n INT) BEGIN IF n > 0 THEN CALL down(n - 1); END IF; END", "CREATE PROCEDURE ping() CALL pong()", "CREATE PROCEDURE pong() CALL ping()")
	if got := s.fails("CALL down(1)"); got != "1456 HY000 Recursive limit 0 (as set by the max_sp_recursion_depth variable) was exceeded for routine down" {
		t.Errorf("got %s", got)
	}
	s.do("SET max_sp_recursion_depth = 255")
	lost := r.reg.Reader().NestedStatementLost()
	s.wantNested("CALL down(5)", "> stmt 00000 test.down CALL down(n - 1)", "> > stmt 00000 test.down CALL down(n - 1)")
	if n := r.reg.Reader().NestedStatementLost() - lost; n != 3 {
		t.Errorf("%d statements lost, want 3", n)
	}
	if got := s.fails("CALL ping()"); got[:len("1436 HY000")] != "1436 HY000" && got[:len("1456 HY000")] != "1456 HY000" {
		t.Errorf("got %s", got)
	}
	if got := s.fails("CALL down(400)"); got != "1456 HY000 Recursive limit 255 (as set by the max_sp_recursion_depth variable) was exceeded for routine down" {
		t.Errorf("got %s", got)
	}
	if got := s.column("SELECT 1"); got != "1" {
		t.Errorf("got %s", got)
	}
}

// Outside a transaction each statement of a procedure is one of its own; in one it is part of it.
func TestProcedureTransactions(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY)",
		"CREATE PROCEDURE two(n INT) BEGIN INSERT INTO t VALUES (n); INSERT INTO t VALUES (n + 1); END",
		"CREATE PROCEDURE whole(n INT) BEGIN START TRANSACTION; INSERT INTO t VALUES (n); SAVEPOINT s; INSERT INTO t VALUES (n + 1); ROLLBACK TO s; COMMIT; END")
	before := len(s.transactions())
	s.do("CALL two(1)")
	s.do("BEGIN", "INSERT INTO t VALUES (10)", "CALL two(11)", "ROLLBACK")
	if got := s.column("SELECT a FROM t ORDER BY a"); got != "1 2" {
		t.Errorf("got %s", got)
	}
	s.do("BEGIN", "INSERT INTO t VALUES (10)", "CALL two(11)", "COMMIT")
	if e := s.run("CALL whole(20)"); told(e) != "sql/call_procedure 00000" { // as its last statement
		t.Errorf("got %s", told(e))
	}
	if got := s.column("SELECT a FROM t ORDER BY a"); got != "1 2 10 11 12 20" {
		t.Errorf("got %s", got)
	}
	if got := s.fails("CALL two(0)"); got != "1062 23000 Duplicate entry '1' for key 't.PRIMARY'" {
		t.Errorf("got %s", got)
	}
	if got := s.column("SELECT a FROM t WHERE a = 0"); got != "0" {
		t.Error("what came before the error is lost")
	}
	want := []string{
		"COMMITTED autocommit REPEATABLE READ", "COMMITTED autocommit REPEATABLE READ", "ROLLED BACK REPEATABLE READ", "COMMITTED autocommit REPEATABLE READ",
		"COMMITTED REPEATABLE READ", "COMMITTED REPEATABLE READ", "COMMITTED autocommit REPEATABLE READ",
		"COMMITTED autocommit REPEATABLE READ", "ROLLED BACK autocommit REPEATABLE READ", "COMMITTED autocommit REPEATABLE READ",
	}
	if got := s.transactions()[before:]; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The summary by program has the runs of procedures and what they count, until they are dropped.
func TestProgramSummary(t *testing.T) {
	s := programSession(t)
	s.do("CREATE DATABASE shop", "USE shop", "CREATE TABLE t (a INT PRIMARY KEY)", "CREATE PROCEDURE Put(n INT) INSERT INTO t VALUES (n)",
		"CREATE PROCEDURE twice(n INT) BEGIN CALL put(n); CALL PUT(n + 1); END", "CREATE PROCEDURE lists() SELECT * FROM t",
		"CALL twice(1)", "CALL lists()")
	s.fails("CALL put(1)")
	summary := "SELECT CONCAT(OBJECT_TYPE, ' ', OBJECT_SCHEMA, '.', OBJECT_NAME, ' ', COUNT_STAR, '/', COUNT_STATEMENTS, ' errors ', SUM_ERRORS, ' affected ', SUM_ROWS_AFFECTED, ' sent ', SUM_ROWS_SENT, ' examined ', SUM_ROWS_EXAMINED) FROM performance_schema.events_statements_summary_by_program ORDER BY OBJECT_NAME"
	lines := func() []string { return strings.Split(strings.ReplaceAll(s.column(summary), " PROC", "\nPROC"), "\n") }
	want := []string{
		"PROCEDURE shop.lists 1/1 errors 0 affected 0 sent 2 examined 2",
		"PROCEDURE shop.Put 3/3 errors 1 affected 2 sent 0 examined 0",
		"PROCEDURE shop.twice 1/2 errors 0 affected 2 sent 0 examined 0",
	}
	if got := lines(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	s.do("DROP PROCEDURE put", "CREATE PROCEDURE put(n INT) SET @n = n")
	if got := lines(); !slices.Equal(got, []string{want[0], want[2]}) {
		t.Errorf("got %q", got)
	}
	s.do("CALL put(1)", "UPDATE performance_schema.setup_objects SET ENABLED = 'NO' WHERE OBJECT_TYPE = 'PROCEDURE'", "CALL put(1)")
	if got := lines()[1]; got != "PROCEDURE shop.put 1/1 errors 0 affected 0 sent 0 examined 0" {
		t.Errorf("got %s", got)
	}
	s.do("TRUNCATE TABLE performance_schema.events_statements_summary_by_program")
	if got := lines()[2]; got != "PROCEDURE shop.twice 0/0 errors 0 affected 0 sent 0 examined 0" {
		t.Errorf("got %s", got)
	}
	s.do("DROP DATABASE shop")
	if got := s.column(summary); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestTriggerStatements(t *testing.T) {
	s := programSession(t)
	s.do("CREATE DATABASE shop", "USE shop", "CREATE TABLE orders (id INT PRIMARY KEY, amount INT, total INT)", "CREATE TABLE log (id INT, what VARCHAR(20))", "CREATE TABLE counts (n INT)",
		"INSERT INTO counts VALUES (0)", "SET @sum = 0",
		"CREATE TRIGGER fills BEFORE INSERT ON orders FOR EACH ROW SET NEW.total = NEW.amount * 2",
		"CREATE TRIGGER Logs AFTER INSERT ON orders FOR EACH ROW BEGIN INSERT INTO log VALUES (NEW.id, 'new'); IF NEW.amount > 10 THEN UPDATE counts SET n = n + 1; SET @sum = @sum + NEW.amount; ELSE INSERT INTO log VALUES (NEW.id, 'small'); END IF; END",
		"CREATE TRIGGER changes BEFORE UPDATE ON orders FOR EACH ROW BEGIN IF NEW.amount > 100 THEN SET NEW.amount = 100; END IF; SET NEW.total = NEW.amount * 2; END",
		"CREATE TRIGGER deletes AFTER DELETE ON orders FOR EACH ROW CALL gone(OLD.id)",
		"CREATE PROCEDURE gone(i INT) BEGIN DELETE FROM log WHERE id = i; END",
		"USE performance_schema")
	s.wantNested("INSERT INTO shop.orders (id, amount) VALUES (1, 5), (2, 20)",
		"> set_trigger_field shop.fills",
		"> stmt affected=1 00000 shop.Logs INSERT INTO log VALUES (NEW.id, 'new')",
		"> jump_if_not shop.Logs",
		"> stmt affected=1 00000 shop.Logs INSERT INTO log VALUES (NEW.id, 'small')",
		"> set_trigger_field shop.fills",
		"> stmt affected=1 00000 shop.Logs INSERT INTO log VALUES (NEW.id, 'new')",
		"> jump_if_not shop.Logs",
		"> stmt affected=1 examined=1 no_index=1 00000 shop.Logs UPDATE counts SET n = n + 1",
		"> stmt 00000 shop.Logs SET @sum = @sum + NEW.amount",
	)
	for _, e := range s.server.reg.Reader().StatementsHistoryLong() {
		if e.ObjectType != "" && (e.Schema != "shop" || e.ObjectType != "TRIGGER") {
			t.Errorf("%s: schema %s, %s", e.SQLText, e.Schema, e.ObjectType)
		}
	}
	if e := s.run("INSERT INTO shop.orders (id, amount) VALUES (3, 30)"); told(e) != "sql/insert affected=1 00000" || e.Schema != "performance_schema" {
		t.Errorf("got %s in %s", told(e), e.Schema)
	}
	s.wantNested("UPDATE shop.orders SET amount = amount * 10",
		"> jump_if_not shop.changes", "> set_trigger_field shop.changes",
		"> jump_if_not shop.changes", "> set_trigger_field shop.changes", "> set_trigger_field shop.changes",
		"> jump_if_not shop.changes", "> set_trigger_field shop.changes", "> set_trigger_field shop.changes")
	if got := s.column("SELECT CONCAT(id, ' ', amount, ' ', total, ';') FROM shop.orders ORDER BY id"); got != "1 50 100; 2 100 200; 3 100 200;" {
		t.Errorf("got %s", got)
	}
	s.wantNested("DELETE FROM shop.orders WHERE id < 2",
		"> stmt affected=2 00000 shop.deletes CALL gone(OLD.id)", "> > stmt affected=2 examined=4 no_index=1 00000 shop.gone DELETE FROM log WHERE id = i")
	if got := s.column("SELECT CONCAT(id, what, ';') FROM shop.log"); got != "2new; 3new;" {
		t.Errorf("got %s", got)
	}
	if got := s.column("SELECT @sum"); got != "50" {
		t.Errorf("got %s", got)
	}
	summary := "SELECT CONCAT(OBJECT_TYPE, ' ', OBJECT_SCHEMA, '.', OBJECT_NAME, ' ', COUNT_STAR, '/', COUNT_STATEMENTS, ';') FROM events_statements_summary_by_program ORDER BY OBJECT_NAME"
	if got := s.column(summary); got != "TRIGGER shop.changes 3/8; TRIGGER shop.deletes 1/1; TRIGGER shop.fills 3/3; PROCEDURE shop.gone 1/1; TRIGGER shop.Logs 3/11;" {
		t.Errorf("got %s", got)
	}
	s.do("USE shop", "DROP TRIGGER fills", "DROP TABLE log, orders", "USE performance_schema")
	if got := s.column(summary); got != "PROCEDURE shop.gone 1/1;" {
		t.Errorf("got %s", got)
	}
}

func TestTriggerErrors(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY)", "CREATE TABLE u (a INT PRIMARY KEY)",
		"CREATE TRIGGER copies AFTER INSERT ON t FOR EACH ROW INSERT INTO u VALUES (NEW.a % 2)",
		"CREATE TRIGGER forbids BEFORE DELETE ON t FOR EACH ROW BEGIN IF OLD.a = 1 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'; END IF; END",
		"CREATE PROCEDURE safe() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @e = 1; INSERT INTO t VALUES (11); DELETE FROM t; END")
	s.wantNested("INSERT INTO t VALUES (1), (2), (3)",
		"> stmt affected=1 00000 test.copies INSERT INTO u VALUES (NEW.a % 2)", "> stmt affected=1 00000 test.copies INSERT INTO u VALUES (NEW.a % 2)",
		"> stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 'u.PRIMARY' test.copies INSERT INTO u VALUES (NEW.a % 2)")
	if got := s.fails("INSERT INTO t VALUES (5), (7)"); got != "1062 23000 Duplicate entry '1' for key 'u.PRIMARY'" {
		t.Errorf("got %s", got)
	}
	if got := s.column("SELECT a FROM t"); got != "" {
		t.Errorf("the failed statements have left %s", got)
	}
	s.do("DELETE FROM u", "INSERT INTO t VALUES (1)")
	s.wantNested("DELETE FROM t", "> jump_if_not test.forbids",
		"> stmt errors=1 errno=1644 45000 not this one test.forbids SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'")
	s.wantNested("CALL safe()", "> hpush_jump test.safe",
		"> stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 'u.PRIMARY' test.safe INSERT INTO t VALUES (11)",
		"> > stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 'u.PRIMARY' test.copies INSERT INTO u VALUES (NEW.a % 2)",
		"> stmt 00000 test.safe SET @e = 1", "> hreturn test.safe",
		"> stmt errors=1 examined=1 no_index=1 errno=1644 45000 not this one test.safe DELETE FROM t",
		"> > jump_if_not test.forbids", "> > stmt errors=1 errno=1644 45000 not this one test.forbids SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'",
		"> stmt 00000 test.safe SET @e = 1", "> hreturn test.safe", "> hpop test.safe")
	if got := s.column("SELECT a FROM t"); got != "1" {
		t.Errorf("got %s", got)
	}
}

// Handlers are found by what they say most exactly, in the innermost block that has one.
func TestProcedureHandlerChoice(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1)",
		"CREATE PROCEDURE picks() BEGIN DECLARE dup CONDITION FOR 1062; DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @x = 'any'; DECLARE CONTINUE HANDLER FOR SQLSTATE '23000' SET @x = 'state'; DECLARE CONTINUE HANDLER FOR dup SET @x = 'number';\n"+
			"INSERT INTO t VALUES (1); SET @a = @x; INSERT INTO t VALUES (NULL); SET @b = @x; INSERT INTO nowhere VALUES (1); SET @c = @x;\n"+
			"BEGIN DECLARE EXIT HANDLER FOR 1146, 1062 SET @x = 'inner'; INSERT INTO t VALUES (1); SET @x = 'never'; END; SET @d = @x; END",
		"CREATE PROCEDURE sets() BEGIN DECLARE a, b INT; SET a = 1, @u = 2, @v = 3, b = a + 1; SET @w = a + b; END",
		"CALL picks()", "CALL sets()")
	if got := s.column("SELECT CONCAT_WS(' ', @a, @b, @c, @d, @u, @v, @w)"); got != "number state any inner 2 3 3" {
		t.Errorf("got %s", got)
	}
	s.wantNested("CALL sets()", "> set test.sets", "> set test.sets", "> set test.sets", "> stmt 00000 test.sets SET a = 1, @u = 2, @v = 3, b = a + 1", "> set test.sets", "> stmt 00000 test.sets SET @w = a + b")
}

// Connections make, run and drop programs at once, and others look on: nothing is counted twice,
// nothing gets lost.
func TestProgramsAtOnce(t *testing.T) {
	s := programSession(t)
	s.do("CREATE PROCEDURE test.kept() BEGIN SET @x = 1; SET @y = 2; END")
	const workers, rounds = 3, 15
	var all sync.WaitGroup
	for i := range workers {
		db := s.server.open(t, "")
		db.SetMaxOpenConns(1)
		all.Go(func() {
			defer func() { _ = db.Close() }()
			name := fmt.Sprintf("test.p%d", i)
			for range rounds {
				for _, q := range []string{
					"CREATE PROCEDURE " + name + "() SET @x = 1", "CALL " + name + "()", "CALL test.kept()",
					"SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_program", "DROP PROCEDURE " + name,
				} {
					if rows, err := db.Query(q); err != nil {
						t.Errorf("%s: %v", q, err)
					} else if err := drain(rows); err != nil {
						t.Errorf("%s: %v", q, err)
					}
				}
			}
		})
	}
	all.Wait()
	if got := s.server.reg.Reader().Programs(); len(got) != 1 || got[0].Calls.Count != workers*rounds || got[0].Statements.Count != 2*workers*rounds {
		t.Errorf("got %+v", got)
	}
}

// While a program runs, all that it is in the middle of is a row; it can be killed, and a panic
// in it costs one statement.
func TestProgramsBrokenOff(t *testing.T) {
	r := serve(t, Options{Instruments: []string{"statement/%=ON"}}, append([]tables.Table{
		&fake{name: "broken", rows: 10, at: func(i int) {
			if i == 5 {
				panic("row 5")
			}
		}},
	}, tables.All()...)...)
	s, other := r.session(t), r.session(t)
	s.do("USE test", "CREATE TABLE t (a INT)", "CREATE TABLE u (a INT)",
		"CREATE PROCEDURE panics() BEGIN DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END; SELECT COUNT(*) FROM performance_schema.broken; END",
		"CREATE TRIGGER panics BEFORE INSERT ON t FOR EACH ROW INSERT INTO u SELECT COUNT(*) FROM performance_schema.broken",
		"CREATE PROCEDURE waits() CALL waits_inside()", "CREATE PROCEDURE waits_inside() SELECT GET_LOCK('l', -1)",
		"CREATE PROCEDURE for_ever() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; LOOP SET @n = 1; END LOOP; END")
	for _, q := range []string{"CALL panics()", "INSERT INTO t VALUES (1)"} {
		if e := s.run(q); e.Errno != 1815 || e.Level != 0 || !e.Ended {
			t.Errorf("%s: %s", q, told(e))
		}
		if e := s.run("SELECT 1"); told(e) != "sql/select sent=1" || e.Level != 0 || e.NestingID != 0 {
			t.Errorf("after %s: %s on level %d", q, told(e), e.Level)
		}
	}
	if got := s.column("SELECT DATABASE()"); got != "test" {
		t.Errorf("the database is %s", got)
	}

	other.do("SELECT GET_LOCK('l', 0)")
	ended := make(chan instr.StatementEvent, 1)
	go func() { ended <- s.run("CALL waits()") }()
	current := fmt.Sprintf("SELECT CONCAT(EVENT_NAME, ' ', NESTING_EVENT_LEVEL, ' ', COALESCE(OBJECT_NAME, '-'), ';') FROM performance_schema.events_statements_current WHERE THREAD_ID = %d ORDER BY EVENT_ID", s.thread.ID())
	eventually(t, "the statements are rows", func() bool {
		return other.column(current) == "statement/sql/call_procedure 0 -; statement/sp/stmt 1 waits; statement/sp/stmt 2 waits_inside;"
	})
	other.do("SELECT RELEASE_LOCK('l')")
	if e := <-ended; e.Errno != 0 {
		t.Errorf("got %s", told(e))
	}
	go func() { ended <- s.run("CALL for_ever()") }()
	eventually(t, "the loop runs", func() bool { return len(s.thread.CurrentStatements(nil)) == 2 })
	other.do(fmt.Sprintf("KILL QUERY %d", s.id))
	if e := <-ended; e.Errno != 1317 {
		t.Errorf("got %s", told(e))
	}
}

// The arguments of a CALL can be the parameters of a prepared statement.
func TestProcedurePrepared(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT, b VARCHAR(20))", "CREATE PROCEDURE put(n INT, x VARCHAR(20)) BEGIN INSERT INTO t VALUES (n, x); SELECT b FROM t WHERE a = n; END")
	for i, text := range []string{"one", "two"} {
		var got string
		if err := s.conn.QueryRowContext(t.Context(), "CALL put(?, ?)", i, text).Scan(&got); err != nil || got != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// Errors about programs are MySQL's, and the server knows all that programs fail with.
func TestProgramErrors(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT)", "CREATE PROCEDURE Put(n INT) BEGIN END", "CREATE TRIGGER tr AFTER INSERT ON t FOR EACH ROW INSERT INTO t VALUES (1)")
	for _, test := range []struct{ do, want string }{
		{"CALL Nope()", "1305 42000 PROCEDURE test.Nope does not exist"},
		{"DROP PROCEDURE test.nope", "1305 42000 PROCEDURE test.nope does not exist"},
		{"CREATE PROCEDURE put() BEGIN END", "1304 42000 PROCEDURE put already exists"},
		{"CALL put()", "1318 42000 Incorrect number of arguments for PROCEDURE test.put; expected 1, got 0"},
		{"DROP TRIGGER nope", "1360 HY000 Trigger does not exist"},
		{"INSERT INTO t VALUES (2)", "1442 HY000 Can't update table 't' in stored function/trigger because it is already used by statement which invoked this stored function/trigger."},
	} {
		if got := s.fails(test.do); got != test.want {
			t.Errorf("%s: got %s, want %s", test.do, got, test.want)
		}
	}
	known := map[int]bool{}
	for _, e := range s.server.reg.Reader().ServerErrors() {
		known[e.Number] = true
	}
	for _, n := range []int{
		1172, 1222, 1231, 1264, 1304, 1305, 1308, 1318, 1319, 1324, 1325, 1326, 1327, 1328, 1329, 1339, 1360, 1414, 1436, 1442, 1456, 1642, 1643, 1644, 1645, 1646,
	} {
		if !known[n] {
			t.Errorf("%d is unknown", n)
		}
	}
}

// A statement that fails inside IF in a trigger ends with the trigger.
func TestTriggerErrorInBranch(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY)", "CREATE TABLE u (a INT PRIMARY KEY)", "INSERT INTO u VALUES (1)",
		"CREATE TRIGGER copies AFTER INSERT ON t FOR EACH ROW BEGIN IF NEW.a > 0 THEN INSERT INTO u VALUES (NEW.a); END IF; END")
	for range 2 {
		s.wantNested("INSERT INTO t VALUES (2), (1)",
			"> jump_if_not test.copies", "> stmt affected=1 00000 test.copies INSERT INTO u VALUES (NEW.a)",
			"> jump_if_not test.copies", "> stmt errors=1 errno=1062 23000 Duplicate entry '1' for key 'u.PRIMARY' test.copies INSERT INTO u VALUES (NEW.a)")
	}
	if e := s.run("SELECT a FROM u"); told(e) != "sql/select sent=1 examined=1 scan=1 no_index=1" || e.Level != 0 || e.Schema != "test" {
		t.Errorf("got %s on level %d in %s", told(e), e.Level, e.Schema)
	}
	if e := s.run("INSERT INTO t VALUES (3)"); told(e) != "sql/insert affected=1 00000" {
		t.Errorf("got %s", told(e))
	}
}

// Of loops and CASE in a trigger the statements are seen, not the jumps.
func TestTriggerControl(t *testing.T) {
	s := programSession(t)
	s.do("USE test", "CREATE TABLE t (a INT)", "CREATE TABLE u (a INT)",
		"CREATE TRIGGER tr AFTER INSERT ON t FOR EACH ROW BEGIN DECLARE i INT DEFAULT 0; WHILE i < 2 DO INSERT INTO u VALUES (i); SET i = i + 1; END WHILE;\n"+
			"CASE NEW.a WHEN 1 THEN INSERT INTO u VALUES (11); ELSE INSERT INTO u VALUES (12); END CASE; END")
	loop := []string{
		"> set test.tr", "> stmt affected=1 00000 test.tr INSERT INTO u VALUES (i)", "> set test.tr",
		"> stmt affected=1 00000 test.tr INSERT INTO u VALUES (i)", "> set test.tr",
	}
	s.wantNested("INSERT INTO t VALUES (1), (2)", slices.Concat(
		loop, []string{"> stmt affected=1 00000 test.tr INSERT INTO u VALUES (11)"}, loop, []string{"> stmt affected=1 00000 test.tr INSERT INTO u VALUES (12)"})...)
	if got := s.column("SELECT a FROM u"); got != "0 1 11 0 1 12" {
		t.Errorf("got %s", got)
	}
}
