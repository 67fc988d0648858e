package engine

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pfsd/instr"
)

func TestSelect(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 300})
	r.want(t, "SELECT VERSION(), @@version_comment, USER(), DATABASE()", "8.4.8-pfsd|pfsd|root@localhost|performance_schema")
	r.want(t, "SELECT COUNT(*) FROM numbers", "300")
	r.want(t, "SELECT * FROM numbers LIMIT 2", "0|wait/test/0|YES|NO|row 0 é|0", "1|wait/test/1|YES|NO|NULL|-1")
	r.want(t, "SELECT ENABLED, ID AS x FROM Performance_Schema.NUMBERS AS n WHERE n.id = 7", "YES|7")
	r.want(t, "SELECT ID FROM numbers WHERE EVENT_NAME = 'WAIT/TEST/3'", "3", "103", "203")
	r.want(t, "SELECT ID FROM numbers WHERE ID IN (5, 2, 5) ORDER BY ID", "2", "5")
	r.want(t, "SELECT ID FROM numbers WHERE EVENT_NAME IN ('WAIT/TEST/3', 'wait/test/99') AND ID < 100", "3", "99")
	r.want(t, "SELECT ID FROM numbers WHERE ID > 297", "298", "299")
	r.want(t, "SELECT ID FROM numbers WHERE DOC = 'ROW 4 e'", "4")
	r.want(t, "SELECT LOWER(ENABLED), IF(1, ENABLED, 'x'), MD5(ENABLED) = MD5('YES') FROM numbers WHERE ID = 1", "yes|YES|1")
	r.want(t, "SELECT a.ID, b.LEVEL FROM numbers a JOIN numbers b ON a.ID = b.ID WHERE a.ID = 9", "9|-9")
	if got := len(r.query(t, "SELECT * FROM numbers")); got != 300 {
		t.Errorf("got %d rows", got)
	}
	if got := r.query(t, "SELECT ID, LEVEL, ENABLED, DOC FROM numbers WHERE ID = ?", 8); len(got) != 1 || got[0] != "8|-8|YES|row 8 é" {
		t.Errorf("prepared statement: %q", got)
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	r := serve(t, Options{Addr: "-", Socket: path})
	r.want(t, "SELECT USER()", "root@localhost")
	if _, err := New(Options{Addr: "-", Socket: path, Registry: instr.NewRegistry(), InitializeInsecure: true}); err == nil ||
		!strings.Contains(err.Error(), "--socket "+path) {
		t.Errorf("a live socket: %v", err)
	}
	_ = r.db.Close()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	_ = stale.Close()
	serve(t, Options{Addr: "-", Socket: path}).want(t, "SELECT 1", "1")
}

func TestStartErrors(t *testing.T) {
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = used.Close() }()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"--port " + used.Addr().String(): {Addr: used.Addr().String()},
		"--socket " + file:               {Addr: "-", Socket: file},
		"--socket /nonexistent/s":        {Addr: "-", Socket: "/nonexistent/s"},
		"--secure-file-priv " + file:     {Addr: "127.0.0.1:0", SecureFilePriv: file},
		"--datadir " + file:              {Addr: "127.0.0.1:0", DataDir: file},
		"--pid-file /nonexistent/pid":    {Addr: "127.0.0.1:0", PidFile: "/nonexistent/pid"},
		"--log-error /nonexistent/log":   {Addr: "127.0.0.1:0", LogError: "/nonexistent/log"},
		"neither TCP nor --socket":       {Addr: "-"},
		`workload "sql" needs a server`:  {Addr: "-", Socket: file + ".sock", Workload: "sql"},
		`workload "nosuch" is none of`:   {Addr: "127.0.0.1:0", Workload: "nosuch"},
	} {
		o.Registry, o.InitializeInsecure = instr.NewRegistry(), true
		_, err := New(o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}

func TestPidFileAndStop(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	r := serve(t, Options{PidFile: pid})
	got, err := os.ReadFile(pid)
	if err != nil || strings.TrimSpace(string(got)) != strconv.Itoa(os.Getpid()) {
		t.Errorf("pid file holds %q, %v", got, err)
	}
	idle, _ := r.conn(t)
	busy, id := r.conn(t)
	ended := make(chan error, 1)
	go func() {
		_, err := busy.ExecContext(context.Background(), "SELECT SLEEP(600)")
		ended <- err
	}()
	eventually(t, "the statement runs", func() bool { return r.command(id) == "Query" })
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the statement went on to its end")
	}
	if err := idle.PingContext(context.Background()); err == nil {
		t.Error("an idle connection lives on")
	}
	if _, err := os.Stat(pid); !os.IsNotExist(err) {
		t.Errorf("pid file: %v", err)
	}
}

// command is what connection id does, "" if there is none.
func (r *running) command(id uint32) string {
	for _, p := range r.clients.Processes() {
		if p.Connection == id {
			return string(p.Command)
		}
	}
	return ""
}

func TestTooManyConnections(t *testing.T) {
	r := serve(t, Options{MaxConnections: 2})
	r.conn(t)
	r.conn(t)
	_, id := r.conn(t) // an administrator's
	_, err := r.db.Exec("SELECT 1")
	if got := code(err); got != "1040 08004 Too many connections" {
		t.Errorf("got %s", got)
	}
	r.clients.Stop(id, true)
	eventually(t, "there is room again", func() bool { return r.db.Ping() == nil })
}

func TestUsersDatabases(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "setup", rows: 3})
	r.exec(t, "CREATE DATABASE d")
	r.exec(t, "CREATE TABLE d.t (a INT PRIMARY KEY, b VARCHAR(10))")
	r.exec(t, "INSERT INTO d.t VALUES (1, 'x'), (2, 'y')")
	r.want(t, "SELECT b FROM d.t WHERE a = 2", "y")
	r.exec(t, "DROP DATABASE d")
	r.want(t, "SHOW DATABASES", "history", "information_schema", "mysql", "performance_schema", "sys", "test")

	r.exec(t, "CREATE TABLE test.SAVED_SETTINGS AS SELECT * FROM performance_schema.setup")
	r.exec(t, "UPDATE SETUP SET ENABLED='No', FLAG=NULL WHERE EVENT_NAME<>'Wait/Test/1'")
	r.want(t, "SELECT ID, ENABLED, FLAG FROM setup", "0|NO|", "1|YES|NO", "2|NO|")
	r.exec(t, `UPDATE performance_schema.setup SET
		ENABLED = (SELECT ENABLED FROM test.SAVED_SETTINGS s WHERE s.ID = setup.ID),
		FLAG = (SELECT FLAG FROM test.SAVED_SETTINGS s WHERE s.ID = setup.ID)`)
	r.want(t, "SELECT ID, ENABLED, FLAG FROM setup", "0|YES|NO", "1|YES|NO", "2|YES|NO")
	r.exec(t, "UPDATE setup JOIN test.SAVED_SETTINGS s USING (ID) SET setup.ENABLED = 'NO' WHERE s.ID > 0")
	r.want(t, "SELECT ID, ENABLED FROM setup", "0|YES", "1|NO", "2|NO")
	r.exec(t, "UPDATE setup SET ENABLED = 'yes' WHERE ID = 2")
	r.exec(t, "UPDATE setup SET ENABLED = 2 WHERE ID IN (SELECT ID FROM test.SAVED_SETTINGS WHERE ID = 0)")
	r.want(t, "SELECT ID, ENABLED FROM setup", "0|NO", "1|NO", "2|YES")
}

func TestShow(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "setup", rows: 3})
	r.want(t, "SHOW TABLES", "setup")
	create := strings.Join(r.query(t, "SHOW CREATE TABLE setup"), "\n")
	for _, want := range []string{"`ENABLED` enum('YES','NO') NOT NULL,", "`DOC` longtext,", "`FLAG` enum('YES','NO') DEFAULT NULL,", ") ENGINE=PERFORMANCE_SCHEMA DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"} {
		if !strings.Contains(create, want) {
			t.Errorf("SHOW CREATE TABLE lacks %s:\n%s", want, create)
		}
	}
	r.want(t, "SELECT ENGINE, TABLE_COMMENT FROM information_schema.tables WHERE TABLE_SCHEMA='performance_schema'", "PERFORMANCE_SCHEMA|")
	r.want(t, "SELECT COLUMN_TYPE FROM information_schema.columns WHERE TABLE_NAME='setup' AND COLUMN_NAME='ENABLED'", "enum('YES','NO')")
	r.want(t, "DESCRIBE setup", "ID|bigint unsigned|NO|PRI|NULL|", "EVENT_NAME|varchar(128)|NO||NULL|", "ENABLED|enum('YES','NO')|NO||NULL|",
		"FLAG|enum('YES','NO')|YES||NULL|", "DOC|longtext|YES||NULL|", "LEVEL|int|NO||NULL|")
	if got := r.query(t, "SHOW TABLE STATUS"); len(got) != 1 || !strings.HasPrefix(got[0], "setup|PERFORMANCE_SCHEMA|") || strings.Contains(got[0], "\x01") {
		t.Errorf("SHOW TABLE STATUS: %q", got)
	}
}
