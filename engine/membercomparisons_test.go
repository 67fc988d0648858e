package engine

import (
	"strings"
	"testing"
)

// TestMembersInEveryComparison: an ENUM or a SET is compared with a number by its number and with a text as a text, in whatever form the
// comparison stands, and wherever the other value comes from.
func TestMembersInEveryComparison(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, e ENUM('x', 'y') COLLATE utf8mb4_general_ci, s SET('x', 'y') COLLATE utf8mb4_general_ci, i INT, d DECIMAL(4, 1), f DOUBLE, u VARCHAR(9) COLLATE utf8mb4_general_ci, n VARCHAR(9) COLLATE utf8mb4_general_ci)",
		"INSERT INTO t VALUES (1, 'x', 'x', 1, 1, 1, 'X', '1')")
	forms := []string{
		"m = o", "o = m", "m <=> o", "NOT (m <> o)", "m IN (o)", "m IN (o, o)", "m IN (o, 'q')", "(m, 1) = (o, 1)", "(m, 1) IN ((o, 1), (o, 2))", "m BETWEEN o AND o", "m >= o AND m <= o",
		"CASE m WHEN o THEN 1 ELSE 0 END", "CASE o WHEN m THEN 1 ELSE 0 END", "NULLIF(m, o) IS NULL", "NULLIF(o, m) IS NULL", "FIELD(m, o)", "FIELD(o, m)", "EXISTS (SELECT 1 FROM t AS z WHERE m = o)",
	}
	try := func() {
		for other, want := range map[string]string{"1": "1", "1.0": "1", "1e0": "1", "t.i": "1", "t.d": "1", "t.f": "1", "2": "0", "'x'": "1", "'X'": "1", "t.u": "1", "'1'": "0", "t.n": "0", "'q'": "0"} {
			for _, m := range []string{"t.e", "t.s"} {
				for _, form := range forms {
					e := strings.NewReplacer("m", m, "o", other).Replace(form)
					if strings.Contains(form, "EXISTS") {
						e = "EXISTS (SELECT 1 FROM t AS z WHERE " + m + " = " + other + ")"
					}
					if got := answerOf(t, c, "SELECT "+e+" AS v FROM t"); got != want {
						t.Errorf("SELECT %s: %q, want %q", e, got, want)
					}
					found := map[string]string{"1": "1", "0": ""}[want]
					if got := answerOf(t, c, "SELECT id FROM t WHERE "+e); got != found {
						t.Errorf("WHERE %s: %q, want %q", e, got, found)
					}
				}
			}
		}
	}
	try()
	r.must(t, c, "ALTER TABLE t ADD KEY (e), ADD KEY (s)")
	try()
	for query, want := range map[string]string{
		"SELECT LOWER(NULLIF(e, 'y')) AS a, CONCAT(NULLIF(e, 2), 'z') AS b, UPPER(CASE e WHEN 1 THEN e ELSE s END) AS c FROM t": "x|xz|X",
	} {
		wantEverywhere(t, c, query, want, true)
	}
}

// TestConstantsBesideAggregates: a constant becomes the year or the date that it is in a column only beside a column.
func TestConstantsBesideAggregates(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (y YEAR, d DATE)", "INSERT INTO t VALUES (2002, '2024-01-01'), (1999, '2024-01-02')")
	for query, want := range map[string]string{
		"SELECT COUNT(*) AS n FROM t WHERE y <= 2": "2", "SELECT y FROM t WHERE y = 2": "2002", "SELECT MIN(y) AS m FROM t HAVING MIN(y) <= 2": "", "SELECT y FROM t GROUP BY y HAVING MAX(y) = 99": "",
		"SELECT y FROM t GROUP BY y HAVING y = 99": "1999", "SELECT * FROM (SELECT MIN(y) AS m FROM t) AS d WHERE m = 99": "1999", "SELECT y FROM t WHERE d = 240101": "2002",
	} {
		wantEverywhere(t, c, query, want, false)
	}
}
