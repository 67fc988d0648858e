package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Programs of others, whose sources and modules stay as they are. make weave builds each with a recorder, has it work, and asks in SQL
// what it waited for. docs/recording.md has the questions and their answers.

// programs are these programs: their names in the document, their packages, and their versions, the newest first. An older version is
// there for a toolchain that is too old for a newer one. The version of a package without one is that of the go.mod of module, in which
// the package is built.
var programs = []struct {
	name, pkg, module string
	versions          []string
}{
	{name: "bbolt", pkg: "go.etcd.io/bbolt/cmd/bbolt", versions: []string{"v1.5.0", "v1.4.3"}},
	{name: "mysqld_exporter", pkg: "github.com/prometheus/mysqld_exporter", module: "../../testdata/clients/mysqld_exporter/go.mod"},
	{name: "Caddy", pkg: "github.com/caddyserver/caddy/v2/cmd/caddy", versions: []string{"v2.11.9", "v2.10.2", "v2.10.0"}},
	{name: "goose", pkg: "github.com/pressly/goose/v3/cmd/goose", versions: []string{"v3.30.1", "v3.26.0"}},
	{name: "fsnotify", pkg: "github.com/fsnotify/fsnotify", module: "testdata/watcher/go.mod.txt"},
	{name: "NATS", pkg: "github.com/nats-io/nats-server/v2", versions: []string{"v2.11.12"}},
	{name: "etcd", pkg: "go.etcd.io/etcd/server/v3", module: "testdata/etcd/go.mod.txt"},
	{name: "badger", pkg: "github.com/dgraph-io/badger/v4", module: "testdata/badger/go.mod.txt"},
}

// TestDocumentNamesVersions: the document names the versions of programs and of Go that make weave uses.
func TestDocumentNamesVersions(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	document := read(recordingDocument)
	names := func(what, version string) {
		t.Helper()
		if !regexp.MustCompile(regexp.QuoteMeta(what+version) + `(\D|\.\D)`).MatchString(document) {
			t.Errorf("the document does not name %s%s", what, version)
		}
	}
	for _, p := range programs {
		for _, version := range p.versions {
			names(p.name+" ", strings.TrimPrefix(version, "v"))
		}
		if p.module != "" {
			version := regexp.MustCompile(p.pkg + ` v(\S+)`).FindStringSubmatch(read(p.module))
			if version == nil {
				t.Fatalf("%s has no version of %s", p.module, p.pkg)
			}
			names(p.name+" ", version[1])
		}
	}
	toolchains := regexp.MustCompile(`(?m)^TOOLCHAINS \?= (.*)$`).FindStringSubmatch(read("../../Makefile"))
	if toolchains == nil {
		t.Fatal("the Makefile has no TOOLCHAINS")
	}
	for _, version := range strings.Fields(toolchains[1]) {
		if version != "local" { // the installed one differs
			names("", strings.TrimPrefix(version, "go"))
		}
	}
}

// needPrograms skips a test that builds a program of others where PFSD_PROGRAMS is not set, and selects the toolchain that builds it.
func needPrograms(t *testing.T) {
	t.Helper()
	if os.Getenv("PFSD_PROGRAMS") == "" {
		t.Skip("make weave runs this")
	}
	t.Log(needRecorder(t).GOVERSION)
}

// newerGo is the error of the go command for a module that needs a newer version of Go.
var newerGo = regexp.MustCompile(`go: .*requires go >= .*`)

// built runs a command of go with the recorder. If a module needs a newer version of Go, it returns the error.
func built(t *testing.T, command string, args ...string) (refused string) {
	t.Helper()
	var out bytes.Buffer
	status := runGo(command, args, &out, &out)
	if status == 0 {
		t.Logf("%s %s", command, args[len(args)-1])
		return ""
	}
	if refused = newerGo.FindString(out.String()); refused == "" {
		t.Fatalf("%s %q: status %d: %s", command, args, status, &out)
	}
	return refused
}

// installed builds one of programs from the module proxy, in the newest version that the toolchain can build, and returns its path. If it
// can build none, the test is skipped.
func installed(t *testing.T, name string, flags ...string) string {
	t.Helper()
	bin := t.TempDir()
	t.Setenv("GOBIN", bin)
	t.Setenv("GOFLAGS", "")
	var refused string
	for _, p := range programs {
		if p.name != name {
			continue
		}
		for _, version := range p.versions {
			if refused = built(t, "install", slices.Concat(flags, []string{p.pkg + "@" + version})...); refused == "" {
				return filepath.Join(bin, filepath.Base(strings.TrimSuffix(p.pkg, "/v2"))) // as the go command names it
			}
		}
	}
	t.Skip(refused)
	return ""
}

// moduleProgram builds a package in the module of a directory, and returns its path. If the toolchain is too old for what the module
// needs, the test is skipped.
func moduleProgram(t *testing.T, dir, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	t.Setenv("GOFLAGS", "-buildvcs=false -mod=mod")
	t.Setenv("GOWORK", "off")
	t.Chdir(dir)
	if refused := built(t, "build", "-o", path, pkg); refused != "" {
		t.Skip(refused)
	}
	return path
}

// ownModule builds a module of testdata that has a program of others as a package.
func ownModule(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{"main.go", "go.mod"} {
		text, err := os.ReadFile(filepath.Join("testdata", name, file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return moduleProgram(t, dir, ".")
}

// recordedProgram is a program that records, and its recording.
type recordedProgram struct {
	*process
	dir string
}

// runRecording starts a program that records; it is killed at the end of the test, at the latest after five minutes.
func runRecording(t *testing.T, built string, env []string, args ...string) recordedProgram {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, built, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(append(os.Environ(), "PFSD_RECORD="+dir), env...)
	return recordedProgram{start(t, cmd), dir}
}

// ask attaches to the recording, and returns a connection to it.
func (p recordedProgram) ask(t *testing.T) *sql.DB {
	t.Helper()
	tested := self(t)
	server := start(t, exec.Command(tested, "attach", p.dir, "--port=0"))
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+server.says(t, readyForConnections)+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// answers asks a question whose rows must be want, cells separated by |. It asks again until they are, as a program that runs
// gets there some time.
func answers(t *testing.T, db *sql.DB, question string, want ...string) {
	t.Helper()
	var got []string
	for deadline := time.Now().Add(time.Minute); ; {
		_, rows, err := query(t.Context(), db, question)
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		got = nil
		for _, row := range rows {
			got = append(got, strings.Join(row, "|"))
		}
		if strings.Join(got, "\n") == strings.Join(want, "\n") {
			t.Logf("%s\n\t%s", question, strings.Join(got, "\n\t"))
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s\n got %q\nwant %q", question, got, want)
		}
	}
}

// freePort is a port of the loopback that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// load gets a URL so many times, in eight goroutines, after it has waited until somebody answers there.
func load(t *testing.T, url string, times int) {
	t.Helper()
	get := func() error {
		r, err := http.Get(url)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, r.Body)
		return err
	}
	first := get()
	for deadline := time.Now().Add(time.Minute); first != nil && time.Now().Before(deadline); first = get() {
	}
	if first != nil {
		t.Fatal(first)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := i + 1; n < times; n += 8 {
				if err := get(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// bbolt's own benchmark waits for fdatasync.
func TestProgramBbolt(t *testing.T) {
	needPrograms(t)
	p := runRecording(t, installed(t, "bbolt"), nil, "bench", "--count", "2000", "--batch-size", "10", "--path", filepath.Join(t.TempDir(), "bench.db"))
	<-p.ended
	db := p.ask(t)
	answers(t, db, `SELECT EVENT_NAME, SOURCE, OPERATION, OBJECT_NAME LIKE '%/bench.db', COUNT(*) > 100 FROM events_waits_history_long
		WHERE EVENT_NAME LIKE '%/fdatasync' GROUP BY 1, 2, 3, 4`, "wait/io/file/bbolt/fdatasync|bolt_linux.go:9|sync|1|1")
	answers(t, db, "SELECT COUNT_STAR >= 400, MAX_TIMER_WAIT > 0 FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME = 'wait/io/file/bbolt/fdatasync'", "1|1")
	answers(t, db, "SELECT COUNT_WRITE > 400, SUM_NUMBER_OF_BYTES_WRITE > 400 * 4096 FROM file_summary_by_instance WHERE FILE_NAME LIKE '%/bench.db'", "1|1")
}

// Prometheus's exporter asks a server, reads files of /proc, and answers requests.
func TestProgramMysqldExporter(t *testing.T) {
	needPrograms(t)
	tested := self(t)
	server := start(t, exec.Command(tested, "--port=0", "--skip-grant-tables", "--skip-name-resolve")).says(t, readyForConnections)
	module := copied(t, "../../testdata/clients/mysqld_exporter")
	path := filepath.Join(module, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// What the exporter needs itself decides about the version of Go.
	if err := os.WriteFile(path, regexp.MustCompile(`(?m)^go .*$`).ReplaceAll(text, []byte("go 1.24")), 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	p := runRecording(t, moduleProgram(t, module, "github.com/prometheus/mysqld_exporter"), []string{"MYSQLD_EXPORTER_PASSWORD=x"},
		"--mysqld.address=127.0.0.1:"+server, "--mysqld.username=root", "--web.listen-address=127.0.0.1:"+port)
	load(t, "http://127.0.0.1:"+port+"/metrics", 40)
	db := p.ask(t)
	answers(t, db, "SELECT COUNT_STAR, SUM_ERRORS FROM events_statements_summary_global_by_event_name WHERE EVENT_NAME = 'statement/http/GET /metrics'", "40|0")
	answers(t, db, "SELECT SCHEMA_NAME, COUNT_STAR FROM events_statements_summary_by_digest WHERE DIGEST_TEXT = 'SHOW GLOBAL VARIABLES'", "mysql|40")
	answers(t, db, `SELECT DISTINCT EVENT_NAME, SOURCE, OPERATION FROM events_waits_history_long WHERE EVENT_NAME LIKE 'wait/io/file/util/%' AND OPERATION = 'read'`,
		"wait/io/file/util/ReadFileNoStat|readfile.go:36|read")
	answers(t, db, "SELECT COUNT(*) FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME = 'wait/synch/cond/select/prometheus.Registry.Gather' AND COUNT_STAR > 0", "1")
	answers(t, db, "SELECT SUM(COUNT_READ) > 0, SUM(COUNT_WRITE) > 0 FROM socket_summary_by_event_name WHERE EVENT_NAME LIKE 'wait/io/socket/mysql/%'", "1|1")
}

// Caddy serves a file, and is killed meanwhile.
func TestProgramCaddy(t *testing.T) {
	needPrograms(t)
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.bin"), bytes.Repeat([]byte("caddy"), 4000), 0o600); err != nil {
		t.Fatal(err)
	}
	port, home := freePort(t), t.TempDir()
	p := runRecording(t, installed(t, "Caddy"), []string{"XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home},
		"file-server", "--listen", "127.0.0.1:"+port, "--root", root)
	load(t, "http://127.0.0.1:"+port+"/a.bin", 2000)
	db := p.ask(t)
	const requests = "SELECT COUNT_STAR, SUM_ERRORS FROM events_statements_summary_global_by_event_name WHERE EVENT_NAME = 'statement/http/GET'"
	answers(t, db, requests, "2000|0")
	// A request that never ends: its headers are there, and the connection stays.
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprint(conn, "GET /a.bin HTTP/1.1\r\nHost: localhost\r\n"); err != nil {
		t.Fatal(err)
	}
	answers(t, db, "SELECT COUNT(*) > 0 FROM events_waits_current WHERE END_EVENT_ID IS NULL AND EVENT_NAME LIKE 'wait/io/socket/http/%' AND OPERATION = 'recv'", "1")
	_ = p.cmd.Process.Kill()
	<-p.ended
	dead := p.ask(t)
	answers(t, dead, requests, "2000|0")
	answers(t, dead, "SELECT COUNT_READ > 2000 FROM file_summary_by_instance WHERE FILE_NAME LIKE '%/a.bin'", "1")
	answers(t, dead, "SELECT DISTINCT SQL_TEXT FROM events_statements_history_long", "GET /a.bin")
	answers(t, dead, `SELECT DISTINCT w.EVENT_NAME, w.SOURCE, s.EVENT_NAME FROM events_waits_history_long w JOIN events_stages_history_long s
		ON s.THREAD_ID = w.THREAD_ID AND s.EVENT_ID = w.NESTING_EVENT_ID WHERE w.EVENT_NAME LIKE 'wait/io/file/filesystems/%'`,
		"wait/io/file/filesystems/OsFS.Open|os.go:18|stage/http/running handler")
}

// Goose migrates a database of SQLite with 1,100 statements in 100 transactions.
func TestProgramGoose(t *testing.T) {
	needPrograms(t)
	dir := t.TempDir()
	for i := range 100 {
		text := "-- +goose Up\n"
		if i == 0 {
			text += "CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT, n INTEGER);\n"
		}
		for k := range 10 {
			text += fmt.Sprintf("INSERT INTO item (label, n) VALUES ('item %d %d', %d);\n", i, k, k)
		}
		text += fmt.Sprintf("UPDATE item SET n = n + 1 WHERE id %% 7 = %d;\n-- +goose Down\nSELECT 1;\n", i%7)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d_items.sql", i+1)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const only = "-tags=no_clickhouse no_libsql no_mssql no_mysql no_postgres no_vertica no_ydb no_duckdb no_spanner"
	p := runRecording(t, installed(t, "goose", only), nil, "-dir", dir, "sqlite3", "./items.db", "up")
	<-p.ended
	db := p.ask(t)
	answers(t, db, "SELECT SCHEMA_NAME, COUNT_STAR, SUM_ROWS_AFFECTED, SUM_ERRORS FROM events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE 'INSERT INTO `item` %'", "sqlite|1000|1000|0")
	answers(t, db, "SELECT COUNT_STAR FROM events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE 'UPDATE `item` %'", "100")
	answers(t, db, "SELECT COUNT_STAR FROM events_transactions_summary_global_by_event_name", "101") // one for goose's own table
	answers(t, db, `SELECT DISTINCT SUBSTRING_INDEX(w.SOURCE, ':', 1), s.EVENT_NAME FROM events_waits_history_long w JOIN events_statements_history_long s ON s.THREAD_ID = w.THREAD_ID AND s.EVENT_ID = w.NESTING_EVENT_ID
		WHERE w.OPERATION = 'sync'`, "syscall_musl.go|statement/db.client/commit") // the line differs between versions
}

// Version 1.4.2 of fsnotify deadlocks if a watch is removed by the goroutine that reads the events.
func TestProgramWatcher(t *testing.T) {
	needPrograms(t)
	p := runRecording(t, ownModule(t, "watcher"), nil, t.TempDir())
	db := p.ask(t)
	answers(t, db, `SELECT t.NAME, w.EVENT_NAME, w.SOURCE FROM events_waits_current w JOIN threads t USING (THREAD_ID)
		WHERE w.END_EVENT_ID IS NULL AND w.EVENT_NAME LIKE '%/fsnotify.%' ORDER BY w.EVENT_NAME`,
		"thread/go/main.main|wait/synch/cond/cond/fsnotify.Watcher.Remove|inotify.go:158",
		"thread/go/github.com/fsnotify/fsnotify.NewWatcher.gowrap1|wait/synch/cond/select/fsnotify.Watcher.readEvents|inotify.go:266")
}

// copied copies a directory, and returns the path of the copy.
func copied(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "module")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}
