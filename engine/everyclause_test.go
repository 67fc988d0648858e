package engine

import (
	"fmt"
	"strings"
	"testing"
)

// TestComparisonsInEveryClause: a comparison has one value wherever it stands.
func TestComparisonsInEveryClause(t *testing.T) {
	r, c := rightRows(t,
		"CREATE TABLE t (id INT PRIMARY KEY, n DECIMAL(5,0), m DECIMAL(10,2), at TIME, s VARCHAR(9) COLLATE utf8mb4_bin, x INT)",
		"INSERT INTO t VALUES (1, 2, 1.5, '08:00:00', 'A', 0), (2, 3, 3, '09:00:00', 'b', 0)",
	)
	for _, cmp := range []struct {
		text   string
		values [2]int // in the rows of t
	}{
		{"n = m", [2]int{0, 1}},
		{"n IN (m)", [2]int{0, 1}},
		{"n IN (7, m)", [2]int{0, 1}},
		{"n <=> m", [2]int{0, 1}},
		{"(n, 1) = (m, 1)", [2]int{0, 1}},
		{"id IN (n - 1.5, m)", [2]int{0, 0}},
		{"at = 80000", [2]int{1, 0}},
		{"at IN ('8:0', TIME'10:00:00')", [2]int{1, 0}},
		{"CONCAT(s, '') = 'a'", [2]int{0, 0}},
		{"UPPER(s) LIKE 'B'", [2]int{0, 1}},
		{"1e0 * n BETWEEN m AND m", [2]int{0, 1}},
	} {
		a, b := cmp.values[0], cmp.values[1]
		found, sum, high := "", a+b, max(a, b)
		for i, v := range cmp.values {
			if v == 1 {
				found += fmt.Sprintf(" %d", i+1)
			}
		}
		if found != "" {
			found = found[1:]
		}
		sorted := "1 2"
		if a > b {
			sorted = "2 1"
		}
		groups := "2"
		if a != b {
			groups = "1 1"
		}
		both := fmt.Sprintf("%d %d", a, b)
		for _, q := range []struct{ query, want string }{
			{"SELECT %s AS v FROM t ORDER BY id", both},
			{"SELECT id FROM t WHERE %s ORDER BY id", found},
			{"SELECT SUM(%s) AS v FROM t", fmt.Sprint(sum)},
			{"SELECT MAX((%s) + 0) AS v FROM t", fmt.Sprint(high)},
			{"SELECT COUNT(IF(%s, 1, NULL)) AS v FROM t", fmt.Sprint(sum)},
			{"SELECT SUM(CASE WHEN %s THEN 1 ELSE 0 END) AS v FROM t", fmt.Sprint(sum)},
			{"SELECT COUNT(*) AS v FROM t GROUP BY %s ORDER BY v", groups},
			{"SELECT id FROM t GROUP BY id, n, m, at, s HAVING %s ORDER BY id", found},
			{"SELECT id FROM t ORDER BY %s, id", sorted},
			{"SELECT id FROM t ORDER BY %s, id LIMIT 2", sorted},
			{"SELECT SUM(%s) OVER () AS v FROM t ORDER BY id", fmt.Sprintf("%d %d", sum, sum)},
			{"SELECT GROUP_CONCAT((%s) ORDER BY id) AS v FROM t", fmt.Sprintf("%d,%d", a, b)},
			{"SELECT (SELECT %s) AS v FROM t ORDER BY id", both},
			{"SELECT COALESCE(%s, 7) AS v FROM t UNION ALL SELECT 5 ORDER BY v", ordered(a, b, 5)},
			{"WITH w AS (SELECT id, %s AS v FROM t) SELECT v FROM w ORDER BY id", both},
			{"SELECT u.id FROM t JOIN t AS u ON u.id = t.id AND t.id IN (SELECT id FROM t WHERE %s) ORDER BY u.id", found},
		} {
			query := fmt.Sprintf(q.query, cmp.text)
			if got := answerOf(t, c, query); got != q.want {
				t.Errorf("%s: %q, want %q", query, got, q.want)
			}
		}
		for _, write := range []string{
			"UPDATE t SET x = (%s)", "INSERT INTO t (id, n, m, at, s, x) SELECT id, n, m, at, s, %s FROM t AS u ON DUPLICATE KEY UPDATE x = VALUES(x)",
			"UPDATE t JOIN (SELECT 1 AS one) AS o ON one = 1 SET x = (%s)", "REPLACE INTO t SELECT id, n, m, at, s, %s FROM t",
			"CREATE TRIGGER g BEFORE UPDATE ON t FOR EACH ROW SET NEW.x = (SELECT %s FROM (SELECT NEW.id AS id, NEW.n AS n, NEW.m AS m, NEW.at AS at, NEW.s AS s) AS d)",
		} {
			r.must(t, c, "UPDATE t SET x = 9", fmt.Sprintf(write, cmp.text))
			if write[:6] == "CREATE" {
				r.must(t, c, "UPDATE t SET x = 8", "DROP TRIGGER g")
			}
			if got := answerOf(t, c, "SELECT x FROM t ORDER BY id"); got != both {
				t.Errorf(write+": %q, want %q", cmp.text, got, both)
			}
		}
	}
	for _, q := range []struct{ query, want string }{
		{"SELECT * FROM (VALUES ROW(CAST(2 AS DECIMAL(5,0)) = CAST(1.5 AS DECIMAL(5,1)))) AS v", "0"},
		{"INSERT INTO k VALUES (CAST(2 AS DECIMAL(5,0)) = CAST(1.5 AS DECIMAL(5,1)), 5, 5)", ""},
		{"SELECT a FROM k", "0"},
		{"INSERT INTO k VALUES (0, 2, 1.5)", "3819 HY000 Check constraint 'same' is violated."},
		{"UPDATE k SET m = 4.5", "3819 HY000 Check constraint 'same' is violated."},
		{"UPDATE k JOIN t ON t.id = 1 SET k.m = 4.5", "3819 HY000 Check constraint 'same' is violated."},
		{"REPLACE INTO k VALUES (0, 2, 1.5)", "3819 HY000 Check constraint 'same' is violated."},
		{"INSERT INTO k VALUES (0, 5, 5) ON DUPLICATE KEY UPDATE m = 4.5", "3819 HY000 Check constraint 'same' is violated."},
		{"SET @v = (CAST(2 AS DECIMAL(5,0)) = CAST(1.5 AS DECIMAL(5,1)))", ""},
		{"SELECT @v", "0"},
	} {
		if q.query[:1] == "I" {
			r.must(t, c, "CREATE TABLE IF NOT EXISTS k (a INT PRIMARY KEY, n DECIMAL(5,0), m DECIMAL(10,2), CONSTRAINT same CHECK (n = m))")
		}
		if got := answerOf(t, c, q.query); got != q.want {
			t.Errorf("%s: %q, want %q", q.query, got, q.want)
		}
	}
}

// ordered returns numbers in their order.
func ordered(all ...int) string {
	text := ""
	for v := range 10 {
		for _, n := range all {
			if n == v {
				text += fmt.Sprintf(" %d", n)
			}
		}
	}
	return text[1:]
}

// TestOuterColumnsOfOneName: a condition on a column of an outer query is one of its row, also if a table of the subquery has a column of that
// name with an index.
func TestOuterColumnsOfOneName(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE i (v INT, w INT, KEY (v), KEY (w, v))", "INSERT INTO i VALUES (2, 1), (10, 2)",
		"CREATE TABLE o (v INT, w INT)", "INSERT INTO o VALUES (10, 1), (2, 2), (NULL, 3)")
	for query, want := range map[string]string{
		"SELECT (SELECT COUNT(*) FROM i WHERE o.v > 5) AS n FROM o":                                                               "2 0 0",
		"SELECT (SELECT COUNT(*) FROM i AS x WHERE o.v > 5) AS n FROM o":                                                          "2 0 0",
		"SELECT (SELECT COUNT(*) FROM i WHERE o.v = 10 AND i.v > 2) AS n FROM o":                                                  "1 0 0",
		"SELECT (SELECT COUNT(*) FROM i WHERE o.v NOT IN (10, 11)) AS n FROM o":                                                   "0 2 0",
		"SELECT (SELECT COUNT(*) FROM i WHERE o.v BETWEEN 1 AND 3 AND i.w = 1) AS n FROM o":                                       "0 1 0",
		"SELECT (SELECT COUNT(*) FROM i WHERE o.v IS NULL) AS n FROM o":                                                           "0 0 2",
		"SELECT (SELECT COUNT(*) FROM i WHERE o.v = 2 OR i.v = 2) AS n FROM o":                                                    "1 2 1",
		"SELECT (SELECT COUNT(*) FROM i JOIN i AS j ON i.v = j.v WHERE o.v > 5 AND j.w > 1) AS n FROM o":                          "1 0 0",
		"SELECT (SELECT COUNT(*) FROM i LEFT JOIN i AS j ON o.v > 5 AND i.v = j.v WHERE j.v IS NULL) AS n FROM o":                 "0 2 2",
		"SELECT (SELECT MAX(i.v) FROM i WHERE i.v = o.v) AS n FROM o":                                                             "10 2 NULL",
		"SELECT (SELECT COUNT(*) FROM i WHERE o.v > 5 AND EXISTS (SELECT 1 FROM i AS k WHERE o.v > 9 AND k.v = i.v)) AS n FROM o": "2 0 0",
		"SELECT v FROM o WHERE w NOT IN (SELECT w FROM i WHERE o.v > 1) ORDER BY v":                                               "NULL",
		"SELECT v FROM o WHERE NOT (w IN (SELECT w FROM i WHERE o.v > 5)) ORDER BY v":                                             "NULL 2",
		"SELECT v, n FROM o, LATERAL (SELECT COUNT(*) AS n FROM i WHERE o.v > 5) AS d ORDER BY v":                                 "NULL|0 2|0 10|2",
		"SELECT o.v FROM o LEFT JOIN o AS p ON p.v = o.w + 90 WHERE NOT (p.w IN (SELECT w FROM i WHERE p.v > o.v)) ORDER BY o.v":  "NULL 2 10",
		"SELECT v FROM o WHERE EXISTS (SELECT 1 FROM i WHERE o.v > 5)":                                                            "10",
		"SELECT v FROM o WHERE w IN (SELECT w FROM i WHERE o.v < 5)":                                                              "2",
		"SELECT v FROM o WHERE NOT EXISTS (SELECT 1 FROM i WHERE o.v < 5) ORDER BY v":                                             "NULL 10",
		"SELECT v FROM o WHERE 1 = (SELECT COUNT(*) FROM i WHERE o.v < 5 AND i.v < 5)":                                            "2",
	} {
		wantEverywhere(t, c, query, want, true)
	}
	r.must(t, c, "UPDATE o SET w = (SELECT COUNT(*) FROM i WHERE o.v > 5)")
	if got := answerOf(t, c, "SELECT w FROM o"); got != "2 0 0" {
		t.Error(got)
	}
	r.must(t, c, "DELETE FROM o WHERE 2 = (SELECT COUNT(*) FROM i WHERE o.v < 5)")
	if got := answerOf(t, c, "SELECT v FROM o"); got != "10 NULL" {
		t.Error(got)
	}
}

// TestTablesOfEnums: a table can be made of every kind of query of ENUM and SET columns.
func TestTablesOfEnums(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE t (id INT NOT NULL, e ENUM('a', 'b') NOT NULL, s SET('a', 'b') NOT NULL, n ENUM('a', 'b'))", "INSERT INTO t VALUES (1, 'b', 'a', NULL)")
	for query, want := range map[string]string{
		"SELECT x.e AS v FROM t AS x RIGHT JOIN t AS y ON x.id = y.id": "b", "SELECT e AS v, s, n FROM t": "b|a|NULL", "SELECT DISTINCT s AS v, e FROM t": "a|b",
		"SELECT e AS v, COUNT(*) AS n FROM t GROUP BY e": "b|1", "SELECT MAX(e) AS v, MIN(s) AS w FROM t": "b|a", "SELECT e AS v FROM t UNION SELECT s FROM t ORDER BY v": "a b",
		"SELECT LAST_VALUE(e) OVER (ORDER BY id) AS v FROM t": "b", "SELECT COALESCE(n, s) AS v FROM t": "a", "SELECT (SELECT e FROM t) AS v": "b",
		"WITH w AS (SELECT e AS v FROM t) SELECT v FROM w": "b", "SELECT GREATEST(e, s) AS v FROM t": "b",
	} {
		r.must(t, c, "DROP TABLE IF EXISTS made", "CREATE TABLE made AS "+query)
		if got := answerOf(t, c, "SELECT * FROM made ORDER BY v"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestCollationsOfConditionals: the collation of a conditional is that of its values.
func TestCollationsOfConditionals(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (g TEXT COLLATE utf8mb4_general_ci NOT NULL, l VARCHAR(20) CHARACTER SET latin1, b VARCHAR(9) COLLATE utf8mb4_bin)", "INSERT INTO t VALUES ('ab', '_b', 'x')")
	for query, want := range map[string]string{
		"SELECT COLLATION(COALESCE(g, l)) AS a, COLLATION(IFNULL(l, g)) AS b, COLLATION(IF(1, l, g)) AS c, COLLATION(CASE WHEN 1 THEN g ELSE l END) AS d": "utf8mb4_general_ci|utf8mb4_general_ci|utf8mb4_general_ci|utf8mb4_general_ci",
		"SELECT COALESCE(g, l) > 'C3A9' AS v FROM t":                                "0",
		"SELECT COALESCE(g, l) = 'AB' AS v, COALESCE(b, g) = 'X' AS w FROM t":       "1|0",
		"SELECT g FROM t LEFT JOIN (SELECT 1 AS one) AS d ON m NOT IN ('A', 'x y')": "1054 42S22 Unknown column 'm' in 'on clause'",
	} {
		if strings.Contains(query, "COLLATION(") {
			query += " FROM t"
		}
		if got := answerOf(t, c, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	_, c = rightRows(t, "CREATE TABLE d (c0 DECIMAL(10,2) NOT NULL)", "INSERT INTO d VALUES (1)")
	if got := answerOf(t, c, "SELECT COUNT(*) FROM d LEFT JOIN d AS e ON e.c0 NOT IN ('A', 'x y')"); got != "1" {
		t.Error(got)
	}
}
