package engine

import (
	"fmt"
	"testing"
)

// turnBodies are what a loop carries out at each turn.
var turnBodies = []string{
	"SET @a = i", "SET x = i, @a = x, @b = 2, x = 3", "SET SESSION sql_mode = 'STRICT_TRANS_TABLES'", "SELECT COUNT(*) INTO x FROM t", "SELECT i, 2 INTO x, @b",
	"CALL q(i, x)", "SET x = f(i)", "IF i > 3 THEN SET @a = i; ELSE SET @a = 0; END IF", "CASE i WHEN 3 THEN SET @a = i; ELSE SET @b = i; END CASE",
	"INSERT INTO t VALUES (i + 10); DELETE FROM t WHERE a = i + 10", "BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @a = i; SIGNAL SQLSTATE '45000'; END",
	"BEGIN DECLARE c CURSOR FOR SELECT a FROM t; OPEN c; FETCH c INTO x; CLOSE c; END", "PREPARE s FROM 'SELECT ? INTO @b'; EXECUTE s USING @a; DEALLOCATE PREPARE s",
}

// TestTurnsKeepNothing: what a program keeps does not grow with the turns of its loops.
func TestTurnsKeepNothing(t *testing.T) {
	const few, many, most = 500, 10_000, 1 << 20 // 1 MB: a syntax tree and its place in a map are more for each turn
	r := serveAll(t, Options{ProcessorShare: -1, MaxRunningStatements: -1})
	s, id := r.conn(t)
	holder, _ := r.conn(t)
	for _, q := range []string{"CREATE DATABASE turns", "USE turns", "CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1)", "CREATE PROCEDURE q(IN a INT, OUT b INT) SET b = a, @c = b",
		"CREATE FUNCTION f(a INT) RETURNS INT NO SQL BEGIN SET @d = a; RETURN a + 1; END"} {
		if _, err := s.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for i, body := range turnBodies {
		q := fmt.Sprintf("CREATE PROCEDURE p%d(n INT) BEGIN DECLARE i, x INT DEFAULT 0; WHILE i < n DO %s; SET i = i + 1; END WHILE; SET x = GET_LOCK('turns', 1000); SET x = RELEASE_LOCK('turns'); END", i, body)
		if _, err := s.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		var kept []int64
		for _, n := range []int{few, few, many} {
			if _, err := holder.ExecContext(t.Context(), "DO GET_LOCK('turns', 0)"); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := s.ExecContext(t.Context(), fmt.Sprintf("CALL p%d(%d)", i, n))
				ended <- err
			}()
			eventually(t, body+" has had its turns", func() bool {
				return len(ended) > 0 || r.query(t, fmt.Sprintf("SELECT PROCESSLIST_STATE FROM threads WHERE PROCESSLIST_ID = %v", id))[0] == "User lock"
			})
			kept = append(kept, heap())
			if _, err := holder.ExecContext(t.Context(), "DO RELEASE_LOCK('turns')"); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Fatalf("%s: %v", body, err)
			}
		}
		if grown := kept[2] - kept[1]; grown > most {
			t.Errorf("%s: %d turns keep %d bytes more than %d", body, many, grown, few)
		}
	}
}
