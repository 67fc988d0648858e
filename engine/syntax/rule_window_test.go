package syntax

import "testing"

func TestWindows(t *testing.T) {
	rewrites(t, map[string]string{
		"SELECT SUM(a) OVER w, 'OVER w' FROM t WINDOW w AS (ORDER BY b) LIMIT 1":                                                 "SELECT SUM(a) OVER (ORDER BY b), 'OVER w' FROM t  LIMIT 1",
		"SELECT f(SUM(a) OVER `W`), SUM(a) OVER (w2 ROWS 1 PRECEDING) FROM t WINDOW w AS (PARTITION BY c), w2 AS (w ORDER BY b)": "SELECT f(SUM(a) OVER (PARTITION BY c)), SUM(a) OVER (PARTITION BY c ORDER BY b ROWS 1 PRECEDING) FROM t ",
		"SELECT SUM(a) OVER w FROM (SELECT RANK() OVER w AS a FROM u WINDOW w AS (ORDER BY c)) x WINDOW w AS (ORDER BY b)":       "SELECT SUM(a) OVER (ORDER BY b) FROM (SELECT RANK() OVER (ORDER BY c) AS a FROM u ) x ",
		"SELECT RANK() OVER w FROM t WINDOW w AS (ORDER BY a) UNION SELECT RANK() OVER w FROM t WINDOW w AS (ORDER BY b)":        "SELECT RANK() OVER (ORDER BY a) FROM t  UNION SELECT RANK() OVER (ORDER BY b) FROM t ",
		"SELECT RANK() OVER a FROM t WINDOW a AS (b), b AS (a)":                                                                  "SELECT RANK() OVER (b) FROM t ",
	})
	keeps(t, "SELECT 'WINDOW w AS (ORDER BY b)' FROM t", "SELECT `window` FROM t -- WINDOW w AS (a)", "SELECT SUM(a) OVER (ORDER BY b) FROM t")
	refuses(t, "SELECT 1 FROM t WINDOW", "SELECT 1 FROM t WINDOW w", "SELECT 1 FROM t WINDOW w AS (ORDER BY a")
}
