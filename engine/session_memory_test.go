package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pfsd/engine/sysvar"
)

// A keeping is a way in which a session keeps memory: statement n of it has the session keep about a megabyte more, or all that it can
// at once and sleep then.
type keeping struct {
	name       string
	setup      []string // by root, in database scratch
	statements int
	statement  func(n int) string
	sleeps     bool // the statement, the only one, keeps it while it sleeps
	account    int  // of hostileAccounts, that of an account without privileges if 0
}

// keptBytes is how long a text is that a session keeps, and keptPacket the server's max_allowed_packet.
const (
	keptBytes  = 1 << 20
	keptPacket = 4 << 20
)

// text is SQL for a text of so many bytes that is not the same in two places.
func keptText(n any) string { return fmt.Sprintf("CONCAT(REPEAT('a', %d), %v)", keptBytes, n) }

// literal is a literal of so many bytes.
func keptLiteral(n int) string { return fmt.Sprintf("'%s%d'", strings.Repeat("a", keptBytes), n) }

// keepings are all ways in which a session keeps memory between its statements, or a program between its own.
func keepings() (all []keeping) {
	each := func(name string, statements int, statement func(n int) string, setup ...string) {
		all = append(all, keeping{name: name, statements: statements, statement: statement, setup: setup})
	}
	// Every variable, so that a new one is found.
	variables := sysvar.All()
	each("session variables", len(variables), func(n int) string {
		return fmt.Sprintf("SET SESSION %s = %s", variables[n].Name, keptText("CONNECTION_ID()"))
	})
	each("a list of variables", 5, func(n int) string {
		return fmt.Sprintf("SET SESSION session_track_system_variables = %s", keptText(n))
	})
	for _, scope := range []string{"GLOBAL", "PERSIST_ONLY"} {
		each(scope+" variables", len(variables), func(n int) string {
			if variables[n].Name == "max_connections" || variables[n].Name == "event_scheduler" {
				return "DO 1"
			}
			return fmt.Sprintf("SET %s %s = %s", scope, variables[n].Name, keptText(n))
		})
		all[len(all)-1].account = 3
	}
	each("user variables", 30, func(n int) string { return fmt.Sprintf("SET @v%d = %s", n, keptText(n)) })
	each("user variables with long names", 20, func(n int) string { return fmt.Sprintf("SET @`%s%d` = 1", strings.Repeat("a", keptBytes), n) })
	each("user variables by SELECT", 30, func(n int) string { return fmt.Sprintf("SELECT %s INTO @v%d", keptText(n), n) })
	each("user variables by :=", 30, func(n int) string { return fmt.Sprintf("DO @v%d := %s", n, keptText(n)) })
	each("prepared statements", 20, func(n int) string {
		return fmt.Sprintf("PREPARE p%d FROM 'SELECT ''%s'''", n, strings.Repeat("a", keptBytes))
	})
	each("prepared statements with long names", 20, func(n int) string {
		return fmt.Sprintf("PREPARE `%s%d` FROM 'SELECT 1'", strings.Repeat("a", keptBytes), n)
	})
	each("savepoints with long names", 20, func(n int) string {
		if n == 0 {
			return "BEGIN"
		}
		return fmt.Sprintf("SAVEPOINT `%s%d`", strings.Repeat("a", keptBytes), n)
	})
	each("locks with long names", 5, func(n int) string { return fmt.Sprintf("DO GET_LOCK(%s, 0)", keptText(n)) })
	each("locks", 30, func(n int) string {
		return fmt.Sprintf("SELECT COUNT(GET_LOCK(CONCAT(REPEAT('a', 50), %d, '/', a.ID, '/', b.ID), 0)) FROM information_schema.collations a, information_schema.collations b WHERE a.ID < 30", n)
	})
	each("profiles", 20, func(n int) string {
		if n == 0 {
			return "SET SESSION profiling = 1, profiling_history_size = 100"
		}
		return "DO LENGTH(" + keptLiteral(n) + ")"
	})
	each("errors", 5, func(n int) string { return "SELECT CAST(" + keptText(n) + " AS JSON)" })
	each("warnings", 3, func(n int) string {
		return []string{
			"SET SESSION max_error_count = 65535, sql_mode = ''",
			fmt.Sprintf("SELECT COUNT(CAST(CONCAT(REPEAT('a', %d), ID) AS SIGNED)) FROM information_schema.collations", keptBytes),
			"SELECT SUM(CAST(CONCAT('1a', a.COLLATION_NAME) AS SIGNED)) FROM information_schema.collations a, information_schema.collations b, information_schema.collations c WHERE c.ID < 8",
		}[n]
	})
	each("conditions", 20, func(n int) string {
		if n == 0 {
			return "SET SESSION max_error_count = 65535"
		}
		return fmt.Sprintf("SIGNAL SQLSTATE '01000' SET MESSAGE_TEXT = %s", keptLiteral(n))
	})
	program := func(name, body string, setup ...string) {
		all = append(all, keeping{
			name: name, statements: 1, statement: func(int) string { return "CALL scratch.keeps()" }, sleeps: true, account: 2,
			setup: append(setup, "CREATE PROCEDURE keeps() SQL SECURITY INVOKER BEGIN "+body+" END"),
		})
	}
	several := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
	const sleep = "SET @s = SLEEP(1000);"
	program("variables of a program", several(30, "DECLARE v# LONGTEXT DEFAULT "+keptText("#")+";")+sleep)
	program("variables that are set", several(30, "DECLARE v# LONGTEXT;")+several(30, "SET v# = "+keptText("#")+";")+sleep)
	program("variables that are selected", several(30, "DECLARE v# LONGTEXT;")+several(30, "SELECT "+keptText("#")+" INTO v#;")+sleep)
	program("variables that are fetched", "DECLARE i INT DEFAULT 0;"+several(30, "DECLARE v# LONGTEXT;")+"DECLARE c CURSOR FOR SELECT "+keptText("i")+";"+
		several(30, "OPEN c; FETCH c INTO v#; CLOSE c; SET i = i + 1;")+sleep)
	program("variables of nested blocks", several(60, "BEGIN DECLARE v LONGTEXT DEFAULT "+keptText("#")+";")+sleep+strings.Repeat("END;", 60))
	program("a variable in many places", "DECLARE v LONGTEXT DEFAULT "+keptText(1)+"; SELECT SLEEP(1000 * LENGTH(CONCAT("+several(200, "SUBSTR(v, 1, #), ")+"1)));")
	program("values of CASE", several(60, "CASE "+keptText("#")+" WHEN '' THEN SET @a = 1; ELSE ")+sleep+strings.Repeat("END CASE;", 60))
	program("cursors", several(10, "BEGIN DECLARE c CURSOR FOR SELECT REPEAT('a', 100000), a.* FROM information_schema.collations a, information_schema.collations b LIMIT 400; OPEN c;")+
		sleep+strings.Repeat("END;", 10))
	program("rows of SELECT ... INTO", "DECLARE v LONGTEXT; SELECT REPEAT('a', 100000) FROM information_schema.collations a, information_schema.collations b INTO v;"+sleep)
	program("parameters", "CALL deeper(0, "+keptText(1)+");", "CREATE PROCEDURE deeper(n INT, v LONGTEXT) SQL SECURITY INVOKER BEGIN IF n < 60 THEN SET max_sp_recursion_depth = 255; CALL deeper(n + 1, CONCAT(v, n)); ELSE "+sleep+" END IF; END")
	program("calls of a large procedure", "CALL deeper(0);", "CREATE PROCEDURE deeper(n INT) SQL SECURITY INVOKER BEGIN IF n < 250 THEN SET max_sp_recursion_depth = 255; CALL deeper(n + 1); ELSE "+sleep+" END IF; "+
		several(4000, "SET @a = 1 + 1 + 1 + 1 + 1;")+" END")
	program("handlers that run", strings.Repeat("BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ", 60)+sleep+strings.Repeat("END; SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = "+keptLiteral(1)+"; END;", 1)+
		strings.Repeat("END; SIGNAL SQLSTATE '45000'; END;", 59))
	var functions, calls []string
	for i := range 20 {
		functions = append(functions, fmt.Sprintf("CREATE FUNCTION large%d() RETURNS INT BEGIN %s RETURN 1; END", i, several(4000, "SET @a = 1 + 1 + 1 + 1 + 1;")))
		calls = append(calls, fmt.Sprintf("IF large%d() THEN SET @b = 1; END IF;", i))
	}
	program("functions", strings.Join(calls, "")+sleep, functions...)
	program("variables of a trigger", "INSERT INTO t3 VALUES (1);", "CREATE TABLE t3 (a INT)",
		"CREATE TRIGGER t3 BEFORE INSERT ON t3 FOR EACH ROW BEGIN "+several(30, "DECLARE v# LONGTEXT;")+several(30, "SET v# = "+keptText("#")+";")+sleep+" END")
	return all
}

// TestSessionsKeepLittle: whatever sessions keep between statements, and programs while they run, is no more memory than connections may
// have together, and the connections go on.
func TestSessionsKeepLittle(t *testing.T) {
	if raceEnabled {
		t.Skip("runs without the race detector: with it the server's memory has no limit")
	}
	const clients = 4
	h := attack(t, fmt.Sprintf("%s=%d", hostilePacket, keptPacket))
	if _, err := h.root.Exec(fmt.Sprintf("SET GLOBAL global_connection_memory_limit = %d, connection_memory_limit = %d", keptLimit, keptLimit/2)); err != nil {
		t.Fatal(err)
	}
	for _, k := range keepings() {
		t.Run(strings.ReplaceAll(k.name, " ", "_"), func(t *testing.T) {
			h.t = t
			defer func() { h.t = nil }()
			h.fresh()
			root, err := h.root.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = root.Close() }()
			for _, q := range append([]string{"USE scratch"}, k.setup...) {
				if _, err := root.ExecContext(t.Context(), q); err != nil {
					t.Fatalf("%.200s: %.300v", q, err)
				}
			}
			before := h.inUse()
			var sessions [clients]*hostileSession
			outcomes := map[string]int{}
			var mu sync.Mutex
			ended := map[int]bool{}
			var all sync.WaitGroup
			for i := range sessions {
				if sessions[i], err = h.session(k.account); err != nil {
					t.Fatal(err)
				}
				defer sessions[i].close()
				all.Go(func() {
					for n := range k.statements {
						number, _, _ := strings.Cut(code(readAll(sessions[i].conn, k.statement(n))), " ")
						mu.Lock()
						outcomes[number]++
						mu.Unlock()
					}
					mu.Lock()
					ended[i] = true
					mu.Unlock()
				})
			}
			if k.sleeps {
				eventually(t, "all sleep or have ended", func() bool {
					var sleep int
					if err := root.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM performance_schema.threads WHERE PROCESSLIST_STATE = 'User sleep'").Scan(&sleep); err != nil {
						return !h.alive()
					}
					mu.Lock()
					defer mu.Unlock()
					return sleep+len(ended) == clients
				})
			} else {
				all.Wait()
			}
			if !h.alive() {
				t.Fatalf("the server has died: %s", h.last("stderr"))
			}
			kept := h.inUse() - before
			t.Logf("%d MiB are kept, %d MiB resident at the most; errors %v", kept>>20, h.resident()>>20, outcomes)
			if kept > keptMax {
				t.Errorf("%d MiB are kept", kept>>20)
			}
			for _, s := range sessions {
				_, _ = root.ExecContext(context.Background(), fmt.Sprintf("KILL QUERY %d", s.id))
			}
			all.Wait()
			if k.account == 3 { // what it has set is the server's, not the session's
				for _, v := range sysvar.All() {
					if v.IsGlobal() && v.Kind == sysvar.Text && !v.Fixed {
						_, _ = root.ExecContext(context.Background(), "SET GLOBAL "+v.Name+" = DEFAULT")
					}
				}
			}
		})
	}
	if n := h.resident(); n > residentMax {
		t.Errorf("%d MiB were resident", n>>20)
	}
	eventually(t, "the memory is given back", func() bool { return h.inUse() < h.memory+hostileKept })
}

const (
	// keptLimit is what connections may have together, bytes, and keptMax how much more memory may be in use while sessions keep as much as
	// they can.
	keptLimit = 32 << 20
	keptMax   = 2 * keptLimit
	// residentMax is how much memory the server may have at the most, bytes. A garbage collection may come when there is twice as much as is in use.
	residentMax = 768 << 20
)

// TestTextsOfVariablesAreCharged: a text that a variable has, whichever it is and in whatever scope, is charged, and no longer than it has it.
func TestTextsOfVariablesAreCharged(t *testing.T) {
	oneAtATime(t)
	r := serveAll(t, Options{MaxAllowedPacket: keptPacket, DataDir: t.TempDir()})
	r.db.SetMaxOpenConns(1)
	set := func(q string) error {
		_, err := r.db.ExecContext(t.Context(), q)
		return err
	}
	accepted := map[string]int{}
	for _, v := range sysvar.All() {
		for _, scope := range []string{"SESSION", "GLOBAL", "PERSIST_ONLY"} {
			before := r.budget.Used()
			if set(fmt.Sprintf("SET %s %s = %s", scope, v.Name, keptText("'b'"))) != nil {
				continue
			}
			accepted[scope]++
			// A piece may have been reserved already.
			if more := r.budget.Used() - before; more < keptBytes/2 {
				t.Errorf("SET %s %s keeps %d bytes, and charges %d", scope, v.Name, keptBytes, more)
			}
			back := fmt.Sprintf("SET %s %s = DEFAULT", scope, v.Name)
			if scope == "PERSIST_ONLY" {
				back = "RESET PERSIST" // some are persisted together with another
			}
			if err := set(back); err != nil {
				t.Errorf("%s: %v", back, err)
			}
			if more := r.budget.Used() - before; more > keptBytes {
				t.Errorf("%s leaves %d bytes charged", back, more)
			}
		}
	}
	if accepted["SESSION"] == 0 || accepted["GLOBAL"] == 0 || accepted["PERSIST_ONLY"] == 0 {
		t.Errorf("texts are accepted by %v variables", accepted)
	}
}
