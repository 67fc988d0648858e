package engine

import (
	"crypto/tls"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"
	"github.com/go-sql-driver/mysql"

	"pfsd/engine/certs"
	"pfsd/engine/config"
	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// tlsCapabilities are those of a client that asks for TLS.
const tlsCapabilities = rawCapabilities | vitess.CapabilityClientConnAttr | vitess.CapabilityClientSSL

// dialTLS logs in over TLS, and gives every packet as the protocol has it.
func dialTLS(t *testing.T, addr string, config *tls.Config) *rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := &rawClient{t, conn, nil}
	c.in = newReader(conn)
	if greeting := c.read(); flagsOf(greeting)&vitess.CapabilityClientSSL == 0 {
		t.Fatal("the greeting does not offer TLS")
	}
	c.write(frame(1, helloOf(tlsCapabilities, utf8mb4, "", nil)[:32]))
	over := tls.Client(conn, config)
	c.Conn, c.in = over, newReader(over)
	c.write(frame(2, helloOf(tlsCapabilities, utf8mb4, "\x00", encodedAttrs("program_name", "encrypted"))))
	head := make([]byte, 4)
	if _, err := io.ReadFull(c.in, head); err != nil || head[3] != 3 {
		t.Fatalf("the answer to the login has the head %v, %v", head, err)
	}
	if p := make([]byte, head[0]); true {
		if _, err := io.ReadFull(c.in, p); err != nil || p[0] != 0 {
			t.Fatalf("login is answered with %q, %v", p, err)
		}
	}
	return c
}

// flagsOf are the lower capabilities in a greeting.
func flagsOf(greeting []byte) uint32 {
	end := strings.IndexByte(string(greeting), 0)
	return uint32(binary.LittleEndian.Uint16(greeting[end+1+13:]))
}

// One connection over TLS is like any other in all the tables.
func TestTLS(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c := dialTLS(t, r.addr, &tls.Config{InsecureSkipVerify: true})
	c.write(commandOf(0x0e))
	c.ok()
	const other = " WHERE PROCESSLIST_ID <> CONNECTION_ID()"
	r.want(t, "SELECT PROCESSLIST_USER, PROCESSLIST_HOST, CONNECTION_TYPE FROM threads"+other+" AND TYPE = 'FOREGROUND'", "root|localhost|SSL/TLS")
	r.want(t, "SELECT ATTR_NAME, ATTR_VALUE FROM session_connect_attrs"+other, "program_name|encrypted")
	c.write(commandOf(wire.ComQuery, []byte("SELECT 1 FROM nosuch")...))
	if p := c.read(); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1046 {
		t.Errorf("the answer is %q", p)
	}
	r.want(t, "SELECT PROPERTY, VALUE FROM tls_channel_status WHERE CHANNEL = 'mysql_main' AND PROPERTY LIKE 'Ssl%accepts' ORDER BY 1", "Ssl_accepts|1", "Ssl_finished_accepts|1")
	id := c.prepare("SET @a = 1")
	c.write(statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0))
	c.ok()
}

// Real clients, both versions of TLS, results larger than a record, and prepared statements.
func TestTLSClients(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		name := fmt.Sprintf("test%d", version)
		if err := mysql.RegisterTLSConfig(name, &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version}); err != nil {
			t.Fatal(err)
		}
		db := r.open(t, "tls="+name)
		var n int
		var kind string
		if err := db.QueryRow("SELECT LENGTH(REPEAT('x', 100000)), CONNECTION_TYPE FROM threads WHERE PROCESSLIST_ID = CONNECTION_ID() AND 1 = ?", 1).Scan(&n, &kind); err != nil || n != 100000 || kind != "SSL/TLS" {
			t.Errorf("%s: %d, %s, %v", name, n, kind, err)
		}
		var text string
		if err := db.QueryRow("SELECT REPEAT('x', 100000)").Scan(&text); err != nil || len(text) != 100000 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		if _, err := db.Exec("SELECT LENGTH('" + strings.Repeat("x", 100000) + "')"); err != nil {
			t.Error(err)
		}
	}
	t.Run("mariadb", func(t *testing.T) {
		needClient(t, "mariadb")
		_, port, _ := strings.Cut(r.addr, ":")
		out, err := exec.Command("mariadb", "--no-defaults", "--user=root", "--batch", "--skip-column-names", "--ssl", "--skip-ssl-verify-server-cert", "--protocol=TCP", "--host=127.0.0.1", "--port="+port,
			"-e", "SELECT CONNECTION_TYPE, (SELECT ATTR_VALUE FROM session_account_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME = '_client_name') FROM threads WHERE PROCESSLIST_ID = CONNECTION_ID()", "performance_schema").CombinedOutput()
		if err != nil || string(out) != "SSL/TLS\tlibmariadb\n" {
			t.Errorf("%s, %v", out, err)
		}
	})
}

// Who must use TLS and does not is told so, whether the user is right or not; a unix socket is secure.
func TestRequireSecureTransport(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	r := serve(t, Options{RequireSecureTransport: true, Socket: socket})
	plain := r.open(t, "")
	const refused = "3159 HY000 Connections using insecure transport are prohibited while --require_secure_transport=ON."
	if got := code(plain.Ping()); got != refused {
		t.Errorf("got %s", got)
	}
	over := r.open(t, "tls=skip-verify")
	if _, err := over.Exec("SET GLOBAL require_secure_transport = OFF"); err != nil {
		t.Fatal(err)
	}
	if err := plain.Ping(); err != nil {
		t.Error(err)
	}
	if _, err := over.Exec("SET GLOBAL require_secure_transport = ON"); err != nil {
		t.Fatal(err)
	}
	local, err := sql.Open("mysql", "root@unix("+socket+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	if err := local.Ping(); err != nil {
		t.Error(err)
	}
	raw, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	c := &rawClient{t, raw, newReader(raw)}
	c.read()
	// A login, and a statement at once: nothing of it is carried out.
	c.write(frame(1, helloOf(rawCapabilities, utf8mb4, "\x00", nil)), commandOf(wire.ComQuery, []byte("CREATE DATABASE d")...))
	if p := c.read(); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 3159 {
		t.Errorf("the answer is %q", p)
	}
	if got := restOf(c); got != nil {
		t.Errorf("the connection goes on with %q", got)
	}
	var n int
	if err := over.QueryRow("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'd'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
}

// restOf reads to the end of a connection and returns what there was.
func restOf(c *rawClient) []byte {
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	var all []byte
	for {
		b, err := c.in.ReadByte()
		if err != nil {
			return all
		}
		all = append(all, b)
	}
}

// Without TLS, none is offered, and who asks for it all the same is refused.
func TestNoTLS(t *testing.T) {
	r := serve(t, Options{TLS: Off})
	if err := r.open(t, "tls=preferred").Ping(); err != nil {
		t.Error(err)
	}
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	c := &rawClient{t, conn, newReader(conn)}
	if greeting := c.read(); flagsOf(greeting)&vitess.CapabilityClientSSL != 0 {
		t.Error("the greeting offers TLS")
	}
}

// A packet that is no login is answered with MySQL's errors.
func TestBadHandshake(t *testing.T) {
	r := serve(t, Options{})
	for name, c := range map[string]struct {
		packet []byte
		number uint16
	}{
		"short":              {frame(1, []byte{1, 2, 3}), 1043},
		"no protocol 4.1":    {frame(1, make([]byte, 40)), 1043},
		"short SSL request":  {frame(1, binary.LittleEndian.AppendUint32(nil, tlsCapabilities)), 1043},
		"wrong number":       {frame(7, helloOf(rawCapabilities, utf8mb4, "\x00", nil)), 1156},
		"larger than logins": {[]byte{0, 0, 0xff, 1}, 1153},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", r.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			raw := &rawClient{t, conn, newReader(conn)}
			raw.read()
			raw.write(c.packet)
			if p := raw.read(); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != c.number {
				t.Errorf("the answer is %q", p)
			}
		})
	}
	if err := r.db.Ping(); err != nil {
		t.Error(err)
	}
}

// The files in the data directory are those that MySQL has there, are made once, and hold.
func TestGeneratedCertificates(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{DataDir: dir})
	if err := r.open(t, "tls=skip-verify").Ping(); err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT @@ssl_ca, @@ssl_cert, @@ssl_key, @@tls_version", strings.Join([]string{dir + "/ca.pem", dir + "/server-cert.pem", dir + "/server-key.pem", "TLSv1.2,TLSv1.3"}, "|"))
	ca, err := os.ReadFile(dir + "/ca.pem")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ca-key.pem", "server-key.pem", "client-key.pem"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	certs, err := certs.Load(dir+"/ca.pem", dir+"/client-cert.pem", dir+"/client-key.pem")
	if err != nil {
		t.Fatal(err)
	}
	// The server takes the client's certificate, which its authority has signed.
	if err := mysql.RegisterTLSConfig("withcert", &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{certs.Server}}); err != nil {
		t.Fatal(err)
	}
	if err := r.open(t, "tls=withcert").Ping(); err != nil {
		t.Error(err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	again := serve(t, Options{DataDir: dir})
	if !again.listener.Channel.On() {
		t.Fatal("its own certificates do not do")
	}
	if kept, err := os.ReadFile(dir + "/ca.pem"); err != nil || string(kept) != string(ca) {
		t.Error("the authority is another one")
	}
	if err := os.Remove(dir + "/server-key.pem"); err != nil {
		t.Fatal(err)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	if serve(t, Options{DataDir: dir}).listener.Channel.On() {
		t.Error("half of the files are enough")
	}
}

// Options that cannot be met stop the start, with a line that names them.
func TestTLSOptions(t *testing.T) {
	dir := t.TempDir()
	if _, _, _, _, err := certs.InDataDir(instr.NewRegistry(), openDir(t, dir), true); err != nil {
		t.Fatal(err)
	}
	cert, key, bad := dir+"/server-cert.pem", dir+"/server-key.pem", dir+"/bad.pem"
	if err := os.WriteFile(bad, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"--ssl-cert /nonexistent/c":        {SSLCert: "/nonexistent/c", SSLKey: key},
		"--ssl-key /nonexistent/k":         {SSLCert: cert, SSLKey: "/nonexistent/k"},
		"--ssl-ca /nonexistent/ca":         {SSLCA: "/nonexistent/ca", SSLCert: cert, SSLKey: key},
		"--ssl-cert and --ssl-key":         {SSLCert: cert},
		"--ssl-key " + dir + "/client-key": {SSLCert: cert, SSLKey: dir + "/client-key.pem"},
		"--ssl-ca " + bad:                  {SSLCA: bad, SSLCert: cert, SSLKey: key},
	} {
		o.Addr, o.Registry, o.InitializeInsecure = "127.0.0.1:0", instr.NewRegistry(), true
		_, err := New(o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
	for list, want := range map[string]string{"TLSv1.3": "TLSv1.3", "tlsv1.3, TLSv1.2": "TLSv1.2,TLSv1.3", "TLSv1.2": "TLSv1.2"} {
		versions, err := config.ParseTLSVersions(list)
		if got := config.TLSVersionNames(Options{TLSVersions: versions}); err != nil || got != want {
			t.Errorf("%s: %s, %v", list, got, err)
		}
	}
	if _, err := config.ParseTLSVersions("TLSv1.2,TLSv1.1"); err == nil {
		t.Error("TLSv1.1 is taken")
	}
}

// ALTER INSTANCE RELOAD TLS takes the files that the variables name, for the connections to come.
func TestReloadTLS(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE USER ann@localhost")
	first := r.listener.Channel.Certificate().Raw
	if _, _, _, _, err := certs.InDataDir(instr.NewRegistry(), openDir(t, dir), true); err != nil {
		t.Fatal(err)
	}
	ann, err := sql.Open("mysql", "ann@tcp("+r.addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ann.Close() }()
	if _, err := ann.Exec("ALTER INSTANCE RELOAD TLS"); code(err) != "1227 42000 Access denied; you need (at least one of) the CONNECTION_ADMIN privilege(s) for this operation" {
		t.Errorf("as an ordinary user: %s", code(err))
	}
	r.exec(t, "SET GLOBAL ssl_ca = '"+dir+"/ca.pem', GLOBAL ssl_cert = '"+dir+"/server-cert.pem', GLOBAL ssl_key = '"+dir+"/nosuch.pem', GLOBAL tls_version = 'TLSv1.3'")
	const failed = "3888 HY000 Failed to set up SSL because of the following SSL library error: cannot read --ssl-key "
	if _, err := r.db.Exec("ALTER INSTANCE RELOAD TLS"); !strings.HasPrefix(code(err), failed) {
		t.Errorf("without a key: %s", code(err))
	}
	if string(r.listener.Channel.Certificate().Raw) != string(first) {
		t.Error("what failed has changed the certificate")
	}
	r.exec(t, "ALTER INSTANCE RELOAD TLS NO ROLLBACK ON ERROR")
	r.want(t, "SELECT VALUE FROM tls_channel_status WHERE CHANNEL = 'mysql_main' AND PROPERTY = 'Enabled'", "No")
	r.exec(t, "SET GLOBAL ssl_key = '"+dir+"/server-key.pem'")
	r.exec(t, "ALTER INSTANCE RELOAD TLS FOR CHANNEL mysql_main")
	r.want(t, "SELECT VALUE FROM tls_channel_status WHERE CHANNEL = 'mysql_main' AND PROPERTY IN ('Enabled', 'Current_tls_cert', 'Current_tls_version')", "Yes", dir+"/server-cert.pem", "TLSv1.3")
	if err := r.open(t, "tls=skip-verify").Ping(); err != nil {
		t.Error(err)
	}
	if _, err := r.db.Exec("ALTER INSTANCE RELOAD TLS FOR CHANNEL nosuch"); !strings.HasPrefix(code(err), "1064 ") {
		t.Errorf("another channel: %s", code(err))
	}
}
