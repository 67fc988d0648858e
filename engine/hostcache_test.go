package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine/wire"
	"pfsd/instr"
	"pfsd/tables"
)

// names is a resolver that knows what a test tells it.
type names struct {
	names     map[string]string // by address
	addresses map[string]string // by name
	asked     atomic.Int64
}

func (n *names) LookupAddr(_ context.Context, addr string) ([]string, error) {
	n.asked.Add(1)
	if addr == "127.0.0.7" {
		return nil, errors.New("no answer")
	}
	if name, ok := n.names[addr]; ok {
		return []string{name + "."}, nil
	}
	return nil, &net.DNSError{IsNotFound: true}
}

func (n *names) LookupHost(_ context.Context, host string) ([]string, error) {
	if addr, ok := n.addresses[host]; ok {
		return []string{"192.0.2.9", addr}, nil
	}
	return nil, &net.DNSError{IsNotFound: host != "again.example.com"}
}

// from opens a pool of clients on another address of this machine, which for MySQL is
// not the machine itself.
func (r *running) from(t *testing.T, ip, params string) *sql.DB {
	t.Helper()
	r.account(t, "'root'@'%'")
	network := "from" + ip
	mysql.RegisterDialContext(network, func(ctx context.Context, addr string) (net.Conn, error) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
		return d.DialContext(ctx, "tcp", addr)
	})
	db, err := sql.Open("mysql", fmt.Sprintf("root@%s(%s)/%s", network, r.addr, params))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// resolve has the server ask n for names.
func (r *running) resolve(n *names) {
	r.listener.Hosts.ResolveWith(n)
}

// intrude opens a connection from ip and breaks it off in the middle of the login. It returns
// the server's first packet.
func (r *running) intrude(t *testing.T, ip string) []byte {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	conn, err := d.Dial("tcp", r.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	c := &rawClient{t, conn, newReader(conn)}
	p := c.read()
	if p[0] != 0xff {
		c.write(frame(1, []byte{1, 2}))
		c.read()
	}
	return p
}

// A client's host is its name, which is asked for once; errors are counted, and block it.
func TestHostCache(t *testing.T) {
	r := serve(t, Options{MaxConnectErrors: 2}, tables.All()...)
	dns := &names{names: map[string]string{"127.0.0.2": "app.example.com"}, addresses: map[string]string{"app.example.com": "127.0.0.2"}}
	r.resolve(dns)
	db := r.from(t, "127.0.0.2", "")
	for range 2 {
		var user string
		if err := db.QueryRow("SELECT USER()").Scan(&user); err != nil || user != "root@app.example.com" {
			t.Fatal(user, err)
		}
		db.SetMaxIdleConns(0)
	}
	r.want(t, "SELECT IP, HOST, HOST_VALIDATED, SUM_CONNECT_ERRORS, COUNT_HANDSHAKE_ERRORS, FIRST_ERROR_SEEN, FIRST_SEEN <= LAST_SEEN FROM host_cache", "127.0.0.2|app.example.com|YES|0|0|NULL|1")
	if n := dns.asked.Load(); n != 1 {
		t.Errorf("the name was asked for %d times", n)
	}
	const counts = "SELECT SUM_CONNECT_ERRORS, COUNT_HOST_BLOCKED_ERRORS, COUNT_HANDSHAKE_ERRORS, COUNT_DEFAULT_DATABASE_ERRORS, FIRST_ERROR_SEEN <= LAST_ERROR_SEEN FROM host_cache WHERE HOST = 'app.example.com'"
	r.intrude(t, "127.0.0.2")
	r.want(t, counts, "1|0|1|0|1")
	if err := db.Ping(); err != nil { // a success, which makes up for it
		t.Fatal(err)
	}
	eventually(t, "the success counts", func() bool { return slices.Equal(r.query(t, counts), []string{"0|0|1|0|1"}) })
	if got := code(r.from(t, "127.0.0.2", "nosuch").Ping()); got != "1049 42000 Unknown database 'nosuch'" {
		t.Errorf("got %s", got)
	}
	r.want(t, counts, "0|0|1|1|1")
	for range 3 {
		r.intrude(t, "127.0.0.2")
	}
	r.want(t, counts, "3|0|4|1|1")
	if got := code(db.Ping()); got != "1129 HY000 Host '127.0.0.2' is blocked because of many connection errors; unblock with 'mysqladmin flush-hosts'" {
		t.Errorf("got %s", got)
	}
	r.want(t, counts, "3|1|4|1|1")
	if _, err := r.db.Exec("FLUSH HOSTS"); !strings.HasPrefix(code(err), "1064 42000 ") {
		t.Errorf("FLUSH HOSTS: %s", code(err))
	}
	r.exec(t, "TRUNCATE TABLE host_cache")
	r.want(t, "SELECT COUNT(*) FROM host_cache", "0")
	if err := db.Ping(); err != nil {
		t.Error(err)
	}
	r.want(t, "SELECT COUNT(*) FROM host_cache WHERE COUNT_HOST_BLOCKED_ERRORS = 0", "1")
}

// What goes wrong with names is counted, as MySQL counts it, and leaves the address for a name.
func TestHostNames(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	dns := &names{
		names: map[string]string{
			"127.0.0.2": "127.example.com", "127.0.0.3": "elsewhere.example.com", "127.0.0.4": "nowhere.example.com", "127.0.0.5": "again.example.com",
		},
		addresses: map[string]string{"elsewhere.example.com": "192.0.2.1"},
	}
	r.resolve(dns)
	for i, want := range map[int]string{
		2: "NO|0|0|1|0|0|0", 3: "YES|0|0|0|0|0|1", 4: "YES|0|0|0|0|1|0", 5: "NO|0|0|0|1|0|0", 6: "YES|0|1|0|0|0|0", 7: "NO|1|0|0|0|0|0",
	} {
		ip := fmt.Sprint("127.0.0.", i)
		var user string
		if err := r.from(t, ip, "").QueryRow("SELECT USER()").Scan(&user); err != nil || user != "root@"+ip {
			t.Fatal(user, err)
		}
		r.want(t, "SELECT HOST_VALIDATED, COUNT_NAMEINFO_TRANSIENT_ERRORS, COUNT_NAMEINFO_PERMANENT_ERRORS, COUNT_FORMAT_ERRORS, COUNT_ADDRINFO_TRANSIENT_ERRORS, COUNT_ADDRINFO_PERMANENT_ERRORS, COUNT_FCRDNS_ERRORS FROM host_cache WHERE HOST IS NULL AND IP = '"+ip+"'", want)
	}
	r.want(t, "SELECT ERROR_CODE, COUNT(*) FROM error_log WHERE PRIO = 'Warning' GROUP BY ERROR_CODE ORDER BY 1", "MY-010055|2", "MY-010056|2", "MY-010057|1", "MY-010058|1", "MY-010453|1")
}

// The cache holds as many addresses as host_cache_size says; skip_name_resolve keeps it empty.
func TestHostCacheSize(t *testing.T) {
	r := serve(t, Options{HostCacheSize: new(2)}, tables.All()...)
	r.want(t, "SELECT @@host_cache_size, @@max_connect_errors, @@skip_name_resolve", "2|100|0")
	r.resolve(&names{})
	for _, ip := range []string{"127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.4"} {
		if err := r.from(t, ip, "").Ping(); err != nil {
			t.Fatal(err)
		}
	}
	r.want(t, "SELECT IP FROM host_cache ORDER BY IP", "127.0.0.2", "127.0.0.4")
	r.exec(t, "SET GLOBAL host_cache_size = 0")
	if err := r.from(t, "127.0.0.5", "").Ping(); err != nil {
		t.Fatal(err)
	}
	r.want(t, "SELECT COUNT(*) FROM host_cache", "0")
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	skip := serve(t, Options{NameResolution: Off, Registry: instr.NewRegistry()}, tables.All()...)
	skip.resolve(&names{names: map[string]string{"127.0.0.2": "a.example.com"}, addresses: map[string]string{"a.example.com": "127.0.0.2"}})
	var user string
	if err := skip.from(t, "127.0.0.2", "").QueryRow("SELECT USER()").Scan(&user); err != nil || user != "root@127.0.0.2" {
		t.Error(user, err)
	}
	skip.want(t, "SELECT COUNT(*) FROM host_cache", "0")
}

// How a connection ends otherwise than it should is a Note, as in MySQL.
func TestAbortedConnections(t *testing.T) {
	r := serve(t, Options{LogErrorVerbosity: 3}, tables.All()...)
	defer func() { r.exec(t, "SET GLOBAL log_error_verbosity = 2") }()
	gone := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	gone.write(commandOf(wire.ComInitDB, []byte("test")...))
	gone.ok()
	_ = gone.Close()
	r.intrude(t, "127.0.0.1")
	quit := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	quit.write(commandOf(wire.ComQuit))
	if rest := restOf(quit); rest != nil {
		t.Errorf("after quit there is %q", rest)
	}
	const q = "SELECT SUBSTR(DATA, LOCATE(' to ', DATA)) FROM error_log WHERE ERROR_CODE = 'MY-010914' ORDER BY 1"
	want := []string{
		" to db: 'test' user: 'root' host: 'localhost' (Got an error reading communication packets).",
		" to db: 'unconnected' user: 'unauthenticated' host: 'localhost' (Bad handshake).",
	}
	eventually(t, strings.Join(want, " and "), func() bool { return slices.Equal(r.query(t, q), want) })
	if n, m := r.listener.AbortedClients.Load(), r.listener.AbortedConnects.Load(); n != 1 || m != 1 {
		t.Errorf("%d clients and %d connects were aborted", n, m)
	}
}
