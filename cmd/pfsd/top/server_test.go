package top

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine"
	"pfsd/instr"
)

// served is a server with a problem: thread holder has a mutex and waits for a condition, and thread waiter waits
// for the mutex.
type served struct {
	addr string
	stop func()
}

// serve starts a server at an address.
func serve(t *testing.T, addr string, reg *instr.Registry) served {
	t.Helper()
	s, err := engine.New(engine.Options{Addr: addr, Registry: reg, Instruments: []string{"wait/%=ON", "stage/%=ON", "memory/%=ON"},
		Consumers: map[string]bool{"events_waits_current": true, "events_waits_history": true, "events_stages_current": true, "events_stages_history": true},
		Init:      []string{"CREATE USER dba IDENTIFIED BY 'right'", "GRANT ALL ON *.* TO dba", "CREATE DATABASE d", "CREATE TABLE d.t (a INT PRIMARY KEY, b INT)", "INSERT INTO d.t VALUES (1, 1)"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	once := false
	stop := func() {
		if once {
			return
		}
		once = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return served{s.Addr().String(), stop}
}

// plant makes the problem, until the test ends.
func plant(t *testing.T, reg *instr.Registry) {
	lock := reg.NewMutex("planted/lock")
	begin, done, end := make(chan struct{}), make(chan struct{}, 2), make(chan struct{})
	reg.Go("planted/holder", func() {
		lock.Lock()
		close(begin)
		<-end
		lock.Unlock()
		done <- struct{}{}
	})
	<-begin
	reg.Go("planted/waiter", func() {
		lock.Lock()
		lock.Unlock() //nolint:staticcheck // it only waits
		done <- struct{}{}
	})
	file, err := reg.NewFileClass("planted/file").Create(filepath.Join(t.TempDir(), "planted"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("some bytes"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { close(end); <-done; <-done; _ = file.Close() })
}

// opened returns a source for a server.
func opened(t *testing.T, addr string) *Source {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr = "dba", "right", "tcp", addr
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// runStatement runs a statement that has something for a terminal in it, and that has locked a row. The channel is
// closed when the statement has ended: with KILL, or with the test.
func runStatement(t *testing.T, addr string) <-chan struct{} {
	db, err := sql.Open("mysql", "dba:right@tcp("+addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"BEGIN", "UPDATE d.t SET b = 2 WHERE a = 1"} {
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = conn.ExecContext(ctx, "DO /* \x1b[2J */ SLEEP(600)") // it does not end by itself
	}()
	t.Cleanup(func() { cancel(); <-ended; _ = conn.Close(); _ = db.Close() })
	return ended
}

// contains reports whether a row has all of the texts.
func contains(a *Answer, texts ...string) bool {
	return slices.ContainsFunc(a.Rows, func(row []Value) bool {
		var all strings.Builder
		for _, v := range row {
			all.WriteString(v.Text + "\t")
		}
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(all.String(), text) })
	})
}

// eventually asks until an answer has a row with the texts: what is planted takes a moment to be seen.
func eventually(t *testing.T, s *Source, q *Query, args func() []any, texts ...string) *Answer {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		a, err := s.Ask(t.Context(), q, args()...)
		if err != nil {
			t.Fatalf("%v\n%s", err, q.SQL)
		}
		if contains(a, texts...) {
			return a
		}
		if time.Now().After(deadline) {
			t.Fatalf("no row has %q: %v", texts, a.Rows)
		}
	}
}

// Each view shows what is planted, with the questions for pfsd and with those for MySQL.
func TestViewsOfAServer(t *testing.T) {
	reg := instr.NewRegistry()
	server := serve(t, "127.0.0.1:0", reg)
	plant(t, reg)
	s := opened(t, server.addr)
	ended := runStatement(t, server.addr)
	want := map[string][]string{
		"load": {"wait/synch/mutex/planted/lock"}, "statements": {"dba@", "SLEEP(600)"}, "waits": {"thread/planted/waiter", "wait/synch/mutex/planted/lock", "server_test.go:"},
		"locks": {"d.t", "X"}, "digests": {"UPDATE `d`"}, "files": {"wait/io/file/planted/file"}, "sockets": {"127.0.0.1", "client_connection"}, "memory": {"memory/"},
		"users": {"dba"}, "processes": {"dba@", "SLEEP(600)"}, "top-statements": {"SLEEP"}, "blockers": {"wait/synch/mutex/planted/lock", "server_test.go:"},
	}
	about, _, err := s.Server(t.Context())
	if err != nil || about.Flavour != PFSD || !about.Schema {
		t.Fatalf("%+v, %v", about, err)
	}
	for _, v := range Views {
		for _, flavour := range []Flavour{PFSD, MySQL} {
			q := v.Queries.of(flavour)
			if q == nil {
				continue
			}
			args := func() []any { return nil }
			if v.Windowed {
				args = func() []any {
					return slices.Repeat(Window{time.Now().Add(-time.Minute), time.Now().Add(time.Minute)}.args(), strings.Count(q.SQL, window))
				}
			}
			wanted := want[v.Name]
			if v.Name == "waits" && flavour == PFSD {
				wanted = append(wanted, "to lock a mutex")
			}
			a := eventually(t, s, q, args, wanted...)
			if i := columnNamed(a.Columns, "statement"); i >= 0 && v.Name != "digests" && v.Name != "top-statements" && contains(a, "SLEEP(600)") && !contains(a, "[2J") {
				t.Errorf("view %s does not show all of the statement: %v", v.Name, a.Rows)
			}
			for _, row := range a.Rows {
				for _, value := range row {
					if strings.ContainsAny(value.Text, "\x1b\n") || strings.Contains(value.Text, "CONNECTION_ID()") {
						t.Errorf("view %s has %q", v.Name, value.Text)
					}
				}
			}
			if len(a.Rows) == 0 {
				continue
			}
			row := slices.IndexFunc(a.Rows, func(row []Value) bool { return contains(&Answer{Rows: [][]Value{row}}, want[v.Name]...) })
			for _, p := range drill(t.Context(), s, flavour, v, a.Columns, a.Rows[row]).parts {
				if p.err != nil {
					t.Errorf("view %s, %q: %v", v.Name, p.title, p.err)
				}
			}
		}
	}
	if a := eventually(t, s, &Query{loadNow, loadColumns}, func() []any { return nil }, "1"); len(a.Rows) != 1 {
		t.Errorf("the load of the moment is %v", a.Rows)
	}

	// From a thread that waits to the one that holds, and to the lines of both.
	a := eventually(t, s, &waiting, func() []any { return nil }, "planted/waiter", "planted/holder")
	if !contains(a, "planted/waiter", "planted/holder", "server_test.go:") {
		t.Errorf("the waits are %v", a.Rows)
	}
	// From a statement to its stages.
	a = eventually(t, s, &statements, func() []any { return nil }, "SLEEP(600)")
	i := slices.IndexFunc(a.Rows, func(row []Value) bool { return contains(&Answer{Rows: [][]Value{row}}, "SLEEP(600)") })
	view, _ := viewNamed("statements")
	d := drill(t.Context(), s, PFSD, view, a.Columns, a.Rows[i])
	if len(d.parts) != 2 || d.parts[0].err != nil || len(d.parts[0].answer.Rows) == 0 || !strings.HasPrefix(d.parts[0].answer.Rows[0][1].Text, "stage/") {
		t.Errorf("the stages are %+v", d.parts)
	}

	// KILL QUERY ends the statement: the goroutine that sent it ends.
	id, _ := a.Rows[i][0].number()
	if err := s.Kill(t.Context(), uint64(id), false); err != nil {
		t.Fatal(err)
	}
	<-ended
	var answer *mysql.MySQLError
	if err := s.Kill(t.Context(), 1<<20, true); !errors.As(err, &answer) || answer.Number != 1094 {
		t.Errorf("killing nobody: %v", err)
	}
}

// A source connects again, says so, and prints for scripts.
func TestServerRestarts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free for both servers
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	first := serve(t, addr, instr.NewRegistry())
	s := opened(t, addr)
	var out bytes.Buffer
	if err := Batch(t.Context(), s, Options{View: "digests", Interval: ShortestInterval, Count: 2}, &out); err != nil {
		t.Fatal(err)
	}
	if texts := strings.Split(out.String(), "\n\n"); len(texts) != 2 || !strings.HasPrefix(texts[1], "db\tcount\ttotal_ps\t") {
		t.Errorf("the batch is\n%s", &out)
	}
	first.stop()
	var away *ConnectionError
	for { // the connection may first end in the middle of an answer
		if _, err = s.Ask(t.Context(), &digests); errors.As(err, &away) {
			break
		}
		if err == nil {
			t.Fatal("a server that is stopped has answered")
		}
	}
	if err := Batch(t.Context(), s, Options{View: "digests", Interval: ShortestInterval, Count: 1}, &out); !errors.As(err, &away) {
		t.Errorf("the batch ends with %v", err)
	}
	serve(t, addr, instr.NewRegistry())
	if _, note, err := s.Server(t.Context()); err != nil || !strings.Contains(note, "connected again") {
		t.Errorf("%q, %v", note, err)
	}
	if _, note, _ := s.Server(t.Context()); note != "" {
		t.Errorf("it says again %q", note)
	}
}
