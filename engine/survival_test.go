package engine

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// everything is options with every instrument and every consumer of waits on.
func everything(reg *instr.Registry) Options {
	return Options{Registry: reg, Instruments: []string{"%=ON"}, Consumers: map[string]bool{
		"events_waits_current": true, "events_waits_history": true, "events_waits_history_long": true,
	}}
}

// TestReaderIsLapped: a client stops in the middle of a result of events_waits_history_long
// while threads write it anew many times. They do not wait for it, the rest of its rows are
// whole, and memory does not grow with what they write.
func TestReaderIsLapped(t *testing.T) {
	reg := instr.NewRegistry()
	o := everything(reg)
	size := testSize(t, 200_000, 100_000) // more than the sockets' buffers hold
	o.HistoryLongSize = &size
	r := serve(t, o, tables.All()...)
	const writers = 2
	var mutexes [writers]*instr.Mutex
	for i := range mutexes {
		mutexes[i] = reg.NewMutex(fmt.Sprint("test/lap", i))
	}
	lap := func(events int) {
		var ended sync.WaitGroup
		for i, m := range mutexes {
			ended.Go(func() {
				defer reg.Attach(fmt.Sprint("test/lap", i)).Detach()
				lockN(m, events/writers, func() {})
			})
		}
		ended.Wait()
	}
	used := func() int64 { // but for the history itself, of which each processor has a part as soon as it needs one
		n := heap()
		for _, b := range reg.Reader().Buffers() {
			n -= int64(b.Bytes)
		}
		return n
	}
	lap(2 * size)
	rows, err := r.db.Query(`SELECT EVENT_ID, END_EVENT_ID, EVENT_NAME, SOURCE, TIMER_START, TIMER_END, TIMER_WAIT, OPERATION,
		OBJECT_TYPE IS NULL, NESTING_EVENT_ID IS NULL, REPEAT('x', 200) FROM events_waits_history_long WHERE EVENT_NAME LIKE 'wait/synch/mutex/test/lap%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for rows.Next() {
		var id, end, from, to, wait uint64
		var name, source, op, padding string
		var noObject, noParent bool
		if err := rows.Scan(&id, &end, &name, &source, &from, &to, &wait, &op, &noObject, &noParent, &padding); err != nil {
			t.Fatal(err)
		}
		if id == 0 || end != id || op != "lock" || to < from || !noObject || !noParent || !strings.HasPrefix(source, "counts_test.go:") {
			t.Fatalf("row %d is torn: %d %d %s %s %d %d %d %s", n, id, end, name, source, from, to, wait, op)
		}
		if n++; n == 100 {
			before := used()
			lap(10 * size)
			eventually(t, "memory is as flat as before", func() bool { return used()-before <= 16<<20 })
		}
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
	// What was overwritten before it was read is left out.
	if n < 100 || n > size {
		t.Errorf("%d rows of at most %d", n, size)
	}
}

// TestThreadsEndWhileRead: threads come and go all the time while clients read everything.
func TestThreadsEndWhileRead(t *testing.T) {
	reg := instr.NewRegistry()
	r := serve(t, everything(reg), tables.All()...)
	m := reg.NewMutex("test/shared")
	files := reg.NewFileClass("test/data")
	dir := t.TempDir()
	var ended sync.WaitGroup
	var stop atomic.Bool
	var lived atomic.Int64
	for i := range 4 {
		name := fmt.Sprint("test/brief", i)
		ended.Go(func() {
			for !stop.Load() {
				done := make(chan struct{})
				reg.Go(name, func() {
					defer close(done)
					lockN(m, 5, func() {})
					path := filepath.Join(dir, filepath.Base(name))
					if err := files.WriteFile(path, []byte(name), 0o600); err != nil {
						t.Error(err)
					}
					if err := files.Remove(path); err != nil {
						t.Error(err)
					}
				})
				<-done
				lived.Add(1)
			}
		})
	}
	defer ended.Wait()
	defer stop.Store(true)
	for round := 0; round < 3 || lived.Load() < 500; round++ {
		for _, def := range tables.All() {
			r.query(t, "SELECT * FROM "+def.Name())
		}
		// Whoever is read is read whole.
		for _, row := range r.query(t, "SELECT NAME, TYPE, PROCESSLIST_ID FROM threads WHERE NAME LIKE 'thread/test/%'") {
			if !strings.HasPrefix(row, "thread/test/brief") || !strings.HasSuffix(row, "|BACKGROUND|NULL") {
				t.Fatalf("thread %s", row)
			}
		}
		for _, row := range r.query(t, "SELECT DISTINCT e.EVENT_NAME FROM events_waits_history e JOIN threads t USING (THREAD_ID) WHERE t.NAME LIKE 'thread/test/brief%'") {
			if row != "wait/synch/mutex/test/shared" && row != "wait/io/file/test/data" {
				t.Fatalf("a brief thread has waited for %s", row)
			}
		}
	}
	stop.Store(true)
	ended.Wait()
	eventually(t, "all threads are gone", func() bool {
		return r.query(t, "SELECT COUNT(*) FROM threads WHERE NAME LIKE 'thread/test/%'")[0] == "0"
	})
	n := lived.Load()
	r.want(t, "SELECT COUNT_STAR FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME = 'wait/synch/mutex/test/shared'", fmt.Sprint(5*n))
	r.want(t, "SELECT COUNT_STAR, COUNT_WRITE FROM file_summary_by_event_name WHERE EVENT_NAME = 'wait/io/file/test/data'", fmt.Sprintf("%d|%d", 4*n, n))
	r.want(t, "SELECT COUNT(*) FROM file_instances WHERE EVENT_NAME = 'wait/io/file/test/data'", "0")
}

// crashDir is where the server that TestKilledWhileWriting kills works; the variable makes
// this test binary that server.
const crashDir = "PFSD_TEST_CRASH_DIR"

func crashOptions(dir string) Options {
	o := everything(instr.NewRegistry())
	o.Addr, o.DataDir, o.Workload, o.InitializeInsecure = "127.0.0.1:0", dir, "mixed", true
	o.Socket, o.PidFile, o.LogError = filepath.Join(dir, "s.sock"), filepath.Join(dir, "pid"), filepath.Join(dir, "error.log")
	return o
}

// TestKilledWhileWriting: a server that is killed while its workload writes files leaves
// nothing behind that keeps the next one from working on the same directory.
func TestKilledWhileWriting(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		t.Error(ListenAndServe(t.Context(), crashOptions(dir))) // to be killed
		return
	}
	dir, err := os.MkdirTemp("", "pfsd") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	const written = "SELECT COALESCE(SUM(COUNT_WRITE), 0) FROM file_summary_by_event_name WHERE EVENT_NAME NOT LIKE 'wait/io/file/sql/%'"
	for range 3 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilledWhileWriting$")
		child.Env = append(os.Environ(), crashDir+"="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = child.Process.Kill() }) // if the test has failed
		db, err := sql.Open("mysql", "root@unix("+filepath.Join(dir, "s.sock")+")/performance_schema")
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the workload writes files", func() bool {
			var n int
			return db.QueryRow(written).Scan(&n) == nil && n >= 50
		})
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := child.Wait(); err == nil {
			t.Error("the server has ended of its own")
		}
		_ = db.Close()
	}
	if _, err := os.Stat(filepath.Join(dir, "pid")); err != nil {
		t.Errorf("the server was killed and has tidied up: %v", err)
	}
	s, err := New(crashOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	r := &running{Server: s, addr: s.Addr().String()}
	r.db = r.open(t, "")
	eventually(t, "the workload writes again", func() bool { return r.query(t, written)[0] != "0" })
	_ = r.db.Close()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(dir + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if base := filepath.Base(name); base == "pid" || base == "s.sock" {
			t.Errorf("%s is left after a clean stop", base)
		}
	}
}
