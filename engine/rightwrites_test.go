package engine

import (
	"strings"
	"testing"
)

// writeCase is a statement that writes, and what the tables have after it.
type writeCase struct{ statement, query, answer string }

// checkChanges carries the statements out, one after the other, each in the form of a statement and then within a transaction that is rolled
// back, prepared, and in a procedure.
func checkChanges(t *testing.T, setup []string, all []writeCase) {
	t.Helper()
	r, c := rightRows(t, setup...)
	for _, x := range all {
		for _, way := range [][]string{
			{"PREPARE way FROM " + asLiteral(x.statement), "EXECUTE way"},
			{"DROP PROCEDURE IF EXISTS way", "CREATE PROCEDURE way() BEGIN " + x.statement + "; END", "START TRANSACTION", "CALL way()"},
			{x.statement},
		} {
			if len(way) > 1 {
				r.must(t, c, way[:len(way)-1]...)
				r.must(t, c, "START TRANSACTION")
			}
			if _, err := c.ExecContext(t.Context(), way[len(way)-1]); err != nil {
				t.Errorf("%s: %v", way, err)
			}
			if got := answerOf(t, c, x.query); got != x.answer {
				t.Errorf("%s: after %s: %s is\n%s, want\n%s", way, x.statement, x.query, got, x.answer)
			}
			if len(way) > 1 {
				r.must(t, c, "ROLLBACK")
			}
		}
	}
}

// TestUpdatesOfJoins: an UPDATE of a join writes the columns of the tables that SET names, and no others: generated columns from the values of
// their own row, columns with ON UPDATE of a row that changes.
func TestUpdatesOfJoins(t *testing.T) {
	const (
		b   = "SELECT id, x, y, ts > '2001-01-01' FROM b ORDER BY id"
		two = "SELECT a.id, a.y, c.x, c.g, c.v FROM a JOIN c ON a.id = c.id ORDER BY a.id"
	)
	checkChanges(t, []string{
		"CREATE TABLE a (id INT PRIMARY KEY, x INT, y INT)", "INSERT INTO a VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0)",
		"CREATE TABLE b (id INT PRIMARY KEY, x INT, y INT, ts TIMESTAMP NOT NULL DEFAULT '2000-01-01' ON UPDATE CURRENT_TIMESTAMP)",
		"INSERT INTO b (id, x, y) VALUES (1, 1, 0), (2, 2, 0)",
		"CREATE TABLE c (id INT PRIMARY KEY, x INT, y INT, g INT AS (x + 1) STORED, v INT AS (COALESCE(x, 0) * 10) VIRTUAL)",
		"INSERT INTO c (id, x) VALUES (1, 1), (2, 2), (3, 3)",
	}, []writeCase{
		// The columns of the other table come first, in the join or in its plan.
		{"UPDATE a RIGHT JOIN c ON TRUE SET a.y = 9", two, "1|9|1|2|10 2|9|2|3|20 3|9|3|4|30"},
		{"UPDATE a RIGHT JOIN c ON a.id = c.id SET c.x = 20", two, "1|9|20|21|200 2|9|20|21|200 3|9|20|21|200"},
		{"UPDATE c AS p JOIN c AS q ON p.id = 1 AND q.id = 2 SET p.x = 60, q.x = 61", two, "1|9|60|61|600 2|9|61|62|610 3|9|20|21|200"},
		{"UPDATE c AS p JOIN c AS q ON p.id = q.id SET q.x = p.id", two, "1|9|1|2|10 2|9|2|3|20 3|9|3|4|30"},
		{"UPDATE a JOIN b ON a.id = b.id JOIN c ON c.id = b.id SET a.y = 5, c.x = c.x + 10", two, "1|5|11|12|110 2|5|12|13|120 3|9|3|4|30"},
		{"UPDATE (SELECT 3 AS id, 0 AS g) AS d JOIN c ON c.id = d.id SET c.x = 7", two, "1|5|11|12|110 2|5|12|13|120 3|9|7|8|70"},
		{"UPDATE b JOIN a ON a.id = b.id RIGHT JOIN c ON c.id = a.id + 1 SET c.x = COALESCE(a.id, 50), a.y = a.id", two, "1|1|50|51|500 2|2|1|2|10 3|9|2|3|20"},
		{"UPDATE c LEFT JOIN (b RIGHT JOIN a ON a.id = b.id) ON c.id = a.id SET c.x = 7, a.y = 9", two, "1|9|7|8|70 2|9|7|8|70 3|9|7|8|70"},
		// A row that the join does not have stays away, whatever its generated columns would be.
		{"UPDATE b LEFT JOIN c ON c.id = b.id + 2 SET c.x = 1", two, "1|9|7|8|70 2|9|7|8|70 3|9|1|2|10"},
		// Only rows that change get another time.
		{"UPDATE a JOIN b ON a.id = b.id SET a.y = 6", b, "1|1|0|0 2|2|0|0"},
		{"UPDATE a JOIN b ON a.id = b.id SET a.y = 7, b.y = 0", b, "1|1|0|0 2|2|0|0"},
		{"UPDATE a JOIN b ON a.id = b.id SET a.y = 8, b.y = a.x - 1", b, "1|1|0|0 2|2|1|1"},
	})
}

// TestDeletesOfJoins: a DELETE finds its tables however the join is written.
func TestDeletesOfJoins(t *testing.T) {
	const a = "SELECT id FROM a ORDER BY id"
	checkChanges(t, []string{
		"CREATE TABLE a (id INT PRIMARY KEY, x INT)", "INSERT INTO a VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)",
		"CREATE TABLE b (id INT PRIMARY KEY, x INT, y INT)", "INSERT INTO b VALUES (1, 1, 1), (2, 2, 0), (3, 4, 0), (4, 4, 1)",
	}, []writeCase{
		{"DELETE a FROM a JOIN b USING (id, x) WHERE b.y = 1 AND a.id < 3", a, "2 3 4 5"},
		{"DELETE p FROM a AS p JOIN b AS q USING (x) WHERE q.id = 3", a, "2 3 5"},
		{"DELETE a FROM b RIGHT JOIN a USING (id) WHERE b.id IS NULL", a, "2 3"},
		{"DELETE FROM a USING a LEFT JOIN b USING (id, x) WHERE b.id IS NULL", a, "2"},
	})
}

// TestInsertedValues: VALUES(column) is the value for the column, whether rows are given or selected.
func TestInsertedValues(t *testing.T) {
	const all = "SELECT * FROM t ORDER BY id"
	checkChanges(t, []string{
		"CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)", "INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)",
		"CREATE TABLE s (k INT, x INT, y INT)", "INSERT INTO s VALUES (1, 10, 100), (3, 30, 300)",
	}, []writeCase{
		{"INSERT INTO t (b, id) SELECT x, k FROM s ON DUPLICATE KEY UPDATE a = VALUES(b)", all, "1|10|1 2|2|2 3|NULL|30"},
		{"INSERT INTO t (b, id) SELECT x, k FROM s ON DUPLICATE KEY UPDATE a = b + VALUES(b) + VALUES(id)", all, "1|12|1 2|2|2 3|63|30"},
		{"INSERT INTO t (id, a) SELECT k, SUM(x) FROM s GROUP BY k ON DUPLICATE KEY UPDATE a = t.a + VALUES(a)", all, "1|22|1 2|2|2 3|93|30"},
		{"INSERT INTO t (id, a) SELECT k, x FROM s ORDER BY k DESC LIMIT 1 ON DUPLICATE KEY UPDATE a = VALUES(a) * 2", all, "1|22|1 2|2|2 3|60|30"},
		{"INSERT INTO t (id, a) SELECT 1, 5 UNION SELECT 2, 7 ON DUPLICATE KEY UPDATE a = VALUES(a)", all, "1|5|1 2|7|2 3|60|30"},
		{"INSERT INTO t (id, a) SELECT id, a FROM t AS q ON DUPLICATE KEY UPDATE a = VALUES(a) + 1", all, "1|6|1 2|8|2 3|61|30"},
		{"INSERT INTO t (id, a, b) SELECT * FROM s ON DUPLICATE KEY UPDATE b = VALUES(b)", all, "1|6|100 2|8|2 3|61|300"},
		{"INSERT INTO t (b, id) SELECT x, k FROM s ON DUPLICATE KEY UPDATE a = s.x", all, "1|10|100 2|8|2 3|30|300"},
	})
}

// TestRefusedInsertedValues: what VALUES(column) stands for is found, or the statement is refused by name.
func TestRefusedInsertedValues(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, a INT)", "CREATE TABLE s (k INT, x INT)")
	for statement, want := range map[string]string{
		"INSERT INTO t SELECT * FROM s ON DUPLICATE KEY UPDATE a = VALUES(a)":              "1235 42000 This version of MySQL doesn't yet support 'VALUES() of columns that INSERT ... SELECT does not list'",
		"INSERT INTO t (id, a) SELECT * FROM s ON DUPLICATE KEY UPDATE a = VALUES(none)":   "1235 42000 This version of MySQL doesn't yet support 'VALUES() of columns that INSERT ... SELECT does not list'",
		"INSERT INTO t VALUES (1, 1) ON DUPLICATE KEY UPDATE a = VALUES(none)":             "1054 42S22 Unknown column 'none' in 'field list'",
		"INSERT INTO t VALUES (1, 1) ON DUPLICATE KEY UPDATE a = (SELECT MAX(x) FROM s)":   "1235 42000 This version of MySQL doesn't yet support 'a subquery in ON DUPLICATE KEY UPDATE'",
		"INSERT INTO t SELECT 1, 1 ON DUPLICATE KEY UPDATE a = a + (SELECT MAX(x) FROM s)": "1235 42000 This version of MySQL doesn't yet support 'a subquery in ON DUPLICATE KEY UPDATE'",
	} {
		if got := answerOf(t, c, statement); got != want {
			t.Errorf("%s: %s, want %s", statement, got, want)
		}
	}
}

// TestNeverJoins: a condition that is never true gives no rows, and the statement keeps its tables.
func TestNeverJoins(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, x INT)", "INSERT INTO t VALUES (1, 1), (2, 2)", "CREATE TABLE s (id INT PRIMARY KEY)", "INSERT INTO s VALUES (1), (2)")
	for _, q := range []string{
		"UPDATE t JOIN s ON 1.00 <=> 10.0 LEFT JOIN s AS r ON TRUE SET t.x = 9", "UPDATE t JOIN s USING (id) SET t.x = 9 WHERE FALSE", "UPDATE t SET x = 9 WHERE FALSE",
		"UPDATE t SET x = 9 WHERE EXISTS (SELECT 1 WHERE FALSE)", "DELETE FROM t WHERE EXISTS (SELECT 1 FROM s WHERE 1 = 2)", "DELETE t FROM t JOIN s ON FALSE",
		"DELETE t FROM t LEFT JOIN s ON FALSE WHERE s.id IS NOT NULL", "DELETE FROM t WHERE FALSE",
	} {
		r.must(t, c, q)
		if got := answerOf(t, c, "SELECT * FROM t"); got != "1|1 2|2" {
			t.Fatalf("after %s: %s", q, got)
		}
	}
	for query, want := range map[string]string{
		"SELECT a.id FROM t AS d STRAIGHT_JOIN t AS a ON (3.33 IN (0.0)) WHERE NOT EXISTS (SELECT id FROM t)":                             "",
		"SELECT COUNT(*) AS n FROM t LEFT JOIN s ON FALSE":                                                                                "2",
		"SELECT COUNT(*) AS n FROM t RIGHT JOIN s ON FALSE":                                                                               "2",
		"SELECT COUNT(*) AS n FROM t JOIN s ON 1 = 0 LEFT JOIN s AS r ON TRUE":                                                            "0",
		"SELECT COUNT(*) AS n FROM (SELECT * FROM t WHERE FALSE) AS d LEFT JOIN s ON TRUE":                                                "0",
		"SELECT COUNT(*) AS n FROM s LEFT JOIN (SELECT * FROM t WHERE FALSE) AS d ON TRUE":                                                "2",
		"SELECT id FROM s WHERE id IN (SELECT a.id FROM t AS a JOIN t AS b ON 1 = 2)":                                                     "",
		"SELECT id FROM s WHERE NULL NOT IN (SELECT a.id FROM t AS a LEFT JOIN t AS b ON (0 IS NULL) WHERE (a.id IN (b.id))) ORDER BY id": "1 2",
		"SELECT id FROM s WHERE EXISTS (SELECT NULLIF(1, (SELECT 1 FROM t AS a LEFT JOIN t AS b ON FALSE WHERE b.id = a.x))) ORDER BY id": "1 2",
		"SELECT id FROM s WHERE NOT EXISTS (SELECT a.id FROM t AS a JOIN t AS b ON 1 = 2) ORDER BY id":                                    "1 2",
	} {
		wantEverywhere(t, c, query, want, true)
	}
}

// TestRowSubqueries: a row is compared with the row of a subquery column by column, NULL being no value.
func TestRowSubqueries(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9))", "INSERT INTO t VALUES (1, 'x'), (2, 'a'), (3, NULL)")
	for query, want := range map[string]string{
		"SELECT (1, 2) = (SELECT 1, NULL) AS a, (1, NULL) = (SELECT 1, 2) AS b, (2, NULL) = (SELECT 1, NULL) AS c, (1, 2) <> (SELECT 2, NULL) AS d": "NULL|NULL|0|1",
		"SELECT (1, 2) <=> (SELECT 1, 2) AS a, (1, 2) <=> (SELECT 1, NULL) AS b, (1, NULL) <=> (SELECT 1, NULL) AS c":                               "1|0|1",
		"SELECT (1, 2) < (SELECT 1, 3) AS a, (1, 2) >= (SELECT 1, NULL) AS b, (2, 2) > (SELECT 1, NULL) AS c, (1, 2) <= (SELECT 1, 2) AS d":         "1|NULL|1|1",
		"SELECT (SELECT 1, 2) = (SELECT 1, 2) AS a, (1, 2) = (SELECT 1, 2 FROM t WHERE id = 7) AS b, (1, 'A') = (SELECT 1, 'a') AS c":               "1|NULL|1",
		"SELECT id FROM t WHERE (id, v) = (SELECT 2, 'A')":                                            "2",
		"SELECT id FROM t WHERE (id, v) = (SELECT id, v FROM t AS u WHERE u.id = t.id) ORDER BY id":   "1 2",
		"SELECT id FROM t WHERE (id, v) <=> (SELECT id, v FROM t AS u WHERE u.id = t.id) ORDER BY id": "1 2 3",
		"SELECT (1, 2) = (SELECT 1, 2 FROM t) AS a":                                                   "1242 21000 Subquery returns more than 1 row",
		"SELECT (1, 2) = (SELECT 1, 2, 3) AS a":                                                       "1241 21000 Operand should contain 2 column(s)",
	} {
		wantEverywhere(t, c, query, want, true)
	}
}

// TestKeysOfFewValues: a column of type ENUM, SET or YEAR is compared with values that it cannot have, with an index and without one.
func TestKeysOfFewValues(t *testing.T) {
	_, c := rightRows(t,
		"CREATE TABLE k (id INT PRIMARY KEY, c ENUM('b', 'a', 'c', '2'), s SET('x', 'a', 'b'), y YEAR, KEY (c), KEY (s), KEY (y))",
		"INSERT INTO k VALUES (1, 'b', 'x', 2024), (2, 'a', 'x,a', 2025), (3, 'c', 'a,b', 1999), (4, NULL, NULL, NULL), (5, '2', '', 2000)",
		"CREATE TABLE p LIKE k", "INSERT INTO p SELECT * FROM k", "ALTER TABLE p DROP KEY c, DROP KEY s, DROP KEY y",
		"CREATE TABLE tx (id INT PRIMARY KEY, v VARCHAR(9))", "INSERT INTO tx VALUES (1, '_b'), (2, 'a'), (3, '2'), (4, 'A')",
	)
	for where, want := range map[string]string{
		"c < 'b'": "2 5", "c = '_b'": "", "c IN ('_b', 'a')": "2", "c = 2": "2", "c = '2'": "5", "c = 'B'": "1", "c BETWEEN 'a' AND 'b'": "1 2", "c > 1": "2 3 5", "c = 99": "",
		"c = CONCAT('_', 'b')": "", "c <> 'b'": "2 3 5", "NOT c < 'b'": "1 3", "c NOT IN ('zz', 'a')": "1 3 5", "c IN (SELECT v FROM tx)": "2 5", "c = (SELECT v FROM tx WHERE id = 1)": "",
		"s = 'x,a'": "2", "s = 3": "2", "s = 'zzz'": "", "s > 'a'": "1 2 3",
		"y = 99999": "", "y = 2024": "1", "y = '2024'": "1", "y > 2023": "1 2", "y BETWEEN 100 AND 2024": "1 3 5", "y IN (2024, 99999)": "1", "100 NOT BETWEEN 0 AND y": "",
	} {
		for _, table := range []string{"k", "p"} {
			query := "SELECT id FROM " + table + " WHERE " + where + " ORDER BY id"
			wantEverywhere(t, c, query, want, true)
		}
	}
}

// TestOuterAggregates: an aggregate of columns of an outer query, which MySQL calculates there, is refused.
func TestOuterAggregates(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, x INT)", "INSERT INTO t VALUES (1, 1), (2, 2)", "CREATE TABLE s (y INT)", "INSERT INTO s VALUES (5), (6)")
	const refused = "1235 42000 This version of MySQL doesn't yet support 'an aggregate of columns of an outer query in a subquery'"
	for query, want := range map[string]string{
		"SELECT (SELECT MAX(t.x) FROM s) AS m FROM t":                                                            refused,
		"SELECT id FROM t WHERE x > (SELECT SUM(t.x) + 1 FROM s)":                                                refused,
		"SELECT id FROM t WHERE EXISTS (SELECT 1 FROM s WHERE y IN (SELECT COUNT(t.x) FROM s r))":                refused,
		"SELECT id, (SELECT MAX(t.x + s.y) FROM s) AS m FROM t ORDER BY id":                                      "1|7 2|8",
		"SELECT id, (SELECT MAX(s.y) + t.x FROM s) AS m FROM t WHERE (SELECT COUNT(*) = t.x FROM s) ORDER BY id": "2|8",
		"SELECT id, (SELECT COUNT(*) + t.x FROM s) AS m FROM t ORDER BY id":                                      "1|3 2|4",
	} {
		if got := answerOf(t, c, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestZeroDates: NO_ZERO_DATE is for each type with a date, and a row with two wrong values has the error of the first.
func TestZeroDates(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE z (a DATE, b DATETIME, c TIMESTAMP NULL, n INT)", "CREATE TABLE nn (a INT NOT NULL, b CHAR(1))")
	for _, column := range []string{"a", "b", "c"} {
		for _, value := range []string{"'0000-00-00'", "0"} {
			q := "INSERT INTO z (" + column + ", n) VALUES (" + value + ", 'x')"
			if _, err := c.ExecContext(t.Context(), q); !strings.HasPrefix(code(err), "1292 ") {
				t.Errorf("%s: %v", q, err)
			}
			q = "INSERT IGNORE INTO z (" + column + ") VALUES (" + value + ")"
			r.must(t, c, q)
			if got := answerOf(t, c, "SHOW WARNINGS"); got != "Warning|1264|Out of range value for column '"+column+"' at row 1" {
				t.Errorf("%s: %s", q, got)
			}
		}
	}
	if _, err := c.ExecContext(t.Context(), "INSERT INTO nn VALUES (NULL, 'abc')"); code(err) != "1048 23000 Column 'a' cannot be null" {
		t.Error(err)
	}
	r.must(t, c, "SET sql_mode = ''", "TRUNCATE z", "INSERT INTO z VALUES ('0000-00-00', 0, '0000-00-00', 1)")
	if got := answerOf(t, c, "SELECT * FROM z"); got != "0000-00-00|0000-00-00 00:00:00|0000-00-00 00:00:00|1" {
		t.Error(got)
	}
}

// TestAutoIncrementOfTriggers: a trigger that runs before a row is inserted sees 0 where a value will be made up, and may give another.
func TestAutoIncrementOfTriggers(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE l (seen VARCHAR(20))", "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)",
		"CREATE TRIGGER b BEFORE INSERT ON t FOR EACH ROW BEGIN INSERT INTO l VALUES (CONCAT('before ', NEW.id)); IF NEW.v = 7 THEN SET NEW.id = 70; END IF; END",
		"CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW INSERT INTO l VALUES (CONCAT('after ', NEW.id))")
	for _, x := range []struct{ statement, seen, id string }{
		{"INSERT INTO t (v) VALUES (1), (2)", "before 0 after 1 before 0 after 2", "1"},
		{"INSERT INTO t VALUES (NULL, 3)", "before 0 after 3", "3"},
		{"INSERT INTO t VALUES (0, 3)", "before 0 after 4", "4"},
		{"INSERT INTO t VALUES (9, 3)", "before 9 after 9", "4"},
		{"INSERT INTO t (v) SELECT 7", "before 0 after 70", "4"},
		{"INSERT INTO t (v) SELECT 8", "before 0 after 71", "71"},
		{"REPLACE INTO t (v) VALUES (1)", "before 0 after 72", "72"},
		{"INSERT INTO t (v) VALUES (5) ON DUPLICATE KEY UPDATE v = 6", "before 0 after 73", "73"},
	} {
		r.must(t, c, "DELETE FROM l", x.statement)
		if got := answerOf(t, c, "SELECT * FROM l"); got != x.seen {
			t.Errorf("%s: %s, want %s", x.statement, got, x.seen)
		}
		if got := answerOf(t, c, "SELECT LAST_INSERT_ID()"); got != x.id {
			t.Errorf("%s: the id is %s, want %s", x.statement, got, x.id)
		}
	}
	r.must(t, c, "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'", "DELETE FROM l", "INSERT INTO t VALUES (0, 1), (NULL, 1)")
	if got := answerOf(t, c, "SELECT * FROM l"); got != "before 0 after 0 before 0 after 74" {
		t.Error(got)
	}
}

// TestUpdatedAutoIncrement: AUTO_INCREMENT values go on after one that an UPDATE has given to a row.
func TestUpdatedAutoIncrement(t *testing.T) {
	checkChanges(t, []string{"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)", "INSERT INTO t VALUES (4, 1), (5, 1)"}, []writeCase{
		{"UPDATE t SET v = 2", "SELECT * FROM t ORDER BY id", "4|2 5|2"},
		{"UPDATE t SET id = 90 WHERE id = 5", "SELECT * FROM t ORDER BY id", "4|2 90|2"},
	})
	r, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)", "INSERT INTO t VALUES (4, 1)")
	for _, x := range []struct{ statement, rows string }{
		{"UPDATE t SET id = 5", "5"}, {"REPLACE INTO t (v) VALUES (2)", "5 6"}, {"UPDATE t SET id = id + 10 WHERE id = 6", "5 16"}, {"INSERT INTO t (v) VALUES (3)", "5 16 17"},
		{"UPDATE t SET id = 1 WHERE id = 5", "1 16 17"}, {"INSERT INTO t VALUES (1, 1) ON DUPLICATE KEY UPDATE id = 20", "16 17 20"}, {"INSERT INTO t (v) VALUES (4)", "16 17 20 21"},
	} {
		r.must(t, c, x.statement)
		if got := answerOf(t, c, "SELECT id FROM t ORDER BY id"); got != x.rows {
			t.Errorf("%s: %s, want %s", x.statement, got, x.rows)
		}
	}
}
