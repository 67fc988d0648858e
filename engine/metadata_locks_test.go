package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pfsd/engine/vtable"
	"pfsd/instr"
	"pfsd/tables"
)

// try carries out a statement.
func (s *sqlSession) try(q string) error {
	_, err := count(s.t.Context(), s.conn, q)
	return err
}

// start carries out a statement that has to wait in a state, and returns how it ends.
func (s *sqlSession) start(q, state string) <-chan error {
	s.t.Helper()
	end := make(chan error, 1)
	go func() { end <- s.try(q) }()
	eventually(s.t, q+" is "+state, func() bool { return s.state() == state })
	return end
}

// ended wants a statement that start has started to end with an error, "" for none.
func ended(t *testing.T, what string, end <-chan error, want string) {
	t.Helper()
	err := <-end
	got := ""
	if err != nil {
		got = code(err)
	}
	if want == "" && got != "" || !strings.HasPrefix(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

const tableWait = "Waiting for table metadata lock"

// lockSessions serves a server with all tables and the table test.t, and returns sessions.
func lockSessions(t *testing.T, n int) (*running, []*sqlSession) {
	t.Helper()
	r := serve(t, Options{}, tables.All()...)
	var all []*sqlSession
	for range n {
		all = append(all, r.session(t))
	}
	all[0].do("CREATE TABLE test.t (a INT PRIMARY KEY)")
	all[0].do("INSERT INTO test.t VALUES (1)")
	return r, all
}

// locks are the locks but for those on tables of performance_schema.
func locks(r *running) (all []string) {
	for _, l := range r.reg.Reader().MetadataLocks() {
		if l.Object.Schema != vtable.Database {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", l.Object.Type, strings.Trim(l.Object.Schema+"."+l.Object.Name, "."), l.Type, l.Duration, l.Status)))
		}
	}
	slices.Sort(all)
	return all
}

func wantLocks(t *testing.T, r *running, want ...string) {
	t.Helper()
	if got := locks(r); !slices.Equal(got, want) {
		t.Errorf("locks\n got %q\nwant %q", got, want)
	}
}

// ALTER TABLE waits for a transaction that has read the table, readers that come later for ALTER,
// and a third session sees who waits for whom.
func TestAlterWaitsForTransaction(t *testing.T) {
	r, s := lockSessions(t, 3)
	r.reg.Setup().SetConsumer(instr.ConsumerEventsWaitsCurrent, true)
	r.reg.Setup().SetConsumer(instr.ConsumerEventsWaitsHistory, true)
	s[0].do("BEGIN")
	s[0].do("SELECT * FROM test.t")
	alter := s[1].start("ALTER TABLE test.t ADD COLUMN b INT", tableWait)
	reader := s[2].start("SELECT * FROM test.t", tableWait)

	// As gh-ost asks whether its RENAME waits.
	r.want(t, `SELECT t.PROCESSLIST_ID, m.LOCK_STATUS FROM metadata_locks m JOIN threads t ON m.OWNER_THREAD_ID = t.THREAD_ID
		WHERE m.OBJECT_TYPE = 'TABLE' AND m.OBJECT_SCHEMA = 'test' AND m.OBJECT_NAME = 't' AND m.LOCK_TYPE = 'EXCLUSIVE' AND m.LOCK_STATUS = 'PENDING'`,
		fmt.Sprintf("%d|PENDING", s[1].id))
	// As sys.schema_table_lock_waits does.
	r.want(t, `SELECT gt.PROCESSLIST_ID, pt.PROCESSLIST_ID, p.LOCK_TYPE, g.LOCK_TYPE, ps.SQL_TEXT
		FROM metadata_locks g JOIN metadata_locks p ON g.OBJECT_TYPE = p.OBJECT_TYPE AND g.OBJECT_SCHEMA = p.OBJECT_SCHEMA AND g.OBJECT_NAME = p.OBJECT_NAME
			AND g.LOCK_STATUS = 'GRANTED' AND p.LOCK_STATUS = 'PENDING'
		JOIN threads gt ON g.OWNER_THREAD_ID = gt.THREAD_ID JOIN threads pt ON p.OWNER_THREAD_ID = pt.THREAD_ID
		LEFT JOIN events_statements_current ps ON p.OWNER_THREAD_ID = ps.THREAD_ID
		WHERE g.OBJECT_TYPE = 'TABLE' AND g.OWNER_THREAD_ID <> p.OWNER_THREAD_ID AND p.LOCK_TYPE = 'EXCLUSIVE'`,
		fmt.Sprintf("%d|%d|EXCLUSIVE|SHARED_READ|ALTER TABLE test.t ADD COLUMN b INT", s[0].id, s[1].id))
	// The wait, and the lock that it is for.
	eventually(t, "the wait is seen", func() bool {
		return slices.Equal(r.query(t, fmt.Sprintf(`SELECT w.EVENT_NAME, w.OPERATION, w.OBJECT_TYPE, w.OBJECT_SCHEMA, w.OBJECT_NAME, w.END_EVENT_ID, w.TIMER_WAIT > 0, m.LOCK_TYPE
			FROM events_waits_current w JOIN metadata_locks m USING (OBJECT_INSTANCE_BEGIN) JOIN threads t ON t.THREAD_ID = w.THREAD_ID WHERE t.PROCESSLIST_ID = %d`, s[1].id)),
			[]string{"wait/lock/metadata/sql/mdl|metadata lock|TABLE|test|t|NULL|1|EXCLUSIVE"})
	})
	r.want(t, fmt.Sprintf("SELECT STATE FROM information_schema.processlist WHERE ID = %d", s[1].id), tableWait)
	wantLocks(t, r, "BACKUP LOCK  INTENTION_EXCLUSIVE TRANSACTION GRANTED", "GLOBAL  INTENTION_EXCLUSIVE STATEMENT GRANTED",
		"SCHEMA test INTENTION_EXCLUSIVE TRANSACTION GRANTED", "TABLE test.t EXCLUSIVE TRANSACTION PENDING", "TABLE test.t SHARED_READ TRANSACTION GRANTED",
		"TABLE test.t SHARED_READ TRANSACTION PENDING", "TABLE test.t SHARED_UPGRADABLE TRANSACTION GRANTED")

	s[0].do("COMMIT")
	ended(t, "ALTER", alter, "")
	ended(t, "SELECT", reader, "")
	wantLocks(t, r)
	r.want(t, "SELECT b FROM test.t", "NULL")
	r.want(t, "SELECT COUNT(*) FROM events_waits_history WHERE OBJECT_TYPE = 'TABLE' AND OBJECT_NAME = 't' AND OPERATION = 'metadata lock'", "2")
	r.want(t, "SELECT COUNT_STAR FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME = 'wait/lock/metadata/sql/mdl'", "2")
}

// Whatever ends a wait, nothing is left of it, and others go on.
func TestLockWaitsEnd(t *testing.T) {
	const alter = "ALTER TABLE test.t ADD COLUMN b INT"
	r, s := lockSessions(t, 4)
	s[0].do("BEGIN")
	s[0].do("SELECT * FROM test.t")
	s[1].do("SET lock_wait_timeout = 1")
	if got := s[1].fails(alter); got != "1205 HY000 Lock wait timeout exceeded; try restarting transaction" {
		t.Errorf("a second later: %s", got)
	}
	s[1].do("SET lock_wait_timeout = 1000")
	end := s[1].start(alter, tableWait)
	r.exec(t, fmt.Sprintf("KILL QUERY %d", s[1].id))
	ended(t, "KILL QUERY", end, "1317 70100")
	end = s[1].start(alter, tableWait)
	r.exec(t, fmt.Sprintf("KILL %d", s[1].id))
	if err := <-end; err == nil {
		t.Error("a killed connection has succeeded")
	}
	eventually(t, "its locks go with it", func() bool { return slices.Equal(locks(r), []string{"TABLE test.t SHARED_READ TRANSACTION GRANTED"}) })

	// The client goes away while it waits.
	ctx, leave := context.WithCancel(t.Context())
	go func() { _, _ = s[2].conn.ExecContext(ctx, alter) }()
	eventually(t, "it waits", func() bool { return s[2].state() == tableWait })
	leave()
	eventually(t, "it waits no more", func() bool { return len(locks(r)) == 1 })

	// So does the holder's.
	end = s[3].start(alter, tableWait)
	r.exec(t, fmt.Sprintf("KILL %d", s[0].id))
	ended(t, "the holder is gone", end, "")
	eventually(t, "nothing is locked", func() bool { return len(locks(r)) == 0 })
}

// The server ends though statements wait.
func TestShutdownEndsLockWaits(t *testing.T) {
	r, s := lockSessions(t, 3)
	s[0].do("BEGIN")
	s[0].do("SELECT * FROM test.t")
	s[0].do("SELECT GET_LOCK('l', 0)")
	alter := s[1].start("DROP TABLE test.t", tableWait)
	lock := s[2].start("SELECT GET_LOCK('l', -1)", "User lock")
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	for _, end := range []<-chan error{alter, lock} {
		if err := <-end; err == nil {
			t.Error("it has succeeded")
		}
	}
	wantLocks(t, r)
}

// Of two sessions that wait for each other's locks one is given up.
func TestUserLockDeadlock(t *testing.T) {
	r, s := lockSessions(t, 2)
	s[0].do("SELECT GET_LOCK('a', 0)")
	s[1].do("SELECT GET_LOCK('b', 0)")
	first := s[0].start("SELECT GET_LOCK('b', -1)", "User lock")
	if err := s[1].try("SELECT GET_LOCK('a', 100)"); !strings.HasPrefix(code(err), "3058 HY000 Deadlock found when trying to get user-level lock") {
		t.Error(err)
	}
	s[1].do("SELECT RELEASE_LOCK('b')")
	ended(t, "GET_LOCK", first, "")
	wantLocks(t, r, "USER LEVEL LOCK a EXCLUSIVE EXPLICIT GRANTED", "USER LEVEL LOCK b EXCLUSIVE EXPLICIT GRANTED")
}

// A transaction that is given up is rolled back as a whole.
func TestDeadlockRollsBack(t *testing.T) {
	r, s := lockSessions(t, 2)
	s[0].do("CREATE TABLE test.u (a INT)")
	s[0].do("BEGIN")
	s[0].do("INSERT INTO test.t VALUES (7)")
	// It has the new names already, and waits for the transaction.
	s[1].do("USE test")
	rename := s[1].start("RENAME TABLE test.t TO test.a, test.u TO test.b", tableWait)
	if err := s[0].try("INSERT INTO test.a VALUES (8)"); code(err) != "1213 40001 Deadlock found when trying to get lock; try restarting transaction" {
		t.Error(err)
	}
	ended(t, "RENAME", rename, "")
	r.want(t, "SELECT a FROM test.a", "1")
	wantLocks(t, r)
	s[0].do("COMMIT")
}

// FLUSH TABLES WITH READ LOCK keeps writes and commits away.
func TestGlobalReadLock(t *testing.T) {
	r, s := lockSessions(t, 4)
	s[1].do("BEGIN")
	s[1].do("INSERT INTO test.t VALUES (2)")
	s[0].do("FLUSH TABLES WITH READ LOCK")
	insert := s[2].start("INSERT INTO test.t VALUES (3)", "Waiting for global read lock")
	create := s[3].start("CREATE TABLE test.v (a INT)", "Waiting for global read lock")
	commit := s[1].start("COMMIT", "Waiting for commit lock")
	r.want(t, "SELECT a FROM test.t", "1")
	s[0].do("UNLOCK TABLES")
	ended(t, "INSERT", insert, "")
	ended(t, "CREATE", create, "")
	ended(t, "COMMIT", commit, "")
	s[1].do("LOCK TABLES test.t WRITE")
	flush := s[0].start("FLUSH TABLES WITH READ LOCK", "Waiting for global read lock")
	s[1].do("UNLOCK TABLES")
	ended(t, "FLUSH", flush, "")
	r.exec(t, fmt.Sprintf("KILL %d", s[0].id))
	eventually(t, "its locks go with it", func() bool { return len(locks(r)) == 0 })
}

// The cut-over of gh-ost: one session locks the tables, another's RENAME waits for it, then the
// first one drops its table and lets go.
func TestCutOver(t *testing.T) {
	r, s := lockSessions(t, 3)
	s[0].do("CREATE TABLE test._t_gho (a INT, b INT)")
	s[0].do("CREATE TABLE test._t_del (a INT)")
	s[0].do("LOCK TABLES test.t WRITE, test._t_del WRITE")
	reader := s[2].start("SELECT * FROM test.t", tableWait)
	s[1].do("USE test")
	rename := s[1].start("RENAME TABLE test.t TO test._t_del, test._t_gho TO test.t", tableWait)
	r.want(t, "SELECT COUNT(*) FROM metadata_locks WHERE OBJECT_SCHEMA = 'test' AND LOCK_TYPE = 'EXCLUSIVE' AND LOCK_STATUS = 'PENDING'", "1")
	s[0].do("DROP TABLE test._t_del")
	s[0].do("UNLOCK TABLES")
	ended(t, "RENAME", rename, "")
	ended(t, "SELECT", reader, "")
	r.want(t, "SELECT COUNT(*) FROM information_schema.columns WHERE TABLE_SCHEMA = 'test' AND TABLE_NAME = 't'", "2")
	wantLocks(t, r)
}

// Programs lock what their statements use, and are themselves locked while they run.
func TestProgramsLock(t *testing.T) {
	r, s := lockSessions(t, 3)
	s[0].do("CREATE TABLE test.u (a INT)")
	s[0].do("CREATE TRIGGER test.tr BEFORE INSERT ON test.t FOR EACH ROW INSERT INTO test.u VALUES (NEW.a)")
	s[0].do("CREATE PROCEDURE test.p() BEGIN SELECT * FROM test.t; SELECT GET_LOCK('l', -1); END")
	s[0].do("BEGIN")
	s[0].do("INSERT INTO test.t VALUES (2)")
	wantLocks(t, r, "TABLE test.t SHARED_WRITE TRANSACTION GRANTED", "TABLE test.u SHARED_WRITE TRANSACTION GRANTED")
	drop := s[1].start("DROP TABLE test.u", tableWait)
	s[0].do("ROLLBACK")
	ended(t, "DROP TABLE", drop, "")
	s[0].do("DROP TRIGGER test.tr")

	s[0].do("SELECT GET_LOCK('l', 0)")
	call := s[1].start("CALL test.p()", "User lock")
	// Its SELECT is over, and no transaction goes on.
	if got := locks(r); !slices.Contains(got, "PROCEDURE test.p SHARED TRANSACTION GRANTED") || slices.Contains(got, "TABLE test.t SHARED_READ TRANSACTION GRANTED") {
		t.Errorf("%q", got)
	}
	drop = s[2].start("DROP PROCEDURE test.p", "Waiting for stored procedure metadata lock")
	s[0].do("SELECT RELEASE_LOCK('l')")
	ended(t, "CALL", call, "")
	ended(t, "DROP PROCEDURE", drop, "")
	s[1].do("SELECT RELEASE_ALL_LOCKS()")

	// What a procedure defines ends the transaction, too.
	s[0].do("CREATE PROCEDURE test.q() BEGIN SELECT * FROM test.t; CREATE TABLE test.w (a INT); INSERT INTO test.w VALUES (1); END")
	s[0].do("BEGIN")
	s[0].do("CALL test.q()")
	s[0].do("COMMIT")
	r.want(t, "SELECT a FROM test.w", "1")
	wantLocks(t, r)
}

// Users' locks are free again when whoever holds them resets the connection or fails.
func TestPreparedStatementsLock(t *testing.T) {
	r, s := lockSessions(t, 2)
	stmt, err := s[0].conn.PrepareContext(t.Context(), "SELECT * FROM test.t WHERE a = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	wantLocks(t, r)
	s[0].do("BEGIN")
	other, err := s[0].conn.PrepareContext(t.Context(), "DELETE FROM test.t WHERE a = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	wantLocks(t, r) // to prepare a statement locks for as long only
	if rows, err := stmt.QueryContext(t.Context(), 1); err == nil {
		_ = drain(rows)
	}
	wantLocks(t, r, "TABLE test.t SHARED_READ TRANSACTION GRANTED")
	truncate := s[1].start("TRUNCATE TABLE test.t", tableWait)
	s[0].do("ROLLBACK")
	ended(t, "TRUNCATE", truncate, "")
	wantLocks(t, r)
}

// Whatever sessions do at the same time, all of it ends, and nothing stays locked.
func TestSessionsLock(t *testing.T) {
	r, s := lockSessions(t, 5)
	s[0].do("CREATE TABLE test.u (a INT)", "CREATE PROCEDURE test.p() BEGIN SELECT COUNT(*) FROM test.t; INSERT INTO test.u VALUES (1); END")
	statements := []string{
		"BEGIN", "COMMIT", "ROLLBACK", "SELECT COUNT(*) FROM test.t", "INSERT INTO test.u VALUES (2)", "TRUNCATE TABLE test.t",
		"CALL test.p()", "LOCK TABLES test.u WRITE", "LOCK TABLES test.t READ, test.u READ", "UNLOCK TABLES",
		"SELECT GET_LOCK('a', 1)", "SELECT GET_LOCK('b', 1)", "SELECT RELEASE_ALL_LOCKS()", "FLUSH TABLES WITH READ LOCK", "SET autocommit = 0", "SET autocommit = 1",
		"SELECT COUNT(*) FROM test.t JOIN test.u USING (a)", "SELECT * FROM performance_schema.metadata_locks", "TRUNCATE TABLE performance_schema.accounts",
	}
	// What locks can be the cause of.
	expected := []string{"1205", "1213", "3058", "1100", "1099", "1192", "1223"}
	var all sync.WaitGroup
	for i, session := range s {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 7))
			_ = session.try("SET lock_wait_timeout = 1")
			for range 40 {
				q := statements[random.IntN(len(statements))]
				if err := session.try(q); err != nil && !slices.Contains(expected, strings.Fields(code(err))[0]) {
					t.Errorf("%s: %v", q, err)
				}
			}
			for _, q := range []string{"UNLOCK TABLES", "ROLLBACK", "SELECT RELEASE_ALL_LOCKS()"} {
				if err := session.try(q); err != nil {
					t.Errorf("%s: %v", q, err)
				}
			}
		})
	}
	all.Wait()
	wantLocks(t, r)
	if n := r.reg.Reader().ClassByName("wait/lock/metadata/sql/mdl").Waits().Count; n == 0 {
		t.Error("nobody has waited")
	} else {
		t.Logf("%d waits", n)
	}
}

// All tables of performance_schema can be read by who has locked others.
func TestPerformanceSchemaUnderLockTables(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	s := r.session(t)
	mustRun(t, s, "CREATE TABLE test.a (a INT)")
	mustRun(t, s, "CREATE TABLE test.b (a INT)")
	mustRun(t, s, "LOCK TABLES test.a READ")
	for _, def := range tables.All() {
		if err := s.try("SELECT COUNT(*) FROM performance_schema." + def.Name()); err != nil {
			t.Errorf("%s: %v", def.Name(), err)
		}
	}
	if err := s.try("SELECT COUNT(*) FROM test.b"); err == nil || !strings.Contains(err.Error(), "1100") {
		t.Errorf("a table that is not locked: %v", err)
	}
}
