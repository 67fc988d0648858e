package engine

import (
	"slices"
	"strings"
	"testing"

	"pfsd/tables"
)

// TestGroupsBySortedExpressions sorts groups of an expression; columns that are not grouped by are
// still an error.
func TestGroupsBySortedExpressions(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.g (n VARCHAR(30), c INT)")
	r.exec(t, "INSERT INTO test.g VALUES ('aa1', 1), ('aa2', 5), ('bb1', 3), ('bb2', 1)")
	for _, q := range []string{
		"SELECT SUBSTRING(n, 1, 2), SUM(c) AS c FROM test.g GROUP BY SUBSTRING(n,1,2) ORDER BY c",
		"SELECT substring(n,1,2), SUM(c) t FROM test.g GROUP BY SUBSTRING(n, 1, 2) ORDER BY t",
		"SELECT SUBSTRING(n, 1, 2), SUM(c) FROM test.g WHERE 1 = ? GROUP BY SUBSTRING(n, 1, 2) ORDER BY SUM(c)",
		"SELECT * FROM (SELECT SUBSTRING(n, 1, 2), SUM(c) AS t FROM test.g GROUP BY SUBSTRING(n, 1, 2) ORDER BY t) d ORDER BY t",
	} {
		args := slices.Repeat([]any{1}, strings.Count(q, "?"))
		if got := r.query(t, q, args...); len(got) != 2 || got[0] != "bb|4" || got[1] != "aa|6" {
			t.Errorf("%s: %q", q, got)
		}
	}
	if got := resultColumns(t, r, "SELECT Substring(n, 1,2), SUM(c) AS t FROM test.g GROUP BY SUBSTRING(n, 1, 2) ORDER BY t"); got[0] != "Substring(n, 1,2)|TEXT" && got[0] != "Substring(n, 1,2)|VARCHAR" {
		t.Errorf("the column is %s", got[0])
	}
	for _, q := range []string{
		"SELECT n, SUM(c) AS t FROM test.g GROUP BY SUBSTRING(n, 1, 2) ORDER BY t",
		"SELECT UPPER(n), SUM(c) AS t FROM test.g GROUP BY SUBSTRING(n, 1, 2) ORDER BY t",
		"SELECT SUBSTRING(n, 1, 3), SUM(c) AS t FROM test.g GROUP BY SUBSTRING(n, 1, 2) ORDER BY t",
	} {
		if _, err := r.db.Exec(q); code(err)[:4] != "1055" {
			t.Errorf("%s: %v", q, err)
		}
	}
}
