package engine

import "testing"

// TestSemiJoins: EXISTS and IN yield a row once, however many fit it and however the tables are joined.
func TestSemiJoins(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE DATABASE d")
	r.exec(t, "CREATE TABLE d.few (a INT, b INT, s VARCHAR(20), k VARCHAR(20) COLLATE utf8mb4_bin)")
	r.exec(t, "INSERT INTO d.few VALUES (1, 5, 'joe', 'JOE'), (2, 6, 'Joe', 'Joe'), (3, 7, '1', 'b'), (4, 8, '1.0', 'c')")
	r.exec(t, "CREATE TABLE d.many (a INT, b INT, s VARCHAR(20), k VARCHAR(20) COLLATE utf8mb4_bin, KEY (a), KEY (b), KEY (s), KEY (k))")
	r.exec(t, "INSERT INTO d.many VALUES (1, 6, 'Joe', 'Joe')")
	for range 6 { // so many that they are looked up for each of the few
		r.exec(t, "INSERT INTO d.many SELECT a * 10 + 1000, b + 100, 'x', 'x' FROM d.many")
	}
	for _, where := range []string{
		"EXISTS (SELECT 1 FROM d.few WHERE few.a = many.a)",
		"EXISTS (SELECT 1 FROM d.few WHERE few.a = many.a OR few.b = many.b)",
		"EXISTS (SELECT 1 FROM d.few WHERE few.s = many.s AND (few.b = 5 OR few.b = many.b))",
		"EXISTS (SELECT 1 FROM d.few WHERE few.s = many.s)",
		"EXISTS (SELECT 1 FROM d.few WHERE few.s = many.s COLLATE utf8mb4_bin)",
		"EXISTS (SELECT 1 FROM d.few WHERE few.s = many.k)",
		"EXISTS (SELECT 1 FROM d.few WHERE few.k = many.s)",
		"EXISTS (SELECT 1 FROM d.few WHERE few.s = many.a)",
		"EXISTS (SELECT 1 FROM (SELECT CONCAT(s) AS s FROM d.few) few WHERE few.s = many.s)",
		"s IN (SELECT s FROM d.few)",
		"a IN (SELECT s FROM d.few)",
		"(b, s) IN (SELECT b, s FROM d.few)",
	} {
		r.want(t, "SELECT a, b, s FROM d.many WHERE "+where, "1|6|Joe")
	}
}
