package syntax

import "testing"

func TestRows(t *testing.T) {
	needed(t, "SELECT ROW(1, 2) = ROW(1, 2)")
	rewrites(t, map[string]string{
		"SELECT ROW(a, b) = ROW (1, 'ROW(1)') FROM t":        "SELECT (a, b) =  (1, 'ROW(1)') FROM t",
		"SELECT 1 WHERE row(1, 2) IN (ROW(1, 2), ROW(3, 4))": "SELECT 1 WHERE (1, 2) IN ((1, 2), (3, 4))",
	})
	keeps(t, "VALUES ROW(1, 2), ROW(3, (4))", "INSERT INTO t VALUES ROW(1, 'ROW(2)'), ROW(3, 4)", "SELECT 'ROW(1, 2)', `row` FROM t -- ROW(1, 2)",
		"SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t")
	refuses(t, "SELECT ROW", "SELECT ROW 1, 2", "SELECT ROW(1, 2")
}
