package engine

import (
	"database/sql"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"

	"pfsd/tables"
)

const (
	latin1  = 8
	utf8mb4 = 255
)

// What cannot be read is lost and counted; the connection works.
func TestBrokenConnectAttrs(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for i, attrs := range [][]byte{{0xfb}, encodedAttrs("a", "b", "c"), {200, 1, 'a'}, encodedAttrs("n", strings.Repeat("x", 70_000))} {
		c := dialRaw(t, r.addr, helloOf(rawCapabilities|vitess.CapabilityClientConnAttr, utf8mb4, "\x00", attrs))
		c.write(commandOf(0x0e))
		c.ok()
		r.want(t, "SHOW STATUS LIKE '%connect_attrs_lost'", fmt.Sprint("Performance_schema_session_connect_attrs_lost|", i+1))
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The size is an option, and what has no room is lost.
func TestConnectAttrsSize(t *testing.T) {
	r := serve(t, Options{Sizes: map[string]int{"session_connect_attrs_size": 20}}, tables.All()...)
	r.want(t, "SELECT @@performance_schema_session_connect_attrs_size", "20")
	c := dialRaw(t, r.addr, helloOf(rawCapabilities|vitess.CapabilityClientConnAttr, utf8mb4, "\x00", encodedAttrs("program_name", "exactly as it is", "k", "v")))
	c.write(commandOf(0x0e))
	c.ok()
	r.want(t, "SELECT ATTR_NAME, ATTR_VALUE, ORDINAL_POSITION FROM session_connect_attrs WHERE PROCESSLIST_ID <> CONNECTION_ID()", "_truncated|32|0")
}

// What real clients say of themselves.
func TestConnectAttrsOfClients(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	r := serve(t, Options{Socket: socket}, tables.All()...)
	const q = "SELECT ATTR_VALUE FROM session_account_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME = "
	named := r.open(t, "connectionAttributes=program_name:pool,Tenant:17")
	for name, want := range map[string]string{"_client_name": "Go-MySQL-Driver", "program_name": "pool", "Tenant": "17"} {
		var got string
		if err := named.QueryRow(q + "'" + name + "'").Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
	t.Run("mariadb", func(t *testing.T) {
		needClient(t, "mariadb")
		_, port, _ := strings.Cut(r.addr, ":")
		for _, how := range [][]string{{"--protocol=TCP", "--host=127.0.0.1", "--port=" + port}, {"--protocol=SOCKET", "--socket=" + socket}} {
			args := append([]string{"--no-defaults", "--user=root", "--batch", "--skip-column-names", "--skip-ssl"}, how...)
			out, err := exec.Command("mariadb", append(args, "-e", q+"'_client_name'", "performance_schema")...).CombinedOutput()
			if err != nil || string(out) != "libmariadb\n" {
				t.Errorf("%v: %s, %v", how, out, err)
			}
		}
	})
}

// One's own account is the user and the host, of the connection that asks.
func TestConnectAttrsOfAccounts(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	open := func(user, name string) *sql.Conn {
		r.user(t, user)
		db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/performance_schema?connectionAttributes=program_name:%s", user, r.addr, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	names := func(c *sql.Conn, table string) (all []string) {
		rows, err := c.QueryContext(t.Context(), "SELECT ATTR_VALUE FROM "+table+" WHERE ATTR_NAME = 'program_name'")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		slices.Sort(all)
		return all
	}
	one, two, other := open("app", "one"), open("app", "two"), open("App", "other")
	for _, c := range []struct {
		conn *sql.Conn
		want []string
	}{{one, []string{"one", "two"}}, {two, []string{"one", "two"}}, {other, []string{"other"}}} {
		if got := names(c.conn, "session_account_connect_attrs"); !slices.Equal(got, c.want) {
			t.Errorf("of the account: %v, want %v", got, c.want)
		}
		if got := names(c.conn, "session_connect_attrs"); !slices.Equal(got, []string{"one", "other", "two"}) {
			t.Errorf("of all: %v", got)
		}
	}
	if err := two.Raw(func(c any) error { return c.(interface{ Close() error }).Close() }); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of a connection", func() bool { return len(names(one, "session_account_connect_attrs")) == 1 })
}

// sendHello connects, answers the server's greeting with a packet, and reads until the server closes the connection.
func (r *running) sendHello(t testing.TB, payload []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	c := &rawClient{t, conn, newReader(conn)}
	c.read()
	c.write(frame(1, payload))
	_ = conn.(*net.TCPConn).CloseWrite()
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, c.in); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Fatal("the server neither answers nor closes the connection")
	}
}

// hostileLengths are lengths that are wrong, in all encodings, with what follows them.
var hostileLengths = []string{
	"\xfe\xff\xff\xff\xff\xff\xff\xff\xff", "\xfe\xff\xff\xff\xff\xff\xff\xff\xffab", "\xfe\xff\xff\xff\xff\xff\xff\xff\x7fab", "\xfe\x00\x00\x00\x00\x00\x00\x00\x80", "\xfe\xf0\xff\xff\xff\xff\xff\xff\xffab",
	"\xfe\xff\xff\xff\xff", "\xfe", "\xfd\xff\xff\xffab", "\xfc\xff\xffab", "\xfc", "\xfb", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\xfa", "",
}

// hostileHellos are a client's first packets with wrong lengths in each place that has one.
func hostileHellos() (all [][]byte) {
	const base = vitess.CapabilityClientProtocol41 | vitess.CapabilityClientPluginAuth
	for _, length := range hostileLengths {
		for _, more := range []uint32{0, vitess.CapabilityClientConnectWithDB, vitess.CapabilityClientConnAttr, vitess.CapabilityClientConnAttr | vitess.CapabilityClientConnectWithDB} {
			all = append(all, helloOf(base|vitess.CapabilityClientPluginAuthLenencClientData|more, utf8mb4, length, nil),
				helloOf(base|vitess.CapabilityClientSecureConnection|more, utf8mb4, length, nil))
			if more&vitess.CapabilityClientConnAttr != 0 {
				all = append(all, helloOf(base|vitess.CapabilityClientSecureConnection|more, utf8mb4, "\x00", []byte(length)),
					helloOf(base|vitess.CapabilityClientSecureConnection|more, utf8mb4, "\x00", append([]byte{byte(len(length))}, length...)),
					helloOf(base|vitess.CapabilityClientSecureConnection|more, utf8mb4, "\x00", append([]byte{byte(len(length) + 2), 1, 'a'}, length...)))
			}
		}
	}
	whole := helloOf(base|vitess.CapabilityClientSecureConnection|vitess.CapabilityClientConnAttr|vitess.CapabilityClientConnectWithDB, utf8mb4, "\x02ab", encodedAttrs("a", "b"))
	for n := range whole {
		all = append(all, whole[:n])
	}
	return all
}

// noPanic fails if the log has a panic that was caught.
func (r *running) noPanic(t testing.TB, what string, args ...any) {
	t.Helper()
	if log := r.logOf(t); strings.Contains(log, "Internal error") {
		t.Fatalf(what+": the log has a panic:\n%.5000s", append(args, log)...)
	}
}

// TestHostileHellos: a client's first packet may lie about each length: it costs no panic, and the server goes on.
func TestHostileHellos(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "SET GLOBAL max_connect_errors = 1000000")
	for _, payload := range hostileHellos() {
		r.sendHello(t, payload)
	}
	r.noPanic(t, "hostile packets")
	r.want(t, "SELECT 1", "1")
}

// FuzzHandshake: whatever a client answers the greeting with, the server does not panic.
func FuzzHandshake(f *testing.F) {
	for _, payload := range hostileHellos() {
		f.Add(payload)
	}
	r := serveFor(f, Options{})
	if _, err := r.db.Exec("SET GLOBAL max_connect_errors = 4294967295"); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		if len(payload) >= 1<<24-1 {
			return
		}
		r.sendHello(t, payload)
		r.noPanic(t, "%q", payload)
	})
}
