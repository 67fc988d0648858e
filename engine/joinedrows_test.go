package engine

import "testing"

// TestMergedRows joins tables by indexes of several columns, some of which are NULL.
func TestMergedRows(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE n (id INT NOT NULL, a DECIMAL(20,6), b INT, KEY (id, a), KEY (a, b))", "INSERT INTO n VALUES (1, 2.50, NULL), (2, NULL, 1), (3, 3, 3), (4, 3, 3), (5, NULL, NULL)")
	for query, want := range map[string]string{
		"SELECT x.id FROM n AS x JOIN n AS y ON x.a = y.a AND x.id = y.id ORDER BY x.id":                                      "1 3 4",
		"SELECT x.id, y.id AS z FROM n AS x JOIN n AS y ON x.a = y.a AND x.b = y.b ORDER BY x.id, y.id":                       "3|3 3|4 4|3 4|4",
		"SELECT x.id, y.id AS z FROM n AS x LEFT JOIN n AS y ON x.a = y.a AND x.b = y.b AND y.id = x.id ORDER BY x.id, y.id":  "1|NULL 2|NULL 3|3 4|4 5|NULL",
		"SELECT /*+ MERGE_JOIN(x, y) */ x.id FROM n AS x JOIN n AS y ON x.a = y.a AND x.id = y.id AND x.b <> 7 ORDER BY x.id": "3 4",
		"SELECT x.id FROM n AS x WHERE EXISTS (SELECT 1 FROM n AS y WHERE x.a = y.a AND x.b = y.b) ORDER BY x.id":             "3 4",
		"SELECT x.id FROM n AS x WHERE NOT EXISTS (SELECT 1 FROM n AS y WHERE x.a = y.a AND x.b = y.b) ORDER BY x.id":         "1 2 5",
	} {
		wantEverywhere(t, c, query, want, true)
	}
}

// TestPlacedConditions: a condition whose subquery refers to several tables of a join is tested when all of them have been read, whatever their
// order.
func TestPlacedConditions(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE p (id INT NOT NULL, d DECIMAL(20,6), e INT)", "INSERT INTO p VALUES (5, 0, 4), (6, 0.000001, 4)", "CREATE TABLE q (id INT NOT NULL, g DECIMAL(20,6))", "INSERT INTO q VALUES (2, 0)")
	for _, hint := range []string{"", "/*+ LEFT_DEEP */", "/*+ JOIN_ORDER(b, c, a) */", "/*+ JOIN_ORDER(c, b, a) */", "/*+ JOIN_ORDER(a, b, c) */"} {
		for condition, want := range map[string]string{
			"b.g IN (SELECT 1.5 UNION ALL SELECT a.d FROM p)": "2 2", "b.g IN (SELECT a.d FROM p LIMIT 3)": "2 2", "b.g NOT IN (SELECT a.d FROM p)": "2 2",
			"EXISTS (SELECT a.d EXCEPT SELECT b.g)": "2 2", "NOT EXISTS (SELECT a.d EXCEPT SELECT b.g)": "2 2", "(SELECT a.d) <=> b.g AND b.id IN (SELECT a.id - 3 UNION SELECT c.id - 3)": "2 2",
		} {
			wantEverywhere(t, c, "SELECT "+hint+" b.id FROM p AS a JOIN q AS b ON a.id >= b.id JOIN p AS c ON a.e >= c.e WHERE "+condition, want, true)
		}
		wantEverywhere(t, c, "SELECT "+hint+" b.id, c.id AS d FROM p AS a JOIN q AS b ON a.id >= b.id LEFT JOIN p AS c ON b.g IN (SELECT a.d FROM p) AND c.id = 5 ORDER BY d", "2|NULL 2|5", true)
	}
}

// TestJoinsWithoutCondition joins tables, one of them in a derived table, by a condition that is always true.
func TestJoinsWithoutCondition(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE j (id INT PRIMARY KEY, a INT, b INT)", "INSERT INTO j VALUES (1, 1, 1), (2, 1, 2)")
	for _, outer := range []string{"STRAIGHT_JOIN", "JOIN", "LEFT JOIN", "CROSS JOIN"} {
		on := " ON TRUE"
		if outer == "CROSS JOIN" {
			on = ""
		}
		for _, inner := range []string{"LEFT JOIN", "RIGHT JOIN", "STRAIGHT_JOIN", "JOIN"} {
			query := "SELECT COUNT(d.x) AS n FROM (SELECT r.a AS x FROM j AS p " + inner + " j AS q ON TRUE JOIN j AS r ON p.a = r.id AND (p.a, q.id) = (q.a, q.b)) AS d " + outer + " j AS s" + on
			wantEverywhere(t, c, query, "8", true)
			wantEverywhere(t, c, "SELECT '8' AS n FROM (SELECT r.a AS x FROM j AS p "+inner+" j AS q ON TRUE JOIN j AS r ON p.a = r.id AND (p.a, q.id) = (q.a, q.b)) AS d "+outer+" j AS s"+on+" LIMIT 1", "8", true)
		}
	}
}
