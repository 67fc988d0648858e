package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"pfsd/engine/wire"
)

// TestShutdownDeadline: Serve returns in time though a statement cannot be stopped, closes its connection, and
// the log names it.
func TestShutdownDeadline(t *testing.T) {
	stuck, release := make(chan struct{}), make(chan struct{})
	table := &fake{name: "numbers", rows: 10, at: func(i int) {
		if i == 5 {
			close(stuck)
			<-release
		}
	}}
	r := serve(t, Options{ShutdownTimeout: 20 * time.Millisecond}, table)
	c, id := r.conn(t)
	ended := make(chan error, 1)
	go func() {
		_, err := count(context.Background(), c, "SELECT ID FROM numbers")
		ended <- err
	}()
	<-stuck
	if err := r.stop(); err != nil { // or the test does not end
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the statement has succeeded")
	}
	if log := r.logOf(t); !strings.Contains(log, fmt.Sprintf("Forcing close of thread %d  user: 'root'", id)) || !strings.Contains(log, "SELECT ID FROM numbers") {
		t.Errorf("the log does not name the statement:\n%s", log)
	}
	close(release)
	eventually(t, "nothing is left", func() bool { return r.listener.Count.Wait(time.Now().Add(time.Millisecond)) })
}

// TestShutdownStatement: SHUTDOWN and COM_SHUTDOWN need the privilege, are answered, and have Serve return.
func TestShutdownStatement(t *testing.T) {
	for _, how := range []string{"statement", "prepared", "command"} {
		r := serve(t, Options{})
		r.exec(t, "CREATE USER nobody")
		c, err := r.enter(t, "nobody")
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.ExecContext(t.Context(), "SHUTDOWN")
		if got := code(err); got != "1227 42000 Access denied; you need (at least one of) the SHUTDOWN privilege(s) for this operation" {
			t.Errorf("without the privilege: %s", got)
		}
		r.want(t, "SELECT 1", "1")
		raw := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
		switch how {
		case "statement":
			raw.write(commandOf(wire.ComQuery, []byte("SHUTDOWN")...))
			raw.ok()
		case "prepared":
			id := raw.prepare("SHUTDOWN")
			raw.write(statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0))
			raw.ok()
		case "command":
			raw.write(commandOf(wire.ComShutdown))
			if p := raw.read(); p[0] != 0xfe {
				t.Errorf("COM_SHUTDOWN is answered with %q", p)
			}
		}
		eventually(t, how+" stops the server", func() bool {
			c, err := net.Dial("tcp", r.addr)
			if err == nil {
				_ = c.Close()
			}
			return err != nil
		})
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if log := r.logOf(t); !strings.Contains(log, "Received SHUTDOWN from user root.") {
			t.Errorf("the log has no such line:\n%s", log)
		}
	}
}

// TestShutdownCommandWithoutPrivilege: COM_SHUTDOWN of somebody else changes nothing.
func TestShutdownCommandWithoutPrivilege(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE USER ann@localhost")
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	if p := c.change(changeUserOf("ann", "", "caching_sha2_password", nil), nil); p[0] != 0 {
		t.Fatalf("the answer is %q", p)
	}
	c.write(commandOf(wire.ComShutdown))
	if p := c.read(); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1227 {
		t.Errorf("COM_SHUTDOWN is answered with %q", p)
	}
	c.write(commandOf(wire.ComPing))
	c.ok()
}

// TestReload: the log is opened anew, and certificates are read again; what cannot be read changes nothing.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir})
	path := r.options.LogError
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	before := r.listener.Channel.Certificate()
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the log is not opened anew: %v", err)
	}
	if r.listener.Channel.Certificate() == before {
		t.Error("the certificates are not read again")
	}
	before = r.listener.Channel.Certificate()
	if err := os.WriteFile(dir+"/server-cert.pem", []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Reload(); err == nil || r.listener.Channel.Certificate() != before {
		t.Errorf("with a certificate that is none: %v", err)
	}
	r.want(t, "SELECT 1", "1")
}

// TestHalfOpenConnections: many connections whose clients say nothing keep nobody out; when there are too many,
// those of the address that has the most go, the oldest first.
func TestHalfOpenConnections(t *testing.T) {
	r := serveAll(t, Options{MaxConnections: 3})
	var silent []net.Conn
	for range halfOpenMax + 60 {
		c, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		silent = append(silent, c)
	}
	r.want(t, "SELECT 1", "1")
	_ = silent[0].SetReadDeadline(time.Now().Add(time.Minute))
	for { // the greeting may come before the end
		if _, err := silent[0].Read(make([]byte, 1000)); err != nil {
			if os.IsTimeout(err) {
				t.Error("the oldest is not closed")
			}
			break
		}
	}
	eventually(t, "those that are closed are counted", func() bool {
		return r.count(t, "SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Aborted_connects'") >= 60
	})
	r.want(t, "SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Connection_errors_max_connections'", "0")
}

// TestPlaceForAdministrator: one connection more than max_connections is there for an administrator alone.
func TestPlaceForAdministrator(t *testing.T) {
	r := serveAll(t, Options{MaxConnections: 2})
	r.exec(t, "CREATE USER ann")
	r.exec(t, "CREATE USER boss")
	r.exec(t, "GRANT CONNECTION_ADMIN ON *.* TO boss")
	r.db.SetMaxOpenConns(1)
	r.want(t, "SELECT 1", "1") // one is root's
	if _, err := r.enter(t, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.enter(t, "ann"); code(err) != "1040 08004 Too many connections" {
		t.Errorf("one too many: %v", err)
	}
	if _, err := r.enter(t, "boss"); err != nil {
		t.Errorf("an administrator: %v", err)
	}
	for _, user := range []string{"ann", "boss"} {
		if _, err := r.enter(t, user); code(err) != "1040 08004 Too many connections" {
			t.Errorf("two too many, as %s: %v", user, err)
		}
	}
	r.want(t, "SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Connection_errors_max_connections'", "3")
	r.want(t, "SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Max_used_connections'", "3")
}
