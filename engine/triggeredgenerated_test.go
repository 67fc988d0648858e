package engine

import "testing"

// TestGeneratedColumnsBehindTriggers: generated columns, their indexes and CHECK constraints see the values that triggers BEFORE a change leave,
// whatever statement makes the change.
func TestGeneratedColumnsBehindTriggers(t *testing.T) {
	const table = "CREATE TABLE a (id INT PRIMARY KEY, c DOUBLE, t TEXT NOT NULL, s VARCHAR(20) AS (LEFT(t, 1)) STORED, v VARCHAR(20) AS (CONCAT(t, 'v')), w INT AS (LENGTH(s)) STORED," +
		" KEY (v), KEY (s), CONSTRAINT k CHECK (s <> 'q'))"
	r, c := rightRows(t, table, "CREATE TABLE b (id INT PRIMARY KEY, n INT)", "INSERT INTO b VALUES (1, 1)", "CREATE TABLE src (id INT PRIMARY KEY, t TEXT)", "INSERT INTO src VALUES (1, 'xyz')")
	for _, x := range []struct{ event, statement string }{
		{"UPDATE", "UPDATE a SET c = 1.5"},
		{"UPDATE", "UPDATE a SET t = 'zzz'"},
		{"UPDATE", "UPDATE a SET t = 'zzz' WHERE v = 'abcv'"},
		{"UPDATE", "UPDATE a JOIN b ON a.id = b.id SET a.c = 1.5, b.n = 2"},
		{"UPDATE", "UPDATE b LEFT JOIN a ON a.id = b.id SET a.c = 1.5"},
		{"UPDATE", "UPDATE a SET c = 1.5 WHERE id IN (SELECT id FROM b)"},
		{"UPDATE", "INSERT INTO a (id, t) VALUES (1, 'new') ON DUPLICATE KEY UPDATE c = 1.5"},
		{"INSERT", "REPLACE INTO a (id, t) VALUES (1, 'new')"},
		{"INSERT", "DELETE FROM a; INSERT INTO a (id, t) VALUES (1, 'new')"},
		{"INSERT", "DELETE FROM a; INSERT INTO a (id, t) SELECT * FROM src"},
		{"INSERT", "DELETE FROM a; INSERT INTO a SET id = 1, t = 'new'"},
	} {
		for _, body := range []string{"SET NEW.t = '1.5'", "BEGIN SET @x = '1'; SET NEW.t = CONCAT(@x, '.5'); END", "BEGIN IF NEW.id = 1 THEN SET NEW.t = '1.5'; END IF; END"} {
			r.must(t, c, "DROP TABLE a", table, "INSERT INTO a (id, t) VALUES (1, 'abc')", "UPDATE b SET n = 1",
				"CREATE TRIGGER g BEFORE "+x.event+" ON a FOR EACH ROW "+body, x.statement)
			for query, want := range map[string]string{
				"SELECT t, s, v, w FROM a":                       "1.5|1|1.5v|1",
				"SELECT id FROM a WHERE v = '1.5v'":              "1",
				"SELECT COUNT(*) FROM a WHERE v <> '1.5v'":       "0",
				"SELECT id FROM a FORCE INDEX (s) WHERE s = '1'": "1",
			} {
				if got := answerOf(t, c, query); got != want {
					t.Errorf("%s, BEFORE %s %s: %s is %s, want %s", x.statement, x.event, body, query, got, want)
				}
			}
		}
		r.must(t, c, "DROP TABLE a", table, "INSERT INTO a (id, t) VALUES (1, 'abc')", "CREATE TRIGGER g BEFORE "+x.event+" ON a FOR EACH ROW SET NEW.t = 'q'")
		if _, err := c.ExecContext(t.Context(), x.statement); code(err) != "3819 HY000 Check constraint 'k' is violated." {
			t.Errorf("%s: %v, want the error of the constraint", x.statement, err)
		}
	}
	r.must(t, c, "DROP TABLE a", "CREATE TABLE a (id INT PRIMARY KEY, c DOUBLE, t TEXT NOT NULL, s INT AS (LENGTH(t)) STORED NOT NULL, u INT AS (LENGTH(t)) STORED UNIQUE)",
		"INSERT INTO a (id, t) VALUES (1, 'a'), (2, 'bb')", "CREATE TRIGGER g BEFORE UPDATE ON a FOR EACH ROW SET NEW.t = 'cc'")
	if _, err := c.ExecContext(t.Context(), "UPDATE a SET c = 1 WHERE id = 1"); code(err) != "1062 23000 Duplicate entry '2' for key 'a.u'" {
		t.Errorf("a generated key that another row has: %v", err)
	}
	// Triggers that run later see the values that those before them leave, and generated columns at the end.
	r.must(t, c, "DROP TABLE a", "CREATE TABLE a (id INT PRIMARY KEY, t TEXT, s INT AS (LENGTH(t)) STORED)", "INSERT INTO a (id, t) VALUES (1, 'a')", "CREATE TABLE l (t TEXT)",
		"CREATE TRIGGER g BEFORE UPDATE ON a FOR EACH ROW SET NEW.t = CONCAT(NEW.t, 'x')", "CREATE TRIGGER h BEFORE UPDATE ON a FOR EACH ROW FOLLOWS g SET NEW.t = CONCAT(NEW.t, 'y')",
		"CREATE TRIGGER i AFTER UPDATE ON a FOR EACH ROW INSERT INTO l VALUES (CONCAT(OLD.t, OLD.s, NEW.t, NEW.s))", "UPDATE a SET t = 'abc'")
	for query, want := range map[string]string{"SELECT * FROM a": "1|abcxy|5", "SELECT * FROM l": "a1abcxy5"} {
		if got := answerOf(t, c, query); got != want {
			t.Errorf("%s is %s, want %s", query, got, want)
		}
	}
}

// TestGeneratedColumnsOfChangedRows: ON DUPLICATE KEY UPDATE calculates generated columns from the row that it changes, wherever the row comes from
// that has its key.
func TestGeneratedColumnsOfChangedRows(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE a (id INT PRIMARY KEY, t VARCHAR(10), n INT, g VARCHAR(10) AS (LEFT(t, 1)) STORED, v INT AS (n + 1), KEY (v), CHECK (g <> 'q'))",
		"CREATE TABLE src (id INT, t VARCHAR(10), n INT)", "INSERT INTO src VALUES (1, NULL, 5), (2, 'zz', NULL), (3, 'zuick', 7)")
	for _, x := range []struct{ statement, rows string }{
		{"INSERT INTO a (id, t, n) SELECT * FROM src ON DUPLICATE KEY UPDATE t = 'new'", "1|new|10|n|11 2|new|20|n|21 3|new|30|n|31"},
		{"INSERT INTO a (id, t, n) SELECT id, t, n FROM src ORDER BY id ON DUPLICATE KEY UPDATE n = a.n + 1", "1|abc|11|a|12 2|bcd|21|b|22 3|cde|31|c|32"},
		{"INSERT INTO a (id, t, n) VALUES (1, NULL, NULL), (2, 'zz', NULL), (3, 'x', 7) ON DUPLICATE KEY UPDATE t = 'new'", "1|new|10|n|11 2|new|20|n|21 3|new|30|n|31"},
		{"INSERT INTO a (id, t, n) TABLE src ON DUPLICATE KEY UPDATE t = CONCAT('x', a.t), n = NULL", "1|xabc|NULL|x|NULL 2|xbcd|NULL|x|NULL 3|xcde|NULL|x|NULL"},
		{"INSERT INTO a (id, t, n) SELECT a.id + 1, a.t, a.n FROM a WHERE a.id < 3 ORDER BY a.id ON DUPLICATE KEY UPDATE t = 'ab'", "1|abc|10|a|11 2|ab|20|a|21 3|ab|30|a|31"},
	} {
		r.must(t, c, "DELETE FROM a", "INSERT INTO a (id, t, n) VALUES (1, 'abc', 10), (2, 'bcd', 20), (3, 'cde', 30)", x.statement)
		if got := answerOf(t, c, "SELECT * FROM a ORDER BY id"); got != x.rows {
			t.Errorf("%s: %s, want %s", x.statement, got, x.rows)
		}
	}
}
