package engine

import (
	"testing"
)

// TestJoinsByPrefixes: an index with the beginnings of texts finds the texts that are equal, in whatever join it is used.
func TestJoinsByPrefixes(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(20), b VARBINARY(20), x TEXT, m SET('a', 'b', 'ab'), KEY (s(2)), KEY (b(2)), KEY (x(2), s(1)))",
		"INSERT INTO t VALUES (1, 'abc', 'abc', 'abc', 'ab'), (2, 'ab', 'ab', 'ab', 'a'), (3, 'abd', 'abd', 'abd', 'b'), (4, 'b', 'b', 'b', 'ab'), (5, NULL, NULL, NULL, NULL)")
	for _, hint := range []string{"", "/*+ LOOKUP_JOIN(l, r) */", "/*+ JOIN_ORDER(r, l) LOOKUP_JOIN(r, l) */", "/*+ HASH_JOIN(l, r) */", "/*+ MERGE_JOIN(l, r) */", "/*+ INNER_JOIN(l, r) */"} {
		for _, column := range []string{"s", "b", "x"} {
			for query, want := range map[string]string{
				"FROM t AS l JOIN t AS r ON l." + column + " = r." + column:                        "1|1 2|2 3|3 4|4",
				"FROM t AS l JOIN t AS r ON l." + column + " = r.s AND l.id < 3":                   "1|1 2|2",
				"FROM t AS l JOIN t AS r ON l." + column + " <=> r." + column:                      "1|1 2|2 3|3 4|4 5|5",
				"FROM t AS l LEFT JOIN t AS r ON l." + column + " = r." + column + " AND r.id = 2": "1|NULL 2|2 3|NULL 4|NULL 5|NULL",
				"FROM t AS l JOIN t AS r ON l." + column + " = r.m":                                "2|1 2|4 4|3",
				"FROM t AS l JOIN t AS r ON l." + column + " = CONCAT(r.m, '')":                    "2|1 2|4 4|3",
			} {
				query = "SELECT " + hint + " l.id, r.id AS other " + query + " ORDER BY l.id, r.id"
				if got := answerOf(t, c, query); got != want {
					t.Errorf("%s: %q, want %q", query, got, want)
				}
			}
			for query, want := range map[string]string{
				"FROM t AS l WHERE EXISTS (SELECT 1 FROM t AS r WHERE r." + column + " = l." + column + " AND r.id <> l.id)": "",
				"FROM t AS l WHERE l." + column + " IN (SELECT r." + column + " FROM t AS r WHERE r.id = 2)":                 "2",
				"FROM t AS l WHERE l." + column + " NOT IN (SELECT r." + column + " FROM t AS r WHERE r.id = 2)":             "1 3 4",
			} {
				query = "SELECT " + hint + " l.id " + query + " ORDER BY l.id"
				if got := answerOf(t, c, query); got != want {
					t.Errorf("%s: %q, want %q", query, got, want)
				}
			}
		}
	}
}
