package engine

import (
	"slices"
	"testing"
)

// TestMendedInPrograms: what a statement says by itself it says in a procedure, too, also as a cursor's.
func TestMendedInPrograms(t *testing.T) {
	r := serve(t, Options{})
	s := r.session(t)
	s.do("USE test", "CREATE TABLE t (n INT, u VARCHAR(10))", "INSERT INTO t VALUES (1, 'a'), (2, 'B'), (3, 'b')")
	for _, q := range []string{
		"SELECT SUM(n) / (SELECT SUM(n) FROM t) FROM t",
		"SELECT CONCAT(LOWER(u), SUM(n)) FROM t GROUP BY LOWER(u) ORDER BY SUM(n) DESC",
		"SELECT GROUP_CONCAT(SUBSTRING(LOWER(u) FROM 1)) FROM t",
	} {
		s.do("DROP PROCEDURE IF EXISTS p", "CREATE PROCEDURE p() BEGIN "+q+"; END")
		want := s.column(q)
		if got := s.column("CALL p()"); got != want || want == "" {
			t.Errorf("%s is %s in a procedure, else %s", q, got, want)
		}
	}
	s.do("CREATE PROCEDURE c() BEGIN DECLARE a DOUBLE; DECLARE c CURSOR FOR SELECT SUM(n) / (SELECT SUM(n) FROM t) FROM t; OPEN c; FETCH c INTO a; CLOSE c; SELECT a; END",
		"CREATE PROCEDURE n() BEGIN SET NAMES utf8mb4 COLLATE utf8mb4_bin; SELECT @@collation_connection; END",
		"CREATE PROCEDURE v() BEGIN CREATE VIEW v AS SELECT u, 'CREATE VIEW v AS' FROM t; END")
	for call, want := range map[string]string{"CALL c()": "1", "CALL n()": "utf8mb4_bin"} {
		if got := s.column(call); got != want {
			t.Errorf("%s: got %s, want %s", call, got, want)
		}
	}
	s.do("CALL v()")
	want := r.query(t, "SELECT 'SELECT u, \\'CREATE VIEW v AS\\' FROM `test`.t', 'root@localhost'")
	if got := r.query(t, "SELECT VIEW_DEFINITION, DEFINER FROM information_schema.VIEWS WHERE TABLE_NAME = 'v' AND TABLE_SCHEMA = 'test'"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
