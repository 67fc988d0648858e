package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/connection"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// Several statements in a packet: each costs what it costs alone, and what stops one of them stops the rest.

// TestCostOfStatementsTogether: four times as many statements in a packet take four times as long, not sixteen.
func TestCostOfStatementsTogether(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	db := r.open(t, "multiStatements=true")
	db.SetMaxOpenConns(1)
	for _, q := range []string{
		"DO 1;", "SET @a = 1;", "BEGIN;", "SELECT nothing;", "DROP PROCEDURE IF EXISTS test.p;", "CREATE OR REPLACE VIEW test.v AS SELECT 1;", "/*!50001 DO 1 */;", "DO /* ; */ 1;",
		"DROP PROCEDURE IF EXISTS test.p; CREATE PROCEDURE test.p() SELECT 1;", "DROP EVENT IF EXISTS test.e; CREATE EVENT test.e ON SCHEDULE EVERY 1 DAY DO BEGIN DO 1; DO 2; END;",
	} {
		text := func(size int) string { return strings.Repeat(q, size/len(q)) }
		const few = 30 << 10
		if less, more := workOf(db, text(few), 1), workOf(db, text(4*few), 1); tooMuchWork(less, more) {
			if more < 5*time.Second { // another program may have had the processor's caches, but not for so long
				less, more = workOf(db, text(few), 3), workOf(db, text(4*few), 2)
			}
			if tooMuchWork(less, more) {
				t.Fatalf("%s: %v, and four times as many %v", q, less, more)
			}
		}
	}
}

// TestProgramsAmongStatements: the end of a long program among other statements is found.
func TestProgramsAmongStatements(t *testing.T) {
	_, c := calls(t, "multiStatements=true")
	for _, size := range []int{10, 8 << 10, 9 << 10, 40 << 10, 100 << 10} {
		body := "BEGIN DECLARE x INT DEFAULT 0; " + strings.Repeat("/* "+strings.Repeat("; ", 40)+" */ SET x = x + 1; ", 1+size/100)
		for kind, create := range map[string]string{
			"procedure": "CREATE PROCEDURE q() " + body + "SELECT x; END", "function": "CREATE FUNCTION f() RETURNS INT " + body + "RETURN x; END",
			"trigger": "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW " + body + "SET NEW.a = NEW.a + x; END", "event": "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO " + body + "END",
		} {
			name := map[string]string{"procedure": "q", "function": "f", "trigger": "g", "event": "e"}[kind]
			packet := "SET @before = 1; " + create + "; SET @behind = " + fmt.Sprint(size) + "; DO 1"
			if _, err := c.ExecContext(t.Context(), packet); err != nil {
				t.Fatalf("%s of %d bytes: %v", kind, len(create), err)
			}
			var behind int
			var length int
			column, table := "ROUTINE_DEFINITION", "ROUTINES WHERE ROUTINE_NAME"
			switch kind {
			case "trigger":
				column, table = "ACTION_STATEMENT", "TRIGGERS WHERE TRIGGER_NAME"
			case "event":
				column, table = "EVENT_DEFINITION", "EVENTS WHERE EVENT_NAME"
			}
			if err := c.QueryRowContext(t.Context(), "SELECT @behind, (SELECT LENGTH("+column+") FROM information_schema."+table+" = '"+name+"')").Scan(&behind, &length); err != nil {
				t.Fatal(err)
			}
			if want := len(create) - strings.Index(create, "BEGIN DECLARE"); behind != size || length != want {
				t.Errorf("%s of %d bytes: the statement behind it has set %d; %d bytes are kept, want %d", kind, len(create), behind, length, want)
			}
			if _, err := c.ExecContext(t.Context(), "DROP "+kind+" "+name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestStoppedAmongStatements: KILL QUERY, a client that leaves, and an error of a statement end the packet.
func TestStoppedAmongStatements(t *testing.T) {
	r, c := calls(t, "")
	exec := func(q string) {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	exec("CREATE TABLE marks (a INT)")
	exec("DO GET_LOCK('gate', 0)")
	other := r.open(t, "multiStatements=true")
	db, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id := 0
	if err := db.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	waiting := func(what string) {
		t.Helper()
		eventually(t, what, func() bool {
			n := 0
			_ = c.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'DO GET%100%'").Scan(&n)
			return n == 1
		})
	}
	unmarked := func(what string) {
		t.Helper()
		n := -1
		if err := c.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM marks").Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d statements behind it were carried out, %v", what, n, err)
		}
	}
	const packet = "DO 1; DO GET_LOCK('gate', 100); INSERT INTO test.marks VALUES (1); INSERT INTO test.marks VALUES (2)"

	ended := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(context.Background(), packet)
		ended <- err
	}()
	waiting("the second statement waits, and is shown alone")
	exec(fmt.Sprintf("KILL QUERY %d", id))
	if err := <-ended; err == nil || !strings.HasPrefix(code(err), "1317 70100 ") {
		t.Errorf("killed: %v", err)
	}
	unmarked("KILL QUERY")

	if _, err := db.ExecContext(t.Context(), "DO 1; SELECT nothing; INSERT INTO test.marks VALUES (1)"); err == nil || !strings.HasPrefix(code(err), "1054 42S22 ") {
		t.Errorf("an error: %v", err)
	}
	unmarked("an error")
	if _, err := db.ExecContext(t.Context(), "DO 1; DO 2"); err != nil {
		t.Errorf("the connection is of no use after that: %v", err)
	}

	raw := dialRaw(t, r.addr, helloOf(rawMulti, utf8mb4, "\x00", nil))
	raw.write(commandOf(wire.ComQuery, []byte(packet)...))
	waiting("the second statement of a client that leaves waits")
	_ = raw.Close()
	eventually(t, "the connection that was left ends", func() bool {
		n := 1
		_ = c.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'DO GET%100%'").Scan(&n)
		return n == 0
	})
	unmarked("leaving")
}

// betweenStatements is a Handler that calls between before each statement of a command but the first: the one before it is over then, and
// the client carries out nothing.
type betweenStatements struct {
	*connection.Handler
	between func(c *mysql.Conn, rest string)
	rest    string // of the command, as the only client has it
}

func (h *betweenStatements) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) (string, error) {
	if h.rest != "" && query == h.rest {
		h.between(c, query)
	}
	rest, err := h.Handler.ComMultiQuery(ctx, c, query, send)
	h.rest = rest
	return rest, err
}

// TestKilledBetweenStatements: KILL QUERY that comes after a statement of a packet and before the next one ends the rest of the packet, and
// nothing else: the next packet is carried out, though its text is the same as the rest.
func TestKilledBetweenStatements(t *testing.T) {
	s, err := newServer(Options{Addr: "127.0.0.1:0", Registry: instr.NewRegistry(), InitializeInsecure: true}, tables.All())
	if err != nil {
		t.Fatal(err)
	}
	kills, killed := "", 0
	h := &betweenStatements{Handler: s.handler, between: func(c *mysql.Conn, rest string) {
		if rest == kills {
			killed++
			if !s.handler.Clients.Stop(c.ConnectionID, false) {
				t.Error("there is no client to stop")
			}
		}
	}}
	protocol, err := mysql.NewListenerWithConfig(mysql.ListenerConfig{Listener: s.listener, AuthServer: s.handler.Auth, Handler: h, ConnReadBufferSize: connection.ReadBufferSize})
	if err != nil {
		t.Fatal(err)
	}
	protocol.ServerVersion = s.protocol.ServerVersion
	s.protocol = protocol
	r := serving(t, s)
	db := r.open(t, "multiStatements=true")
	db.SetMaxOpenConns(1)
	const first, second = "INSERT INTO test.marks VALUES (2); INSERT INTO test.marks VALUES (3)", "INSERT INTO test.marks VALUES (3)"
	exec := func(q, want string) {
		t.Helper()
		if _, err := db.Exec(q); !strings.HasPrefix(code(err), want) {
			t.Errorf("%s: %v, want %s", q, err, want)
		}
	}
	marks := func(want string) {
		t.Helper()
		got := ""
		if err := db.QueryRow("SELECT COALESCE(GROUP_CONCAT(a ORDER BY a), '') FROM test.marks").Scan(&got); err != nil || got != want {
			t.Errorf("the table has %q, %v, want %q", got, err, want)
		}
	}
	exec("CREATE TABLE test.marks (a INT)", "<nil>")
	for i, c := range []struct{ kills, marks string }{{first, "1"}, {second, "1,2"}} {
		kills = c.kills
		exec("INSERT INTO test.marks VALUES (1); "+first, "1317 70100 ")
		if killed != i+1 {
			t.Fatalf("%d times KILL has come between two statements", killed)
		}
		kills = ""
		marks(c.marks)
		exec(first, "<nil>")
		exec("DELETE FROM test.marks", "<nil>")
	}
}
