package syntax

import "testing"

func TestJoins(t *testing.T) {
	rewrites(t, map[string]string{
		"SELECT 1 FROM t LEFT JOIN (u, v AS x) ON f(t.a, 1) = u.a":               "SELECT 1 FROM t LEFT JOIN (u CROSS JOIN v AS x) ON f(t.a, 1) = u.a",
		"SELECT 1 FROM (t, (SELECT 1, 2) AS u, v) WHERE 'FROM (a, b)' IN (1, 2)": "SELECT 1 FROM (t CROSS JOIN (SELECT 1, 2) AS u CROSS JOIN v) WHERE 'FROM (a, b)' IN (1, 2)",
	})
	keeps(t, "SELECT 1 FROM (t JOIN u)", "SELECT 1 FROM (SELECT 1, 2) AS t", "SELECT TRIM('x' FROM (CONCAT(a, b))) FROM t", "SELECT 'FROM (a, b)'",
		"SELECT 1 FROM (VALUES ROW(1, 2), ROW(3, 4)) AS t (a, b)")
	refuses(t, "SELECT 1 FROM (t, )", "SELECT 1 FROM (t, u")
}
