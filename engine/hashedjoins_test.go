package engine

import (
	"fmt"
	"testing"

	"pfsd/tables"
)

// joinedPairs are joins of two tables with 300 rows each, of which 10 have the same a, by an equality and something else.
var joinedPairs = map[string]string{
	"between":      "SELECT COUNT(*) FROM test.l JOIN test.r ON r.a = l.a AND r.b BETWEEN l.b AND l.b + 5",
	"where":        "SELECT COUNT(*) FROM test.l, test.r WHERE r.a = l.a AND r.b BETWEEN l.b AND l.b + 5",
	"bounds":       "SELECT COUNT(*) FROM test.l JOIN test.r ON r.b >= l.b AND l.a = r.a AND r.b <= l.b + 5",
	"columns":      "SELECT COUNT(*) FROM test.l JOIN test.r ON r.b BETWEEN l.b AND l.c AND r.a = l.a",
	"left":         "SELECT COUNT(r.a) FROM test.l LEFT JOIN test.r ON r.a = l.a AND r.b BETWEEN l.b AND l.b + 5",
	"left columns": "SELECT COUNT(r.a) FROM test.l LEFT JOIN test.r ON r.b BETWEEN l.b AND l.c AND r.a = l.a",
	"or":           "SELECT COUNT(*) FROM test.l JOIN test.r ON r.a = l.a AND (r.b = l.b OR r.b BETWEEN l.b + 1 AND l.b + 5)",
	"like":         "SELECT COUNT(*) FROM test.l JOIN test.r ON r.a = l.a AND CONCAT(r.b) LIKE '%' AND r.b BETWEEN l.b AND l.b + 5",
	"derived":      "SELECT COUNT(*) FROM (SELECT a, b FROM test.l LIMIT 1000) l JOIN (SELECT a, b FROM test.r LIMIT 1000) r ON r.a = l.a AND r.b BETWEEN l.b AND l.b + 5",
	"both derived": "SELECT COUNT(*) FROM (SELECT a, b FROM test.l WHERE b >= 0 LIMIT 1000) l LEFT JOIN (SELECT a, b FROM test.r LIMIT 1000) r ON r.a = l.a WHERE r.b BETWEEN l.b AND l.b + 5",
	"one of them":  "SELECT COUNT(*) FROM (SELECT a, MIN(b) AS b, MAX(b) AS c FROM test.l GROUP BY a, b HAVING c >= 0) l JOIN test.r ON r.a = l.a WHERE r.b BETWEEN l.b AND l.b + 5",
	"in a view":    "SELECT COUNT(*) FROM test.v",
	"three":        "SELECT COUNT(*) FROM test.l JOIN test.r ON r.a = l.a AND r.b BETWEEN l.b AND l.b + 5 JOIN test.one ON one.id = 1",
}

// TestHashedJoins: a join with an equality reads each table once, and tests the other conditions on rows that are equal.
func TestHashedJoins(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE DATABASE IF NOT EXISTS test",
		"CREATE TABLE test.l (a INT, b INT, c INT)", "CREATE TABLE test.r (a INT, b INT)", "CREATE TABLE test.one (id INT)", "INSERT INTO test.one VALUES (1)",
		"INSERT INTO test.l WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 299) SELECT i DIV 10, i, i + 5 FROM n",
		"INSERT INTO test.r SELECT a, b FROM test.l",
		"CREATE VIEW test.v AS SELECT l.c, r.b FROM (SELECT a, b, c FROM test.l) l JOIN (SELECT a, b FROM test.r) r ON r.a = l.a LEFT JOIN test.one ON one.id = l.b WHERE r.b BETWEEN l.b AND l.b + 5",
	} {
		r.exec(t, q)
	}
	// Of the 10 rows of an a, each meets the 6 or fewer from its own b on. Each table is read once.
	const want, read = 30 * (6*5 + 5 + 4 + 3 + 2 + 1), 300 + 300 + 1
	for name, q := range joinedPairs {
		t.Run(name, func(t *testing.T) {
			r.want(t, q, fmt.Sprint(want))
			r.want(t, fmt.Sprintf("SELECT IF(ROWS_EXAMINED <= %d, 'few', ROWS_EXAMINED) FROM events_statements_history WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND SQL_TEXT LIKE 'SELECT COUNT(%%' ORDER BY EVENT_ID DESC LIMIT 1", read), "few")
		})
	}
}

// The rows are those of a join without an equality that can be looked up, also where values are NULL, and on each side of an outer join and of EXISTS.
func TestHashedJoinRows(t *testing.T) {
	r := serve(t, Options{})
	for _, q := range []string{
		"CREATE DATABASE IF NOT EXISTS test",
		"CREATE TABLE test.l (a INT, b INT)", "CREATE TABLE test.r (a VARCHAR(10), b DECIMAL(5,1))",
		"INSERT INTO test.l VALUES (1, 1), (1, 2), (2, 1), (NULL, 1), (3, NULL), (7, 7)",
		"INSERT INTO test.r VALUES ('1', 1), ('01', 1.5), ('2', 0), (NULL, 1), ('3', 3), ('1 ', 2), ('x', 1)",
	} {
		r.exec(t, q)
	}
	for _, form := range []string{
		"SELECT l.a, l.b, r.a, r.b FROM test.l JOIN test.r ON %s ORDER BY 1, 2, 3, 4",
		"SELECT l.a, l.b, r.a, r.b FROM test.l LEFT JOIN test.r ON %s ORDER BY 1, 2, 3, 4",
		"SELECT l.a, l.b, r.a, r.b FROM test.l RIGHT JOIN test.r ON %s ORDER BY 1, 2, 3, 4",
		"SELECT l.a, l.b FROM test.l WHERE EXISTS (SELECT 1 FROM test.r WHERE %s) ORDER BY 1, 2",
		"SELECT l.a, l.b FROM test.l WHERE NOT EXISTS (SELECT 1 FROM test.r WHERE %s) ORDER BY 1, 2",
		"SELECT l.a, l.b, (SELECT COUNT(*) FROM test.r JOIN test.l k ON k.a = r.a AND k.b <= r.b AND r.b >= l.b) FROM test.l WHERE %.0s TRUE ORDER BY 1, 2",
	} {
		looked := fmt.Sprintf(form, "l.a = r.a AND r.b BETWEEN l.b AND l.b + 1")
		plain := fmt.Sprintf(form, "(l.a = r.a OR FALSE) IS TRUE AND (r.b BETWEEN l.b AND l.b + 1) IS TRUE")
		r.want(t, looked, r.query(t, plain)...)
	}
	// Derived tables with columns of the row around have other rows each time.
	const around = "SELECT l.a, l.b, (SELECT COUNT(*) FROM (SELECT a, b FROM test.r WHERE b >= l.b) r JOIN (SELECT a FROM test.l k WHERE k.b >= l.b) k ON %s) FROM test.l ORDER BY 1, 2"
	r.want(t, fmt.Sprintf(around, "k.a = r.a"), r.query(t, fmt.Sprintf(around, "(k.a = r.a OR FALSE) IS TRUE"))...)
}

// A common table expression that reads its own rows so far is read anew each time.
func TestHashedJoinOfOwnRows(t *testing.T) {
	r := serve(t, Options{})
	for _, q := range []string{"CREATE DATABASE IF NOT EXISTS test", "CREATE TABLE test.steps (a INT, b INT, c INT)", "INSERT INTO test.steps VALUES (1, 2, 0), (2, 3, 0), (3, 4, 0), (4, 5, 0)"} {
		r.exec(t, q)
	}
	for _, join := range []string{"n JOIN test.steps s ON s.a = n.a", "test.steps s JOIN n ON s.a = n.a", "test.steps s JOIN n ON s.a = n.a AND s.b BETWEEN n.a AND n.a + 1", "(SELECT * FROM test.steps WHERE c = 0 LIMIT 9) s JOIN n ON s.a = n.a"} {
		r.want(t, "WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT s.b FROM "+join+") SELECT GROUP_CONCAT(a ORDER BY a) FROM n", "1,2,3,4,5")
	}
}
