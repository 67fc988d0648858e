package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// column returns the first column of a query, one space between the values.
func (s *sqlSession) column(q string) string {
	s.t.Helper()
	rows, err := s.conn.QueryContext(s.t.Context(), q)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			s.t.Fatal(err)
		}
		all = append(all, v)
	}
	return strings.Join(all, " ")
}

// fails returns the error of a statement, "" if it has none.
func (s *sqlSession) fails(q string) string {
	_, err := s.conn.ExecContext(s.t.Context(), q)
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprintf("%d %s %s", e.Number, e.SQLState[:], e.Message)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return ""
}

func TestSavepoints(t *testing.T) {
	r := serve(t, Options{})
	s := r.session(t)
	s.run("CREATE TABLE test.p (a INT PRIMARY KEY, b INT)")
	s.run("CREATE TABLE test.c (a INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES test.p (a) ON DELETE CASCADE)")
	s.run("INSERT INTO test.p VALUES (0, 0)")
	unknown := func(name string) string { return "1305 42000 SAVEPOINT " + name + " does not exist" }
	for _, test := range []struct{ do, want string }{
		{"BEGIN", ""},
		{"INSERT INTO test.p VALUES (1, 1)", ""},
		{"SAVEPOINT a", ""},
		{"INSERT INTO test.p VALUES (2, 2)", ""}, {"INSERT INTO test.c VALUES (1, 1)", ""},
		{"SAVEPOINT b", ""},
		{"UPDATE test.p SET b = b + 10", ""}, {"DELETE FROM test.p WHERE a = 1", ""},
		{"? SELECT a FROM test.c", ""}, {"? SELECT b FROM test.p ORDER BY a", "10 12"},
		{"SAVEPOINT c", ""},
		{"DELETE FROM test.p", ""}, {"? SELECT a FROM test.p", ""},
		{"ROLLBACK TO SAVEPOINT C", ""}, {"? SELECT b FROM test.p ORDER BY a", "10 12"},
		{"INSERT INTO test.p VALUES (3, 3)", ""},
		{"ROLLBACK TO b", ""}, {"? SELECT b FROM test.p ORDER BY a", "0 1 2"}, {"? SELECT a FROM test.c", "1"},
		{"ROLLBACK TO c", unknown("c")}, {"RELEASE SAVEPOINT c", unknown("c")},
		{"INSERT INTO test.p VALUES (4, 4)", ""},
		{"ROLLBACK TO b", ""}, {"? SELECT b FROM test.p ORDER BY a", "0 1 2"},
		{"INSERT INTO test.p VALUES (5, 5)", ""},
		{"RELEASE SAVEPOINT b", ""}, {"ROLLBACK TO b", unknown("b")},
		{"? SELECT b FROM test.p ORDER BY a", "0 1 2 5"},
		{"ROLLBACK TO a", ""}, {"? SELECT b FROM test.p ORDER BY a", "0 1"}, {"? SELECT a FROM test.c", ""},
		{"INSERT INTO test.p VALUES (6, 6)", ""}, {"SAVEPOINT x", ""}, {"INSERT INTO test.p VALUES (7, 7)", ""},
		{"SAVEPOINT a", ""}, // the older one goes, what is between stays
		{"INSERT INTO test.p VALUES (8, 8)", ""},
		{"ROLLBACK TO a", ""}, {"? SELECT b FROM test.p ORDER BY a", "0 1 6 7"},
		{"ROLLBACK TO x", ""}, {"? SELECT b FROM test.p ORDER BY a", "0 1 6"},
		{"COMMIT", ""}, {"? SELECT b FROM test.p ORDER BY a", "0 1 6"},
		{"ROLLBACK TO x", unknown("x")},
		{"SAVEPOINT y", ""}, {"ROLLBACK TO y", unknown("y")}, // a transaction of its own
		{"BEGIN", ""}, {"SAVEPOINT z", ""}, {"DELETE FROM test.p", ""}, {"ROLLBACK TO z", ""}, {"INSERT INTO test.p VALUES (9, 9)", ""},
		{"ROLLBACK", ""}, {"? SELECT b FROM test.p ORDER BY a", "0 1 6"},
	} {
		var got string
		if q, ok := strings.CutPrefix(test.do, "? "); ok {
			got = s.column(q)
		} else {
			got = s.fails(test.do)
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.do, got, test.want)
		}
	}
	var counts []string
	for _, e := range s.thread.TransactionsHistory(nil) {
		if !e.Autocommit {
			counts = append(counts, fmt.Sprintf("%d/%d/%d", e.Savepoints, e.RollbacksToSavepoint, e.ReleasedSavepoint))
		}
	}
	if got := strings.Join(counts, " "); got != "5/6/1 1/1/0" {
		t.Errorf("counted %s", got)
	}
	for _, test := range []struct{ text, want string }{
		{"BEGIN", "sql/begin 00000"}, {"SAVEPOINT a", "sql/savepoint 00000"}, {"ROLLBACK TO a", "sql/rollback_to_savepoint 00000"},
		{"RELEASE SAVEPOINT a", "sql/release_savepoint 00000"}, {"COMMIT", "sql/commit 00000"},
		{"ROLLBACK TO a", "sql/rollback_to_savepoint errors=1 errno=1305 42000 SAVEPOINT a does not exist"},
	} {
		if got := told(s.run(test.text)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got, test.want)
		}
	}
}

// TestViewsInTransactions: a statement that reads a view, or shows it, ends no transaction.
func TestViewsInTransactions(t *testing.T) {
	r := serve(t, Options{})
	s := r.session(t)
	s.do("USE test", "CREATE TABLE t (a INT PRIMARY KEY)", "CREATE TABLE u (a INT PRIMARY KEY)", "CREATE VIEW v AS SELECT a FROM t", "CREATE PROCEDURE p(n INT) SELECT n")
	for _, q := range []string{
		"SELECT * FROM v", "SHOW CREATE VIEW v", "SHOW FIELDS FROM v", "INSERT INTO u SELECT a + 10 FROM v", "UPDATE u SET a = 1 WHERE a IN (SELECT a FROM v)",
		"DELETE FROM u WHERE a IN (SELECT a FROM v)", "SET @a = (SELECT MAX(a) FROM v)", "DO (SELECT MAX(a) FROM v)", "SELECT MAX(a) FROM v INTO @a",
		"CALL p((SELECT MAX(a) FROM v))", "EXPLAIN SELECT * FROM v", "SELECT * FROM sys.version",
	} {
		s.do("BEGIN", "INSERT INTO t VALUES (1)", "SAVEPOINT s")
		if got := answerTo(t.Context(), s.conn, q); got != "ok" {
			t.Errorf("%s: %s", q, got)
		}
		if got := s.fails("ROLLBACK TO SAVEPOINT s"); got != "" {
			t.Errorf("after %s: %s", q, got)
		}
		s.do("ROLLBACK")
		if got := s.column("SELECT COUNT(*) FROM t"); got != "0" {
			t.Fatalf("%s has committed what was rolled back", q)
		}
	}
	s.do("BEGIN", "INSERT INTO t VALUES (1)", "CREATE TABLE w AS SELECT a FROM v", "ROLLBACK")
	if got := s.column("SELECT COUNT(*) FROM t"); got != "1" {
		t.Error("a definition has not committed")
	}
}
