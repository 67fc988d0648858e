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
