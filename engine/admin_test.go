package engine

import (
	"context"
	"database/sql"
	"encoding/binary"
	"net"
	"strings"
	"testing"

	"pfsd/engine/config"
	"pfsd/instr"
)

// atAdmin opens a connection to the administrators' address.
func (r *running) atAdmin(t *testing.T, user string) (*sql.Conn, error) {
	t.Helper()
	return enterAt(t, user, "tcp", r.AdminAddr().String())
}

// TestAdminAddress: while the ordinary port has no place left, neither for clients that have signed in nor for those that have
// not, nor a statement for others, administrators get in at their address, and nobody else does.
func TestAdminAddress(t *testing.T) {
	r := serveAll(t, Options{MaxConnections: 3, AdminAddr: "127.0.0.1:0", MaxRunningStatements: 1, ProcessorShare: -1})
	for _, q := range []string{"CREATE USER ann", "CREATE USER boss", "CREATE USER keeper", "GRANT CONNECTION_ADMIN ON *.* TO boss", "GRANT SERVICE_CONNECTION_ADMIN ON *.* TO keeper"} {
		r.exec(t, q)
	}
	r.db.SetMaxOpenConns(1) // one is root's
	for range halfOpenMax + 1 {
		c, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	var ann *sql.Conn
	for _, user := range []string{"boss", "ann", "boss"} {
		c, err := r.enter(t, user)
		if err != nil {
			t.Fatalf("%s: %v", user, err)
		}
		if user == "ann" {
			ann = c
		}
	}
	if _, err := r.enter(t, "keeper"); code(err) != "1040 08004 Too many connections" {
		t.Errorf("at the ordinary port: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := ann.ExecContext(ctx, "DO (SELECT COUNT(*) FROM information_schema.collations a, information_schema.collations b, information_schema.collations c)")
		ended <- err
	}()
	eventually(t, "the statement runs", func() bool {
		return r.count(t, "SELECT COUNT(*) FROM performance_schema.processlist WHERE USER = 'ann' AND COMMAND = 'Query'") == 1
	})
	for range 6 {
		c, err := r.atAdmin(t, "keeper")
		if err != nil {
			t.Fatal(err)
		}
		check(t, c, [2]string{"SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'performance_schema'", "1"})
	}
	for _, user := range []string{"ann", "boss"} {
		if _, err := r.atAdmin(t, user); code(err) != "1227 42000 Access denied; you need (at least one of) the SERVICE_CONNECTION_ADMIN privilege(s) for this operation" {
			t.Errorf("%s at the administrators' address: %v", user, err)
		}
	}
	cancel()
	<-ended
	host, port, err := net.SplitHostPort(r.AdminAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT @@admin_address, @@admin_port", host+"|"+port)
	r.want(t, "SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Max_used_connections'", "4")
	r.want(t, "SELECT NAME, TYPE FROM performance_schema.threads WHERE NAME LIKE '%admin%'", "thread/sql/admin_interface|BACKGROUND")
	if log := r.logOf(t); !strings.Contains(log, "Admin interface ready for connections, address: '"+host+"'  port: "+port) {
		t.Errorf("the log has %s", log)
	}
}

// Who may use the administrators' address stays somebody who may.
func TestAdminChangesUser(t *testing.T) {
	r := serveAll(t, Options{AdminAddr: "127.0.0.1:0"})
	r.exec(t, "CREATE USER ann")
	c := dialRaw(t, r.AdminAddr().String(), helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	if p := c.change(changeUserOf("ann", "", "caching_sha2_password", nil), nil); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1227 {
		t.Errorf("the answer is %q", p)
	}
}

// The administrators' address is a single one, and refused if others can sign in there without a password.
func TestAdminEndpoint(t *testing.T) {
	for _, addr := range []string{"*:0", ":0", "0.0.0.0:0", "[::]:0"} {
		if s, err := New(Options{Registry: instr.NewRegistry(), LogError: t.TempDir() + "/log", Addr: "127.0.0.1:0", AdminAddr: addr, InitializeInsecure: true}); err == nil || !strings.Contains(err.Error(), "is every address") {
			t.Errorf("%s: %v", addr, err)
			if err == nil {
				_ = s.Close()
			}
		}
	}
	for _, arg := range []string{"--admin-address=*", "--admin-address=0.0.0.0", "--admin-address=::"} {
		if _, err := config.ParseCommandLine([]string{arg}, nil); err == nil || !strings.Contains(err.Error(), "is every address") {
			t.Errorf("%s: %v", arg, err)
		}
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.To4() == nil {
			continue
		}
		addr := net.JoinHostPort(n.IP.String(), "0")
		for _, open := range []bool{true, false} {
			o := Options{Registry: instr.NewRegistry(), LogError: t.TempDir() + "/log", Addr: "127.0.0.1:0", AdminAddr: addr, SkipGrantTables: open, InitializeInsecure: true}
			s, err := New(o)
			if open != (err != nil && strings.Contains(err.Error(), "without a password")) {
				t.Errorf("%s, open %v: %v", addr, open, err)
			}
			if err == nil {
				_ = s.Close()
			}
		}
		return
	}
}
