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
	"SELECT a.ID FROM numbers a LEFT JOIN performance_schema.threads b ON b.THREAD_ID = a.ID WHERE b.THREAD_ID = -1",
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
	"CALL test.loops()", "CALL test.loops_apart()", "CALL test.handles()",
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

// TestShutdownReachesEverything: when the server stops, all statements end.
func TestShutdownReachesEverything(t *testing.T) {
	r := endless(t)
	r.exec(t, "CREATE EVENT test.loops ON SCHEDULE AT NOW() DO BEGIN l: LOOP SET @a = 1; END LOOP; END")
	var all []chan error
	statements := slices.DeleteFunc(slices.Clone(endlessStatements), func(q string) bool { // those that keep rows
		return strings.Contains(q, "ORDER BY") || strings.Contains(q, "OVER") || strings.Contains(q, "JOIN numbers") || strings.Contains(q, "UNION") || strings.Contains(q, " IN (SELECT")
	})
	for _, q := range statements {
		_, _, ended := r.begin(t, q)
		all = append(all, ended)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	for i, ended := range all {
		if err := <-ended; err == nil && !strings.Contains(statements[i], "SLEEP") {
			t.Errorf("%s succeeds", statements[i])
		}
	}
	if log := r.logOf(t); strings.Contains(log, "Forcing close") || strings.Contains(log, "left running") {
		t.Errorf("statements are left:\n%s", log)
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
				c.write(commandOf(comQuery, []byte("SET net_write_timeout = 1")...))
				c.ok()
			}
			c.write(commandOf(comQuery, []byte(q)...))
			var id uint32
			eventually(t, "the server waits for the client", func() bool {
				for _, p := range r.clients.Processes() {
					if p.Query == q {
						id = p.Connection
						return waitingOf(r.wireWaits(id)) == waitsWrite
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

// wireWaits is what a connection waits for.
func (r *running) wireWaits(id uint32) uint32 {
	r.clients.mu.Lock()
	defer r.clients.mu.Unlock()
	if c := r.clients.clients[id]; c != nil {
		return c.wire.waits.word.Load()
	}
	return 0
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
