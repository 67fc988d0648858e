package engine

import (
	"fmt"
	"testing"

	"pfsd/tables"
)

// topForms are statements whose order leaves nothing open. %s is a LIMIT.
var topForms = map[string]string{
	"outer join":       "SELECT l.a, l.b, r.c FROM test.l LEFT JOIN test.r ON r.a = l.a ORDER BY l.b DESC, l.a %s",
	"several matches":  "SELECT l.a, s.d FROM test.l LEFT JOIN test.s ON s.a = l.a ORDER BY l.b, l.a, s.d %s",
	"then others":      "SELECT l.a, r.c, s.d FROM test.l LEFT JOIN test.r ON r.a = l.a LEFT JOIN (SELECT a, MAX(d) AS d FROM test.s GROUP BY a) s ON s.a = r.a ORDER BY r.c, l.a %s",
	"NULLs first":      "SELECT l.a, r.c FROM test.l LEFT JOIN test.r ON r.a = l.b ORDER BY l.b, l.a %s",
	"expressions":      "SELECT l.a, r.c FROM test.l LEFT JOIN test.r ON r.a = l.a ORDER BY l.b IS NULL, -l.a %s",
	"inner join below": "SELECT k.a, l.a, r.c FROM test.l k JOIN test.l ON k.a = l.b LEFT JOIN test.r ON r.a = l.a ORDER BY l.b DESC, l.a %s",
	"condition":        "SELECT l.a FROM test.l LEFT JOIN test.r ON r.a = l.a WHERE r.a IS NULL ORDER BY l.b, l.a %s",
	"condition on it":  "SELECT l.a, r.c FROM test.l LEFT JOIN test.r ON r.a = l.a WHERE l.b > 3 ORDER BY l.b, l.a %s",
	"other columns":    "SELECT l.a, r.c FROM test.l LEFT JOIN test.r ON r.a = l.a ORDER BY r.c DESC, l.a %s",
	"groups":           "SELECT l.b, COUNT(r.c) FROM test.l LEFT JOIN test.r ON r.a = l.a GROUP BY l.b ORDER BY l.b %s",
	"distinct":         "SELECT DISTINCT l.b FROM test.l LEFT JOIN test.s ON s.a = l.a ORDER BY l.b %s",
	"windows":          "SELECT l.a, ROW_NUMBER() OVER (ORDER BY l.a DESC) AS n FROM test.l LEFT JOIN test.r ON r.a = l.a ORDER BY l.b, l.a %s",
	"subquery":         "SELECT l.a, (SELECT MAX(d) FROM test.s WHERE s.a = l.a) AS m FROM test.l LEFT JOIN test.r ON r.a = l.a ORDER BY l.b, l.a %s",
	"view":             "SELECT * FROM test.v %s",
	"columns of it":    "SELECT c + 1, a FROM test.v %s",
	"view, condition":  "SELECT * FROM test.v WHERE c IS NULL %s",
	"view, another":    "SELECT * FROM test.v ORDER BY a %s",
	"view, distinct":   "SELECT DISTINCT b FROM test.v ORDER BY b %s",
	"derived":          "SELECT * FROM (SELECT l.a, s.d FROM test.l LEFT JOIN test.s ON s.a = l.a ORDER BY l.b, l.a, s.d) d %s",
	"derived twice":    "SELECT * FROM (SELECT * FROM (SELECT l.a, s.d FROM test.l LEFT JOIN test.s ON s.a = l.a ORDER BY l.b, l.a, s.d) d LIMIT 20) e %s",
	"common":           "WITH d AS (SELECT l.a, r.c FROM test.l LEFT JOIN test.r ON r.a = l.a ORDER BY l.b, l.a) SELECT * FROM d %s",
}

// What LIMIT leaves are the first rows of the statement without it.
func TestTopRows(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE DATABASE IF NOT EXISTS test",
		"CREATE TABLE test.l (a INT PRIMARY KEY, b INT)", "CREATE TABLE test.r (a INT PRIMARY KEY, c INT)", "CREATE TABLE test.s (a INT, d INT, KEY (a))",
		"INSERT INTO test.l WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT i, IF(i % 10 = 9, NULL, i * 37 % 50 DIV 5) FROM n",
		"INSERT INTO test.r SELECT a, 100 - a FROM test.l WHERE a % 3 = 0", "INSERT INTO test.s SELECT a, a FROM test.l WHERE a % 2 = 0 UNION ALL SELECT a, a + 1 FROM test.l WHERE a % 4 = 0",
		"CREATE VIEW test.v AS SELECT l.a, l.b, r.c FROM test.l LEFT JOIN test.r ON r.a = l.a ORDER BY l.b DESC, l.a",
	} {
		r.exec(t, q)
	}
	for name, form := range topForms {
		t.Run(name, func(t *testing.T) {
			all := r.query(t, fmt.Sprintf(form, ""))
			for _, cut := range [][2]int{{0, 3}, {0, 1}, {0, 0}, {4, 5}, {len(all) - 1, 9}, {0, 20000}} {
				want := all[cut[0]:min(cut[0]+cut[1], len(all))]
				r.want(t, fmt.Sprintf(form, fmt.Sprintf("LIMIT %d, %d", cut[0], cut[1])), want...)
			}
		})
	}
	r.want(t, "SELECT SQL_CALC_FOUND_ROWS * FROM test.v LIMIT 1", "4|9|NULL")
	r.want(t, "SELECT FOUND_ROWS()", "100")
}

// Rows of an outer join are looked up for the first rows alone, also through a view.
func TestTopRowsAreFew(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE DATABASE IF NOT EXISTS test", "CREATE TABLE test.l (a INT, b INT)", "CREATE TABLE test.r (a INT PRIMARY KEY, c INT)",
		"INSERT INTO test.l WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT i, i FROM n", "INSERT INTO test.r SELECT a, b FROM test.l",
		"CREATE VIEW test.v AS SELECT l.a, r.c, s.c AS d FROM test.l LEFT JOIN test.r ON r.a = l.a LEFT JOIN test.r s ON s.a = l.b ORDER BY l.b DESC",
	} {
		r.exec(t, q)
	}
	for _, q := range []string{"SELECT * FROM test.v LIMIT 2", "SELECT d FROM test.v LIMIT 1, 1", "SELECT l.a, r.c, s.c FROM test.l LEFT JOIN test.r ON r.a = l.a LEFT JOIN test.r s ON s.a = l.b ORDER BY l.b DESC LIMIT 2"} {
		r.query(t, q)
		r.want(t, "SELECT ROWS_EXAMINED FROM events_statements_history WHERE THREAD_ID = PS_CURRENT_THREAD_ID() AND SQL_TEXT LIKE '%test.%' ORDER BY EVENT_ID DESC LIMIT 1", "104")
	}
}
