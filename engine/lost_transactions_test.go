package engine

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
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
