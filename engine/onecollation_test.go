package engine

import "testing"

// TestOneCollation: texts that are all compared with one another are compared by the collation of all of them, not by that of each two.
func TestOneCollation(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, b VARCHAR(20) COLLATE utf8mb4_bin NOT NULL, e ENUM('a','b','ab') COLLATE utf8mb4_general_ci, g VARCHAR(20) COLLATE utf8mb4_general_ci, s SET('a','b') COLLATE utf8mb4_general_ci)",
		"INSERT INTO t VALUES (1, 'a', 'b', 'B', 'b'), (2, 'B', 'a', 'b', 'a'), (3, 'b', 'b', 'B', 'b')")
	for condition, want := range map[string]string{
		"e IN (b, g)": "3", "g IN (b, e)": "", "g IN (e, s)": "1 3", "e IN (g, 'B')": "1 3", "b IN (g, 'x')": "", "g IN ('x', b, 'B')": "1 3", "g IN ('x', 'b', 'y')": "1 2 3",
		"'B' IN (g, e, b)": "1 2 3", "'B' IN (g, e)": "1 2 3", "g BETWEEN e AND b": "", "e BETWEEN b AND g": "2", "b BETWEEN 'a' AND g": "", "s IN (b, g)": "3",
		"g NOT BETWEEN e AND b": "1 2 3", "g NOT IN (b, e)": "1 2 3",
	} {
		wantEverywhere(t, c, "SELECT id FROM t WHERE "+condition+" ORDER BY id", want, true)
		if got := answerOf(t, c, "SELECT id FROM t WHERE "+condition); got != want {
			t.Errorf("%s: %s, want %s", condition, got, want)
		}
	}
	wantEverywhere(t, c, "SELECT id, CASE e WHEN b THEN 1 WHEN g THEN 2 END AS x, CASE g WHEN b THEN 1 WHEN e THEN 2 END AS y, FIELD(g, b, e) AS z, FIELD(e, b, g) AS u, FIELD(g, e, 'b') AS v FROM t ORDER BY id",
		"1|NULL|NULL|0|0|1 2|NULL|NULL|0|0|2 3|1|NULL|0|1|1", true)
}
