package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/panics"
)

// looks is a context that ends when it has been asked whether it has ended for the number of times that is left.
type looks struct {
	context.Context
	kill context.CancelCauseFunc
	left atomic.Int64
}

func newLooks(n int) *looks {
	inner, kill := context.WithCancelCause(context.Background())
	c := &looks{Context: inner, kill: kill}
	c.left.Store(int64(n))
	return c
}

func (c *looks) look() {
	if c.left.Add(-1) == 0 {
		c.kill(mysqlerr.QueryKilled)
	}
}

func (c *looks) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

func (c *looks) Err() error {
	c.look()
	return c.Context.Err()
}

// runLooking executes a statement of root in a context, and returns the stack of a panic that is a fault, "" if there was none.
func (r *running) runLooking(ended context.Context, text string) (fault string) {
	from, work := r.Server.handler.Unconnected(accounts.ID{User: "root", Host: "localhost"})
	defer work.Close()
	defer sql.SessionEnd(from.Session)
	from.SetCurrentDatabase("test")
	ctx := sql.NewContext(ended, sql.WithSession(from.Session), sql.WithProcessList(from.ProcessList), sql.WithQuery(text))
	defer func() {
		if p := recover(); p != nil && panics.Refusal(p) == nil {
			fault = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	_, rows, _, err := r.Server.handler.Engine.Query(ctx, text)
	for err == nil {
		_, err = rows.Next(ctx)
	}
	if rows != nil {
		_ = rows.Close(ctx)
	}
	return ""
}

// TestCallsAreKilledAnywhere: a program that is killed ends with an error and without a panic, wherever it looks whether it is killed.
func TestCallsAreKilledAnywhere(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "CREATE TABLE test.k (a INT PRIMARY KEY, b INT)")
	r.exec(t, "INSERT INTO test.k VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	r.exec(t, "CREATE VIEW test.v AS SELECT a + 1 AS a FROM test.k")
	r.exec(t, "CREATE FUNCTION test.f(x INT) RETURNS INT DETERMINISTIC BEGIN DECLARE y INT; SELECT COUNT(*) INTO y FROM test.k WHERE a > x; RETURN y; END")
	r.exec(t, "CREATE TABLE test.g (a INT PRIMARY KEY, b INT)")
	r.exec(t, "CREATE TRIGGER test.gt BEFORE INSERT ON test.g FOR EACH ROW BEGIN CALL test.p1(); SET NEW.b = test.f(NEW.a); END")
	shapes := []string{"CREATE PROCEDURE test.new(a INT, b INT) BEGIN DECLARE x INT; SELECT 1; END", "SELECT test.f(a) FROM test.v", "SHOW PROCEDURE STATUS", "INSERT INTO test.g VALUES (1, 1)"}
	for i, body := range []string{
		"BEGIN DECLARE i INT DEFAULT 0; WHILE i < 3 DO SET i = i + 1; END WHILE; END",
		"BEGIN DECLARE i INT DEFAULT 0; REPEAT INSERT INTO test.k VALUES (i + 100, 1); DELETE FROM test.k WHERE a >= 100; SET i = i + 1; UNTIL i > 2 END REPEAT; END",
		"BEGIN DECLARE d INT DEFAULT 0; DECLARE x INT; DECLARE c CURSOR FOR SELECT a FROM test.k; DECLARE CONTINUE HANDLER FOR NOT FOUND SET d = 1; OPEN c; l: LOOP FETCH c INTO x; IF d THEN LEAVE l; END IF; END LOOP; CLOSE c; END",
		"BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION SELECT 1; SELECT a FROM test.v; SELECT b FROM test.k; END",
		"BEGIN SELECT COUNT(*) INTO @x FROM test.k x JOIN test.k y; IF @x > 3 THEN CALL test.p0(); CALL test.p2(); END IF; SELECT * FROM test.k ORDER BY b; END",
		"BEGIN START TRANSACTION; UPDATE test.k SET b = b + 1; COMMIT; SIGNAL SQLSTATE '45000'; END",
		"BEGIN CASE test.f(1) WHEN 3 THEN SELECT 3; ELSE BEGIN END; END CASE; DELETE FROM test.g; END",
	} {
		r.exec(t, fmt.Sprintf("CREATE PROCEDURE test.p%d() %s", i, body))
		shapes = append(shapes, fmt.Sprintf("CALL test.p%d()", i))
	}
	for _, text := range shapes {
		ended, n := false, 0
		for !ended {
			if n++; n > 20_000 {
				t.Fatalf("%s does not end", text)
			}
			r.exec(t, "DROP PROCEDURE IF EXISTS test.new")
			r.exec(t, "DELETE FROM test.g")
			r.exec(t, "DELETE FROM test.k WHERE a >= 100")
			ctx := newLooks(n)
			if fault := r.runLooking(ctx, text); fault != "" {
				t.Fatalf("%s, killed at its look %d: %s", text, n, fault)
			}
			ended = ctx.Context.Err() == nil
			ctx.kill(mysqlerr.QueryKilled)
		}
		t.Logf("%s looks %d times", text, n)
	}
	r.noPanic(t, "killed calls")
}
