package engine

import (
	"fmt"
	"testing"
)

// turnBodies are what a loop carries out at each turn.
var turnBodies = []string{
	"SET @a = i", "SET x = i, @a = x, @b = 2, x = 3", "SET SESSION sql_mode = 'STRICT_TRANS_TABLES'", "SELECT COUNT(*) INTO x FROM t", "SELECT i, 2 INTO x, @b",
	"SELECT COUNT(*) INTO x FROM t AS a JOIN t AS b ON a.a <= b.a WHERE a.a IN (SELECT a FROM t WHERE a > b.a)",
	"CALL q(i, x)", "SET x = f(i)", "IF i > 3 THEN SET @a = i; ELSE SET @a = 0; END IF", "CASE i WHEN 3 THEN SET @a = i; ELSE SET @b = i; END CASE",
	"INSERT INTO t VALUES (i + 10); DELETE FROM t WHERE a = i + 10", "BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @a = i; SIGNAL SQLSTATE '45000'; END",
	"BEGIN DECLARE c CURSOR FOR SELECT a FROM t; OPEN c; FETCH c INTO x; CLOSE c; END", "PREPARE s FROM 'SELECT ? INTO @b'; EXECUTE s USING @a; DEALLOCATE PREPARE s",
}

// TestTurnsKeepNothing: what a program keeps does not grow with the turns of its loops.
func TestTurnsKeepNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("runs without the race detector: it is about memory")
	}
	const few, many = 500, 3_000
	const most = 50 * (many - few) // bytes: what is kept for each turn takes more than 50, if it is but an empty hold in a list
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
		after := func(turns int) int64 { // the memory in use
			if _, err := holder.ExecContext(t.Context(), "DO GET_LOCK('turns', 0)"); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := s.ExecContext(t.Context(), fmt.Sprintf("CALL p%d(%d)", i, turns))
				ended <- err
			}()
			eventually(t, body+" has had its turns", func() bool {
				return len(ended) > 0 || r.query(t, fmt.Sprintf("SELECT PROCESSLIST_STATE FROM threads WHERE PROCESSLIST_ID = %v", id))[0] == "User lock"
			})
			used := heap()
			if _, err := holder.ExecContext(t.Context(), "DO RELEASE_LOCK('turns')"); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			return used
		}
		after(few)
		var grown int64
		for range 3 { // what the server keeps for itself grows once
			before := after(few)
			if grown = after(many) - before; grown <= most {
				break
			}
		}
		if grown > most {
			t.Errorf("%s: %d turns keep %d bytes more than %d", body, many, grown, few)
		}
	}
}
