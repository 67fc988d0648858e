package engine

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// atDeadlock is a log that calls a function when it is told of a deadlock: the victim's goroutine waits for that.
type atDeadlock struct {
	slog.Handler
	call atomic.Pointer[func()]
}

// Handle implements slog.Handler.
func (h *atDeadlock) Handle(_ context.Context, r slog.Record) error {
	if call := h.call.Load(); call != nil && strings.Contains(r.Message, "WE ROLL BACK TRANSACTION") {
		(*call)()
	}
	return nil
}

// Enabled implements slog.Handler.
func (*atDeadlock) Enabled(context.Context, slog.Level) bool { return true }

// lostPair are two connections, of which the first becomes the victim of a deadlock.
type lostPair struct {
	*running
	victim, other *sql.Conn
	id            uint32
}

func newLostPair(t *testing.T, o Options) *lostPair {
	t.Helper()
	o.LogErrorVerbosity = 3
	p := &lostPair{running: serve(t, o)}
	p.victim, p.id = p.conn(t)
	p.other, _ = p.conn(t)
	p.exec(t, "SET GLOBAL innodb_print_all_deadlocks = ON")
	for _, q := range []string{
		"CREATE TABLE test.t (id INT PRIMARY KEY, v INT)", "CREATE TABLE test.n (id INT PRIMARY KEY)", "CREATE TABLE test.fired (id INT PRIMARY KEY)",
		"CREATE PROCEDURE test.p() UPDATE test.t SET v = 12 WHERE id = 2",
		`CREATE PROCEDURE test.handled() BEGIN DECLARE CONTINUE HANDLER FOR 1213 BEGIN DECLARE x INT; SELECT SLEEP(600) INTO x; END; UPDATE test.t SET v = 12 WHERE id = 2; END`,
		`CREATE PROCEDURE test.goes_on() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; UPDATE test.t SET v = 12 WHERE id = 2; INSERT INTO test.n VALUES (3); END`,
		"CREATE FUNCTION test.f() RETURNS INT DETERMINISTIC BEGIN UPDATE test.t SET v = 12 WHERE id = 2; RETURN 1; END",
		"CREATE FUNCTION test.g() RETURNS INT DETERMINISTIC BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; UPDATE test.t SET v = 12 WHERE id = 2; RETURN 1; END",
		"CREATE TRIGGER test.tr BEFORE INSERT ON test.fired FOR EACH ROW UPDATE test.t SET v = 12 WHERE id = 2",
	} {
		p.exec(t, q)
	}
	return p
}

// lose has the victim run q in a transaction, which closes a circle of waits, and returns its error.
func (p *lostPair) lose(t *testing.T, begin, q string) error {
	t.Helper()
	p.exec(t, "DELETE FROM test.t")
	p.exec(t, "DELETE FROM test.n")
	p.exec(t, "INSERT INTO test.t VALUES (1, 1), (2, 2)")
	p.must(t, p.victim, begin, "INSERT INTO test.n VALUES (1)", "UPDATE test.t SET v = 11 WHERE id = 1")
	p.must(t, p.other, "BEGIN", "UPDATE test.t SET v = 21 WHERE id = 2")
	waits := make(chan error, 1)
	go func() {
		_, err := p.other.ExecContext(t.Context(), "UPDATE test.t SET v = 22 WHERE id = 1")
		waits <- err
	}()
	eventually(t, "the other waits", func() bool { return p.tables.Store().LockStats().Current == 1 })
	_, err := p.victim.ExecContext(t.Context(), q)
	if err := <-waits; err != nil {
		t.Fatal(err)
	}
	p.must(t, p.other, "COMMIT")
	return err
}

const deadlockError = "1213 40001 Deadlock found when trying to get lock; try restarting transaction"

// A statement that is killed at the moment at which it becomes the victim of a deadlock says that its transaction is gone, whatever kind of statement it is.
func TestKillAtDeadlock(t *testing.T) {
	log := &atDeadlock{Handler: slog.DiscardHandler}
	p := newLostPair(t, Options{LogHandler: log})
	p.must(t, p.victim, "PREPARE s FROM 'UPDATE test.t SET v = 12 WHERE id = 2'")
	killer, _ := p.conn(t)
	for _, begin := range []string{"BEGIN", "SET autocommit = 0"} {
		for _, q := range []string{
			"UPDATE test.t SET v = 12 WHERE id = 2", "DELETE FROM test.t WHERE id = 2", "INSERT INTO test.t VALUES (2, 12)", "REPLACE INTO test.t VALUES (2, 12)",
			"INSERT IGNORE INTO test.t VALUES (2, 12)", "UPDATE IGNORE test.t SET v = 12 WHERE id = 2", "INSERT INTO test.t VALUES (2, 12) ON DUPLICATE KEY UPDATE v = 3",
			"SELECT * FROM test.t WHERE id = 2 FOR UPDATE", "SELECT COUNT(*) FROM test.t WHERE v > 1 FOR SHARE", "INSERT INTO test.n SELECT id + 10 FROM test.t WHERE id = 2 FOR UPDATE",
			"UPDATE test.t a JOIN test.t b ON a.id = b.id SET a.v = 12 WHERE b.id = 2", "EXECUTE s", "CALL test.p()", "SELECT test.f()", "SELECT test.g()",
			"INSERT INTO test.fired VALUES (1)", "CALL test.goes_on()",
		} {
			kill := func() {
				if _, err := killer.ExecContext(t.Context(), fmt.Sprintf("KILL QUERY %d", p.id)); err != nil {
					t.Error(err)
				}
			}
			log.call.Store(&kill)
			err := p.lose(t, begin, q)
			log.call.Store(nil)
			if code(err) != deadlockError {
				t.Errorf("%s; %s: %v", begin, q, err)
			}
			p.must(t, p.victim, "SET autocommit = 1", "COMMIT")
			p.want(t, "SELECT COUNT(*) FROM test.n", "0")
		}
	}
}

// A handler of a procedure has taken the error of a deadlock; then the procedure is killed. Its client must not believe that the transaction is open.
func TestKillAfterHandledDeadlock(t *testing.T) {
	p := newLostPair(t, Options{})
	killed := make(chan error, 1)
	go func() {
		sleeps := 0
		for sleeps == 0 {
			if err := p.db.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ? AND STATE = 'User sleep'", p.id).Scan(&sleeps); err != nil {
				killed <- err
				return
			}
		}
		_, err := p.db.Exec(fmt.Sprintf("KILL QUERY %d", p.id))
		killed <- err
	}()
	if err := p.lose(t, "BEGIN", "CALL test.handled()"); code(err) != deadlockError {
		t.Error(err)
	}
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	p.must(t, p.victim, "COMMIT")
	p.want(t, "SELECT COUNT(*) FROM test.n", "0")
	// Without a KILL the procedure goes on, outside of the transaction, which is gone. What it writes then is not lost.
	if err := p.lose(t, "BEGIN", "CALL test.goes_on()"); err != nil {
		t.Error(err)
	}
	p.must(t, p.victim, "ROLLBACK")
	p.want(t, "SELECT id FROM test.n", "3")
	// A function cannot take it.
	if err := p.lose(t, "BEGIN", "SELECT test.g()"); code(err) != deadlockError {
		t.Error(err)
	}
	p.must(t, p.victim, "COMMIT")
	p.want(t, "SELECT id FROM test.n")
}

// TestErrorsSayWhetherTransactionIsOpen: whatever a statement fails with, and however it was ended, its error says what has become of the
// transaction: after 1213 nothing of it is left, after any other error all of it is, and can be committed.
func TestErrorsSayWhetherTransactionIsOpen(t *testing.T) {
	s, err := newServer(Options{
		Addr: "127.0.0.1:0", InitializeInsecure: true, ProcessorShare: -1, MaxRunningStatements: -1, LogError: t.TempDir() + "/error.log", QueryMemoryLimit: 8 << 20,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	planned := make(chan struct{}) // a statement that says so waits in the analyzer until it is ended
	for _, b := range s.handler.Engine.Analyzer.Batches[:1] {
		b.Rules = append([]analyzer.Rule{{Id: -1001, Apply: func(ctx *gms.Context, _ *analyzer.Analyzer, n gms.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *gms.QueryFlags) (gms.Node, transform.TreeIdentity, error) {
			if strings.Contains(ctx.Query(), "'planned'") {
				planned <- struct{}{}
				<-ctx.Done()
			}
			return n, transform.SameTree, nil
		}}}, b.Rules...)
	}
	r := serving(t, s)
	r.db = r.open(t, "")
	r.exec(t, "CREATE DATABASE d")
	for _, q := range []string{
		"CREATE TABLE d.t (id INT PRIMARY KEY, v INT)", "INSERT INTO d.t VALUES (1, 1), (2, 2)", "CREATE TABLE d.n (id INT PRIMARY KEY)", "CREATE TABLE d.a (id INT)", "CREATE TABLE d.b (id INT)",
		"CREATE PROCEDURE d.sleeps() BEGIN INSERT INTO d.a VALUES (1); SELECT SLEEP(600) INTO @x; END", "CREATE PROCEDURE d.fails() BEGIN INSERT INTO d.a VALUES (1); INSERT INTO d.n VALUES (1); END",
	} {
		r.exec(t, q)
	}
	c, id := r.conn(t)
	other, _ := r.conn(t)
	r.must(t, c, "SET innodb_lock_wait_timeout = 1", "SET lock_wait_timeout = 1")
	kill := fmt.Sprintf("KILL QUERY %d", id)
	waitsForRow := func() bool { return r.tables.Store().LockStats().Current > 0 }
	state := func(like string) func() bool {
		return func() bool {
			return r.query(t, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = %d AND (STATE LIKE '%s' OR INFO LIKE '%[2]s')", id, like))[0] == "1"
		}
	}
	for _, ends := range []struct {
		name   string
		before []string // what the other does, which rolls back at the end
		q      string
		when   func() bool // the statement is killed then; nil: it is not
		number string      // of the error
	}{
		{"a duplicate", nil, "INSERT INTO d.t VALUES (3, 3), (1, 1)", nil, "1062"},
		{"an error of a procedure", nil, "CALL d.fails()", nil, "1062"},
		{"an error of names", nil, "INSERT INTO d.nowhere VALUES (1)", nil, "1146"},
		{"a wait for a row", []string{"BEGIN", "UPDATE d.t SET v = 9 WHERE id = 1"}, "UPDATE d.t SET v = v + 1", nil, "1205"},
		{"NOWAIT", []string{"BEGIN", "UPDATE d.t SET v = 9 WHERE id = 1"}, "SELECT * FROM d.t WHERE id = 1 FOR UPDATE NOWAIT", nil, "3572"},
		{"a wait for a table", []string{"LOCK TABLES d.a WRITE"}, "INSERT INTO d.a VALUES (1)", nil, "1205"},
		{"too much memory", nil, "SELECT SUM(LENGTH(x)) OVER (ORDER BY x) FROM (WITH RECURSIVE g (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 900) SELECT REPEAT(n, 10000) x FROM g) y", nil, "1037"},
		{"KILL while it plans", nil, "SELECT 'planned' FROM d.t a JOIN d.t b USING (id)", func() bool { <-planned; return true }, "1317"},
		{"KILL while it plans to write", nil, "INSERT INTO d.t SELECT a.id + 5, 1 FROM d.t a JOIN d.t b USING (id) WHERE 'planned' = 'planned'", func() bool { <-planned; return true }, "1317"},
		{"KILL while it waits for a row", []string{"BEGIN", "UPDATE d.t SET v = 9 WHERE id = 2"}, "UPDATE d.t SET v = v + 1", waitsForRow, "1317"},
		{"KILL while it waits for a table", []string{"LOCK TABLES d.a WRITE"}, "INSERT INTO d.a VALUES (1)", state("Waiting for table%"), "1317"},
		{"KILL while a procedure runs", nil, "CALL d.sleeps()", state("User sleep"), "1317"},
		{"KILL while it deletes", nil, "DELETE FROM d.t WHERE id > 0 AND SLEEP(600) = 0", state("User sleep"), "1317"},
	} {
		begins := []string{"BEGIN", "SET autocommit = 0"}
		if ends.number == "1205" { // which takes a second
			begins = begins[:1]
		}
		for _, begin := range begins {
			r.exec(t, "DELETE FROM d.n")
			r.must(t, c, begin, "INSERT INTO d.n VALUES (1)")
			r.must(t, other, ends.before...)
			got := make(chan error, 1)
			go func() {
				_, err := c.ExecContext(t.Context(), ends.q)
				got <- err
			}()
			if ends.when != nil {
				eventually(t, ends.name, ends.when)
				r.exec(t, kill)
			}
			if err := <-got; !strings.HasPrefix(code(err), ends.number+" ") {
				t.Errorf("%s, %s: %v, want %s", begin, ends.name, err, ends.number)
			}
			r.must(t, c, "COMMIT", "SET autocommit = 1")
			r.want(t, "SELECT id FROM d.n", "1")
			r.must(t, other, "ROLLBACK", "UNLOCK TABLES")
			r.want(t, "SELECT COUNT(*), SUM(v) FROM d.t", "2|3")
		}
	}
	// A circle of names and rows: it takes the whole transaction.
	for _, begin := range []string{"BEGIN", "SET autocommit = 0"} {
		r.exec(t, "DELETE FROM d.n")
		r.must(t, c, begin, "INSERT INTO d.n VALUES (1)", "SELECT * FROM d.b")
		renamed := make(chan error, 1)
		go func() {
			_, err := other.ExecContext(t.Context(), "RENAME TABLE d.a TO d.aa, d.b TO d.bb")
			renamed <- err
		}()
		eventually(t, "the other waits", func() bool {
			return r.query(t, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%'")[0] == "1"
		})
		if _, err := c.ExecContext(t.Context(), "INSERT INTO d.a VALUES (8)"); code(err) != deadlockError {
			t.Errorf("%s: %v", begin, err)
		}
		if err := <-renamed; err != nil {
			t.Fatal(err)
		}
		r.must(t, c, "COMMIT", "SET autocommit = 1")
		r.want(t, "SELECT id FROM d.n")
		r.exec(t, "RENAME TABLE d.aa TO d.a, d.bb TO d.b")
	}
}

// With innodb_rollback_on_timeout a wait for a row that takes too long ends the transaction. Without it only the statement fails.
func TestRollbackOnTimeout(t *testing.T) {
	for value, left := range map[string][]string{"OFF": {"1"}, "ON": nil} {
		r := serve(t, Options{Variables: map[string]string{"innodb_rollback_on_timeout": value}})
		w := newRowWaiter(t, r)
		r.exec(t, "CREATE TABLE test.n (id INT PRIMARY KEY)")
		r.must(t, w.holder, "BEGIN", "UPDATE test.t SET a = 11 WHERE id = 1")
		r.must(t, w.waiter, "SET innodb_lock_wait_timeout = 1", "BEGIN", "INSERT INTO test.n VALUES (1)")
		if _, err := w.waiter.ExecContext(t.Context(), "UPDATE test.t SET a = 12 WHERE id = 1"); !strings.HasPrefix(code(err), "1205 ") {
			t.Errorf("%s: %v", value, err)
		}
		if _, err := w.waiter.ExecContext(t.Context(), "SELECT a FROM test.t WHERE id = 1 FOR UPDATE NOWAIT"); !strings.HasPrefix(code(err), "3572 ") {
			t.Errorf("%s: %v", value, err)
		}
		r.must(t, w.waiter, "COMMIT")
		r.want(t, "SELECT id FROM test.n", left...)
	}
}
