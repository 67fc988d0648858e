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
	wantEverywhere(t, c, "SELECT id, GREATEST(g, CONCAT(b, 'B')) AS x, LEAST(g, CONCAT(b, 'B')) AS y, GREATEST(CONCAT(g, ''), b) AS z, LEAST('Z', CONCAT(b, ''), g) AS u, GREATEST(e, CONCAT(b, '')) AS v FROM t ORDER BY id",
		"1|aB|B|a|B|b 2|b|BB|b|B|a 3|bB|B|b|B|b", true)
	wantEverywhere(t, c, "SELECT id, CASE e WHEN b THEN 1 WHEN g THEN 2 END AS x, CASE g WHEN b THEN 1 WHEN e THEN 2 END AS y, FIELD(g, b, e) AS z, FIELD(e, b, g) AS u, FIELD(g, e, 'b') AS v FROM t ORDER BY id",
		"1|NULL|NULL|0|0|1 2|NULL|NULL|0|0|2 3|1|NULL|0|1|1", true)
}

// TestTimesAreCompared compares times that differ behind the point, with and without a table's column.
func TestTimesAreCompared(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, d DATETIME(3))",
		"INSERT INTO t VALUES (1, '2024-01-01 08:00:00.5'), (2, '2024-01-01 08:00:00'), (3, NULL)")
	for comparison, want := range map[string]string{
		"TIME(d) = TIME'08:00:00'": "2", "TIME(d) <=> TIME'08:00:00'": "2", "TIME'08:00:00' <=> TIME(d)": "2", "TIME(d) <=> NULL": "3",
		"TIME(d) <> TIME'08:00:00'": "1", "NOT (TIME(d) <=> TIME'08:00:00')": "1 3", "TIME(d) IN (TIME'08:00:00')": "2",
		"TIME(d) BETWEEN TIME'08:00:00' AND TIME'08:00:00'": "2", "(TIME(d), 1) = (TIME'08:00:00', 1)": "2",
	} {
		wantEverywhere(t, c, "SELECT id FROM t WHERE "+comparison+" ORDER BY id", want, true)
	}
	for comparison, holds := range map[string]bool{"= TIME'08:00:00'": false, "<=> TIME'08:00:00'": false, "<> TIME'08:00:00'": true, "> TIME'08:00:00'": true,
		"IN (TIME'08:00:00')": false, "NOT IN (TIME'08:00:00')": true, "BETWEEN TIME'08:00:00' AND TIME'08:00:00'": false, "<=> TIME'08:00:00.5'": true} {
		want := ""
		if holds {
			want = "1 2 3"
		}
		wantEverywhere(t, c, "SELECT id FROM t WHERE TIME(TIMESTAMP'2024-01-01 08:00:00.5') "+comparison+" ORDER BY id", want, true)
	}
}

// TestMembersAndFractions compares ENUM and SET with numbers that no member has.
func TestMembersAndFractions(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a','b','c'), s SET('x','y'), KEY (e))", "INSERT INTO t VALUES (1, 'b', 'y'), (2, 'c', 'x,y'), (3, NULL, NULL)")
	for condition, want := range map[string]string{
		"e <> 2.5": "1 2", "2.5 <> e": "1 2", "e = 2.5": "", "e < 2.5": "1", "2.5 < e": "2", "e >= 2.5e0": "2", "e IN (2.5, 3)": "2", "e BETWEEN 1.5 AND 2.4": "1", "NOT e <=> 2.5": "1 2 3",
		"s = 2.0": "1", "s > 2.5": "2", "e = 2": "1", "e <> 2": "2", "e + 0.5 = 2.5": "1",
	} {
		wantEverywhere(t, c, "SELECT id FROM t WHERE "+condition+" ORDER BY id", want, true)
	}
}
