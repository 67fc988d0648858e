package engine

import "testing"

// Each query has aggregates of its own, though one within it reads the same table.
func TestInnerAggregates(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.t (a INT, n INT)")
	r.exec(t, "INSERT INTO test.t VALUES (1, 1), (2, 2), (2, 3)")
	for _, q := range []struct {
		sql  string
		want []string
	}{
		{"SELECT a, SUM(n) / (SELECT SUM(n) FROM test.t) FROM test.t GROUP BY a", []string{"1|0.1667", "2|0.8333"}},
		{"SELECT MAX(n), (SELECT MAX(n) FROM test.t), (SELECT AVG(n) FROM test.t) FROM test.t", []string{"3|3|2.0000"}},
		{"SELECT a, MAX(n) FROM test.t GROUP BY a HAVING MAX(n) >= (SELECT MAX(n) FROM test.t)", []string{"2|3"}},
		{"SELECT x.a, SUM(x.n), (SELECT SUM(n) FROM test.t WHERE t.a = x.a) FROM test.t x GROUP BY x.a", []string{"1|1|1", "2|5|5"}},
		{"SELECT SUM(n) FROM test.t HAVING SUM(n) = (SELECT SUM(n) FROM test.t HAVING SUM(n) > 1 ORDER BY SUM(n))", []string{"6"}},
		{"SELECT (SELECT COUNT(DISTINCT a) FROM test.t) * COUNT(DISTINCT a), (SELECT GROUP_CONCAT(a) FROM test.t) FROM test.t", []string{"4|1,2,2"}},
	} {
		r.want(t, q.sql, q.want...)
	}
	r.want(t, "SELECT COLUMN_NAME FROM information_schema.columns WHERE TABLE_NAME = 'v'")
	r.exec(t, "CREATE VIEW test.v AS SELECT a, SUM(n) / (SELECT SUM(n) FROM test.t) AS part FROM test.t GROUP BY a")
	r.want(t, "SELECT part FROM test.v ORDER BY a", "0.1667", "0.8333")
}
