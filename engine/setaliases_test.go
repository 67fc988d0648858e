package engine

import (
	"testing"
)

// TestAliasesInSetOperations: a column of a part of a set operation is that part's own, also if a query around it has given its name to another.
func TestAliasesInSetOperations(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (n INT NOT NULL)", "INSERT INTO t VALUES (-1)")
	for query, want := range map[string]string{
		"SELECT u.n AS x, (SELECT 10 AS x FROM t UNION SELECT 9 FROM t LIMIT 1) AS v FROM t AS u":                            "-1|10",
		"SELECT u.n AS x, (SELECT 10 AS x EXCEPT SELECT u.n) AS v FROM t AS u":                                               "-1|10",
		"SELECT u.n AS x, (SELECT 10 AS x EXCEPT SELECT -1 FROM t) AS v FROM t AS u":                                         "-1|10",
		"SELECT u.n + 5 AS x, (SELECT 10 AS x FROM t EXCEPT SELECT u.n + 5 AS x FROM t) AS v FROM t AS u":                    "4|10",
		"SELECT u.n AS x, (SELECT n + 11 AS x FROM t UNION SELECT 1.5 FROM t ORDER BY x LIMIT 1) AS v FROM t AS u":           "-1|1.5",
		"SELECT u.n AS x, (SELECT DISTINCT n + 11 AS x FROM t UNION SELECT 12.5 FROM t ORDER BY x LIMIT 1) AS v FROM t AS u": "-1|10.0",
		"SELECT u.n AS x, (SELECT MAX(n) + 11 AS x FROM t UNION ALL SELECT 'a' FROM t LIMIT 1) AS v FROM t AS u":             "-1|10",
		"SELECT 7 AS x, 4 IN (SELECT 2 AS x UNION SELECT 4 AS x EXCEPT SELECT 1.5 AS x) AS v FROM t":                         "7|1",
		"SELECT 7 AS x, (SELECT 2 AS x UNION SELECT u.n + 3 EXCEPT SELECT 1.5 LIMIT 1) AS v FROM t AS u":                     "7|2.0",
		"SELECT 7 AS x, (SELECT 'b' AS x UNION SELECT n FROM t EXCEPT SELECT -1 LIMIT 1) AS v FROM t":                        "7|b",
		"SELECT u.n AS x, 10 IN (SELECT n + 11 AS x FROM t UNION SELECT 1.5 FROM t) AS v FROM t AS u":                        "-1|1",
		"SELECT u.n AS x, EXISTS ((SELECT n + 11 AS x FROM t LIMIT 1) INTERSECT SELECT 10.0 FROM t) AS v FROM t AS u":        "-1|1",
	} {
		wantEverywhere(t, c, query, want, false)
	}
}
