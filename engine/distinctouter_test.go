package engine

import "testing"

// TestDistinctBesideOuterColumns selects distinct rows in subqueries whose rows come after columns of other types of the queries around.
func TestDistinctBesideOuterColumns(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE s (id INT PRIMARY KEY, t TIME, b VARBINARY(10), c VARCHAR(10) COLLATE utf8mb4_0900_ai_ci)",
		"INSERT INTO s VALUES (1, '100:00:00', 'a', 'x'), (2, '100:00:00', 'A', 'X'), (3, NULL, 'a', 'y')")
	for query, want := range map[string]string{
		"SELECT id FROM (SELECT '%' AS x FROM s) d CROSS JOIN s a WHERE TIME'100:00:00' IN (SELECT DISTINCT a.t FROM s) AND d.x = '%' ORDER BY id": "1 1 1 2 2 2",
		"SELECT a.id, (SELECT COUNT(*) FROM (SELECT DISTINCT c FROM s WHERE s.id <= a.id) d) AS n FROM s a ORDER BY a.id":                          "1|1 2|1 3|2",
		"SELECT a.id, (SELECT COUNT(*) FROM (SELECT DISTINCT b FROM s WHERE s.id <= a.id) d) AS n FROM s a ORDER BY a.id":                          "1|1 2|2 3|2",
		"SELECT a.id, (SELECT DISTINCT s.c FROM s WHERE s.id <= 2 AND a.b <> 'z') AS n FROM s a ORDER BY a.id":                                     "1|x 2|x 3|x",
		"SELECT a.id FROM s a WHERE 'Y' IN (SELECT DISTINCT s.c FROM s WHERE s.b = a.b) ORDER BY id":                                               "1 3",
		"SELECT id, c IN (SELECT 'a' UNION SELECT 'X') AS x, b IN (SELECT 'a' UNION SELECT 'X') AS y FROM s ORDER BY id":                           "1|1|1 2|1|0 3|0|1",
		"SELECT id FROM s WHERE c IN (SELECT 'a' EXCEPT SELECT 'b') OR c IN (SELECT 'y' INTERSECT SELECT 'Y') ORDER BY id":                         "3",
		"SELECT id, (SELECT COUNT(*) FROM (SELECT 'a' UNION SELECT LEFT(s.b, 1) UNION SELECT 'A') d) AS n FROM s ORDER BY id":                      "1|2 2|2 3|2",
		"SELECT id FROM s WHERE (c, 1) IN (SELECT 'x', 1 UNION SELECT 'B', 1) AND t IN (SELECT '100:00:00' UNION SELECT 'a') ORDER BY id":          "1 2",
	} {
		wantEverywhere(t, c, query, want, true)
	}
}
