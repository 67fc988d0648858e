package engine

import (
	"bufio"
	"database/sql"
	"encoding/binary"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/accounts"
	"pfsd/tables"
)

// helloAs is what a client answers the server's greeting with that wants to be user.
func helloAs(user, plugin string, response []byte) []byte {
	p := binary.LittleEndian.AppendUint32(nil, rawCapabilities)
	p = binary.LittleEndian.AppendUint32(p, 1<<24)
	p = append(append(p, utf8mb4), make([]byte, 23)...)
	p = append(append(p, user...), 0, byte(len(response)))
	p = append(append(p, response...), plugin...)
	return append(p, 0)
}

// refusal signs in with a password that is wrong, and returns what the server sends, packet for packet,
// without what is random and without the user's name.
func (r *running) refusal(t testing.TB, user, plugin string, password string) (packets []string) {
	t.Helper()
	conn, err := net.Dial("unix", r.options.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	c := &rawClient{t, conn, bufio.NewReader(conn)}
	c.read()
	scramble := func(plugin string) []byte {
		if password == "" {
			return nil
		}
		return make([]byte, map[string]int{accounts.Native: 20, accounts.CachingSHA2: 32}[plugin])
	}
	sequence := byte(1)
	c.write(frame(sequence, helloAs(user, plugin, scramble(plugin))))
	for {
		p := c.read()
		sequence += 2
		switch {
		case p[0] == vitess.AuthSwitchRequestPacket:
			name, _, _ := strings.Cut(string(p[1:]), "\x00")
			packets = append(packets, fmt.Sprintf("switch to %s, %d bytes", name, len(p)))
			c.write(frame(sequence, scramble(name)))
		case p[0] == moreOfAuth:
			packets = append(packets, fmt.Sprintf("more %q", p))
			c.write(frame(sequence, append([]byte(password), 0)))
		default:
			return append(packets, strings.ReplaceAll(fmt.Sprintf("end %q", p), user, "USER"))
		}
	}
}

// signInUsers are users of all sorts; their names have the same length.
var signInUsers = []string{
	"CREATE USER known IDENTIFIED BY 'right'", "CREATE USER seenb IDENTIFIED BY 'right'", "CREATE USER empty", "CREATE USER lockd IDENTIFIED BY 'right' ACCOUNT LOCK",
	"CREATE ROLE arole", "CREATE USER lessl IDENTIFIED BY 'right' REQUIRE SSL", "CREATE USER expir IDENTIFIED BY 'right' PASSWORD EXPIRE",
	"CREATE USER other@'203.0.113.1' IDENTIFIED BY 'right'",
}

// Whether there is a user, and whether it has a password, a client that is refused learns neither from
// what is sent nor from the work that is done.
func TestRefusalsAreAlike(t *testing.T) {
	r := serve(t, Options{Addr: "-", Socket: filepath.Join(t.TempDir(), "s"), Init: signInUsers})
	seen, err := sql.Open("mysql", "seenb:right@unix("+r.options.Socket+")/")
	if err != nil {
		t.Fatal(err)
	}
	if err := seen.Ping(); err != nil { // its password is known to the fast way
		t.Fatal(err)
	}
	_ = seen.Close()
	for _, plugin := range []string{accounts.CachingSHA2, accounts.Native} {
		for _, password := range []string{"", "wrong"} {
			var first []string
			var cost accounts.SignInWork
			for i, user := range []string{"nosuc", "known", "seenb", "empty", "lockd", "arole", "lessl", "expir", "other", "nosu2"} {
				if password == "" && user == "empty" {
					continue // it is let in
				}
				before := r.accounts.SignInWork()
				got := r.refusal(t, user, plugin, password)
				after := r.accounts.SignInWork()
				work := accounts.SignInWork{Hashes: after.Hashes - before.Hashes, Scrambles: after.Scrambles - before.Scrambles}
				if i == 0 {
					first, cost = got, work
					continue
				}
				if user == "arole" { // a role is locked, and has no password
					if password == "" {
						continue
					}
				}
				if !slices.Equal(got, first) || work != cost {
					t.Errorf("%s with %q by %s:\n got %q, %+v\nwant %q, %+v", user, password, plugin, got, work, first, cost)
				}
			}
			if want := map[string]uint64{"": 0, "wrong": 1}[password]; cost.Hashes != want {
				t.Errorf("%q by %s takes %+v", password, plugin, cost)
			}
		}
	}
}

// A user that there is not has the same plugin each time, and plugins are as frequent among such
// users as among accounts.
func TestDecoyPlugins(t *testing.T) {
	r := serve(t, Options{NativePassword: true, Init: []string{
		"CREATE USER a IDENTIFIED WITH mysql_native_password BY 'x'", "CREATE USER b IDENTIFIED WITH mysql_native_password BY 'x'",
		"CREATE USER c IDENTIFIED BY 'x'",
	}})
	native := 0
	for i := range 1000 {
		user := fmt.Sprint("nobody", i)
		plugin := r.accounts.DecoyPlugin(user)
		if plugin == accounts.Native {
			native++
		}
		if r.accounts.DecoyPlugin(user) != plugin {
			t.Fatalf("%s has another plugin", user)
		}
	}
	if native < 400 || native > 600 {
		t.Errorf("%d of 1000", native)
	}
}

// dial tries to sign in over TCP.
func (r *running) dial(t testing.TB, who string) error {
	db, err := sql.Open("mysql", who+"@tcp("+r.addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	return db.Ping()
}

// Failures are counted, and make the next attempts wait, of this user from this host alone.
func TestFailedSignInsWait(t *testing.T) {
	r := serve(t, Options{
		Init:      []string{"CREATE USER u IDENTIFIED BY 'right'", "CREATE USER v IDENTIFIED BY 'right'", "GRANT SELECT ON *.* TO v"},
		Variables: map[string]string{failedThreshold: "2"},
	}, tables.All()...)
	r.want(t, "SHOW VARIABLES LIKE 'connection_control%'", failedThreshold+"|2", maxDelay+"|10000", minDelay+"|1000")
	r.want(t, "SELECT COUNT(*) FROM information_schema.CONNECTION_CONTROL_FAILED_LOGIN_ATTEMPTS", "0")
	const denied = "1045 28000 Access denied for user 'u'@'localhost' (using password: YES)"
	for range 2 {
		if err := r.dial(t, "u:wrong"); code(err) != denied {
			t.Error(err)
		}
	}
	r.want(t, "SHOW GLOBAL STATUS LIKE 'Connection_control%'", "Connection_control_delay_generated|0")
	began := time.Now()
	if err := r.dial(t, "u:wrong"); code(err) != denied {
		t.Error(err)
	}
	if waited := time.Since(began); waited < time.Second {
		t.Errorf("it waited %v", waited)
	}
	r.want(t, "SHOW GLOBAL STATUS LIKE 'Connection_control%'", "Connection_control_delay_generated|1")
	r.want(t, "SELECT * FROM information_schema.CONNECTION_CONTROL_FAILED_LOGIN_ATTEMPTS", "'u'@'localhost'|3")
	v, err := sql.Open("mysql", "v:right@tcp("+r.addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = v.Close() }()
	n := -1
	if err := v.QueryRow("SELECT COUNT(*) FROM information_schema.CONNECTION_CONTROL_FAILED_LOGIN_ATTEMPTS").Scan(&n); err != nil || n != 0 {
		t.Errorf("without PROCESS one sees %d rows, %v", n, err)
	}
	began = time.Now()
	if err := r.dial(t, "u:right"); err != nil {
		t.Error(err)
	}
	if waited := time.Since(began); waited < 2*time.Second {
		t.Errorf("the success waited %v", waited)
	}
	r.want(t, "SELECT COUNT(*) FROM information_schema.CONNECTION_CONTROL_FAILED_LOGIN_ATTEMPTS", "0")
	if err := r.dial(t, "u:wrong"); code(err) != denied {
		t.Error(err)
	}
	r.exec(t, "SET GLOBAL "+failedThreshold+" = 5")
	r.want(t, "SELECT COUNT(*) FROM information_schema.CONNECTION_CONTROL_FAILED_LOGIN_ATTEMPTS", "0")
}

// Attempts that wait keep nobody out, and end with the server.
func TestWaitingAttemptsKeepNobodyOut(t *testing.T) {
	r := serve(t, Options{
		MaxConnections: 3, Init: []string{"CREATE USER u IDENTIFIED BY 'right'", "CREATE USER v IDENTIFIED BY 'right'"},
		Variables: map[string]string{failedThreshold: "1", minDelay: "2000000", maxDelay: "2000000"},
	})
	_ = r.dial(t, "u:wrong")
	var waiting sync.WaitGroup
	for range 40 {
		waiting.Go(func() {
			if err := r.dial(t, "u:right"); err == nil {
				t.Error("an attempt did not wait")
			}
		})
	}
	eventually(t, "attempts wait", func() bool { _, n := r.throttle.Generated(); return n == 16 })
	for range 5 {
		if err := r.dial(t, "v:right"); err != nil {
			t.Error(err)
		}
	}
	_ = r.db.Close()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	waiting.Wait()
	if _, n := r.throttle.Generated(); n != 0 {
		t.Errorf("%d wait still", n)
	}
}

// FAILED_LOGIN_ATTEMPTS and PASSWORD_LOCK_TIME block an account as MySQL does.
func TestPasswordLock(t *testing.T) {
	r := serve(t, Options{})
	denied := func(user string) string {
		return "1045 28000 Access denied for user '" + user + "'@'localhost' (using password: YES)"
	}
	blocked := func(user, days string) string {
		return "3955 HY000 Access denied for user '" + user + "'@'%'. Account is blocked for " + days + " day(s) (" + days + " day(s) remaining) due to 2 consecutive failed logins."
	}
	try := func(who, want string) {
		t.Helper()
		if got := code(r.dial(t, who)); got != want {
			t.Errorf("%s: %s, want %s", who, got, want)
		}
	}
	r.exec(t, "CREATE USER u IDENTIFIED BY 'right' FAILED_LOGIN_ATTEMPTS 2 PASSWORD_LOCK_TIME 3")
	r.exec(t, "CREATE USER w IDENTIFIED BY 'right' FAILED_LOGIN_ATTEMPTS 2 PASSWORD_LOCK_TIME UNBOUNDED")
	r.exec(t, "CREATE USER half IDENTIFIED BY 'right' FAILED_LOGIN_ATTEMPTS 1")
	if got := r.query(t, "SHOW CREATE USER u"); !strings.HasSuffix(got[0], " PASSWORD REQUIRE CURRENT DEFAULT FAILED_LOGIN_ATTEMPTS 2 PASSWORD_LOCK_TIME 3") {
		t.Errorf("it is %s", got)
	}
	r.want(t, "SELECT User_attributes->'$.Password_locking.failed_login_attempts', User_attributes->'$.Password_locking.password_lock_time_days' FROM mysql.user WHERE User IN ('u', 'w') ORDER BY User", "2|3", "2|-1")
	for range 3 { // a success in between starts anew
		try("u:wrong", denied("u"))
		try("u:right", "<nil>")
		try("half:wrong", denied("half"))
	}
	try("half:right", "<nil>")
	try("u:wrong", denied("u"))
	try("u:wrong", blocked("u", "3"))
	try("u:right", blocked("u", "3"))
	try("w:wrong", denied("w"))
	try("w:wrong", blocked("w", "unlimited"))
	r.exec(t, "ALTER USER u ACCOUNT UNLOCK")
	try("u:right", "<nil>")
	try("w:right", blocked("w", "unlimited"))
	r.exec(t, "FLUSH PRIVILEGES")
	try("w:right", "<nil>")
	r.exec(t, "ALTER USER w FAILED_LOGIN_ATTEMPTS 0")
	for range 4 {
		try("w:wrong", denied("w"))
	}
	r.exec(t, "DROP USER u")
	if _, err := r.db.Exec("CREATE USER u FAILED_LOGIN_ATTEMPTS 32768"); code(err)[:4] != "1064" {
		t.Errorf("too many attempts: %v", err)
	}
}

func BenchmarkRefused(b *testing.B) {
	r := serveFor(b, Options{Addr: "-", Socket: filepath.Join(b.TempDir(), "s"), Init: signInUsers})
	for _, user := range []string{"known", "empty", "nosuc"} {
		b.Run("user="+user, func(b *testing.B) {
			for b.Loop() {
				r.refusal(b, user, accounts.CachingSHA2, "wrong")
			}
		})
	}
}
