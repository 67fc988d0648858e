package engine

import "testing"

// TestJoinedHavings: an aggregate in HAVING finds the column of its table, also if a table before it in the join has one of that name.
func TestJoinedHavings(t *testing.T) {
	r := serve(t, Options{})
	for _, q := range []string{
		"CREATE DATABASE IF NOT EXISTS test", "CREATE TABLE test.r (a INT, b INT, c INT)", "CREATE TABLE test.w (a INT, b INT, c INT)",
		"INSERT INTO test.r VALUES (1, 1, 10), (2, 2, 20), (3, 3, 30)", "INSERT INTO test.w VALUES (1, 5, 1), (1, 6, 2), (2, 7, 3), (3, 8, 9)",
	} {
		r.exec(t, q)
	}
	const from = " FROM test.r JOIN test.w ON w.a = r.a"
	for q, want := range map[string][]string{
		"SELECT r.a, COUNT(w.b) AS n" + from + " GROUP BY r.a HAVING n > 0 AND MIN(w.c) > 1 ORDER BY r.a":                            {"2|1", "3|1"},
		"SELECT r.a, r.b, SUM(w.b)" + from + " GROUP BY r.a, r.b HAVING SUM(w.c) BETWEEN 3 AND 8 ORDER BY a DESC":                    {"2|2|7", "1|1|11"},
		"SELECT r.a" + from + " GROUP BY r.a HAVING GROUP_CONCAT(w.c) = '9'":                                                         {"3"},
		"SELECT r.a, MAX(w.a)" + from + " GROUP BY r.a HAVING MIN(w.c) = 9":                                                          {"3|3"},
		"SELECT r.a x, MAX(w.b) m" + from + " GROUP BY x HAVING x > 1 AND MAX(r.c) >= 20 AND MAX(w.c) < 9 ORDER BY m":                {"2|7"},
		"SELECT DISTINCT COUNT(*) AS n" + from + " GROUP BY r.a HAVING MAX(w.c) > 1 ORDER BY n":                                      {"1", "2"},
		"SELECT r.a, COUNT(*)" + from + " GROUP BY r.a HAVING r.a > 1 AND SUM(w.c) > ANY_VALUE(r.b) ORDER BY COUNT(*), r.a LIMIT 1":  {"2|1"},
		"SELECT COUNT(w.b), MIN(w.c)" + from + " HAVING MIN(w.c) > 0":                                                                {"4|1"},
		"SELECT l.a, COUNT(w.b) FROM (test.r l, test.w) WHERE l.a = w.a GROUP BY l.a HAVING MIN(w.c) = 3":                            {"2|1"},
		"SELECT l.a, COUNT(w.b) n FROM test.r l, test.w WHERE l.a = w.a GROUP BY l.a HAVING MIN(w.c) = 3 AND n = 1":                  {"2|1"},
		"SELECT w.a, COUNT(r.b) FROM test.w LEFT JOIN test.r ON r.a = w.a AND r.b > 1 GROUP BY w.a HAVING COUNT(r.c) = 0":            {"1|0"},
		"SELECT a, n FROM (SELECT r.a, COUNT(w.a) n" + from + " GROUP BY r.a HAVING MIN(w.c) > 2) g WHERE n = 1 ORDER BY a":          {"2|1", "3|1"},
		"SELECT r.a, RANK() OVER (ORDER BY SUM(w.c)) AS place, COUNT(w.b)" + from + " GROUP BY r.a HAVING MIN(w.c) > 1 ORDER BY r.a": {"2|1|1", "3|2|1"},
	} {
		r.want(t, q, want...)
	}
}
