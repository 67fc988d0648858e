package engine

import "testing"

// TestAmbiguousNames: a name in ON DUPLICATE KEY UPDATE that is of the table that is written and of one that INSERT ... SELECT reads is ambiguous,
// but for what is set, for VALUES(), and where rows of groups are read.
func TestAmbiguousNames(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE a (id INT PRIMARY KEY, b INT, c INT)", "CREATE TABLE s (id INT PRIMARY KEY, b INT, d INT)", "INSERT INTO s VALUES (1, 20, 30)")
	ambiguous := func(name string) string { return "1052 23000 Column '" + name + "' in 'field list' is ambiguous" }
	for _, x := range []struct{ statement, failure, row string }{
		{"INSERT INTO a SELECT 1, 5, 5 FROM s ON DUPLICATE KEY UPDATE b = b + 1", ambiguous("b"), ""},
		{"INSERT INTO a SELECT 1, 5, 5 FROM s ON DUPLICATE KEY UPDATE b = a.b + 1", "", "1|2|1"},
		{"INSERT INTO a SELECT 1, 5, 5 FROM s ON DUPLICATE KEY UPDATE b = c + 1", "", "1|2|1"},
		{"INSERT INTO a SELECT 1, 5, 5 FROM s WHERE d > 1 ORDER BY d LIMIT 1 ON DUPLICATE KEY UPDATE c = IF(a.c > 0, ID, 0)", ambiguous("ID"), ""},
		{"INSERT INTO a (id, b, c) SELECT 1, 5, 5 FROM s ON DUPLICATE KEY UPDATE c = VALUES(c) + b", ambiguous("b"), ""},
		{"INSERT INTO a (id, b, c) SELECT 1, 5, 5 FROM s ON DUPLICATE KEY UPDATE c = VALUES(c) + a.b", "", "1|1|6"},
		{"INSERT INTO a (id, b, c) SELECT 1, 5, 5 FROM s ON DUPLICATE KEY UPDATE b = VALUES(b)", "", "1|5|1"},
		{"INSERT INTO a SELECT 1, 5, 5 FROM a ON DUPLICATE KEY UPDATE c = a.b", ambiguous("a.b"), ""},
		{"INSERT INTO a SELECT 1, 5, 5 FROM a ON DUPLICATE KEY UPDATE c = b", ambiguous("b"), ""},
		{"INSERT INTO a SELECT 1, 5, 5 FROM a ON DUPLICATE KEY UPDATE a.c = test.a.b", ambiguous("test.a.b"), ""},
		{"INSERT INTO a SELECT 1, 5, 5 FROM a x ON DUPLICATE KEY UPDATE c = a.b + 1", "", "1|1|2"},
		{"INSERT INTO a SELECT 1, 5, 5 FROM s AS a ON DUPLICATE KEY UPDATE c = a.b", ambiguous("a.b"), ""},
		{"INSERT INTO a SELECT 1, 5, 5 FROM s JOIN s AS y ON TRUE ON DUPLICATE KEY UPDATE c = b", ambiguous("b"), ""},
		{"INSERT INTO a SELECT 1, 5, 5 FROM (SELECT id, b FROM s) x ON DUPLICATE KEY UPDATE c = b", ambiguous("b"), ""},
		{"INSERT INTO a SELECT 1, 5, 5 FROM (SELECT id, b AS q FROM s) x ON DUPLICATE KEY UPDATE c = b + 1", "", "1|1|2"},
		{"INSERT INTO a SELECT DISTINCT 1, 5, 5 FROM s ON DUPLICATE KEY UPDATE b = b + 1", ambiguous("b"), ""},
		{"INSERT INTO a SELECT 1, 5, MAX(d) FROM s ON DUPLICATE KEY UPDATE b = b + 1", "", "1|2|1"},
		{"INSERT INTO a SELECT 1, 5, d FROM s GROUP BY d ON DUPLICATE KEY UPDATE b = b + 1", "", "1|2|1"},
		{"INSERT INTO a SELECT 1, 5, 5 ON DUPLICATE KEY UPDATE b = b + 1", "", "1|2|1"},
		{"INSERT INTO a VALUES (1, 5, 5) ON DUPLICATE KEY UPDATE b = b + 1", "", "1|2|1"},
	} {
		for _, way := range [][]string{{x.statement}, {"PREPARE way FROM " + asLiteral(x.statement), "EXECUTE way"}, {"DROP PROCEDURE IF EXISTS way", "CREATE PROCEDURE way() " + x.statement, "CALL way()"}} {
			r.must(t, c, "DELETE FROM a", "INSERT INTO a VALUES (1, 1, 1)")
			var err error
			for _, step := range way {
				if _, err = c.ExecContext(t.Context(), step); err != nil {
					break
				}
			}
			if err == nil != (x.failure == "") || err != nil && code(err) != x.failure {
				t.Errorf("%s: %v, want %s", way, err, x.failure)
			}
			want := x.row
			if want == "" {
				want = "1|1|1"
			}
			if got := answerOf(t, c, "SELECT * FROM a"); got != want {
				t.Errorf("%s: the row is %s, want %s", way, got, want)
			}
		}
	}
}
