package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pfsd/tables"
)

// Rows that the storage gives in the memory of the ones before say the same as rows that pass a condition, and so have memory of their own.
func TestReusedRowsSayTheSame(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	for _, q := range []string{
		"CREATE DATABASE k", "USE k",
		"CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(200), n INT, d DECIMAL(8,2), x TEXT, b VARBINARY(20), j JSON, KEY (n, v(10)), KEY n2 (n))",
	} {
		mustRun(t, s, q)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	value := func(format string) string {
		if rng.IntN(5) == 0 {
			return "NULL"
		}
		return fmt.Sprintf(format, rng.IntN(30))
	}
	for id := range 300 {
		mustRun(t, s, fmt.Sprintf("INSERT INTO t VALUES (%d, %s, %s, %s, %s, %s, %s)", id, value("'v%d'"), value("%d"), value("%d.25"), value("REPEAT('é', %d)"), value("x'%02d'"), value("'[%d]'")))
	}
	mustRun(t, s, "START TRANSACTION")
	for id := 0; id < 300; id += 7 {
		mustRun(t, s, fmt.Sprintf("UPDATE t SET v = 'changed %d', n = n + 1 WHERE id = %d", id, id))
	}
	mustRun(t, s, "DELETE FROM t WHERE id % 11 = 3")
	for _, q := range []string{
		"SELECT * FROM t WHERE id BETWEEN %d AND %d", "SELECT x, v, id FROM t WHERE id BETWEEN %d AND %d", "SELECT v FROM t WHERE id BETWEEN %d AND %d ORDER BY v, id",
		"SELECT v, x FROM t WHERE id BETWEEN %d AND %d ORDER BY x DESC, id", "SELECT DISTINCT v FROM t WHERE id BETWEEN %d AND %d", "SELECT DISTINCT x, n FROM t WHERE id BETWEEN %d AND %d ORDER BY n, x",
		"SELECT SUM(n), AVG(d), COUNT(v), COUNT(*) FROM t WHERE id BETWEEN %d AND %d", "SELECT SUM(DISTINCT n) FROM t WHERE id BETWEEN %d AND %d", "SELECT MIN(v), MAX(x), MAX(n) FROM t WHERE id BETWEEN %d AND %d",
		"SELECT v, COUNT(*) FROM t WHERE id BETWEEN %d AND %d GROUP BY v ORDER BY v", "SELECT * FROM t WHERE id BETWEEN %d AND %d LIMIT 5", "SELECT v, x FROM t WHERE id BETWEEN %d AND %d ORDER BY id DESC LIMIT 9",
		"SELECT v, b FROM t WHERE id BETWEEN %d AND %d FOR UPDATE", "SELECT id, v FROM t WHERE n BETWEEN %d AND %d", "SELECT GROUP_CONCAT(v ORDER BY id) FROM t WHERE id BETWEEN %d AND %d",
		"SELECT a.v, b.x FROM t a JOIN t b ON a.n = b.id WHERE a.id BETWEEN %d AND %d ORDER BY a.id", "SELECT v FROM t WHERE id BETWEEN %d AND %d UNION SELECT x FROM t WHERE id < 9 ORDER BY 1",
	} {
		for range 6 {
			from := rng.IntN(150)
			text := fmt.Sprintf(q, from, from+rng.IntN(150))
			args := []any{from, from + rng.IntN(150)}
			other := conditioned(text)
			if got, want := sessionRows(t, s, text), sessionRows(t, s, other); !slices.Equal(got, want) {
				t.Errorf("%s: %q, but %s: %q", text, got, other, want)
			}
			prepared := strings.ReplaceAll(q, "%d", "?")
			if got, want := toldOf(t, s, prepared, args), toldOf(t, s, conditioned(prepared), args); got != want {
				t.Errorf("%s with %v: %s, with a condition: %s", prepared, args, got, want)
			}
		}
	}
	mustRun(t, s, "ROLLBACK")
}

// conditioned is a query with one more condition, which all rows fulfil.
func conditioned(q string) string {
	column := "id"
	if strings.Contains(q, "JOIN") {
		column = "a.id"
	}
	return strings.Replace(q, "WHERE ", "WHERE "+column+" * 2 >= 0 AND ", 1)
}
