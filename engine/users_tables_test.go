package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"pfsd/tables"
)

// TestAcknowledgedRows: what clients write at the same time is all there, each once.
func TestAcknowledgedRows(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (id INT AUTO_INCREMENT PRIMARY KEY, a INT, KEY (a))")
	r.exec(t, "CREATE TABLE test.n (id INT PRIMARY KEY, n INT)")
	r.exec(t, "INSERT INTO test.n VALUES (1, 0)")
	const clients, each = 8, 50
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for j := range each {
				if _, err := r.db.Exec("INSERT INTO test.t (a) VALUES (?)", i*each+j); err != nil {
					t.Error(err)
				}
				if _, err := r.db.Exec("UPDATE test.n SET n = n + 1 WHERE id = 1"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	r.want(t, "SELECT COUNT(*), COUNT(DISTINCT id), COUNT(DISTINCT a), MIN(a), MAX(a) FROM test.t", fmt.Sprintf("%[1]d|%[1]d|%[1]d|0|%d", clients*each, clients*each-1))
	r.want(t, "SELECT n FROM test.n", strconv.Itoa(clients*each))
}

// storedStatements make something of each kind that lasts.
var storedStatements = []string{
	"CREATE DATABASE kept CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
	`CREATE TABLE kept.types (
		id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, t TINYINT, s SMALLINT UNSIGNED, m MEDIUMINT, i INT NOT NULL DEFAULT 7, bo BOOLEAN,
		de DECIMAL(30,10), f FLOAT, d DOUBLE, bi BIT(10), y YEAR, da DATE, ti TIME(6), dt DATETIME(6), ts TIMESTAMP(2) NULL,
		c CHAR(10) COLLATE utf8mb4_0900_ai_ci, v VARCHAR(100) COLLATE utf8mb4_general_ci, tx TEXT, lt LONGTEXT, b BINARY(4), vb VARBINARY(10), bl BLOB,
		e ENUM('one','two','three'), st SET('a','b','c'), j JSON, g INT AS (i * 2) STORED,
		KEY iv (v), UNIQUE KEY ut (t), KEY ide (de), KEY itx (tx(5)), CONSTRAINT positive CHECK (i > 0)
	) COMMENT 'all types'`,
	`INSERT INTO kept.types (t, s, m, i, bo, de, f, d, bi, y, da, ti, dt, ts, c, v, tx, lt, b, vb, bl, e, st, j) VALUES
		(-128, 65535, -8388608, 1, TRUE, '-12345678901234567890.0123456789', 1.5, -2.25e100, b'1010101010', 2024, '2024-02-29', '-838:59:58.123456', '9999-12-31 23:59:59.999999',
		'2024-01-01 00:00:00.25', 'Ä', 'straße', 'text', REPEAT('x', 70000), x'00ff0001', x'00', x'deadbeef', 'two', 'a,c', '{"a": [1, 2.5, "x", null]}')`,
	"INSERT INTO kept.types (t, v) VALUES (1, 'STRASSE'), (2, NULL), (NULL, '')",
	"CREATE TABLE kept.parent (id INT PRIMARY KEY, name VARCHAR(20))",
	"CREATE TABLE kept.child (id INT, p INT, CONSTRAINT of_parent FOREIGN KEY (p) REFERENCES kept.parent (id) ON DELETE CASCADE)",
	"INSERT INTO kept.parent VALUES (1, 'a'), (2, 'b')",
	"INSERT INTO kept.child VALUES (10, 1), (20, 2), (20, 2), (NULL, NULL)",
	"CREATE TABLE kept.log (what VARCHAR(50), n INT)",
	"CREATE VIEW kept.names AS SELECT name FROM kept.parent",
	"CREATE TRIGGER kept.note AFTER INSERT ON kept.parent FOR EACH ROW INSERT INTO kept.log VALUES (NEW.name, NEW.id)",
	"CREATE PROCEDURE kept.many(IN k INT) SELECT COUNT(*) FROM kept.parent WHERE id >= k",
	"CREATE EVENT kept.later ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM kept.log",
	"CREATE TABLE kept.copied AS SELECT id, name FROM kept.parent",
	"CREATE TABLE kept.alike LIKE kept.parent",
	"ALTER TABLE kept.copied ADD COLUMN extra VARCHAR(5) NOT NULL DEFAULT 'x' AFTER id, ADD PRIMARY KEY (id)",
	"CREATE INDEX by_name ON kept.copied (name)",
	"ALTER TABLE kept.copied RENAME TO kept.renamed",
	"CREATE TABLE kept.gone (id INT)",
	"DROP TABLE kept.gone",
	"CREATE TABLE kept.emptied (id INT AUTO_INCREMENT PRIMARY KEY)",
	"INSERT INTO kept.emptied VALUES (), ()",
	"TRUNCATE TABLE kept.emptied",
	"DELETE FROM kept.types WHERE t = 2",
}

// storedQueries are what storedStatements are looked at by.
var storedQueries = []string{
	"SELECT * FROM kept.types ORDER BY id",
	"SELECT id, v FROM kept.types WHERE v = 'STRASSE'",
	"SELECT id FROM kept.types WHERE v > '' ORDER BY v",
	"SELECT id FROM kept.types WHERE t BETWEEN -200 AND 1 ORDER BY t DESC",
	"SELECT id FROM kept.types WHERE de < 0",
	"SELECT id FROM kept.types WHERE tx LIKE 'te%'",
	"SELECT * FROM kept.parent ORDER BY id",
	"SELECT * FROM kept.child ORDER BY id, p",
	"SELECT * FROM kept.names ORDER BY name",
	"SELECT * FROM kept.log ORDER BY n",
	"CALL kept.many(2)",
	"SELECT * FROM kept.renamed WHERE name = 'b'",
	"SELECT * FROM kept.alike",
	"SELECT COUNT(*) FROM kept.emptied",
	"SHOW CREATE DATABASE kept",
	"SHOW TABLES FROM kept",
	"SHOW CREATE TABLE kept.types",
	"SHOW CREATE TABLE kept.child",
	"SHOW CREATE TABLE kept.renamed",
	"SHOW CREATE TABLE kept.alike",
	"SHOW CREATE VIEW kept.names",
	"SHOW CREATE PROCEDURE kept.many",
	"SHOW CREATE TRIGGER kept.note",
	"SHOW CREATE EVENT kept.later",
	"SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, NON_UNIQUE, SUB_PART FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'kept' ORDER BY 1, 2, 3",
	"SELECT TABLE_NAME, AUTO_INCREMENT, TABLE_COMMENT, TABLE_COLLATION FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'kept' ORDER BY 1",
	"SELECT CONSTRAINT_NAME, TABLE_NAME, CONSTRAINT_TYPE FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = 'kept' ORDER BY 2, 1",
}

// TestTablesLast: databases, tables and all that belongs to them are the same after the server has stopped and started again.
func TestTablesLast(t *testing.T) {
	dir := t.TempDir()
	before := func() map[string][]string {
		r := serve(t, Options{DataDir: dir}, tables.All()...)
		for _, q := range storedStatements {
			r.exec(t, q)
		}
		all := map[string][]string{}
		for _, q := range storedQueries {
			all[q] = r.query(t, q)
		}
		r.exec(t, "CREATE TEMPORARY TABLE kept.brief (id INT)")
		_ = r.db.Close()
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		return all
	}()
	r := serve(t, Options{DataDir: dir}, tables.All()...)
	for _, q := range storedQueries {
		if got := r.query(t, q); !slices.Equal(got, before[q]) {
			t.Errorf("%s\n after %q\nbefore %q", q, got, before[q])
		}
	}
	// What they promise holds.
	for q, want := range map[string]string{
		"INSERT INTO kept.types (t) VALUES (1)":        "1062 23000 Duplicate entry '1' for key 'types.ut'",
		"INSERT INTO kept.types (i) VALUES (-1)":       "3819 HY000 Check constraint 'positive' is violated.",
		"INSERT INTO kept.child VALUES (1, 99)":        "1452 23000 Cannot add or update a child row: a foreign key constraint fails (`kept`.`child`, CONSTRAINT `of_parent` FOREIGN KEY (`p`) REFERENCES `parent` (`id`))",
		"SELECT * FROM kept.brief":                     "1146 42S02 Table 'kept.brief' doesn't exist",
		"SELECT * FROM kept.gone":                      "1146 42S02 Table 'kept.gone' doesn't exist",
		"INSERT INTO kept.renamed VALUES (1, 'x','y')": "1062 23000 Duplicate entry '1' for key 'renamed.PRIMARY'",
	} {
		if _, err := r.db.Exec(q); code(err) != want {
			t.Errorf("%s\n got %s\nwant %s", q, code(err), want)
		}
	}
	r.exec(t, "INSERT INTO kept.parent VALUES (3, 'c')")
	r.want(t, "SELECT * FROM kept.log", "c|3")
	r.exec(t, "DELETE FROM kept.parent WHERE id = 2")
	r.want(t, "SELECT * FROM kept.child ORDER BY id", "NULL|NULL", "10|1")
	// A value of AUTO_INCREMENT never comes twice.
	max := r.query(t, "SELECT MAX(id) FROM kept.types")[0]
	r.exec(t, "INSERT INTO kept.types (t) VALUES (77)")
	if n := r.query(t, "SELECT id FROM kept.types WHERE t = 77")[0]; n <= max && len(n) <= len(max) {
		t.Errorf("AUTO_INCREMENT gives %s after %s", n, max)
	}
}

// TestLockingReads: readers that lock wait for each other, or do not, as they say.
func TestLockingReads(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY, a INT)")
	r.exec(t, "INSERT INTO test.t VALUES (1, 1), (2, 2), (3, 3)")
	holder, _ := r.conn(t)
	other, id := r.conn(t)
	must := func(c *sql.Conn, q string) {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	fails := func(c *sql.Conn, q, want string) {
		t.Helper()
		rows, err := c.QueryContext(t.Context(), q)
		if err == nil {
			for rows.Next() {
			}
			err = errors.Join(rows.Err(), rows.Close())
		}
		var e *mysql.MySQLError
		if !errors.As(err, &e) || code(e) != want {
			t.Errorf("%s\n got %v\nwant %s", q, err, want)
		}
	}
	const (
		nowait   = "3572 HY000 Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set."
		timeout  = "1205 HY000 Lock wait timeout exceeded; try restarting transaction"
		deadlock = "1213 40001 Deadlock found when trying to get lock; try restarting transaction"
	)
	must(holder, "BEGIN")
	must(holder, "SELECT * FROM test.t WHERE id = 1 FOR UPDATE")
	must(other, "SET innodb_lock_wait_timeout = 1")
	must(other, "SELECT * FROM test.t WHERE id = 1") // reads without a lock
	fails(other, "SELECT * FROM test.t WHERE id = 1 FOR UPDATE NOWAIT", nowait)
	fails(other, "SELECT * FROM test.t WHERE id = 1 FOR SHARE NOWAIT", nowait)
	fails(other, "UPDATE test.t SET a = 9 WHERE id = 1", timeout)
	must(other, "UPDATE test.t SET a = 22 WHERE id = 2")
	var n int
	if err := other.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM (SELECT id FROM test.t FOR UPDATE SKIP LOCKED) x").Scan(&n); err == nil && n != 2 && n != 3 {
		t.Errorf("%d rows", n)
	}
	rows, err := other.QueryContext(t.Context(), "SELECT id FROM test.t ORDER BY id FOR UPDATE SKIP LOCKED")
	if err != nil {
		t.Fatal(err)
	}
	var ids []int
	for rows.Next() {
		var i int
		if err := rows.Scan(&i); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, i)
	}
	if err := rows.Err(); err != nil || !slices.Equal(ids, []int{2, 3}) {
		t.Errorf("SKIP LOCKED gives %v, %v", ids, err)
	}
	must(holder, "ROLLBACK")

	// Shared locks do not keep each other out.
	must(holder, "BEGIN")
	must(other, "BEGIN")
	must(holder, "SELECT * FROM test.t WHERE id = 1 FOR SHARE")
	must(other, "SELECT * FROM test.t WHERE id = 1 LOCK IN SHARE MODE")
	fails(other, "UPDATE test.t SET a = 9 WHERE id = 1", timeout)
	must(other, "ROLLBACK")
	must(holder, "ROLLBACK")

	// A procedure locks as its statements say, and no longer than its transaction.
	must(other, "CREATE PROCEDURE test.take() BEGIN SELECT COUNT(*) INTO @a FROM test.t; SELECT a INTO @b FROM test.t WHERE id = 3 FOR UPDATE; SELECT COUNT(*) INTO @c FROM test.t; END")
	must(holder, "BEGIN")
	must(holder, "CALL test.take()")
	fails(other, "SELECT * FROM test.t WHERE id = 3 FOR UPDATE NOWAIT", nowait)
	must(other, "SELECT * FROM test.t WHERE id = 2 FOR UPDATE NOWAIT")
	must(holder, "COMMIT")
	must(other, "SELECT * FROM test.t WHERE id = 3 FOR UPDATE NOWAIT")
	must(holder, "CALL test.take()") // alone, it keeps no lock
	must(other, "SELECT * FROM test.t WHERE id = 3 FOR UPDATE NOWAIT")

	// A statement that fails, alone, keeps no lock.
	fails(holder, "UPDATE test.t SET id = 3 WHERE id < 3", "1062 23000 Duplicate entry '3' for key 't.PRIMARY'")
	must(other, "SELECT * FROM test.t FOR UPDATE NOWAIT")

	// READ COMMITTED reads what is committed as each statement begins.
	must(holder, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
	must(holder, "BEGIN")
	var before, after int
	if err := holder.QueryRowContext(t.Context(), "SELECT a FROM test.t WHERE id = 3").Scan(&before); err != nil {
		t.Fatal(err)
	}
	must(other, "UPDATE test.t SET a = a + 5 WHERE id = 3")
	if err := holder.QueryRowContext(t.Context(), "SELECT a FROM test.t WHERE id = 3").Scan(&after); err != nil || after != before+5 {
		t.Errorf("%d after %d: %v", after, before, err)
	}
	must(holder, "COMMIT")

	// A consistent snapshot is of the moment at which the transaction begins, another one of that at which it reads.
	value := func() (a int) {
		t.Helper()
		if err := holder.QueryRowContext(t.Context(), "SELECT a FROM test.t WHERE id = 3").Scan(&a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, c := range []struct {
		level, start string
		moves        bool
	}{
		{"REPEATABLE READ", "START TRANSACTION WITH CONSISTENT SNAPSHOT", false},
		{"SERIALIZABLE", "START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT", true}, // it locks what it reads
		{"REPEATABLE READ", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", false},
		{"REPEATABLE READ", "START TRANSACTION", true},
		{"READ COMMITTED", "START TRANSACTION WITH CONSISTENT SNAPSHOT", true},
	} {
		must(holder, "SET SESSION TRANSACTION ISOLATION LEVEL "+c.level)
		was := value()
		must(holder, c.start)
		var warnings int
		if err := holder.QueryRowContext(t.Context(), "SELECT @@warning_count").Scan(&warnings); err != nil || (warnings > 0) != (c.level == "READ COMMITTED") {
			t.Errorf("%s at %s: %d warnings, %v", c.start, c.level, warnings, err)
		}
		must(other, "UPDATE test.t SET a = a + 1 WHERE id = 3")
		if now := value(); (now != was) != c.moves {
			t.Errorf("%s at %s: %d, then %d", c.start, c.level, was, now)
		}
		must(holder, "COMMIT")
	}
	must(holder, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")

	// Two who wait for each other: one is chosen, the other goes on.
	must(other, "SET innodb_lock_wait_timeout = 100")
	must(holder, "BEGIN")
	must(other, "BEGIN")
	must(holder, "UPDATE test.t SET a = 10 WHERE id = 1")
	must(other, "UPDATE test.t SET a = 20 WHERE id = 2")
	waits := make(chan error, 1)
	go func() {
		_, err := other.ExecContext(t.Context(), "UPDATE test.t SET a = 21 WHERE id = 1")
		waits <- err
	}()
	eventually(t, "the other waits", func() bool {
		return r.query(t, "SELECT COUNT(*) FROM data_lock_waits")[0] == "1"
	})
	r.want(t, `SELECT waiting_pid <> blocking_pid, locked_table_name, locked_index, waiting_lock_mode, blocking_lock_mode, locked_type, waiting_query
		FROM sys.innodb_lock_waits`, "1|t|PRIMARY|X,REC_NOT_GAP|X,REC_NOT_GAP|RECORD|UPDATE test.t SET a = 21 WHERE id = 1")
	r.want(t, "SELECT OBJECT_SCHEMA, OBJECT_NAME, INDEX_NAME, LOCK_TYPE, LOCK_MODE, LOCK_STATUS, LOCK_DATA FROM data_locks WHERE LOCK_DATA = '1' ORDER BY LOCK_STATUS",
		"test|t|PRIMARY|RECORD|X,REC_NOT_GAP|GRANTED|1", "test|t|PRIMARY|RECORD|X,REC_NOT_GAP|WAITING|1")
	r.want(t, "SELECT COUNT(*) FROM data_locks WHERE LOCK_TYPE = 'TABLE' AND LOCK_MODE = 'IX'", "2")
	r.want(t, `SELECT s.SQL_TEXT, h.SQL_TEXT, l.BLOCKING_EVENT_ID = d.EVENT_ID FROM data_lock_waits l
		JOIN events_statements_current s ON s.THREAD_ID = l.REQUESTING_THREAD_ID AND s.EVENT_ID < l.REQUESTING_EVENT_ID
		JOIN events_statements_current h ON h.THREAD_ID = l.BLOCKING_THREAD_ID AND h.EVENT_ID < l.BLOCKING_EVENT_ID
		JOIN data_locks d ON d.ENGINE_LOCK_ID = l.BLOCKING_ENGINE_LOCK_ID`,
		"UPDATE test.t SET a = 21 WHERE id = 1|UPDATE test.t SET a = 10 WHERE id = 1|1")
	r.want(t, "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'", "1")
	_, own := holder.ExecContext(t.Context(), "UPDATE test.t SET a = 11 WHERE id = 2")
	theirs := error(nil)
	if own == nil {
		theirs = <-waits
	} else {
		if err := <-waits; err != nil {
			t.Errorf("both failed: %v, %v", own, err)
		}
	}
	if got := code(errors.Join(own, theirs)); got != deadlock {
		t.Errorf("deadlock gives %s", got)
	}
	must(other, "ROLLBACK")
	must(holder, "ROLLBACK")

	r.want(t, "SELECT @@autocommit", "1")

	// KILL ends who waits, and a connection that ends gives its locks back.
	must(holder, "BEGIN")
	must(holder, "SELECT * FROM test.t WHERE id = 1 FOR UPDATE")
	go func() { _, err := other.ExecContext(t.Context(), "DELETE FROM test.t WHERE id = 1"); waits <- err }()
	eventually(t, "the other waits", func() bool {
		return r.query(t, "SELECT COUNT(*) FROM data_lock_waits")[0] == "1"
	})
	r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
	if got := code(<-waits); got != "1317 70100 Query execution was interrupted" {
		t.Errorf("KILL QUERY gives %s", got)
	}
	go func() { _, err := other.ExecContext(t.Context(), "DELETE FROM test.t WHERE id = 1"); waits <- err }()
	eventually(t, "the other waits", func() bool {
		return r.query(t, "SELECT COUNT(*) FROM data_lock_waits")[0] == "1"
	})
	if err := holder.Raw(func(any) error { return driver.ErrBadConn }); !errors.Is(err, driver.ErrBadConn) { // closes it
		t.Fatal(err)
	}
	if err := <-waits; err != nil {
		t.Errorf("the locks of a connection that has ended: %v", err)
	}
}

// TestHistories runs random transactions that append to lists and read them, and holds what they have seen against what their isolation level
// promises. PFSD_SOAK is how long.
func TestHistories(t *testing.T) { eachLevel(t, 25, 100, checkHistory) }

// listRead is a list as a transaction read it.
type listRead struct {
	key       int
	list      []int
	statement int // those of one statement have the same number
}

// listTransaction is a transaction of a history.
type listTransaction struct {
	reads   []listRead
	appends map[int][]int // what it appended, by list
}

func parseList(s string) (list []int) {
	for _, f := range strings.Split(s, ",") {
		if f != "" {
			n, _ := strconv.Atoi(f)
			list = append(list, n)
		}
	}
	return list
}

// checkHistory checks one history, in which each of the sessions has so many transactions.
func checkHistory(t *testing.T, level string, seed uint64, each int) {
	const sessions, keys = 16, 5
	r := serve(t, Options{}, tables.All()...)
	defer func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	}()
	r.exec(t, "CREATE TABLE test.lists (k INT PRIMARY KEY, v LONGTEXT NOT NULL)")
	for k := range keys {
		r.exec(t, fmt.Sprintf("INSERT INTO test.lists VALUES (%d, '')", k))
	}
	var mu sync.Mutex
	var history []*listTransaction
	var next, aborted atomic.Int64
	var all sync.WaitGroup
	for i := range sessions {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 7+seed))
			c, err := r.db.Conn(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if _, err := c.ExecContext(t.Context(), "SET SESSION TRANSACTION ISOLATION LEVEL "+level); err != nil {
				t.Error(err)
				return
			}
			for range each {
				tx, err := appendAndRead(t.Context(), c, rnd, keys, &next)
				var e *mysql.MySQLError
				switch {
				case err == nil:
					mu.Lock()
					history = append(history, tx)
					mu.Unlock()
				case errors.As(err, &e) && (e.Number == 1213 || e.Number == 1205):
					aborted.Add(1)
					if _, err := c.ExecContext(t.Context(), "ROLLBACK"); err != nil {
						t.Error(err)
						return
					}
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	final := map[int][]int{}
	for k := range keys {
		final[k] = parseList(r.query(t, fmt.Sprintf("SELECT v FROM test.lists WHERE k = %d", k))[0])
	}
	t.Logf("%d transactions, %d aborted", len(history), aborted.Load())
	for _, fault := range historyFaults(history, final, level) {
		t.Error(fault)
	}
}

// appendAndRead is one transaction: some appends, with and without reading first, and some reads, some of all lists in one statement; some roll back.
func appendAndRead(ctx context.Context, c *sql.Conn, rnd *rand.Rand, keys int, next *atomic.Int64) (*listTransaction, error) {
	tx := &listTransaction{appends: map[int][]int{}}
	if _, err := c.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	for op := range 1 + rnd.IntN(5) {
		k := rnd.IntN(keys)
		switch rnd.IntN(4) {
		case 0:
			n := int(next.Add(1))
			if _, err := c.ExecContext(ctx, "UPDATE test.lists SET v = CONCAT(v, ',', ?) WHERE k = ?", n, k); err != nil {
				return nil, err
			}
			tx.appends[k] = append(tx.appends[k], n)
		case 1:
			// What was read under a lock is still so when it is written.
			var v string
			if err := c.QueryRowContext(ctx, "SELECT v FROM test.lists WHERE k = ? FOR UPDATE", k).Scan(&v); err != nil {
				return nil, err
			}
			n := int(next.Add(1))
			if _, err := c.ExecContext(ctx, "UPDATE test.lists SET v = ? WHERE k = ?", v+","+strconv.Itoa(n), k); err != nil {
				return nil, err
			}
			tx.appends[k] = append(tx.appends[k], n)
		case 2:
			var v string
			if err := c.QueryRowContext(ctx, "SELECT v FROM test.lists WHERE k = ?", k).Scan(&v); err != nil {
				return nil, err
			}
			tx.reads = append(tx.reads, listRead{k, parseList(v), op})
		default:
			rows, err := c.QueryContext(ctx, "SELECT k, v FROM test.lists")
			if err != nil {
				return nil, err
			}
			for rows.Next() {
				var v string
				if err := rows.Scan(&k, &v); err != nil {
					return nil, err
				}
				tx.reads = append(tx.reads, listRead{k, parseList(v), op})
			}
			if err := rows.Err(); err != nil {
				return nil, err
			}
		}
	}
	if rnd.IntN(8) == 0 {
		_, err := c.ExecContext(ctx, "ROLLBACK")
		return &listTransaction{}, err
	}
	_, err := c.ExecContext(ctx, "COMMIT")
	return tx, err
}

// historyFaults says what in a history the isolation level does not allow.
func historyFaults(history []*listTransaction, final map[int][]int, level string) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	writer := map[int]*listTransaction{} // of an element
	place := map[int]int{}               // of an element in its list
	for _, tx := range history {
		for _, list := range tx.appends {
			for _, n := range list {
				writer[n] = tx
			}
		}
	}
	for k, list := range final {
		for i, n := range list {
			if _, twice := place[n]; twice {
				fault("%d stands twice in list %d", n, k)
			}
			if writer[n] == nil {
				fault("%d of list %d was never committed", n, k)
			}
			place[n] = i
		}
	}
	for n := range writer {
		if _, ok := place[n]; !ok {
			fault("%d was acknowledged and is lost", n)
		}
	}
	for _, tx := range history {
		snapshots := map[int]map[int]int{} // how long each list was, by statement, or 0 if all statements read the same
		for _, read := range tx.reads {
			for i, n := range read.list {
				if p, ok := place[n]; !ok || p != i {
					fault("a transaction read %v of list %d, which ends as %v", read.list, read.key, final[read.key])
					break
				}
			}
			at := read.statement
			if level != "READ COMMITTED" {
				at = 0
			}
			if snapshots[at] == nil {
				snapshots[at] = map[int]int{}
			}
			if len(tx.appends[read.key]) > 0 {
				continue // it has read the newest state of this one
			}
			if was, ok := snapshots[at][read.key]; ok && was != len(read.list) {
				fault("a transaction read list %d with %d elements, and with %d", read.key, was, len(read.list))
			}
			snapshots[at][read.key] = len(read.list)
		}
		// Another transaction is in a snapshot as a whole or not at all.
		for _, snapshot := range snapshots {
			for k, length := range snapshot {
				for _, n := range final[k][:length] {
					for other, list := range writer[n].appends {
						if had, ok := snapshot[other]; ok && place[list[len(list)-1]] >= had {
							fault("a snapshot has %d of list %d, but not all of its transaction's %v of list %d", n, k, list, other)
						}
					}
				}
			}
		}
	}
	return faults
}

// TestHistoryFaults: the check finds what it is for.
func TestHistoryFaults(t *testing.T) {
	good := func() []*listTransaction {
		return []*listTransaction{
			{appends: map[int][]int{0: {1}, 1: {2}}},
			{appends: map[int][]int{0: {3}}, reads: []listRead{{1, []int{2}, 0}}},
			{reads: []listRead{{0, []int{1}, 0}, {1, []int{2}, 0}}},
		}
	}
	final := map[int][]int{0: {1, 3}, 1: {2}}
	if faults := historyFaults(good(), final, "REPEATABLE READ"); faults != nil {
		t.Errorf("a good history has faults: %q", faults)
	}
	for name, spoil := range map[string]func(h []*listTransaction, f map[int][]int){
		"lost":            func(_ []*listTransaction, f map[int][]int) { f[0] = []int{1} },
		"twice":           func(_ []*listTransaction, f map[int][]int) { f[0] = []int{1, 3, 3} },
		"never committed": func(_ []*listTransaction, f map[int][]int) { f[1] = []int{2, 9} },
		"dirty read":      func(h []*listTransaction, _ map[int][]int) { h[2].reads[0].list = []int{1, 8} },
		"half a snapshot": func(h []*listTransaction, _ map[int][]int) { h[2].reads[1].list = nil },
		"not repeated": func(h []*listTransaction, _ map[int][]int) {
			h[2].reads = append(h[2].reads, listRead{0, []int{1, 3}, 2})
		},
		"not of this order": func(h []*listTransaction, _ map[int][]int) { h[2].reads[0].list = []int{3} },
	} {
		h, f := good(), map[int][]int{0: {1, 3}, 1: {2}}
		spoil(h, f)
		if historyFaults(h, f, "REPEATABLE READ") == nil {
			t.Errorf("%s is not found", name)
		}
	}
}

// tableCrashDir is where the server that TestKilledWhileCommitting kills works; the variable makes this test binary that server.
const tableCrashDir = "PFSD_TEST_TABLE_CRASH_DIR"

func tableCrashOptions(dir string) Options {
	return Options{Addr: "127.0.0.1:0", DataDir: dir, InitializeInsecure: true, Socket: filepath.Join(dir, "s.sock"), PidFile: filepath.Join(dir, "pid"),
		LogError: filepath.Join(dir, "error.log"), ProcessorShare: -1, MaxRunningStatements: -1}
}

// TestKilledWhileCommitting: a server is killed under clients that commit: what they were told is committed is there when it starts again, and nothing
// is there by half. PFSD_KILLS is how often, 3 if it is not set.
func TestKilledWhileCommitting(t *testing.T) {
	if dir := os.Getenv(tableCrashDir); dir != "" {
		t.Error(ListenAndServe(t.Context(), tableCrashOptions(dir))) // to be killed
		return
	}
	dir, err := os.MkdirTemp("", "pfsd") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	kills := 3
	if s := os.Getenv("PFSD_KILLS"); s != "" {
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	const clients = 4
	var acknowledged [clients]int // pairs of rows of each client
	for kill := range kills + 1 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilledWhileCommitting$")
		child.Env = append(os.Environ(), tableCrashDir+"="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = child.Process.Kill() }) // if the test has failed
		db, err := sql.Open("mysql", "root@unix("+filepath.Join(dir, "s.sock")+")/")
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the server answers", func() bool { return db.Ping() == nil })
		if kill == 0 {
			for _, q := range []string{"CREATE DATABASE c", "CREATE TABLE c.t (client INT, n INT, half INT, pad VARCHAR(200), PRIMARY KEY (client, n, half), KEY (pad))"} {
				if _, err := db.Exec(q); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range clients {
			var whole, rows, most, indexed int
			if err := db.QueryRow("SELECT COUNT(*), COALESCE(MAX(n), 0) FROM c.t WHERE client = ?", i).Scan(&rows, &most); err != nil {
				t.Fatal(err)
			}
			if err := db.QueryRow("SELECT COUNT(*) FROM (SELECT n FROM c.t WHERE client = ? GROUP BY n HAVING COUNT(*) = 2) x", i).Scan(&whole); err != nil {
				t.Fatal(err)
			}
			if err := db.QueryRow("SELECT COUNT(*) FROM c.t WHERE pad = ?", fmt.Sprint("pad", i)).Scan(&indexed); err != nil {
				t.Fatal(err)
			}
			if rows != 2*whole || most != whole || indexed != rows {
				t.Fatalf("kill %d, client %d: %d rows, %d by the index, %d whole transactions, the last one %d", kill, i, rows, indexed, whole, most)
			}
			// The one that was on its way may be there, too.
			if whole < acknowledged[i] || whole > acknowledged[i]+1 {
				t.Fatalf("kill %d, client %d: %d transactions, %d acknowledged", kill, i, whole, acknowledged[i])
			}
			acknowledged[i] = whole
		}
		if kill == kills {
			_ = child.Process.Kill()
			_ = child.Wait()
			_ = db.Close()
			break
		}
		var committed atomic.Int64
		var all sync.WaitGroup
		for i := range clients {
			all.Go(func() {
				for {
					n := acknowledged[i] + 1
					tx, err := db.Begin()
					if err != nil {
						return
					}
					for half := range 2 {
						if _, err := tx.Exec("INSERT INTO c.t VALUES (?, ?, ?, ?)", i, n, half, fmt.Sprint("pad", i)); err != nil {
							_ = tx.Rollback() // or database/sql keeps a goroutine for it
							return
						}
					}
					if tx.Commit() != nil {
						return
					}
					acknowledged[i] = n
					committed.Add(1)
				}
			})
		}
		eventually(t, "the clients commit", func() bool { return committed.Load() >= 20 })
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
		all.Wait()
		_ = db.Close()
	}
}

// A statement that changes tables in several ways, or fills one that it makes, does all or nothing.
func TestChangesOfTablesAreWhole(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (id INT PRIMARY KEY, a INT, x TEXT, FULLTEXT KEY words (x))")
	r.exec(t, "INSERT INTO test.t VALUES (1, 1, 'one word'), (2, 1, 'two words')")
	c, _ := r.conn(t)
	before := r.query(t, "SHOW CREATE TABLE test.t")
	names := r.query(t, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test' ORDER BY TABLE_NAME")
	for _, q := range []string{
		"ALTER TABLE test.t ADD COLUMN b INT FIRST, ADD UNIQUE KEY (a)",
		"ALTER TABLE test.t DROP COLUMN a, ADD COLUMN b INT NOT NULL DEFAULT 3, ADD UNIQUE KEY (b)",
		"CREATE TABLE test.u (a INT PRIMARY KEY) SELECT a FROM test.t",
	} {
		if _, err := c.ExecContext(t.Context(), q); err == nil {
			t.Errorf("%s: no error", q)
		}
		r.want(t, "SHOW CREATE TABLE test.t", before...)
		r.want(t, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test' ORDER BY TABLE_NAME", names...)
		r.want(t, "SELECT id, a FROM test.t WHERE MATCH (x) AGAINST ('words') ORDER BY id", "2|1")
	}
	r.must(t, c, "ALTER TABLE test.t ADD COLUMN b INT NOT NULL DEFAULT 3 FIRST, ADD COLUMN d INT, ADD KEY (b, d), RENAME COLUMN a TO e",
		"CREATE TABLE test.u (id INT PRIMARY KEY, KEY (e)) SELECT id, e FROM test.t")
	r.want(t, "SELECT b, id, e, x, d FROM test.t WHERE MATCH (x) AGAINST ('two')", "3|2|1|two words|NULL")
	r.want(t, "SELECT id FROM test.u WHERE e = 1 ORDER BY id", "1", "2")
}
