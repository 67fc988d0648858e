package engine

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A number that no DECIMAL and no DOUBLE can hold is beyond all ranges, or 0, whatever its exponent is: nothing works on
// its digits. The values are those of a server of MySQL 8.4, but for some warnings.
func TestExponentsBeyondAllRanges(t *testing.T) {
	needGeneralFunctions(t)
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.e (id INT PRIMARY KEY, d DECIMAL(10,2), f DOUBLE, v VARCHAR(40), KEY (d))")
	r.exec(t, "INSERT INTO test.e VALUES (1, 1.5, 1.5, '1e999999999'), (2, -1.5, -1.5, '-1e999999999'), (3, 0, 0, '1e-999999999')")
	c, _ := r.conn(t)
	ask := func(q string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rows, err := c.QueryContext(ctx, q)
		if err != nil {
			if ctx.Err() != nil || strings.Contains(err.Error(), "connection") {
				t.Fatalf("%s: %v", q, err)
			}
			return code(err)
		}
		defer rows.Close()
		var all []string
		for rows.Next() {
			var v *string
			if err := rows.Scan(&v); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			if v == nil {
				v = new("NULL")
			}
			all = append(all, *v)
		}
		if err := rows.Err(); err != nil {
			return code(err)
		}
		return strings.Join(all, ",")
	}
	for _, e := range []string{"999999999", "99999999999999999999"} {
		for q, want := range map[string]string{
			"SELECT '1eE' > 1.5":       "1",
			"SELECT '-1eE' < 1.5":      "1",
			"SELECT '1e-E' > 1.5":      "0",
			"SELECT '1e-E' = 0.0":      "1",
			"SELECT 1.5 IN ('1eE', 2)": "0", "SELECT '1eE' IN (1.5, 2.5)": "0", "SELECT '1eE' BETWEEN 1.5 AND 2.5": "0", "SELECT 2.5 BETWEEN 1.5 AND '1eE'": "1",
			"SELECT NULLIF(1.5, '1eE')": "1.5", "SELECT NULLIF('1eE', 1.5)": "1eE", "SELECT CASE '1eE' WHEN 1.5 THEN 1 ELSE 2 END": "2",
			"SELECT FIELD('1eE', 1.5, 2.5)": "0", "SELECT '1e-E' + 1.5": "1.5", "SELECT GREATEST('1e-E' + 0, 1.5)": "1.5",
			"SELECT CAST('1eE' AS DECIMAL(5,2))": "999.99", "SELECT CAST('-1eE' AS DECIMAL(5,2))": "-999.99", "SELECT CAST('1e-E' AS DECIMAL(5,2))": "0.00",
			"SELECT 1.5 DIV '1eE'": "0", "SELECT ROUND(1.5, 1000000)": "1.500000000000000000000000000000", "SELECT ROUND(-1.5, -1000000)": "0", "SELECT TRUNCATE(1.5, 1000000000)": "1.500000000000000000000000000000",

			"SELECT COUNT(*) FROM test.e WHERE d = '1e-E'":                         "1",
			"SELECT COUNT(*) FROM test.e a JOIN test.e b ON a.d = b.v":             "1",
			"SELECT COUNT(*) FROM test.e WHERE d = (SELECT v FROM test.e LIMIT 1)": "0",
			"SELECT COUNT(*) FROM test.e WHERE d IN (SELECT v FROM test.e)":        "1",
			"SELECT SUM(v) > 1 FROM test.e WHERE id = 1":                           "1",
			"SELECT EXTRACT(SECOND FROM SEC_TO_TIME('1eE'))":                       "59",
		} {
			exponents := strings.NewReplacer("1eE", "1e"+e, "1e-E", "1e-"+e)
			q, want = exponents.Replace(q), exponents.Replace(want)
			if got := ask(q); got != want {
				t.Errorf("%s: got %s, want %s", q, got, want)
			}
		}
	}
}
