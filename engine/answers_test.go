package engine

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	vitess "github.com/dolthub/vitess/go/mysql"
	"github.com/go-sql-driver/mysql"

	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// resultsOf returns what a statement answers: a text for each result, its columns and rows, and the error
// that ends them.
func resultsOf(t *testing.T, query func() (*sql.Rows, error)) (all []string) {
	t.Helper()
	rows, err := query()
	if err != nil {
		return []string{code(err)}
	}
	defer func() { _ = rows.Close() }()
	for more := true; more; more = rows.NextResultSet() {
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(columns, "|")
		for rows.Next() {
			cells, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range cells {
				to[i] = &cells[i]
			}
			if err := rows.Scan(to...); err != nil {
				t.Fatal(err)
			}
			for i, c := range cells {
				text += [2]string{"|", " "}[min(i, 1)^1]
				if !c.Valid {
					c.String = "NULL"
				}
				text += c.String
			}
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		all = append(all, code(err))
	}
	return all
}

// calls is a server with tables and procedures, and a connection of its own to database test.
func calls(t *testing.T, params string, statements ...string) (*running, *sql.Conn) {
	t.Helper()
	r := serve(t, Options{}, tables.All()...)
	c, err := r.open(t, params).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, q := range append([]string{"USE test", "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20))", "INSERT INTO t VALUES (1, 'one'), (2, NULL)"}, statements...) {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return r, c
}

var someProcedures = []string{
	"CREATE PROCEDURE silent() SET @a = 1",
	"CREATE PROCEDURE one() SELECT * FROM t ORDER BY a",
	"CREATE PROCEDURE three() BEGIN SELECT 1 AS x; SELECT * FROM t WHERE a > 100; UPDATE t SET b = 'more' WHERE a = 2; SELECT b FROM t WHERE a = 2; UPDATE t SET b = NULL WHERE a = 2; END",
	"CREATE PROCEDURE nested(n INT) BEGIN SELECT n; IF n > 0 THEN CALL nested(n - 1); END IF; SHOW TABLES LIKE 't'; END",
	"CREATE PROCEDURE prepares() BEGIN PREPARE s FROM 'SELECT ? + 1 AS n'; SET @n = 41; EXECUTE s USING @n; DEALLOCATE PREPARE s; END",
	"CREATE PROCEDURE handles() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SELECT 'handled' AS h; SELECT 1 AS before_it; INSERT INTO t VALUES (1, 'x'); SELECT 2 AS after_it; END",
	"CREATE PROCEDURE fails() BEGIN SELECT 1 AS x; SELECT 2 AS x; INSERT INTO t VALUES (1, 'x'); SELECT 3 AS x; END",
	"CREATE PROCEDURE signals() BEGIN SELECT 1 AS x; SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no', MYSQL_ERRNO = 4711; END",
	"CREATE PROCEDURE outs(IN a INT, OUT b VARCHAR(10), INOUT c DECIMAL(10,2)) BEGIN SELECT a; SET b = CONCAT('b', a), c = c + 1; END",
}

// Each statement with rows is a result of its own, in text and binary, also among other statements.
func TestCallAnswers(t *testing.T) {
	_, c := calls(t, "multiStatements=true", someProcedures...)
	if _, err := c.ExecContext(t.Context(), "SET max_sp_recursion_depth = 5"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"CALL silent()", []string{""}},
		{"CALL one()", []string{"a|b 1|one 2|NULL"}},
		{"CALL three()", []string{"x 1", "a|b", "b more"}},
		{"CALL nested(2)", []string{"n 2", "n 1", "n 0", "Tables_in_test t", "Tables_in_test t", "Tables_in_test t"}},
		{"CALL prepares()", []string{"n 42"}},
		{"CALL handles()", []string{"before_it 1", "h handled", "after_it 2"}},
		{"CALL fails()", []string{"x 1", "x 2", "1062 23000 Duplicate entry '1' for key 't.PRIMARY'"}},
		{"CALL signals()", []string{"x 1", "4711 45000 no"}},
	} {
		if got := resultsOf(t, func() (*sql.Rows, error) { return c.QueryContext(t.Context(), test.query) }); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.query, got, test.want)
		}
		s, err := c.PrepareContext(t.Context(), test.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := resultsOf(t, func() (*sql.Rows, error) { return s.QueryContext(t.Context()) }); !slices.Equal(got, test.want) {
			t.Errorf("prepared %s: got %q, want %q", test.query, got, test.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"SELECT 0 AS z; CALL three(); SELECT 9 AS z", []string{"z 0", "x 1", "a|b", "b more", "z 9"}},
		{"CALL one(); CALL one(); SELECT * FROM t", []string{"a|b 1|one 2|NULL", "a|b 1|one 2|NULL", "a|b 1|one 2|NULL"}},
		{"CALL silent(); CALL silent()", []string{""}},
		{"CALL fails(); SELECT 9 AS z", []string{"x 1", "x 2", "1062 23000 Duplicate entry '1' for key 't.PRIMARY'"}},
		{"PREPARE p FROM 'CALL one()'; EXECUTE p; EXECUTE p; DEALLOCATE PREPARE p; SELECT 1", []string{"a|b 1|one 2|NULL", "a|b 1|one 2|NULL", "1 1"}},
	} {
		if got := resultsOf(t, func() (*sql.Rows, error) { return c.QueryContext(t.Context(), test.query) }); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.query, got, test.want)
		}
	}
}

// Long results come in parts, past the protocol layer and through it.
func TestCallAnswersMuch(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 3000})
	r.exec(t, "CREATE PROCEDURE test.much() BEGIN SELECT ID FROM performance_schema.numbers; SELECT ID + 1 FROM performance_schema.numbers; SELECT REPEAT('x', 40000) FROM performance_schema.numbers WHERE ID < 20; END")
	db := r.open(t, "multiStatements=true")
	for _, binary := range []bool{false, true} {
		query := func() (*sql.Rows, error) {
			return db.Query("CALL test.much(); SELECT 1; SELECT ID FROM numbers; SELECT 2")
		}
		want := []string{"ID|3000", "ID + 1|3000", "REPEAT('x', 40000)|20", "1|1", "ID|3000", "2|1"}
		if binary {
			s, err := db.Prepare("CALL test.much()")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			query, want = func() (*sql.Rows, error) { return s.Query() }, want[:3]
		}
		rows, err := query()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for more := true; more; more = rows.NextResultSet() {
			columns, err := rows.Columns()
			n := 0
			for rows.Next() {
				n++
			}
			got = append(got, fmt.Sprintf("%s|%d", strings.Join(columns, ","), n))
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || !slices.Equal(got, want) {
			t.Errorf("binary %v: got %q, want %q, %v", binary, got, want, err)
		}
	}
}

// Values of all types are, in the binary protocol, what the protocol layer makes of them.
func TestCallAnswersInBinary(t *testing.T) {
	_, c := calls(t, "", "CREATE TABLE every (id INT PRIMARY KEY, i8 TINYINT, u8 TINYINT UNSIGNED, i16 SMALLINT, u16 SMALLINT UNSIGNED, i24 MEDIUMINT, u24 MEDIUMINT UNSIGNED,"+
		" i32 INT, u32 INT UNSIGNED, i64 BIGINT, u64 BIGINT UNSIGNED, f FLOAT, d DOUBLE, n DECIMAL(20,5), y YEAR, dt DATE, dtm DATETIME, dtm6 DATETIME(6), ts TIMESTAMP NULL, tm TIME(6),"+
		" v VARCHAR(300), b VARBINARY(300), txt TEXT, j JSON, e ENUM('a','b'), s SET('x','y'), bits BIT(10))",
		"INSERT INTO every VALUES (1, -128, 255, -32768, 65535, -8388608, 16777215, -2147483648, 4294967295, -9223372036854775808, 18446744073709551615, 1.5, -2.25, -123.45000, 2026,"+
			" '2026-11-22', '2026-11-22 01:02:03', '2026-11-22 01:02:03.000456', '2026-11-22 00:00:00', '-30:01:02.5', 'é', X'00FF', REPEAT('t', 260), '{\"a\": 1}', 'b', 'x,y', b'1000000001')",
		"INSERT INTO every (id, tm, dtm6, v) VALUES (2, '00:00:00', '2026-01-01 00:00:00.5', '')", "INSERT INTO every (id, tm, v) VALUES (3, '838:59:59', REPEAT('v', 300))",
		"CREATE PROCEDURE all_of_it() SELECT * FROM every ORDER BY id")
	results := map[string][]string{}
	for _, q := range []string{"SELECT * FROM every ORDER BY id", "CALL all_of_it()"} {
		s, err := c.PrepareContext(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		results[q] = resultsOf(t, func() (*sql.Rows, error) { return s.QueryContext(t.Context()) })
		_ = s.Close()
	}
	got, want := results["CALL all_of_it()"], results["SELECT * FROM every ORDER BY id"]
	if len(want) != 1 || len(got) != 1 || got[0] != want[0] || !strings.Contains(got[0], "18446744073709551615|1.5|-2.25|-123.45000|2026|2026-11-22") {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// packetReader is a client that reads the packets of answers one after the other, each with its number.
type packetReader struct {
	*rawClient
	deprecated bool // no packets of the old EOF
	n          byte // of the last packet; 0 before each answer
}

// bothEOFs does f with a client for each style of EOF.
func bothEOFs(t *testing.T, r *running, f func(c *packetReader)) {
	for _, deprecated := range []bool{false, true} {
		flags := uint32(rawMulti)
		if deprecated {
			flags |= vitess.CapabilityClientDeprecateEOF
		}
		f(&packetReader{dialRaw(t, r.addr, helloOf(flags, utf8mb4, "\x00", nil)), deprecated, 0})
	}
}

// next returns the next packet, which must have the next number.
func (c *packetReader) next() string {
	c.t.Helper()
	c.n++
	head, err := c.in.Peek(4)
	if err != nil {
		c.t.Fatal(err)
	}
	if head[3] != c.n {
		c.t.Fatalf("packet %d where %d is due", head[3], c.n)
	}
	return string(c.read())
}

// want reads a packet with this payload.
func (c *packetReader) want(payload string) {
	c.t.Helper()
	if got := c.next(); got != payload {
		c.t.Fatalf("packet %d of answer: %q, want %q", c.n, got, payload)
	}
}

const rawMulti = rawCapabilities | vitess.CapabilityClientMultiStatements | vitess.CapabilityClientMultiResults | wire.CapabilityOutParameters

// The packets of a CALL are MySQL's, byte for byte, in both styles of EOF, also where commands come all at once.
func TestCallPackets(t *testing.T) {
	r, _ := calls(t, "", someProcedures...)
	bothEOFs(t, r, func(c *packetReader) {
		column := func(name string) {
			t.Helper()
			if got := c.next(); !strings.Contains(got, name+"\x0c") {
				t.Fatalf("packet %d is %q, and no column %s", c.n, got, name)
			}
		}
		end := func(status string) {
			t.Helper()
			if c.deprecated {
				c.want("\xfe\x00\x00" + status + "\x00\x00")
			} else {
				c.want("\xfe\x00\x00" + status)
			}
		}
		more, last := "\x0a\x00", "\x02\x00"
		result := func(row string, names ...string) {
			t.Helper()
			c.want(string(rune(len(names))))
			for _, name := range names {
				column(name)
			}
			if !c.deprecated {
				end(more)
			}
			if row != "" {
				c.want(row)
			}
			end(more)
		}
		text := func(q string) []byte { return commandOf(wire.ComQuery, []byte(q)...) }
		c.write(text("USE test"), text("CALL three()"), text("CALL fails()"), commandOf(wire.ComPing), text("DO 1; CALL silent(); CALL one(); SELECT 7"))
		c.want("\x00\x00\x00" + last + "\x00\x00")
		c.n = 0
		result("\x011", "x")
		result("", "a", "b")
		result("\x04more", "b")
		c.want("\x00\x01\x00" + last + "\x00\x00")
		c.n = 0
		result("\x011", "x")
		result("\x012", "x")
		c.want("\xff\x26\x04#23000Duplicate entry '1' for key 't.PRIMARY'")
		c.n = 0
		c.want("\x00\x00\x00" + last + "\x00\x00")
		c.n = 0
		c.want("\x00\x00\x00" + more + "\x00\x00") // DO
		c.want("\x00\x00\x00" + more + "\x00\x00")
		c.want("\x02")
		column("a")
		column("b")
		if !c.deprecated {
			end(more)
		}
		c.want("\x011\x03one")
		c.want("\x012\xfb")
		end(more)
		c.want("\x00\x00\x00" + more + "\x00\x00")
		c.want("\x01")
		column("7")
		if !c.deprecated {
			end(last)
		}
		c.want("\x017")
		end(last)

		// A prepared CALL ends with its parameters, and then the rest.
		id := c.prepareCall("CALL outs(5, ?, ?)", 2, c.deprecated)
		c.write(statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0, 0, 1, 0xfd, 0, 0xfd, 0, 1, 'x', 3, '2', '.', '5'), commandOf(wire.ComPing))
		c.n = 0
		result("\x00\x00\x05", "a")
		more = "\x0a\x10"
		result("\x00\x00\x02b5\x043.50", "b", "c")
		c.want("\x00\x00\x00" + last + "\x00\x00")
		c.n = 0
		c.want("\x00\x00\x00" + last + "\x00\x00")
	})
}

// prepareCall prepares a statement that has markers and no columns.
func (c *rawClient) prepareCall(q string, markers int, deprecated bool) uint32 {
	c.t.Helper()
	c.write(commandOf(wire.ComStmtPrepare, []byte(q)...))
	p := c.read()
	if p[0] != 0 || len(p) < 12 || p[5]|p[6] != 0 || int(p[7]) != markers {
		c.t.Fatalf("%s: the answer is %q", q, p)
	}
	for range markers {
		c.read()
	}
	if !deprecated {
		c.read()
	}
	return binary.LittleEndian.Uint32(p[1:])
}

// A client that cannot have several results is told so before anything is done, one that only wants no
// parameters gets none.
func TestCallWithoutResults(t *testing.T) {
	r, _ := calls(t, "", append(someProcedures, "CREATE PROCEDURE writes() BEGIN INSERT INTO t VALUES (3, 'x'); SELECT 1; END")...)
	c := &packetReader{rawClient: dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))}
	const refused = "\xff\x20\x05#0A000PROCEDURE test.writes can't return a result set in the given context"
	for q, want := range map[string]string{"CALL test.writes()": refused, "CALL test.silent()": "\x00\x00\x00\x02\x00\x00\x00"} {
		c.write(commandOf(wire.ComQuery, []byte(q)...))
		c.n = 0
		c.want(want)
	}
	r.want(t, "SELECT COUNT(*) FROM test.t", "2")
	c = &packetReader{rawClient: dialRaw(t, r.addr, helloOf(rawCapabilities|vitess.CapabilityClientMultiResults, utf8mb4, "\x00", nil))}
	id := c.prepareCall("CALL test.outs(5, ?, ?)", 2, false)
	c.write(statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0, 0, 1, 0xfd, 0, 0xfd, 0, 1, 'x', 3, '2', '.', '5'))
	for range 5 {
		c.next()
	}
	c.want("\x00\x00\x00\x02\x00\x00\x00")
}

// What EXECUTE gives a procedure that changes it is changed.
func TestExecuteChangesVariables(t *testing.T) {
	_, c := calls(t, "", append(someProcedures, "CREATE PROCEDURE within() BEGIN PREPARE p FROM 'CALL outs(1, ?, ?)'; SET @x = NULL, @y = 2; EXECUTE p USING @x, @y; DEALLOCATE PREPARE p; SELECT @x, @y; END")...)
	for _, test := range []struct{ query, want string }{
		{"SET @b = 'old', @c = 1.25", ""}, {"PREPARE p FROM 'CALL outs(7, ?, ?)'", ""}, {"EXECUTE p USING @b, @c", "a 7"},
		{"SELECT @b, @c", "@b|@c b7|2.25"}, {"CALL within()", "a 1;@x|@y b1|3.00"},
	} {
		if got := resultsOf(t, func() (*sql.Rows, error) { return c.QueryContext(t.Context(), test.query) }); strings.Join(got, ";") != test.want {
			t.Errorf("%s: got %q, want %q", test.query, got, test.want)
		}
	}
}

// An error after the first rows ends their result: as a whole result if the procedure goes on, else with the error.
func TestCallFailsMidway(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 12_000, at: func(i int) {
		if i == 9000 {
			panic("boom")
		}
	}})
	const much = "SELECT ID, IF(ID = 6000, (SELECT 1 UNION SELECT 2), 0) FROM performance_schema.numbers WHERE ID < 7000"
	r.exec(t, "CREATE PROCEDURE test.handles() BEGIN DECLARE CONTINUE HANDLER FOR 1242 SELECT 'handled'; "+much+"; SELECT 'end'; END")
	r.exec(t, "CREATE PROCEDURE test.fails() BEGIN "+much+"; SELECT 'end'; END")
	r.exec(t, "CREATE PROCEDURE test.breaks() BEGIN SELECT 1; SELECT ID FROM performance_schema.numbers; END")
	db := r.open(t, "multiStatements=true")
	db.SetMaxOpenConns(1)
	for _, test := range []struct {
		query string
		want  []int // rows
		err   string
	}{
		{"CALL test.handles(); SELECT 1", []int{6000, 1, 1, 1}, "<nil>"},
		{"CALL test.fails(); SELECT 1", []int{6000}, "1242 21000 Subquery returns more than 1 row"},
		{"CALL test.breaks(); SELECT 1", []int{1, 7399}, "1815 HY000 Internal error: boom"},
		{"SELECT 1; SELECT 2", []int{1, 1}, "<nil>"},
	} {
		rows, err := db.Query(test.query)
		if err != nil {
			t.Fatal(err)
		}
		got := rowCounts(rows)
		if e := code(rows.Err()); !slices.Equal(got, test.want) || e != test.err {
			t.Errorf("%s: got %v and %s, want %v and %s", test.query, got, e, test.want, test.err)
		}
		_ = rows.Close()
	}
}

// A trigger has nobody to tell its results to, an event neither, but that does not hurt.
func TestCallWithoutClient(t *testing.T) {
	_, c := calls(t, "", append(someProcedures, "CREATE TRIGGER tells BEFORE INSERT ON t FOR EACH ROW CALL one()")...)
	if _, err := c.ExecContext(t.Context(), "INSERT INTO t VALUES (9, '')"); code(err) != "1415 0A000 Not allowed to return a result set from a trigger" {
		t.Errorf("got %s", code(err))
	}
}

// Rows of a procedure's statements are those of the statements.
func TestCallCountsRows(t *testing.T) {
	s := programSession(t)
	s.do(append([]string{"USE test", "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20))", "INSERT INTO t VALUES (1, 'one'), (2, NULL)"}, someProcedures...)...)
	s.wantNested("CALL three()", "> stmt sent=1 test.three SELECT 1 AS x", "> stmt range=1 test.three SELECT * FROM t WHERE a > 100",
		"> stmt affected=1 examined=1 00000 Rows matched: 1  Changed: 1  Warnings: 0 test.three UPDATE t SET b = 'more' WHERE a = 2", "> stmt sent=1 examined=1 test.three SELECT b FROM t WHERE a = 2",
		"> stmt affected=1 examined=1 00000 Rows matched: 1  Changed: 1  Warnings: 0 test.three UPDATE t SET b = NULL WHERE a = 2")
	if e := s.run("CALL three()"); told(e) != "sql/call_procedure affected=1 00000" || e.Counters[instr.RowsSent] != 0 {
		t.Errorf("got %s", told(e))
	}
}

// The driver has the results of a CALL that it is given parameters for.
func TestCallInterpolated(t *testing.T) {
	_, c := calls(t, "interpolateParams=true", someProcedures...)
	if got := resultsOf(t, func() (*sql.Rows, error) { return c.QueryContext(context.Background(), "CALL nested(?)", 0) }); !slices.Equal(got, []string{"n 0", "Tables_in_test t"}) {
		t.Errorf("got %q", got)
	}
	var e *mysql.MySQLError
	if _, err := c.ExecContext(t.Context(), "CALL fails()"); !errors.As(err, &e) || e.Number != 1062 {
		t.Errorf("got %v", err)
	}
}
