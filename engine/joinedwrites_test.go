package engine

import (
	"fmt"
	"strings"
	"testing"
)

// TestWritesOfTiedTables: an UPDATE of several tables and a DELETE from several tables change each row as it is when its turn comes: what the
// actions of foreign keys have made of it since the join was read stays.
func TestWritesOfTiedTables(t *testing.T) {
	r, c := rightRows(t)
	const (
		parent  = "CREATE TABLE p (id INT NOT NULL PRIMARY KEY, v INT)"
		actions = " REFERENCES p (id) ON DELETE SET NULL ON UPDATE SET NULL)"
		keyless = "CREATE TABLE c (id INT NOT NULL, p INT, FOREIGN KEY (p)" + actions
		keyed   = "CREATE TABLE c (id INT NOT NULL PRIMARY KEY, p INT, v INT, FOREIGN KEY (p)" + actions
		cascade = "CREATE TABLE c (id INT NOT NULL PRIMARY KEY, p INT, v INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)"
		parents = "INSERT INTO p VALUES (1, 1), (2, 2), (3, 3)"
		any     = -1 // rows that a cascade deletes do not count, and which table is the first depends on the plan
		pc      = "SELECT * FROM p ORDER BY id; SELECT * FROM c ORDER BY id, p"
	)
	for _, x := range []struct {
		setup, statement string
		rows             int64
		query, want      string
	}{
		{keyless + "; INSERT INTO c VALUES (2, 2), (3, 2)", "DELETE x, y FROM c AS x LEFT JOIN p AS y ON x.id = y.id", 4, pc, "1|1; "},
		{keyless + "; INSERT INTO c VALUES (2, 2), (3, 2)", "DELETE x, y FROM c AS x LEFT JOIN p AS y ON x.id = y.id AND y.id = 2", 3, pc, "1|1 3|3; "},
		{keyless + "; INSERT INTO c VALUES (2, 2), (3, 2)", "DELETE y, x FROM c AS x JOIN p AS y ON x.id = y.id OR x.id = 3", 5, pc, "; "},
		{keyless + "; INSERT INTO c VALUES (2, 2), (3, 2)", "DELETE y, x FROM p AS y JOIN c AS x WHERE y.id = 2", 3, pc, "1|1 3|3; "},
		{keyless + "; INSERT INTO c VALUES (5, 2), (5, 2), (5, NULL), (5, 2)", "DELETE y, x FROM p AS y JOIN c AS x WHERE y.id = 2 AND x.p = 2", 4, pc, "1|1 3|3; 5|NULL"},
		{keyless + "; INSERT INTO c VALUES (5, 2), (5, 2), (5, NULL), (5, 1)", "DELETE y, x FROM p AS y LEFT JOIN c AS x ON TRUE WHERE y.id < 3", 6, pc, "3|3; "},
		{keyless + "; INSERT INTO c VALUES (5, 2), (5, 2), (5, NULL), (5, 1)", "DELETE y, x FROM p AS y JOIN c AS x ON x.p IS NULL", 4, pc, "; 5|NULL 5|NULL 5|NULL"},
		{keyed + "; INSERT INTO c VALUES (2, 2, 0), (3, 2, 0)", "DELETE x, y FROM p AS x JOIN c AS y WHERE x.id = 2", 3, pc, "1|1 3|3; "},
		{cascade + "; INSERT INTO c VALUES (2, 2, 0), (3, 2, 0), (4, 1, 0)", "DELETE x, y FROM p AS x JOIN c AS y WHERE x.id = 2", any, pc, "1|1 3|3; "},

		{keyed + "; INSERT INTO c VALUES (2, 2, 0), (3, 2, 0)", "UPDATE c AS x JOIN p AS y ON y.id = 2 SET y.id = 7, x.id = x.id + 10", 3, pc, "1|1 3|3 7|2; 12|NULL|0 13|NULL|0"},
		{keyed + "; INSERT INTO c VALUES (2, 2, 0), (3, 2, 0)", "UPDATE p AS y JOIN c AS x ON y.id = 2 SET y.id = 7, x.v = 9", 3, pc, "1|1 3|3 7|2; 2|NULL|9 3|NULL|9"},
		{keyed + "; INSERT INTO c VALUES (2, 2, 0), (3, 1, 0)", "UPDATE p AS y JOIN c AS x ON y.id = x.p SET y.id = y.id + 10, x.v = x.v + y.v", 4, pc, "3|3 11|1 12|2; 2|NULL|2 3|NULL|1"},
		{keyed + "; INSERT INTO c VALUES (2, 2, 0), (3, 1, 0)", "UPDATE p AS y JOIN c AS x ON y.id = x.p SET x.p = 3, y.v = 8", 4, pc, "1|8 2|8 3|3; 2|3|0 3|3|0"},
		{cascade + "; INSERT INTO c VALUES (2, 2, 0), (3, 2, 0)", "UPDATE p AS y JOIN c AS x ON y.id = 2 SET y.id = 7, x.v = x.v + 1", 3, pc, "1|1 3|3 7|2; 2|7|1 3|7|1"},
		{cascade + "; INSERT INTO c VALUES (2, 2, 0), (3, 2, 0)", "UPDATE c AS x JOIN p AS y ON y.id = x.p SET y.id = 7, x.v = x.v + 1", 3, pc, "1|1 3|3 7|2; 2|7|1 3|7|1"},
		{cascade + "; INSERT INTO c VALUES (2, 2, 0), (3, 1, 0)", "UPDATE p AS y LEFT JOIN c AS x ON y.id = x.p AND x.id = 3 SET y.id = y.id + 10, x.v = 5", 4, pc, "11|1 12|2 13|3; 2|12|0 3|11|5"},

		// Columns that follow from others, and constraints, are those of the row as it is.
		{"CREATE TABLE c (id INT PRIMARY KEY, p INT, v INT, g INT AS (COALESCE(p, -1)) STORED, w INT AS (COALESCE(p, -1) + v), KEY (w), FOREIGN KEY (p)" + actions + "; INSERT INTO c (id, p, v) VALUES (2, 2, 0), (3, 2, 0)",
			"UPDATE p AS y JOIN c AS x ON y.id = x.p SET y.id = 7, x.v = 9", 3, pc + "; SELECT id FROM c WHERE w = 8", "1|1 3|3 7|2; 2|NULL|9|-1|8 3|NULL|9|-1|8; 2 3"},
		{"CREATE TABLE c (id INT PRIMARY KEY, p INT, v INT, at DATETIME DEFAULT '2000-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP, FOREIGN KEY (p)" + actions + "; INSERT INTO c (id, p, v) VALUES (2, 2, 0), (3, NULL, 9)",
			"UPDATE p AS y JOIN c AS x ON y.id = 2 SET y.id = 7, x.v = 9", 2, "SELECT id, p, v, YEAR(at) > 2000 FROM c", "2|NULL|9|1 3|NULL|9|0"},

		// A table that is updated under two names gets what both assign.
		{"CREATE TABLE c (id INT PRIMARY KEY, v INT, w INT); INSERT INTO c VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)", "UPDATE c AS x JOIN c AS y ON x.id = y.id + 1 SET x.v = y.v + 10, y.w = 20", 4,
			"SELECT * FROM c", "1|1|20 2|11|20 3|12|3"},
		{"CREATE TABLE c (id INT PRIMARY KEY, v INT, w INT); INSERT INTO c VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)", "UPDATE c AS x JOIN c AS y ON x.id = y.id SET x.v = 7, y.w = 7", 6,
			"SELECT * FROM c", "1|7|7 2|7|7 3|7|7"},

		// A table that refers to itself.
		{"CREATE TABLE c (id INT, p INT, KEY (id), FOREIGN KEY (p) REFERENCES c (id) ON DELETE SET NULL); INSERT INTO c VALUES (1, NULL), (2, 1), (3, 1), (2, NULL)", "DELETE FROM c WHERE id < 4", 4, "SELECT * FROM c", ""},
		{"CREATE TABLE c (id INT, p INT, KEY (id), FOREIGN KEY (p) REFERENCES c (id) ON DELETE SET NULL); INSERT INTO c VALUES (1, NULL), (2, 1), (3, 1), (2, NULL)", "DELETE c FROM c JOIN p", 4, "SELECT * FROM c", ""},
		{"CREATE TABLE c (id INT, p INT, KEY (id), FOREIGN KEY (p) REFERENCES c (id) ON DELETE SET NULL); INSERT INTO c VALUES (1, NULL), (2, 1), (3, 1), (2, NULL)", "DELETE c FROM c JOIN p ON c.id = p.id AND c.id <> 3", 3, "SELECT * FROM c", "3|NULL"},

		// A row that is like another one.
		{"CREATE TABLE c (v INT); INSERT INTO c VALUES (1), (1), (2), (NULL), (NULL)", "UPDATE c SET v = v + 10 WHERE v IN (SELECT id FROM p)", 3, "SELECT v FROM c ORDER BY v", "NULL NULL 11 11 12"},
		{"CREATE TABLE c (v INT); INSERT INTO c VALUES (1), (1), (2), (NULL), (NULL)", "UPDATE c SET v = 5 WHERE EXISTS (SELECT 1 FROM p WHERE p.id = c.v)", 3, "SELECT v FROM c ORDER BY v", "NULL NULL 5 5 5"},
		{"CREATE TABLE c (v INT); INSERT INTO c VALUES (1), (1), (2), (NULL), (NULL)", "UPDATE c SET v = 5 WHERE NOT EXISTS (SELECT 1 FROM p WHERE p.id = c.v)", 2, "SELECT v FROM c ORDER BY v", "1 1 2 5 5"},
		{"CREATE TABLE c (v INT); INSERT INTO c VALUES (1), (1), (2), (NULL), (NULL)", "DELETE c FROM c JOIN p ON p.id = c.v OR c.v IS NULL", 5, "SELECT v FROM c ORDER BY v", ""},
	} {
		r.must(t, c, "DROP TABLE IF EXISTS c, p", parent, parents)
		r.must(t, c, strings.Split(x.setup, "; ")...)
		for _, way := range [][]string{
			{"PREPARE way FROM " + asLiteral(x.statement), "EXECUTE way"},
			{"DROP PROCEDURE IF EXISTS way", "CREATE PROCEDURE way() BEGIN " + x.statement + "; SELECT ROW_COUNT() INTO @n; END", "START TRANSACTION", "CALL way()"},
			{x.statement},
		} {
			last := way[len(way)-1]
			r.must(t, c, way[:len(way)-1]...)
			r.must(t, c, "START TRANSACTION")
			if done, err := c.ExecContext(t.Context(), last); err != nil {
				t.Errorf("%s of %s: %v", last, x.statement, err)
			} else if n, _ := done.RowsAffected(); x.rows != any && n != x.rows && !strings.HasPrefix(last, "CALL") {
				t.Errorf("%s of %s: %d rows, want %d", last, x.statement, n, x.rows)
			} else if n := answerOf(t, c, "SELECT @n"); strings.HasPrefix(last, "CALL") && x.rows != any && n != fmt.Sprint(x.rows) {
				t.Errorf("%s of %s: %s rows, want %d", last, x.statement, n, x.rows)
			}
			var all []string
			for _, q := range strings.Split(x.query, "; ") {
				all = append(all, answerOf(t, c, q))
			}
			if got := strings.Join(all, "; "); got != x.want {
				t.Errorf("%s of %s\nafter %s:\n%s, want\n%s", last, x.statement, x.setup, got, x.want)
			}
			r.must(t, c, "ROLLBACK")
		}
	}
}

// TestRefusedWritesOfTiedTables: what a statement about several tables may not do is an error, and leaves the tables as they are.
func TestRefusedWritesOfTiedTables(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE p (id INT PRIMARY KEY, v INT)", "CREATE TABLE c (id INT PRIMARY KEY, p INT, v INT, CONSTRAINT k CHECK (v < 100), CONSTRAINT f FOREIGN KEY (p) REFERENCES p (id) ON UPDATE SET NULL)",
		"INSERT INTO p VALUES (1, 1), (2, 2)", "INSERT INTO c VALUES (1, 1, 1), (2, 1, 2)", "CREATE TABLE o (id INT PRIMARY KEY, v INT)", "INSERT INTO o VALUES (1, 0)")
	check := func(statement, want string) {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), statement); err == nil || !strings.HasPrefix(code(err), want) {
			t.Errorf("%s: %v, want %s", statement, err, want)
		}
		if got := answerOf(t, c, "SELECT * FROM p UNION ALL SELECT p, v FROM c UNION ALL SELECT * FROM o"); got != "1|1 2|2 1|1 1|2 1|0" {
			t.Errorf("%s leaves %s", statement, got)
		}
	}
	check("UPDATE c JOIN p ON c.p = p.id SET p.v = 7, c.v = 100", "3819")
	check("UPDATE p JOIN c ON c.p = p.id SET p.v = 7, c.v = c.v + 98", "3819")
	check("UPDATE c JOIN p ON c.p = p.id SET p.v = 7, c.p = 9", "1452")
	check("UPDATE p AS x JOIN p AS y ON x.id = y.id SET x.id = 9, y.v = 8", "1706 HY000 Primary key/partition key update is not allowed since the table is updated both as 'x' and 'y'.")
	check("UPDATE c JOIN p ON c.p = p.id SET p.v = 7, c.id = 5", "1062")
	r.must(t, c, "CREATE TRIGGER z BEFORE UPDATE ON c FOR EACH ROW UPDATE p SET v = 9")
	check("UPDATE c JOIN p ON c.p = p.id SET c.v = 7", "1442")
	r.must(t, c, "DROP TRIGGER z", "CREATE TRIGGER z BEFORE DELETE ON c FOR EACH ROW DELETE FROM o")
	check("DELETE c FROM c JOIN o", "1442")
}

// TestTriggersOfUpdatedJoins: the triggers of a table run once for each of its rows that an UPDATE of a join finds, whether the row changes or
// not, and for no others; what they assign is written.
func TestTriggersOfUpdatedJoins(t *testing.T) {
	const log = "SELECT GROUP_CONCAT(t ORDER BY n SEPARATOR ' ') FROM l"
	for _, x := range []struct{ statement, a, b, log string }{
		{"UPDATE a JOIN b ON b.a = a.id SET a.v = a.v + b.v, b.v = b.v * 2", "1|11|1 2|23|1 3|30|0", "1|1|2 2|1|4 3|2|6 4|9|4", "<a1:10-11 >a1:10-11 <a2:20-23 >a2:20-23 >b1:1-2 >b2:2-4 >b3:3-6"},
		{"UPDATE b LEFT JOIN a ON b.a = a.id SET a.v = a.v + b.v, b.v = 3", "1|11|1 2|23|1 3|30|0", "1|1|3 2|1|3 3|2|3 4|9|3", ">b1:1-3 >b2:2-3 >b3:3-3 >b4:4-3 <a1:10-11 >a1:10-11 <a2:20-23 >a2:20-23"},
		{"UPDATE a JOIN b ON b.a = a.id SET a.v = 10", "1|10|1 2|10|1 3|30|0", "1|1|1 2|1|2 3|2|3 4|9|4", "<a1:10-10 >a1:10-10 <a2:20-10 >a2:20-10"},
		{"UPDATE a AS x JOIN a AS y ON x.id = y.id + 1 SET x.v = y.v + 1, y.w = 100", "1|10|101 2|11|101 3|21|1", "1|1|1 2|1|2 3|2|3 4|9|4",
			"<a2:20-11 >a2:20-11 <a3:30-21 >a3:30-21 <a1:10-10 >a1:10-10 <a2:11-11 >a2:11-11"},
		{"UPDATE a SET v = 9 WHERE id IN (SELECT a FROM b)", "1|9|1 2|9|1 3|30|0", "1|1|1 2|1|2 3|2|3 4|9|4", "<a1:10-9 >a1:10-9 <a2:20-9 >a2:20-9"},
	} {
		r, c := rightRows(t, "CREATE TABLE a (id INT PRIMARY KEY, v INT, w INT)", "CREATE TABLE b (id INT PRIMARY KEY, a INT, v INT)", "CREATE TABLE l (n INT AUTO_INCREMENT PRIMARY KEY, t TEXT)",
			"INSERT INTO a VALUES (1, 10, 0), (2, 20, 0), (3, 30, 0)", "INSERT INTO b VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 9, 4)",
			"CREATE TRIGGER a1 BEFORE UPDATE ON a FOR EACH ROW INSERT INTO l (t) VALUES (CONCAT('<a', OLD.id, ':', OLD.v, '-', NEW.v))",
			"CREATE TRIGGER a2 BEFORE UPDATE ON a FOR EACH ROW FOLLOWS a1 SET NEW.w = NEW.w + 1",
			"CREATE TRIGGER a3 AFTER UPDATE ON a FOR EACH ROW INSERT INTO l (t) VALUES (CONCAT('>a', OLD.id, ':', OLD.v, '-', NEW.v))",
			"CREATE TRIGGER b1 AFTER UPDATE ON b FOR EACH ROW INSERT INTO l (t) VALUES (CONCAT('>b', OLD.id, ':', OLD.v, '-', NEW.v))",
			"CREATE PROCEDURE way() BEGIN "+x.statement+"; END")
		for _, way := range []string{x.statement, "CALL way()"} {
			r.must(t, c, "START TRANSACTION", way)
			for query, want := range map[string]string{"SELECT * FROM a": x.a, "SELECT * FROM b": x.b, log: x.log} {
				if got := answerOf(t, c, query); got != want {
					t.Errorf("%s of %s: %s is\n%s, want\n%s", way, x.statement, query, got, want)
				}
			}
			r.must(t, c, "ROLLBACK")
		}
	}
}

// TestDefaultsInUpdatedJoins: DEFAULT in an UPDATE of a join is that of the column that is set, whatever columns of that name the other tables
// have, and a generated column is known as one.
func TestDefaultsInUpdatedJoins(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE a (id INT PRIMARY KEY, n INT NOT NULL, m INT NOT NULL DEFAULT 5, x INT, g INT AS (m + 1) STORED, d INT DEFAULT (n + 1))",
		"CREATE TABLE b (id INT PRIMARY KEY, m INT NOT NULL DEFAULT 9, g INT, n INT DEFAULT 4, d INT DEFAULT 3, x INT DEFAULT 7)")
	for _, x := range []struct{ set, a, b string }{
		{"b.m = DEFAULT, a.m = DEFAULT", "1|1|5|1|6|1", "1|9|1|1|1|1"},
		{"a.m = DEFAULT, b.m = DEFAULT", "1|1|5|1|6|1", "1|9|1|1|1|1"},
		{"b.m = DEFAULT", "1|1|1|1|2|1", "1|9|1|1|1|1"},
		{"a.d = DEFAULT, b.d = DEFAULT", "1|1|1|1|2|2", "1|1|1|1|3|1"},
		{"a.x = DEFAULT, b.x = DEFAULT", "1|1|1|NULL|2|1", "1|1|1|1|1|7"},
		{"b.n = DEFAULT, b.x = DEFAULT(x)", "1|1|1|1|2|1", "1|1|1|4|1|7"},
		{"b.g = DEFAULT, a.g = DEFAULT, a.m = 3", "1|1|3|1|4|1", "1|1|NULL|1|1|1"},
	} {
		for _, tables := range []string{"a JOIN b ON a.id = b.id", "b JOIN a ON a.id = b.id", "a LEFT JOIN b ON a.id = b.id"} {
			r.must(t, c, "DELETE FROM a", "DELETE FROM b", "INSERT INTO a (id, n, m, x, d) VALUES (1, 1, 1, 1, 1)", "INSERT INTO b VALUES (1, 1, 1, 1, 1, 1)")
			statement := "UPDATE " + tables + " SET " + x.set
			if _, err := c.ExecContext(t.Context(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
			for query, want := range map[string]string{"SELECT * FROM a": x.a, "SELECT * FROM b": x.b} {
				if got := answerOf(t, c, query); got != want {
					t.Errorf("%s: %s is %s, want %s", statement, query, got, want)
				}
			}
		}
	}
	for statement, want := range map[string]string{
		"UPDATE b JOIN a ON a.id = b.id SET a.g = 7": "3105 HY000 The value specified for generated column 'g' in table 'a' is not allowed.",
		"UPDATE a SET x = DEFAULT(m)":                "1235",
	} {
		if _, err := c.ExecContext(t.Context(), statement); err == nil || !strings.HasPrefix(code(err), want) {
			t.Errorf("%s: %v, want %s", statement, err, want)
		}
	}
}
