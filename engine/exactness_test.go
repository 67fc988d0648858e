package engine

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestExactness: expressions use all digits of a quotient; clients, texts and tables that MySQL
// makes for parts of a query get those that are shown.
func TestExactness(t *testing.T) {
	r, c := rightRows(t, "CREATE TABLE q (a INT, b INT, d DECIMAL(20,10), s VARCHAR(40), f DOUBLE)", "INSERT INTO q (a, b) VALUES (28100, 508)")
	for query, want := range map[string]string{
		"SELECT a/b AS x, CONCAT(a/b) AS y, UPPER(a/b) AS z, LENGTH(a/b) AS l, CAST(a/b AS CHAR) AS c FROM q":                                    "55.3150|55.3150|55.3150|7|55.3150",
		"SELECT ROUND(28100/508, 2) AS x, ROUND(a/b, 2) AS y, TRUNCATE(a/b, 6) AS z FROM q":                                                      "55.31|55.31|55.314960",
		"SELECT ROUND(1/3, 8) AS x, FORMAT(1/3, 8) AS y":                                                                                         "0.33333333|0.33333333",
		"SELECT 3 AS x FROM q WHERE 1/100000":                                                                                                    "3",
		"SELECT 3 AS x FROM q WHERE NOT (1/100000)":                                                                                              "",
		"SELECT 3 AS x FROM q WHERE b/a/1000":                                                                                                    "3",
		"SELECT 3 AS x FROM q WHERE a/b > 55.31496 AND a/b < 55.31497":                                                                           "3",
		"SELECT 3 AS x FROM q HAVING 1/100000":                                                                                                   "3",
		"SELECT l.a AS x FROM q AS l JOIN q AS m ON l.a/l.b < 55.31497 AND 1/100000":                                                             "28100",
		"SELECT IF(1/100000, 1, 2) AS i, (1/100000 AND 1) AS n, NOT 1/100000 AS o, (1/100000) IS TRUE AS t":                                      "1|1|0|1",
		"SELECT CASE WHEN 1/100000 THEN 1 ELSE 2 END AS x, SIGN(1/100000) AS s, ABS(1/3)*3 AS a, -(1/3)*3 AS m":                                  "1|1|1.0000|-1.0000",
		"SELECT COALESCE(1/3)*3 AS x, IFNULL(1/3, 0)*3 AS y, GREATEST(1/3, 0)*3 AS z, IFNULL(1/3, 0) AS w":                                       "1.0000|1.0000|1.0000|0.3333",
		"SELECT 1/3 BETWEEN 0.3333 AND 0.33333 AS x, 1/3 = 1/3 AS y, (1/3) > 0.3333 AS z, 1/3 IN (0.3333) AS i":                                  "0|1|1|0",
		"SELECT CAST(1/3 AS DECIMAL(20,10)) AS x, CAST(1/3 AS DOUBLE) AS y, SQRT(1/3) AS z, a/(1/3) AS w FROM q":                                 "0.3333333330|0.333333333|0.5773502689009506|84300.0001",
		"SELECT SUM(a/b) AS s, ROUND(SUM(a/b), 6) AS r, ROUND(AVG(a/b), 5) AS v, MAX(a/b) AS m, ROUND(MAX(a/b), 6) AS n, MIN(a/b)*3 AS o FROM q": "55.3150|55.314961|55.31496|55.3150|55.314961|165.9449",
		"SELECT ROUND(AVG(n), 2) AS x FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 2) AS d":                                           "1.67",
		"SELECT v, ROUND(v, 2) AS r, CONCAT(v) AS t, v*100 AS h FROM (SELECT a/b AS v FROM q) AS d":                                              "55.3150|55.31|55.3150|5531.4961",
		"SELECT v, ROUND(v, 2) AS r, CONCAT(v) AS t FROM (SELECT a/b AS v FROM q LIMIT 5) AS d":                                                  "55.3150|55.32|55.3150",
		"SELECT DISTINCT ROUND(a/b, 2) AS x FROM q":                                                                                              "55.31",
		"SELECT ROUND((SELECT a/b FROM q), 2) AS x, (SELECT a/b FROM q) AS y":                                                                    "55.31|55.3150",
		"SELECT a/b AS x FROM q ORDER BY ROUND(a/b, 2)":                                                                                          "55.3150",
		"SELECT GROUP_CONCAT(a/b) AS x, COUNT(DISTINCT a/b) AS n FROM q":                                                                         "55.3150|1",
	} {
		wantEverywhere(t, c, query, want, true)
	}
	for set, want := range map[string]string{
		"UPDATE q SET d = a/b, s = a/b, f = 1/3":                                 "55.3149606290|55.314960629|0.333333333",
		"UPDATE q SET d = IFNULL(a/b, 0), s = CONCAT(a/b), f = a/b - 55":         "55.3149606290|55.3150|0.314960629",
		"REPLACE INTO q SELECT a, b, a/b, a/b, a/b FROM q":                       "55.3149606290|55.314960629|55.314960629",
		"INSERT INTO q VALUES (28100, 508, 1/3, 1/3, 1/3)":                       "0.3333333330|0.333333333|0.333333333",
		"INSERT INTO q (a, b, d) VALUES (28100, 508, (SELECT 1/3)), (1, 2, 2/3)": "0.3333333330|NULL|NULL",
	} {
		r.must(t, c, "DELETE FROM q", "INSERT INTO q (a, b) VALUES (28100, 508)", set)
		if strings.HasPrefix(set, "REPLACE") || strings.HasPrefix(set, "INSERT") {
			r.must(t, c, "DELETE FROM q WHERE d IS NULL OR a = 1")
		}
		if got := answerOf(t, c, "SELECT d, s, f FROM q"); got != want {
			t.Errorf("%s stores %s, want %s", set, got, want)
		}
	}
	r.must(t, c, "DELETE FROM q", "INSERT INTO q (a, b) VALUES (28100, 508)", "SET @x = 1/3", "SELECT a/b INTO @y FROM q")
	if got := answerOf(t, c, "SELECT @x, @y"); got != "0.333333333|55.314960629" {
		t.Errorf("variables have %s", got)
	}
}

// TestExactnessByModel compares random quotients, used by conditions and functions, with numbers of
// package big. A quotient of integers has nine digits, which are cut off, and shows four.
func TestExactnessByModel(t *testing.T) {
	_, c := rightRows(t, "CREATE TABLE q (id INT PRIMARY KEY, a INT, b INT)")
	rnd := rand.New(rand.NewPCG(7, 8))
	var rows, want []string
	for id := range 60 {
		a, b := rnd.IntN(100000), 1+rnd.IntN(99999)
		rows = append(rows, fmt.Sprintf("(%d, %d, %d)", id, a, b))
		nine := new(big.Int).Div(new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(1e9)), big.NewInt(int64(b)))
		q := new(big.Rat).SetFrac(nine, big.NewInt(1e9))
		yes := func(is bool) string { return map[bool]string{true: "1", false: "0"}[is] }
		limit := new(big.Rat).SetFrac64(int64(a*10000/b), 10000) // the quotient, cut to four digits
		want = append(want, strings.Join([]string{
			fmt.Sprint(id), q.FloatString(4), q.FloatString(2), q.FloatString(6), new(big.Rat).Mul(q, big.NewRat(1000, 1)).FloatString(4),
			yes(q.Sign() != 0), yes(q.Cmp(limit) > 0), q.FloatString(9),
		}, "|"))
	}
	if _, err := c.ExecContext(t.Context(), "INSERT INTO q VALUES "+strings.Join(rows, ", ")); err != nil {
		t.Fatal(err)
	}
	query := "SELECT id, a/b AS x, ROUND(a/b, 2) AS r, ROUND(IF(1, a/b, 0), 6) AS i, a/b*1000 AS m, NOT NOT (a/b) AS n, a/b > TRUNCATE(a/b, 4) AS g, CAST(a/b AS DECIMAL(20,9)) AS c FROM q ORDER BY id"
	wantEverywhere(t, c, query, strings.Join(want, " "), true)
}
