package engine

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// EXPLAIN ANALYZE shows what each step has done: how many rows, and how often. Times depend on the moment.
func TestExplainAnalyze(t *testing.T) {
	r := serveAll(t, Options{})
	s := r.session(t)
	s.do("CREATE DATABASE shop", "USE shop",
		"CREATE TABLE c (id INT PRIMARY KEY, name VARCHAR(20))", "CREATE TABLE o (id INT PRIMARY KEY, cid INT NOT NULL, n INT, KEY cid (cid))",
		"INSERT INTO c VALUES (1, 'a'), (2, 'b'), (3, 'c')", "INSERT INTO o VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 3, 4)")
	times := regexp.MustCompile(`actual time=[0-9.e+-]+\.\.[0-9.e+-]+ `)
	for _, c := range []struct{ query, want string }{
		{"SELECT * FROM c WHERE name > 'a'",
			"-> Filter: (c.name > 'a')  (cost=0.55 rows=1) (rows=2 loops=1)\n    -> Table scan on c  (cost=0.55 rows=3) (rows=3 loops=1)\n"},
		{"SELECT *, (SELECT MAX(n) FROM o WHERE o.cid = c.id) FROM c ORDER BY name", "-> Sort: c.name  (cost=0.55 rows=3) (rows=3 loops=1)\n" +
			"    -> Table scan on c  (cost=0.55 rows=3) (rows=3 loops=1)\n" +
			"-> Select #2 (subquery in projection; dependent)\n" +
			"    -> Aggregate: MAX(o.n)  (cost=0.383 rows=1) (rows=1 loops=3)\n" +
			"        -> Filter: (o.cid = c.id)  (cost=0.383 rows=1) (rows=1.33 loops=3)\n" +
			"            -> Index lookup on o using cid (cid = c.id)  (cost=0.383 rows=1.33) (rows=1.33 loops=3)\n"},
		{"SELECT id FROM c UNION SELECT id FROM o", "-> Table scan on <union temporary> (rows=4 loops=1)\n" +
			"    -> Union materialize with deduplication (rows=4 loops=1)\n" +
			"        -> Table scan on c  (cost=0.55 rows=3) (rows=3 loops=1)\n" +
			"        -> Table scan on o  (cost=0.65 rows=4) (rows=4 loops=1)\n"},
		{"SELECT name, COUNT(*) FROM c GROUP BY name", "-> Table scan on <temporary> (rows=3 loops=1)\n" +
			"    -> Aggregate using temporary table (rows=3 loops=1)\n" +
			"        -> Table scan on c  (cost=0.55 rows=3) (rows=3 loops=1)\n"},
		{"SELECT * FROM c WHERE id = 7 OR (SELECT 1 FROM o WHERE n = 77) = 1",
			"-> Filter: ((c.id = 7) or ((select #2) = 1))  (cost=0.55 rows=1) (rows=0 loops=1)\n" +
				"    -> Table scan on c  (cost=0.55 rows=3) (rows=3 loops=1)\n" +
				"    -> Select #2 (subquery in condition; run only once)\n" +
				"        -> Filter: (o.n = 77)  (cost=0.65 rows=1) (rows=0 loops=1)\n" +
				"            -> Table scan on o  (cost=0.65 rows=4) (rows=4 loops=1)\n"},
		{"SELECT NAME FROM performance_schema.setup_consumers WHERE NAME = 'global_instrumentation'",
			"-> Single-row index lookup on setup_consumers using PRIMARY (NAME = 'global_instrumentation')  (cost=0.35 rows=1) (rows=1 loops=1)\n"},
	} {
		var got string
		if err := s.conn.QueryRowContext(t.Context(), "EXPLAIN ANALYZE "+c.query).Scan(&got); err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if !times.MatchString(got) {
			t.Errorf("%s: no times in\n%s", c.query, got)
		}
		got = times.ReplaceAllString(got, "")
		if c.query[len("SELECT "):][:4] == "NAME" { // whether a condition is left depends on the index
			got = strings.TrimLeft(got[strings.LastIndex(got, "->"):], " ")
		}
		if got != c.want {
			t.Errorf("%s:\n got\n%s\nwant\n%s", c.query, got, c.want)
		}
	}
	// An error in what it carries out is the statement's.
	if _, err := s.conn.ExecContext(t.Context(), "EXPLAIN ANALYZE SELECT * FROM c WHERE JSON_EXTRACT(name, '$') = 1"); err == nil || !strings.Contains(err.Error(), "3141") {
		t.Errorf("a failing statement: %v", err)
	}
	s.do("SELECT 1")
}

// EXPLAIN FOR CONNECTION shows the plan of the statement that another connection carries out, to who
// may see it.
func TestExplainForConnection(t *testing.T) {
	r := serveAll(t, Options{})
	s := r.session(t)
	s.do("CREATE DATABASE shop", "CREATE TABLE shop.c (id INT PRIMARY KEY)", "INSERT INTO shop.c VALUES (1)", "SET @held = GET_LOCK('held', 0)")
	explain := func(s *sqlSession, id uint32) string {
		rows, err := s.conn.QueryContext(t.Context(), fmt.Sprintf("EXPLAIN FORMAT=TREE FOR CONNECTION %d", id))
		if err != nil {
			return err.Error()
		}
		var all string
		for rows.Next() {
			if err := rows.Scan(&all); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	other := r.session(t)
	const idle = "Error 3012 (HY000): EXPLAIN FOR CONNECTION command is supported only for SELECT/UPDATE/INSERT/DELETE/REPLACE"
	for _, id := range []uint32{other.id, s.id} {
		if got := explain(s, id); got != idle {
			t.Errorf("without a statement: %s", got)
		}
	}
	done := make(chan error)
	go func() {
		_, err := other.conn.ExecContext(t.Context(), "SELECT * FROM shop.c WHERE id = 1 AND GET_LOCK(CONCAT('held', SUBSTR(id, 2)), 100)")
		done <- err
	}()
	const want = "    -> Single-row index lookup on c using PRIMARY (id = 1)  (cost=0.35 rows=1)\n"
	eventually(t, "the plan of the other connection", func() bool { return strings.HasSuffix(explain(s, other.id), want) })
	none := r.as(t, "nobody")
	if _, err := none.ExecContext(t.Context(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	s.do("REVOKE ALL ON *.* FROM nobody", "REVOKE GRANT OPTION ON *.* FROM nobody")
	stranger := &sqlSession{t: t, server: r, conn: none}
	if got := explain(stranger, other.id); !strings.HasPrefix(got, "Error 1045 (28000): Access denied for user 'nobody'") {
		t.Errorf("for somebody else: %s", got)
	}
	s.do("SET @held = RELEASE_LOCK('held')")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := explain(s, other.id); got != idle {
		t.Errorf("after the statement: %s", got)
	}
}
