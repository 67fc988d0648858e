package engine

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	vitess "github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/wire"
	"pfsd/tables"
)

// changeUserOf is COM_CHANGE_USER to a user without a password.
func changeUserOf(user, database, plugin string, attrs []byte) []byte {
	p := append([]byte(user), 0, 0)
	p = append(append(p, database...), 0)
	p = append(p, utf8mb4, 0)
	p = append(append(p, plugin...), 0)
	return commandOf(wire.ComChangeUser, append(p, attrs...)...)
}

// change sends COM_CHANGE_USER and answers the server's request for a password with response. It
// returns the server's answer.
func (c *rawClient) change(command []byte, response []byte) []byte {
	c.t.Helper()
	c.write(command)
	p := c.read()
	if p[0] != 0xfe {
		return p
	}
	c.write(frame(2, response))
	if p = c.read(); p[0] == moreOfAuth && p[1] == askForAuth {
		c.write(frame(4, []byte("wrong\x00")))
		p = c.read()
	}
	return p
}

// A connection can become another user's, and keeps nothing of the first one.
func TestChangeUser(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE USER ann@localhost ")
	r.exec(t, "GRANT SELECT ON performance_schema.* TO ann@localhost")
	c := dialRaw(t, r.addr, helloOf(rawCapabilities|vitess.CapabilityClientConnAttr, utf8mb4, "\x00", encodedAttrs("program_name", "first")))
	id := c.prepare("SET @a = 1")
	c.write(statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0))
	c.ok()
	const mine = " WHERE PROCESSLIST_ID <> CONNECTION_ID()"
	threads := "SELECT PROCESSLIST_USER, PROCESSLIST_DB, CONNECTION_TYPE FROM threads" + mine + " AND TYPE = 'FOREGROUND'"
	r.want(t, threads, "root|NULL|TCP/IP")
	r.want(t, "SELECT COUNT(*) FROM user_variables_by_thread", "1")

	if p := c.change(changeUserOf("ann", "performance_schema", "caching_sha2_password", encodedAttrs("program_name", "second")), nil); p[0] != 0 {
		t.Fatalf("the answer is %q", p)
	}
	r.want(t, threads, "ann|performance_schema|TCP/IP")
	r.want(t, "SELECT COUNT(*) FROM user_variables_by_thread", "0")
	r.want(t, "SELECT COUNT(*) FROM prepared_statements_instances", "0")
	r.want(t, "SELECT ATTR_VALUE FROM session_connect_attrs"+mine, "second")
	r.want(t, "SELECT USER, CURRENT_CONNECTIONS FROM accounts WHERE USER IN ('ann', 'root') AND CURRENT_CONNECTIONS > 0 ORDER BY USER", "ann|1", "root|1")
	c.write(statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0))
	if p := c.read(); p[0] != 0xff {
		t.Errorf("a statement of the first user's is answered with %q", p)
	}
	c.write(commandOf(wire.ComQuery, []byte("CREATE DATABASE d")...))
	if p := c.read(); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1044 {
		t.Errorf("what root may do is answered with %q", p)
	}
	r.want(t, "SELECT COUNT(*) FROM events_statements_summary_by_account_by_event_name WHERE EVENT_NAME = 'statement/com/Change user' AND COUNT_STAR = 1", "1")
}

// Who fails to become another user is told so, and loses the connection.
func TestChangeUserFails(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE USER ann@localhost IDENTIFIED BY 'secret'")
	for name, c := range map[string]struct {
		command  []byte
		response string
		number   uint16
		text     string
	}{
		"password": {changeUserOf("ann", "", "caching_sha2_password", nil), strings.Repeat("x", 20), 1045, "Access denied for user 'ann'@'localhost' (using password: YES)"},
		"user":     {changeUserOf("nobody", "", "caching_sha2_password", nil), "", 1045, "Access denied for user 'nobody'@'localhost' (using password: NO)"},
		"database": {changeUserOf("root", "nosuch", "caching_sha2_password", nil), "", 1049, "Unknown database 'nosuch'"},
		"packet":   {commandOf(wire.ComChangeUser, 'a'), "", 1047, "Unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			raw := dialTLS(t, r.addr, &tls.Config{InsecureSkipVerify: true})
			p := raw.change(c.command, []byte(c.response))
			if p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != c.number || string(p[9:]) != c.text {
				t.Errorf("the answer is %q", p)
			}
			if rest := restOf(raw); rest != nil {
				t.Errorf("the connection goes on with %q", rest)
			}
		})
	}
	r.want(t, "SELECT 1", "1")
}

// Commands that the server does not know, and cursors that there are not, have MySQL's errors;
// the connection goes on.
func TestUnknownCommands(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	id := c.prepare("SET @a = 1")
	for _, x := range []struct {
		packet []byte
		want   string
	}{
		{commandOf(0x05, 'd'), "1047 #08S01Unknown command"},
		{commandOf(0x1e, 1, 2, 3), "1047 #08S01Unknown command"},
		{commandOf(0xff), "1047 #08S01Unknown command"},
		{statementOf(wire.ComStmtFetch, id, 1, 0, 0, 0), fmt.Sprintf("1421 #HY000The statement (%d) has no open cursor.", id)},
		{statementOf(wire.ComStmtFetch, 99, 1, 0, 0, 0), "1243 #HY000Unknown prepared statement handler (99) given to mysqld_stmt_fetch"},
		{commandOf(wire.ComStmtFetch), "1243 #HY000Unknown prepared statement handler (0) given to mysqld_stmt_fetch"},
	} {
		c.write(x.packet, commandOf(wire.ComPing)) // one behind the other
		if p := c.read(); p[0] != 0xff || fmt.Sprint(binary.LittleEndian.Uint16(p[1:]), " ", string(p[3:])) != x.want {
			t.Errorf("the answer is %q, want %s", p, x.want)
		}
		c.ok()
	}
	r.want(t, "SELECT SUM(COUNT_STAR), SUM(SUM_ERRORS) FROM events_statements_summary_global_by_event_name WHERE EVENT_NAME IN ('statement/com/Error', 'statement/com/Fetch')", "6|6")
}

// COM_DEBUG writes into the log, for who may ask for it.
func TestDebugCommand(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE USER ann@localhost")
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	c.write(commandOf(wire.ComDebug), commandOf(wire.ComPing))
	if p := c.read(); len(p) != 5 || p[0] != 0xfe {
		t.Errorf("the answer is %q", p)
	}
	c.ok()
	const logged = "SELECT COUNT(*) FROM error_log WHERE PRIO = 'System' AND DATA LIKE 'Status information: Uptime: %'"
	r.want(t, logged, "1")
	if p := c.change(changeUserOf("ann", "", "caching_sha2_password", nil), nil); p[0] != 0 {
		t.Fatalf("the answer is %q", p)
	}
	c.write(commandOf(wire.ComDebug))
	if p := c.read(); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1227 {
		t.Errorf("the answer is %q", p)
	}
	r.want(t, logged, "1")
}
