package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"pfsd/engine/wire"
	"pfsd/tables"
)

// userLimit is error 1226.
func userLimit(what string, n int) string {
	return fmt.Sprintf("1226 42000 User 'u' has exceeded the '%s' resource (current value: %d)", what, n)
}

// TestUserConnections: an account has no more clients than it may have itself, or as max_user_connections says. Those who leave make
// room, whether they had signed in by themselves or by COM_CHANGE_USER.
func TestUserConnections(t *testing.T) {
	r := serve(t, Options{Init: []string{"CREATE USER u@localhost, v@localhost"}}, tables.All()...)
	root := r.answers(t, "root")
	enters := func(user, want string) {
		t.Helper()
		c, err := r.enter(t, user)
		if code(err) != want {
			t.Errorf("%s\n got %s\nwant %s", user, code(err), want)
		}
		if err == nil {
			t.Cleanup(func() { _ = c.Close() })
		}
	}
	root([2]string{"ALTER USER u@localhost WITH MAX_USER_CONNECTIONS 2", "ok"})
	r.want(t, "SELECT max_user_connections FROM mysql.user WHERE User = 'u'", "2")
	first := dialRaw(t, r.addr, bytes.Replace(helloOf(rawCapabilities, utf8mb4, "\x00", nil), []byte("root\x00"), []byte("u\x00"), 1))
	c, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, [2]string{"SELECT @@session.max_user_connections", "2"}, [2]string{"SELECT @@global.max_user_connections", "0"},
		[2]string{"SET SESSION max_user_connections = 7", "1621 HY000 SESSION variable 'max_user_connections' is read-only. Use SET GLOBAL to assign the value"})
	enters("u", userLimit("max_user_connections", 2))
	enters("v", "<nil>")
	// Who changes the user counts for the new one, and stays counted once if that is the same.
	other := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	if p := other.change(changeUserOf("u", "", "caching_sha2_password", nil), nil); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1226 {
		t.Errorf("one too many is answered with %q", p)
	}
	if p := first.change(changeUserOf("u", "", "caching_sha2_password", nil), nil); p[0] != 0 {
		t.Errorf("the same user is answered with %q", p)
	}
	enters("u", userLimit("max_user_connections", 2))
	if p := first.change(changeUserOf("v", "", "caching_sha2_password", nil), nil); p[0] != 0 {
		t.Errorf("another user is answered with %q", p)
	}
	enters("u", "<nil>")
	enters("u", userLimit("max_user_connections", 2))
	// The global limit is for accounts without one.
	root([2]string{"SET GLOBAL max_user_connections = 2", "ok"})
	enters("v", "1203 42000 User v already has more than 'max_user_connections' active connections")
	root([2]string{"SET GLOBAL max_user_connections = 3", "ok"})
	enters("v", "<nil>")
	root([2]string{"SET GLOBAL max_user_connections = 0", "ok"}, [2]string{"ALTER USER u@localhost WITH MAX_USER_CONNECTIONS 0", "ok"})
	enters("u", "<nil>")
	_ = first.Close()
	eventually(t, "who has gone leaves a place", func() bool {
		_, err := r.enter(t, "v")
		return err == nil
	})
}

// TestLimitsPerHour: an account executes, changes and signs in no more often in an hour than its account says.
func TestLimitsPerHour(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE USER u@localhost WITH MAX_QUERIES_PER_HOUR 6 MAX_UPDATES_PER_HOUR 2 MAX_CONNECTIONS_PER_HOUR 2", "CREATE TABLE test.t (a INT)", "GRANT ALL ON test.* TO u@localhost",
	}}, tables.All()...)
	root, u := r.answers(t, "root"), r.answers(t, "u")
	u([2]string{"SELECT 1", "1"}, [2]string{"INSERT INTO test.t VALUES (1)", "ok"}, [2]string{"TRUNCATE test.t", "ok"}, [2]string{"INSERT INTO test.t VALUES (1)", userLimit("max_updates", 2)},
		[2]string{"SELECT 1", "1"}, [2]string{"SELECT 1", "1"}, [2]string{"SELECT 1", "1"}, [2]string{"SELECT 1", userLimit("max_questions", 6)})
	r.want(t, "SELECT max_questions, max_updates, max_connections FROM mysql.user WHERE User = 'u'", "6|2|2")
	r.want(t, "SELECT 1 FROM information_schema.USER_ATTRIBUTES WHERE USER = 'u'", "1")
	if _, err := r.enter(t, "u"); err != nil {
		t.Error(err)
	}
	_, err := r.enter(t, "u")
	if want := userLimit("max_connections_per_hour", 2); code(err) != want {
		t.Errorf("a third sign-in\n got %s\nwant %s", code(err), want)
	}
	root([2]string{"FLUSH USER_RESOURCES", "ok"})
	u([2]string{"SELECT 1", "1"})
	root([2]string{"SHOW CREATE USER u@localhost", "CREATE USER `u`@`localhost` IDENTIFIED WITH 'caching_sha2_password' REQUIRE NONE WITH MAX_QUERIES_PER_HOUR 6 MAX_UPDATES_PER_HOUR 2 MAX_CONNECTIONS_PER_HOUR 2 " +
		"PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK PASSWORD HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT"})
}

// TestExpiredMaySendLittle: a client whose password has expired is answered error 1820 to each command but those by which it sets a
// new one, whichever commands there are.
func TestExpiredMaySendLittle(t *testing.T) {
	r := serve(t, Options{Init: []string{"CREATE USER u@localhost"}}, tables.All()...)
	hello := bytes.Replace(helloOf(rawCapabilities, utf8mb4, "\x00", nil), []byte("root\x00"), []byte("u\x00"), 1)
	c := dialRaw(t, r.addr, hello)
	id := c.prepare("SET @a = 1")
	r.exec(t, "ALTER USER u@localhost PASSWORD EXPIRE")
	expired := func(what string, p []byte) {
		t.Helper()
		if len(p) < 3 || p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1820 {
			t.Errorf("%s is answered with %q", what, p)
		}
	}
	for command := range 256 {
		switch byte(command) {
		case wire.ComQuery, wire.ComPing, wire.ComQuit, wire.ComStmtClose, wire.ComStmtSendLongData:
			continue
		}
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		c.write(statementOf(byte(command), id, 0, 1, 0, 0, 0))
		expired(fmt.Sprintf("the command %#x", command), c.read())
	}
	for _, q := range []string{"SELECT 1", "PREPARE s FROM 'SELECT 1'", "EXECUTE s", "DEALLOCATE PREPARE s", "USE test", "SET @a = 1", "BEGIN", "DO 1", "CALL test.p()", "SHOW WARNINGS", "nonsense", ""} {
		c.write(commandOf(wire.ComQuery, []byte(q)...))
		if p := c.read(); q != "" && q != "nonsense" {
			expired(q, p)
		}
	}
	c.write(commandOf(wire.ComPing))
	c.ok()
	c.write(commandOf(wire.ComQuery, []byte("ALTER USER USER() IDENTIFIED BY ''")...))
	c.ok()
	c.write(statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0))
	c.ok()
}
