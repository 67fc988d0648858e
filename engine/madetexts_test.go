package engine

import "testing"

// TestCollationsOfMadeTexts: a text that a query makes has the collation of what it was made of, in aggregates and outside the query too.
func TestCollationsOfMadeTexts(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) COLLATE utf8mb4_general_ci, e VARCHAR(20) COLLATE utf8mb4_bin)",
		"INSERT INTO t VALUES (1, '_b', '_b'), (2, 'A', 'A'), (3, 'b', 'b')", "CREATE VIEW v AS SELECT id, CONCAT(e, '') AS x FROM t",
		"CREATE TABLE w AS SELECT id, CONCAT(a, '') AS a, CONCAT(e, '') AS e, MAX(CONCAT(e, '')) AS m FROM t GROUP BY id, a, e")
	for query, want := range map[string]string{ // '_' comes before 'b' in utf8mb4_0900_ai_ci, and after it in utf8mb4_general_ci
		"SELECT MAX(CONCAT(a, '')) AS x, MIN(CONCAT(e, '')) AS y, MAX(CONCAT_WS(',', a, 'x')) AS z FROM t":                                   "_b|A|_b,x",
		"SELECT MAX(CONCAT(a, '')) OVER (ORDER BY id) AS x FROM t ORDER BY id":                                                               "_b _b _b",
		"SELECT MAX(a) AS x FROM (SELECT CONCAT(a, '') AS a FROM t) AS d":                                                                    "_b",
		"SELECT a AS x FROM (SELECT CONCAT(a, '') AS a FROM t) AS d ORDER BY a":                                                              "A b _b",
		"SELECT id FROM (SELECT id, CONCAT(e, '') AS x FROM t) AS d WHERE x = 'a'":                                                           "",
		"SELECT id FROM (SELECT id, CONCAT(e, '') FROM t) AS d WHERE `CONCAT(e, '')` IN ('a', 'b')":                                          "3",
		"SELECT x, n FROM (SELECT CONCAT(e, '') AS x, COUNT(*) AS n FROM t GROUP BY x) AS d WHERE x IN ('a', 'B')":                           "",
		"SELECT x FROM (SELECT MAX(CONCAT(e, '')) AS x FROM t GROUP BY id) AS d WHERE x = 'B'":                                               "",
		"SELECT x FROM (SELECT y AS x FROM (SELECT CONCAT(e, '') AS y FROM t) AS c) AS d WHERE x = 'B'":                                      "",
		"SELECT x FROM (SELECT MAX(y) AS x FROM (SELECT CONCAT(e, '') AS y FROM t) AS c GROUP BY y) AS d WHERE x = 'B'":                      "",
		"SELECT x FROM (SELECT LAG(CONCAT(e, '')) OVER (ORDER BY id) AS x FROM t) AS d WHERE x = 'a'":                                        "",
		"SELECT x FROM (SELECT id, (SELECT CONCAT(u.e, '') FROM t AS u WHERE u.id = t.id) AS x FROM t) AS d WHERE x = 'a'":                   "",
		"SELECT x FROM (SELECT DISTINCT CONCAT(e, '') AS x FROM t ORDER BY x LIMIT 5) AS d WHERE x = 'a'":                                    "",
		"SELECT d.x FROM (SELECT CONCAT(e, '') AS x FROM t) AS d JOIN (SELECT LOWER(e) AS x FROM t) AS l USING (x) ORDER BY x":               "_b b",
		"SELECT DISTINCT CONCAT(x, '') AS x FROM (SELECT e AS x FROM t UNION ALL SELECT LOWER(e) FROM t) AS d ORDER BY x":                    "A _b a b",
		"SELECT DISTINCT CONCAT(e, '') AS x FROM (SELECT CASE i.id WHEN 1 THEN t.e ELSE LOWER(t.e) END AS e FROM t, t AS i) AS d ORDER BY x": "A _b a b",
		"SELECT CONCAT(e, '') AS x FROM (SELECT e FROM t UNION ALL SELECT 'a') AS t ORDER BY x":                                              "A _b a b",
		"SELECT CONCAT(e, '') AS x, COUNT(*) AS n FROM t GROUP BY x HAVING x = 'a' ORDER BY x":                                               "",
		"SELECT CONCAT(e, '') AS x FROM t HAVING x IN ('a', 'B')":                                                                            "",
		"SELECT MAX(CONCAT(e, '')) AS x FROM t GROUP BY id ORDER BY x":                                                                       "A _b b",
		"SELECT (SELECT CONCAT(e, '') FROM t AS u WHERE u.id = t.id) AS x FROM t ORDER BY x":                                                 "A _b b",
		"SELECT CONCAT(e, '') AS x, ROW_NUMBER() OVER (ORDER BY CONCAT(e, '')) AS n FROM t ORDER BY x":                                       "A|1 _b|2 b|3",
		"SELECT CONCAT(e, '') AS x FROM t UNION SELECT 'z' ORDER BY x":                                                                       "A _b b z",
		"SELECT x FROM (SELECT CONCAT(e, '') AS x FROM t ORDER BY x LIMIT 2) AS d":                                                           "A _b",
		"SELECT id FROM v WHERE x = 'a'":                 "",
		"SELECT id FROM w WHERE e = 'a' OR m = 'a'":      "",
		"SELECT id FROM w WHERE a = 'a'":                 "2",
		"SELECT DISTINCT COLLATION(x) AS c FROM v":       "utf8mb4_bin",
		"SELECT DISTINCT COLLATION(a) AS c FROM w":       "utf8mb4_general_ci",
		"SELECT id FROM t WHERE 'a' <=> 'A' ORDER BY id": "1 2 3",
		"SELECT '2' IN ('%', 'é') AS x, 'a' IN ('B', 'A') AS y, 'a' NOT IN ('b', NULL) AS z, 1.5 IN (1, 1.50) AS u, (1, 'a') IN ((1, 'A'), (2, 'b')) AS v": "0|1|NULL|1|1",
		"SELECT id FROM t WHERE 'a' IN ('B', 'A') AND 1.5 IN (1, 1.50) AND (1, 'a') IN ((1, 'A'), (2, 'b')) ORDER BY id":                                   "1 2 3",
		"SELECT id FROM t WHERE 'a' IN ('B', 'C')":     "",
		"SELECT id FROM t WHERE CONCAT('a', '') = 'B'": "",
	} {
		wantEverywhere(t, c, query, want, true)
	}
}
