package engine

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/connection"
	"pfsd/engine/wire"
	"pfsd/tables"
)

// endlessStatements run for ever, or for much longer than any test, each in another way.
var endlessStatements = []string{
	"SELECT SLEEP(100000)",
	"SELECT GET_LOCK('taken', 100000)",
	"SELECT BENCHMARK(1000000000000, 1 + 1)",
	"SELECT COUNT(*) FROM numbers",
	"SELECT * FROM numbers ORDER BY DOC",
	"SELECT ID FROM numbers WHERE ID < 0",
	"SELECT DISTINCT LEVEL % 3 FROM numbers",
	"SELECT LEVEL % 3, COUNT(*) FROM numbers GROUP BY 1 WITH ROLLUP",
	"SELECT * FROM (SELECT MAX(ID) OVER (PARTITION BY LEVEL % 2) AS m FROM numbers) t",
	"SELECT ID FROM numbers UNION SELECT 1",
	"SELECT a.ID FROM numbers a JOIN numbers b ON a.LEVEL + b.LEVEL = 1",
	"SELECT a.ID FROM numbers a LEFT JOIN performance_schema.threads b ON b.THREAD_ID = a.ID WHERE COALESCE(b.THREAD_ID, 0) = -1",
	"SELECT 1 IN (SELECT ID + 2 FROM numbers)",
	"SELECT EXISTS (SELECT 1 FROM numbers WHERE LEVEL > 0)",
	"SELECT SUM(c.ID) FROM information_schema.collations a, information_schema.collations b, information_schema.collations c, information_schema.collations d",
	"SELECT COUNT(*) FROM information_schema.collations a JOIN information_schema.collations b JOIN information_schema.collations c JOIN information_schema.collations d ON a.ID + b.ID + c.ID + d.ID = 0",
	"INSERT INTO test.t SELECT ID FROM numbers WHERE ID < 0",
	"CREATE TABLE test.made AS SELECT ID FROM numbers WHERE ID < 0",
	"UPDATE test.t SET a = (SELECT COUNT(*) FROM numbers)",
	"DELETE FROM test.t WHERE a IN (SELECT ID FROM numbers WHERE ID < 0)",
	"DO SLEEP(100000)",
	"SET @a = (SELECT COUNT(*) FROM numbers)",
	"SET @a = BENCHMARK(1000000000000, 1)",
	"SHOW STATUS WHERE SLEEP(100000)",
	"EXPLAIN ANALYZE SELECT COUNT(*) FROM numbers",
	"CALL test.loops()", "CALL test.loops_apart()", "CALL test.handles()", "DO test.forever()",
	"INSERT INTO test.triggered VALUES (1)",
	"EXECUTE prepared",
	"DROP TABLE test.locked",
	"ALTER TABLE test.locked ADD COLUMN c INT",
}

// endless starts a server on which the endless statements are.
func endless(t *testing.T) *running {
	r := serve(t, Options{ShutdownTimeout: time.Minute}, append(tables.All(), &fake{name: "numbers", rows: 1 << 50})...)
	for _, q := range []string{
		"CREATE TABLE test.t (a BIGINT)", "INSERT INTO test.t VALUES (1)", "CREATE TABLE test.locked (a INT)", "CREATE TABLE test.triggered (a INT)",
		"CREATE PROCEDURE test.loops() BEGIN l: LOOP SET @a = 1; END LOOP; END",
		"CREATE PROCEDURE test.loops_apart() BEGIN DECLARE i INT DEFAULT 0; WHILE i < 1000000000 DO IF i = 5 THEN SET i = 0; ELSE SET i = i + 1; END IF; END WHILE; END",
		"CREATE FUNCTION test.forever() RETURNS INT BEGIN LOOP SET @n = 1; END LOOP; RETURN 1; END",
		"CREATE PROCEDURE test.handles() BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; REPEAT SELECT * FROM test.not_there; UNTIL FALSE END REPEAT; END",
		"CREATE TRIGGER test.fires BEFORE INSERT ON test.triggered FOR EACH ROW SET NEW.a = SLEEP(100000)",
	} {
		r.exec(t, q)
	}
	holder, _ := r.conn(t)
	for _, q := range []string{"SELECT GET_LOCK('taken', 0)", "BEGIN", "INSERT INTO test.locked VALUES (1)"} {
		if _, err := holder.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// begin starts an endless statement on a connection of its own. It returns its id and its end.
func (r *running) begin(t *testing.T, q string) (c *sql.Conn, id uint32, ended chan error) {
	t.Helper()
	c, id = r.conn(t)
	if q == "EXECUTE prepared" {
		if _, err := c.ExecContext(t.Context(), "PREPARE prepared FROM 'SELECT COUNT(*) FROM numbers'"); err != nil {
			t.Fatal(err)
		}
	}
	ended = make(chan error, 1)
	go func() {
		_, err := count(context.Background(), c, q)
		ended <- err
	}()
	eventually(t, q+" runs", func() bool { return len(ended) > 0 || r.command(id) == "Query" })
	return c, id, ended
}

// TestKillReachesEverything: KILL QUERY and KILL CONNECTION end every statement.
func TestKillReachesEverything(t *testing.T) {
	needGeneralFunctions(t)
	r := endless(t)
	for _, how := range []string{"QUERY", "CONNECTION"} {
		for _, q := range endlessStatements {
			c, id, ended := r.begin(t, q)
			r.exec(t, fmt.Sprintf("KILL %s %d", how, id))
			select {
			case err := <-ended:
				if got := code(err); how == "QUERY" && !strings.HasPrefix(got, "1317 ") && !(strings.Contains(q, "SLEEP") && err == nil) {
					t.Errorf("KILL QUERY of %s: %s", q, got)
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("KILL %s does not end %s", how, q)
			}
			_ = c.Close()
		}
	}
}

// TestTimeReachesSelects: max_execution_time ends every SELECT.
func TestTimeReachesSelects(t *testing.T) {
	needGeneralFunctions(t)
	r := endless(t)
	db := r.open(t, "max_execution_time=30")
	for _, q := range endlessStatements {
		if !strings.HasPrefix(q, "SELECT") {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		rows, err := db.QueryContext(ctx, q)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			_ = rows.Close()
		}
		cancel()
		if got := code(err); !strings.HasPrefix(got, "3024 ") && !(strings.Contains(q, "SLEEP") && err == nil) {
			t.Errorf("%s: %s", q, got)
		}
	}
}

// TestShutdownReachesEverything: when the server stops, all statements end. A few at a time, as more take the processor from each other.
func TestShutdownReachesEverything(t *testing.T) {
	statements := slices.DeleteFunc(slices.Clone(endlessStatements), func(q string) bool { // those that keep rows
		return strings.Contains(q, "ORDER BY") || strings.Contains(q, "OVER") || strings.Contains(q, "JOIN numbers") || strings.Contains(q, "UNION") || strings.Contains(q, " IN (SELECT")
	})
	step := testSize(t, 1, 3)
	i := 0
	statements = slices.DeleteFunc(statements, func(string) bool { i++; return (i-1)%step != 0 })
	for some := range slices.Chunk(statements, 5) {
		r := endless(t)
		r.exec(t, "CREATE EVENT test.loops ON SCHEDULE AT NOW() DO BEGIN l: LOOP SET @a = 1; END LOOP; END")
		ends := make([]chan error, len(some))
		for i, q := range some {
			_, _, ends[i] = r.begin(t, q)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		for i, q := range some {
			if err := <-ends[i]; err == nil && !strings.Contains(q, "SLEEP") {
				t.Errorf("%s succeeds", q)
			}
		}
		if log := r.logOf(t); strings.Contains(log, "Forcing close") || strings.Contains(log, "left running") {
			t.Errorf("statements are left:\n%s", log)
		}
	}
}

// TestSlowReaders: the statement of a client that does not read its answer can be killed, ends after
// net_write_timeout, and when the server stops.
func TestSlowReaders(t *testing.T) {
	r := serve(t, Options{}, append(tables.All(), &fake{name: "numbers", rows: 1 << 50})...)
	for _, q := range []string{"SELECT REPEAT('x', 1000), ID FROM performance_schema.numbers", "SELECT ID FROM performance_schema.numbers"} {
		for _, how := range []string{"kill", "time", "stop"} {
			c := dialRaw(t, r.addr, helloOf(rawCapabilities|vitess.CapabilityClientConnectWithDB, utf8mb4, "\x00", nil))
			if how == "time" {
				c.write(commandOf(wire.ComQuery, []byte("SET net_write_timeout = 1")...))
				c.ok()
			}
			c.write(commandOf(wire.ComQuery, []byte(q)...))
			var id uint32
			eventually(t, "the server waits for the client", func() bool {
				for _, p := range r.clients.Processes() {
					if p.Query == q {
						id = p.Connection
						return r.writes(id)
					}
				}
				return false
			})
			switch how {
			case "kill":
				r.exec(t, fmt.Sprintf("KILL %d", id))
			case "stop":
				if strings.HasPrefix(q, "SELECT ID") {
					if err := r.stop(); err != nil {
						t.Error(err)
					}
				} else {
					_ = c.Close()
				}
			}
			eventually(t, how+" ends "+q, func() bool { return r.command(id) == "" })
			_ = c.Close()
		}
	}
}

// writes tells whether a connection waits for its client to read.
func (r *running) writes(id uint32) bool {
	w, ok := r.clients.Work(id).(*connection.Work)
	return ok && w.Client.Wire.Writing()
}

// TestLoadDataIsKilled: KILL ends LOAD DATA of a file without end.
func TestLoadDataIsKilled(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{SecureFilePriv: dir})
	r.exec(t, "CREATE TABLE test.loaded (a INT, s VARCHAR(100))")
	if err := os.WriteFile(dir+"/rows", []byte(strings.Repeat("1\tx\n", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, id, ended := r.begin(t, "LOAD DATA INFILE '"+dir+"/rows' INTO TABLE test.loaded")
	r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
	if got := code(<-ended); !strings.HasPrefix(got, "1317 ") {
		t.Errorf("LOAD DATA: %s", got)
	}
}

// TestWritesCanBeKilled: KILL ends a statement that writes many rows to a users' table while it writes them, none of which is left; what the transaction
// did before is. max_execution_time is for SELECT alone. When the server stops, such statements end within its deadline, and their
// rows are not there afterwards.
func TestWritesCanBeKilled(t *testing.T) {
	n, dir := testSize(t, 20_000, 5_000), t.TempDir()
	o := Options{DataDir: dir, ShutdownTimeout: time.Minute}
	r := serve(t, o, tables.All()...)
	r.exec(t, "CREATE TABLE test.source (a INT PRIMARY KEY, s VARCHAR(100))")
	r.exec(t, "CREATE TABLE test.ten (a INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO test.ten VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)")
	r.exec(t, "INSERT INTO test.source SELECT v.a * 10000 + w.a * 1000 + x.a * 100 + y.a * 10 + z.a, REPEAT('x', 50) FROM test.ten v JOIN test.ten w JOIN test.ten x JOIN test.ten y JOIN test.ten z WHERE v.a * 10000 + w.a * 1000 < "+fmt.Sprint(n))
	r.want(t, "SELECT COUNT(*) FROM test.source", fmt.Sprint(n))
	r.exec(t, "CREATE TABLE test.target (a INT PRIMARY KEY, s VARCHAR(100), KEY (s))")
	r.exec(t, "INSERT INTO test.target VALUES (0, 'before'), (100000, 'before')")
	const before = "SELECT COUNT(*), MIN(s), MAX(s) FROM test.target"
	// Each row twenty times over, so that it is not over before somebody has seen it write.
	const rows = " INTO test.target SELECT x.a * 10 + y.a, CONCAT(x.s, z.a) FROM test.source x JOIN test.ten y JOIN test.ten z WHERE z.a < 2"
	kinds := []string{"REPLACE" + rows, "INSERT IGNORE" + rows, "INSERT" + rows + " AND z.a = 1 ON DUPLICATE KEY UPDATE s = 'again'"}
	// begin starts a statement, and returns when it has written some rows.
	begin := func(c *sql.Conn, q string) chan error {
		t.Helper()
		const written = "SELECT SUM(COUNT_WRITE) FROM performance_schema.table_io_waits_summary_by_table WHERE OBJECT_SCHEMA = 'test' AND OBJECT_NAME IN ('target', 'other', 'made', 'many', 'log')"
		r.exec(t, "TRUNCATE TABLE performance_schema.table_io_waits_summary_by_table")
		ended := make(chan error, 1)
		go func() {
			_, err := c.ExecContext(context.Background(), q)
			ended <- err
		}()
		eventually(t, q+" writes", func() bool {
			var n int
			_ = r.db.QueryRow(written).Scan(&n)
			return n > 1000 || len(ended) > 0
		})
		return ended
	}
	for _, q := range kinds {
		c, id := r.conn(t)
		for _, transaction := range []bool{false, true} {
			if transaction {
				for _, q := range []string{"BEGIN", "INSERT INTO test.target VALUES (-1, 'a transaction')"} {
					if _, err := c.ExecContext(t.Context(), q); err != nil {
						t.Fatal(err)
					}
				}
			}
			ended := begin(c, q)
			r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
			if got := code(<-ended); !strings.HasPrefix(got, "1317 70100") {
				t.Errorf("KILL QUERY of %s: %s", q, got)
			}
			if transaction {
				r.want(t, before, "2|before|before")
				if _, err := c.ExecContext(t.Context(), "COMMIT"); err != nil {
					t.Error(err)
				}
				r.want(t, before, "3|a transaction|before")
				r.exec(t, "DELETE FROM test.target WHERE a = -1") // which is locked no more
			}
			r.want(t, before, "2|before|before")
		}
		ended := begin(c, q)
		r.exec(t, fmt.Sprintf("KILL %d", id))
		if err := <-ended; err == nil {
			t.Errorf("KILL of %s: it succeeds", q)
		}
		r.exec(t, "UPDATE test.target SET s = 'before'") // waits until nothing of it is locked any more
		r.want(t, before, "2|before|before")
	}
	// What is written otherwise.
	r.exec(t, "CREATE TABLE test.many (a INT PRIMARY KEY, s VARCHAR(10))")
	r.exec(t, "INSERT INTO test.many SELECT x.a * 10 + y.a AS a, 'before' AS s FROM test.source x JOIN test.ten y WHERE y.a < 3")
	r.exec(t, "CREATE TABLE test.log (a INT)")
	r.exec(t, "CREATE TRIGGER test.logs AFTER INSERT ON test.target FOR EACH ROW INSERT INTO test.log VALUES (NEW.a)")
	const state = "SELECT (SELECT COUNT(*) FROM test.many WHERE s = 'before'), (SELECT COUNT(*) FROM test.log), (SELECT COUNT(*) FROM test.target), (SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'made')"
	for _, q := range []string{
		"UPDATE test.many SET s = 'again'", "UPDATE IGNORE test.many SET s = 'again'", "DELETE FROM test.many WHERE a >= 0", "INSERT IGNORE" + rows,
		"UPDATE test.many m JOIN test.source s ON s.a = m.a DIV 10 SET m.s = 'again'", "CREATE TABLE test.made AS SELECT * FROM test.many",
	} {
		c, id := r.conn(t)
		ended := begin(c, q)
		r.exec(t, fmt.Sprintf("KILL QUERY %d", id))
		if got := code(<-ended); !strings.HasPrefix(got, "1317 70100") {
			t.Errorf("KILL QUERY of %s: %s", q, got)
		}
		r.want(t, state, fmt.Sprintf("%d|0|2|0", 3*n))
	}
	r.exec(t, "DROP TRIGGER test.logs")
	c, _ := r.conn(t)
	for _, q := range []string{"SET max_execution_time = 1", "REPLACE INTO test.target SELECT a + 1, s FROM test.source", "DELETE FROM test.target WHERE s <> 'before'"} {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
	if _, err := count(t.Context(), c, "SELECT COUNT(*) FROM test.source x JOIN test.source y ON x.a + y.a = -1"); !strings.HasPrefix(code(err), "3024 ") {
		t.Errorf("a SELECT beside them: %v", err)
	}

	r.exec(t, "CREATE TABLE test.other LIKE test.target")
	var all []chan error
	for _, q := range []string{kinds[0], strings.Replace(kinds[1], "test.target", "test.other", 1)} {
		c, _ := r.conn(t)
		all = append(all, begin(c, q))
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	for i, ended := range all {
		if err := <-ended; err == nil {
			t.Errorf("%s succeeds while the server stops", kinds[i])
		}
	}
	if log := r.logOf(t); strings.Contains(log, "Forcing close") || strings.Contains(log, "left running") {
		t.Errorf("statements are left:\n%s", log)
	}
	r = serve(t, o, tables.All()...)
	r.want(t, "SELECT COUNT(*) FROM test.other", "0")
	r.want(t, before, "2|before|before")
}
