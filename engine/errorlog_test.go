package engine

import (
	databasesql "database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine/errorlog"
	"pfsd/instr"
	"pfsd/tables"
)

// logged are the lines of a log without their times.
func logged(t *testing.T, path string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z (\d+ \[(?:System|ERROR|Warning|Note)\] \[MY-\d{6}\] \[Server\] .*)$`)
	for line := range strings.Lines(string(text)) {
		m := form.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("the log has the line %q", line)
		}
		lines = append(lines, m[1])
	}
	return lines
}

// What a server writes from its start to its end, and that the next one knows of it.
func TestErrorLog(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	path := r.options.LogError
	pid := os.Getpid()
	_, port, _ := strings.Cut(r.addr, ":")
	start := []string{
		fmt.Sprintf("0 [System] [MY-010116] [Server] pfsd (mysqld 8.4.8-pfsd) starting as process %d", pid),
		"0 [System] [MY-013602] [Server] Channel mysql_main configured to support TLS. Encrypted connections are now supported for this channel.",
		"0 [Warning] [MY-010453] [Server] 'root'@'localhost' can sign in with an empty password ! Please consider giving a password.",
		"0 [System] [MY-010931] [Server] pfsd: ready for connections. Version: '8.4.8-pfsd'  socket: ''  port: " + port + "  pfsd.",
	}
	r.want(t, "SELECT CONCAT(THREAD_ID, ' [', PRIO, '] [', ERROR_CODE, '] [', SUBSYSTEM, '] ', DATA) FROM error_log ORDER BY LOGGED", start...)
	r.want(t, "SELECT PRIO FROM error_log WHERE ERROR_CODE = 'MY-010931'", "System")
	figures := r.log.Stats()
	if figures.Events != 4 || figures.Expired != 0 || figures.Bytes == 0 || figures.Latest.IsZero() {
		t.Errorf("figures %+v", figures)
	}
	r.want(t, "SHOW GLOBAL STATUS LIKE 'Error_log_buffered_events'", "Error_log_buffered_events|4")
	r.want(t, "SELECT COUNT(*) FROM global_status JOIN error_log ON VARIABLE_VALUE = FLOOR(UNIX_TIMESTAMP(LOGGED) * 1000000) WHERE VARIABLE_NAME = 'Error_log_latest_write'", "1")
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	all := append(start,
		"0 [System] [MY-013172] [Server] Received SHUTDOWN from user <via user signal>. Shutting down mysqld (Version: 8.4.8-pfsd).",
		"0 [System] [MY-010910] [Server] pfsd: Shutdown complete (mysqld 8.4.8-pfsd)  pfsd.")
	if got := logged(t, path); strings.Join(got, "\n") != strings.Join(all, "\n") {
		t.Errorf("the log is\n%s", strings.Join(got, "\n"))
	}
	reg := instr.NewRegistry()
	l, err := errorlog.Open(reg, path, errorlog.Host{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	rows := l.Rows(nil)
	if len(rows) != 6 || rows[0].Data != "pfsd (mysqld 8.4.8-pfsd) starting as process "+fmt.Sprint(pid) || rows[5].ErrorCode != "MY-010910" {
		t.Errorf("the next one knows of %+v", rows)
	}
}

// A server that cannot start says why in its log.
func TestErrorLogOfNoStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if _, err := New(Options{Addr: "-", Socket: "/nonexistent/s", LogError: path, Registry: instr.NewRegistry(), InitializeInsecure: true}); err == nil {
		t.Fatal("it starts")
	}
	got := logged(t, path)
	if want := "0 [ERROR] [MY-010270] [Server] Can't start server : Bind on unix socket: cannot listen on --socket /nonexistent/s: no such file or directory"; len(got) != 4 || got[2] != want || got[3] != "0 [ERROR] [MY-010119] [Server] Aborting" {
		t.Errorf("the log is %q", got)
	}
}

// log_error_verbosity decides what is in the log; what is about a connection has its number.
func TestErrorLogVerbosity(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c, id := r.conn(t)
	say := func(m errorlog.Message) {
		t.Helper()
		r.log.Write(m, "a")
	}
	for verbosity, want := range map[int]string{1: "Error", 2: "Error Warning", 3: "Error Warning Note"} {
		if _, err := c.ExecContext(t.Context(), fmt.Sprint("SET GLOBAL log_error_verbosity = ", verbosity)); err != nil {
			t.Fatal(err)
		}
		before := len(r.log.Rows(nil))
		for _, p := range []errorlog.Priority{errorlog.Error, errorlog.Warning, errorlog.Note} {
			say(errorlog.Message{Code: 10000, Priority: p, Format: "%s"})
		}
		var got []string
		for _, e := range r.log.Rows(nil)[before:] {
			got = append(got, e.Prio)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("verbosity %d: %q", verbosity, got)
		}
	}
	if _, err := c.ExecContext(t.Context(), "SET GLOBAL log_error_verbosity = 2"); err != nil {
		t.Fatal(err)
	}
	lost := r.open(t, "connectionAttributes=program_name:"+strings.Repeat("x", 600))
	if err := lost.Ping(); err != nil {
		t.Fatal(err)
	}
	r.want(t, fmt.Sprintf("SELECT COUNT(*) FROM error_log WHERE ERROR_CODE = 'MY-010288' AND PRIO = 'Warning' AND THREAD_ID > %d AND DATA LIKE '%%truncated%%'", id), "1")
	if _, err := c.ExecContext(t.Context(), "SET GLOBAL log_timestamps = 'SYSTEM'"); err != nil {
		t.Fatal(err)
	}
	say(errorlog.Message{Code: 10000, Priority: errorlog.Error, Format: "in the machine's zone %s"})
	if _, err := c.ExecContext(t.Context(), "SET GLOBAL log_timestamps = 'UTC'"); err != nil {
		t.Fatal(err)
	}
}

// TestClientsWriteNoLines: names, databases, attributes and statements of clients cannot begin a line of the log.
func TestClientsWriteNoLines(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	path := r.options.LogError
	r.exec(t, "SET GLOBAL log_error_verbosity = 3")
	const event = "2026-11-28T16:32:58.722545Z 0 [System] [MY-010931] [Server] forged"
	hostile := []string{"a\n" + event, "a\r" + event, "a\u2028" + event, "a\x1b[2J"}
	signIn := func(user, db string) {
		c := mysql.NewConfig()
		c.User, c.Net, c.Addr, c.DBName = user, "tcp", r.addr, db
		connector, err := mysql.NewConnector(c)
		if err != nil {
			t.Fatal(err)
		}
		pool := databasesql.OpenDB(connector)
		defer func() { _ = pool.Close() }()
		if err := pool.PingContext(t.Context()); err == nil {
			t.Errorf("%q is let in to %q", user, db)
		}
	}
	c, _ := r.conn(t)
	events := len(r.log.Rows(nil))
	for i, name := range hostile {
		signIn(name[:min(len(name), 20)], "")
		signIn(name, "")
		signIn("root", name)
		name := "`" + strings.ReplaceAll(name, "`", "``")[:min(len(name), 60)] + "`"
		for _, q := range []string{
			"SELECT 1 AS " + name + " FROM nothing", "USE " + name, "CREATE DATABASE d" + fmt.Sprint(i),
			"CREATE EVENT d" + fmt.Sprint(i) + "." + name + " ON SCHEDULE AT CURRENT_TIMESTAMP DO SELECT * FROM " + name,
		} {
			_, _ = c.ExecContext(t.Context(), q) // many are errors
		}
	}
	eventually(t, "the log has what was refused", func() bool { return len(r.log.Rows(nil)) >= events+2*len(hostile) })
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	lines := logged(t, path) // each is the line of an event
	for _, line := range lines {
		if strings.HasSuffix(line, "] forged") || strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("%q", line)
		}
	}
}
