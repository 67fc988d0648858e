package engine

import (
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
