package engine

import (
	"fmt"
	"testing"

	"pfsd/tables"
)

// TestRecursionDepth: a recursive query ends with an error after as many rounds as cte_max_recursion_depth says.
func TestRecursionDepth(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	const counting = "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < %d) SELECT COUNT(*) FROM c"
	aborted := func(rounds int) string {
		return fmt.Sprintf("3636 HY000 Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value.", rounds)
	}
	c := r.as(t, "root")
	for _, s := range []struct {
		depth uint32
		rows  int
		want  string
	}{
		{1000, 1000, "1000"}, {1000, 1001, aborted(1001)}, {7, 7, "7"}, {7, 8, aborted(8)}, {0, 1, aborted(1)}, {2000000, 20000, "20000"}, {4294967295, 20000, "20000"},
	} {
		if _, err := c.ExecContext(t.Context(), fmt.Sprint("SET cte_max_recursion_depth = ", s.depth)); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := c.QueryRowContext(t.Context(), fmt.Sprintf(counting, s.rows)).Scan(&got); err != nil {
			got = code(err)
		}
		if got != s.want {
			t.Errorf("%d rows with a depth of %d: %s, want %s", s.rows, s.depth, got, s.want)
		}
	}
	for q, want := range map[string][]string{
		"WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c LIMIT 3) SELECT * FROM c":                                                                 {"1", "2", "3"},
		"WITH RECURSIVE c AS (SELECT 3 AS n UNION SELECT (n + 1) % 5 FROM c) SELECT * FROM c ORDER BY n":                                                            {"0", "1", "2", "3", "4"},
		"SELECT v, (WITH RECURSIVE c AS (SELECT v AS n UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT COUNT(*) FROM c) FROM (SELECT 1 AS v UNION SELECT 4) AS t": {"1|5", "4|2"},
	} {
		r.want(t, q, want...)
	}
}

// TestCommonTablesAreTold: what has the name of a common table needs no privilege where it is that, and needs its own where it is
// something else.
func TestCommonTablesAreTold(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE DATABASE vic", "CREATE TABLE vic.secret (a INT)", "INSERT INTO vic.secret VALUES (42)", "CREATE DATABASE own", "CREATE TABLE own.mine (a INT)",
		"INSERT INTO own.mine VALUES (7)", "CREATE USER some", "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, CREATE VIEW, CREATE ROUTINE, EXECUTE ON own.* TO some", "CREATE USER nobody",
	} {
		r.exec(t, q)
	}
	denied := func(command, user string) string {
		return fmt.Sprintf("1142 42000 %s command denied to user '%s'@'localhost' for table 'secret'", command, user)
	}
	for _, user := range []string{"some", "nobody", "root"} {
		c, err := r.enter(t, user)
		if err != nil {
			t.Fatal(err)
		}
		read := denied("SELECT", user)
		if user == "root" {
			read = "42"
		} else {
			check(t, c, [2]string{"WITH vic AS (SELECT 1) UPDATE vic.secret SET a = a", denied("UPDATE", user)})
			check(t, c, [2]string{"WITH vic AS (SELECT 1) DELETE FROM vic.secret WHERE a = 0", denied("DELETE", user)})
		}
		for _, s := range []struct{ q, want string }{
			{"WITH secret AS (SELECT 1) SELECT * FROM vic.secret", read},
			{"WITH vic AS (SELECT 1) SELECT * FROM vic.secret", read},
			{"WITH VIC AS (SELECT 1), c AS (SELECT * FROM vic.secret) SELECT * FROM c", read},
			{"WITH RECURSIVE vic AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM vic WHERE n < 3) SELECT * FROM vic.secret", read},
			{"SELECT (WITH vic AS (SELECT 1) SELECT a FROM vic.secret)", read},
			{"WITH vic AS (SELECT 1) SELECT (SELECT MAX(a) FROM vic.secret)", read},
			{"WITH vic AS (SELECT 1) SELECT a FROM vic.secret UNION SELECT 42", read},
			{"SELECT 42 UNION (WITH secret AS (SELECT 42 AS a) SELECT a FROM vic.secret)", read},
			{"WITH vic AS (SELECT a FROM vic.secret) SELECT * FROM vic", read},
			{"WITH secret AS (SELECT 5 AS a) SELECT a FROM secret", "5"},
			{"WITH RECURSIVE secret AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM secret WHERE secret.n < 5) SELECT MAX(n) FROM secret", "5"},
			{"WITH RECURSIVE b AS (SELECT 2 AS n), c AS (SELECT n FROM b UNION ALL SELECT n + 1 FROM c WHERE n < 6) SELECT MAX(x.n) FROM c AS x", "6"},
			{"WITH o AS (SELECT 3 AS n) SELECT (WITH i AS (SELECT n + 1 AS m FROM o) SELECT m FROM i)", "4"},
		} {
			check(t, c, [2]string{s.q, s.want})
		}
		if user != "nobody" {
			check(t, c, [2]string{"WITH mine AS (SELECT 5 AS a) SELECT m.a + mine.a FROM own.mine AS m JOIN mine", "12"})
			check(t, c, [2]string{"WITH mine AS (SELECT 5 AS a) SELECT a FROM own.mine", "7"})
			check(t, c, [2]string{"USE own", "ok"})
			check(t, c, [2]string{"WITH vic AS (SELECT 1) SELECT * FROM vic.secret", read})
		}
	}
	for _, q := range []string{
		"CREATE VIEW own.v AS WITH mine AS (SELECT 5 AS b) SELECT a + b AS c FROM own.mine AS m JOIN mine",
		"CREATE PROCEDURE own.p() WITH mine AS (SELECT 5 AS b) SELECT a + b AS c FROM own.mine AS m JOIN mine",
	} {
		r.exec(t, q)
	}
	r.want(t, "SELECT * FROM own.v", "12")
	r.want(t, "CALL own.p()", "12")
}
