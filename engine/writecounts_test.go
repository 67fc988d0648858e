package engine

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// countCase is a statement that writes, how many rows the client is told, without and with CLIENT_FOUND_ROWS, and what a query answers then.
type countCase struct {
	statement      string
	changed, found int64
	query, answer  string
}

// checkCounts carries each statement out on tables that are as setup makes them.
func checkCounts(t *testing.T, setup []string, all []countCase) {
	t.Helper()
	r, c := rightRows(t, setup...)
	found, err := r.open(t, "clientFoundRows=true").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	r.must(t, found, "USE "+answerOf(t, c, "SELECT DATABASE()"))
	for _, x := range all {
		for i, c := range []*sql.Conn{c, found} {
			want := x.changed
			if i == 1 {
				want = x.found
			}
			r.must(t, c, "START TRANSACTION")
			result, err := c.ExecContext(t.Context(), x.statement)
			if err != nil {
				t.Errorf("%s: %v", x.statement, err)
			} else if n, _ := result.RowsAffected(); n != want {
				t.Errorf("%s, found %d: %d rows, want %d", x.statement, i, n, want)
			}
			if got := answerOf(t, c, x.query); got != x.answer {
				t.Errorf("%s: %s is %s, want %s", x.statement, x.query, got, x.answer)
			}
			r.must(t, c, "ROLLBACK")
		}
	}
}

// TestCountsOfOuterJoins: a table that has no row in an outer join is not updated, nothing is calculated for it, and it counts neither as
// found nor as changed.
func TestCountsOfOuterJoins(t *testing.T) {
	const a, b = "SELECT * FROM a", "SELECT * FROM b"
	checkCounts(t, []string{
		"CREATE TABLE a (id INT PRIMARY KEY, v INT)", "INSERT INTO a VALUES (1, 1), (2, NULL), (3, 3)",
		"CREATE TABLE b (id INT PRIMARY KEY, v INT, n INT NOT NULL DEFAULT 5, g INT AS (COALESCE(v, 7)) STORED)", "INSERT INTO b (id, v) VALUES (2, 2), (4, NULL)",
		"CREATE TABLE e (id INT PRIMARY KEY, v INT)", "CREATE TABLE o (v INT)", "INSERT INTO o VALUES (7), (NULL)",
	}, []countCase{
		{"UPDATE e RIGHT JOIN a ON TRUE SET e.v = 99", 0, 0, "SELECT COUNT(*) FROM e", "0"},
		{"UPDATE a LEFT JOIN e ON TRUE SET e.v = 99, e.id = 1", 0, 0, "SELECT COUNT(*) FROM e", "0"},
		{"UPDATE e AS X RIGHT JOIN a AS Y ON TRUE SET X.v = 99 WHERE TRUE", 0, 0, "SELECT COUNT(*) FROM e", "0"},
		{"UPDATE b AS x RIGHT JOIN o AS y ON (x.id <=> y.v) SET x.v = 99 WHERE TRUE", 0, 0, b, "2|2|5|2 4|NULL|5|7"},
		{"UPDATE b RIGHT JOIN a ON b.id <=> a.id SET b.v = 99", 1, 1, b, "2|99|5|99 4|NULL|5|7"},
		{"UPDATE a LEFT JOIN b ON a.id = b.id SET b.v = 2", 0, 1, b, "2|2|5|2 4|NULL|5|7"},
		{"UPDATE a LEFT JOIN b ON a.id = b.id SET b.n = a.v WHERE a.id <> 2", 0, 0, b, "2|2|5|2 4|NULL|5|7"},
		{"UPDATE a LEFT JOIN b ON a.id = b.id SET b.n = 1 / (a.id - 2), b.v = 3 WHERE a.id <> 2", 0, 0, b, "2|2|5|2 4|NULL|5|7"},
		{"UPDATE a LEFT JOIN b ON a.id = b.id SET a.v = 9, b.v = 9", 4, 4, a, "1|9 2|9 3|9"},
		{"UPDATE a LEFT JOIN b ON a.id = b.id SET a.v = COALESCE(b.v, 3), b.v = 2", 2, 4, a, "1|3 2|2 3|3"},
		{"UPDATE a LEFT JOIN b ON a.id = b.id LEFT JOIN e ON e.id = b.id SET a.v = 1, b.v = 1, e.v = 1", 3, 4, a, "1|1 2|1 3|1"},
		{"UPDATE a LEFT JOIN (b JOIN o ON o.v IS NULL) ON a.id = b.id SET b.v = 8", 1, 1, b, "2|8|5|8 4|NULL|5|7"},
		{"UPDATE o LEFT JOIN b ON TRUE SET b.v = 8", 2, 2, b, "2|8|5|8 4|8|5|8"},
		{"UPDATE IGNORE o LEFT JOIN b ON b.id = o.v SET b.v = 8", 0, 0, b, "2|2|5|2 4|NULL|5|7"},
		{"UPDATE a LEFT JOIN b USING (id) SET b.v = b.v + 1 WHERE b.id IS NULL", 0, 0, b, "2|2|5|2 4|NULL|5|7"},
	})
}

// TestCountsOfOuterJoinsInPrograms: the same for a statement of a procedure or a trigger.
func TestCountsOfOuterJoinsInPrograms(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE a (id INT PRIMARY KEY, v INT)", "INSERT INTO a VALUES (1, 1), (2, 2)", "CREATE TABLE b (id INT PRIMARY KEY, v INT NOT NULL)",
		"INSERT INTO b VALUES (2, 2)", "CREATE TABLE l (n INT)",
		"CREATE TRIGGER t AFTER UPDATE ON b FOR EACH ROW INSERT INTO l VALUES (NEW.v)", "CREATE TRIGGER s BEFORE UPDATE ON b FOR EACH ROW SET NEW.v = NEW.v + COALESCE(OLD.v, 1000)",
		"CREATE PROCEDURE p() BEGIN UPDATE a LEFT JOIN b ON a.id = b.id SET b.v = 10; SELECT ROW_COUNT(); END", "CREATE TABLE w (id INT)",
		"CREATE TRIGGER w BEFORE INSERT ON w FOR EACH ROW UPDATE a LEFT JOIN b ON a.id = b.id SET b.v = a.id * NEW.id")
	if got := answerOf(t, c, "CALL p()"); got != "1" {
		t.Errorf("the procedure has changed %s rows, want 1", got)
	}
	r.must(t, c, "INSERT INTO w VALUES (3)")
	if got := answerOf(t, c, "SELECT n FROM l"); got != "12 18" {
		t.Errorf("the trigger has seen %s, want 12 18", got)
	}
}

// TestDeletesOfNullRows: a row of NULLs in an outer join is not the row of NULLs of the table.
func TestDeletesOfNullRows(t *testing.T) {
	const k = "SELECT * FROM k"
	checkCounts(t, []string{
		"CREATE TABLE s (id INT PRIMARY KEY)", "INSERT INTO s VALUES (1), (2)", "CREATE TABLE k (c INT)", "INSERT INTO k VALUES (NULL), (1)",
		"CREATE TABLE z (c INT, d INT)", "INSERT INTO z VALUES (NULL, 1)",
	}, []countCase{
		{"DELETE k FROM s LEFT JOIN k ON k.c = s.id", 1, 1, k, "NULL"},
		{"DELETE k FROM k RIGHT JOIN s ON k.c = s.id AND s.id > 1", 0, 0, k, "NULL 1"},
		{"DELETE k, s FROM s LEFT JOIN k ON k.c = s.id", 3, 3, k, "NULL"},
		{"DELETE k FROM k LEFT JOIN s ON k.c = s.id", 2, 2, k, ""},
		{"DELETE k FROM k LEFT JOIN s ON k.c = s.id WHERE s.id IS NULL", 1, 1, k, "1"},
		{"DELETE k FROM k JOIN s ON TRUE WHERE k.c IS NULL", 1, 1, k, "1"},
		{"DELETE z FROM s LEFT JOIN z ON z.c <=> IF(s.id > 1, NULL, 1)", 1, 1, "SELECT * FROM z", ""},
	})
	_, c := rightRows(t, "CREATE TABLE s (id INT PRIMARY KEY)", "INSERT INTO s VALUES (1), (2)", "CREATE TABLE k (c INT)", "INSERT INTO k VALUES (NULL), (1)")
	if _, err := c.ExecContext(t.Context(), "DELETE k FROM s LEFT JOIN k ON k.c <=> 7"); err == nil || code(err)[:4] != "1235" {
		t.Errorf("a row of NULLs that may be one of the table is deleted: %v", err)
	}
	if got := answerOf(t, c, "SELECT COUNT(*) FROM k"); got != "2" {
		t.Errorf("%s rows remain, want 2", got)
	}
}

// TestCountsOfEqualValues: a row is changed if what is stored for it changes, though its values may be equal to those before.
func TestCountsOfEqualValues(t *testing.T) {
	for _, table := range []string{
		"CREATE TABLE t (id INT PRIMARY KEY, p INT, c %[1]s, ts INT, FOREIGN KEY (p) REFERENCES p (id))",
		"CREATE TABLE t (id INT PRIMARY KEY, p INT, c %[1]s, ts INT, CHECK (p > 0))",
		"CREATE TABLE t (id INT PRIMARY KEY, p INT, c %[1]s, ts INT, g INT AS (p + 1) VIRTUAL, CHECK (p > 0))",
		"CREATE TABLE t (id INT, p INT, c %[1]s, ts INT, PRIMARY KEY (id))\nCREATE TRIGGER g BEFORE UPDATE ON t FOR EACH ROW SET NEW.ts = 1",
		"CREATE TABLE t (id INT PRIMARY KEY, p INT, c %[1]s, ts INT)\nCREATE TRIGGER g AFTER UPDATE ON t FOR EACH ROW INSERT INTO l VALUES (1)",
	} {
		for _, x := range []struct{ kind, old, now, shown string }{
			{"VARCHAR(10) COLLATE utf8mb4_general_ci", "'b'", "'B'", "B"}, {"TEXT COLLATE utf8mb4_0900_ai_ci", "'e'", "'É'", "É"},
			{"VARCHAR(10) CHARACTER SET latin1", "'b'", "'b '", "b "}, {"VARCHAR(10) COLLATE utf8mb4_bin", "'b'", "'b '", "b "},
			{"CHAR(10)", "'b'", "'B'", "B"},
		} {
			setup := []string{"CREATE TABLE p (id INT PRIMARY KEY)", "INSERT INTO p VALUES (1)", "CREATE TABLE l (id INT)"}
			setup = append(setup, splitLines(table, x.kind)...)
			setup = append(setup, "INSERT INTO t (id, p, c, ts) VALUES (1, 1, "+x.old+", 1)")
			const q = "SELECT c FROM t"
			checkCounts(t, setup, []countCase{
				{"UPDATE t SET c = " + x.now, 1, 1, q, x.shown},
				{"UPDATE IGNORE t SET c = " + x.now + " WHERE id = 1", 1, 1, q, x.shown},
				{"UPDATE t JOIN p ON p.id = t.p SET c = " + x.now, 1, 1, q, x.shown},
				{"UPDATE p LEFT JOIN t AS T1 ON p.id = T1.p SET T1.c = " + x.now, 1, 1, q, x.shown},
				{"INSERT INTO t (id, p, c, ts) VALUES (1, 1, " + x.now + ", 1) ON DUPLICATE KEY UPDATE c = VALUES(c)", 2, 2, q, x.shown},
				{"INSERT INTO t (id, p, c, ts) SELECT 1, 1, 'x', 1 WHERE FALSE ON DUPLICATE KEY UPDATE p = 1", 0, 0, "SELECT 1", "1"},
				{"REPLACE INTO t (id, p, c, ts) VALUES (1, 1, " + x.now + ", 1)", 2, 2, q, x.shown},
				{"UPDATE t SET c = c", 0, 1, "SELECT 1", "1"},
			})
		}
	}
}

// splitLines returns the lines of a format, with the kind of a column.
func splitLines(format, kind string) []string {
	return strings.Split(fmt.Sprintf(format, kind), "\n")
}
