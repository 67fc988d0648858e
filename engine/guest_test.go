package engine

import (
	"bytes"
	"context"
	"database/sql"
	"expvar"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pfsd/instr"
)

// hostState is what belongs to the program that a server is a part of, as text.
func hostState() string {
	var b strings.Builder
	fmt.Fprintln(&b, "log", log.Writer() == os.Stderr, log.Flags(), log.Prefix(), fmt.Sprintf("%p", slog.Default().Handler()))
	fmt.Fprintf(&b, "mux %+v\n", http.DefaultServeMux)
	fmt.Fprintf(&b, "http %p %+v\n", http.DefaultClient, http.DefaultClient)
	flag.VisitAll(func(f *flag.Flag) { fmt.Fprintln(&b, "flag", f.Name, f.Value) })
	expvar.Do(func(kv expvar.KeyValue) { fmt.Fprintln(&b, "expvar", kv.Key) })
	for n := range syscall.Signal(32) {
		fmt.Fprintln(&b, "signal", n, signal.Ignored(n))
	}
	fmt.Fprintln(&b, "environment", os.Environ(), os.Args, time.Local)
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	fmt.Fprintln(&b, "runtime", percent, debug.SetMemoryLimit(-1), runtime.GOMAXPROCS(0), runtime.SetMutexProfileFraction(-1))
	directory, err := os.Getwd()
	fmt.Fprintln(&b, "directory", directory, err)
	return b.String()
}

// openFiles are the descriptors of the process that are files, sockets and pipes, by what they are.
func openFiles(t *testing.T) (open []string) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc")
	}
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && !strings.Contains(to, "anon_inode") && !strings.Contains(to, "/proc/") {
			open = append(open, to)
		}
	}
	slices.Sort(open)
	return open
}

// lockedBuffer is a bytes.Buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Two endpoints in one program serve what each is for, write to nobody but to whom the host gives them, leave what is the host's as it is,
// and leave nothing behind when their context ends. TestMain finds goroutines that stay.
func TestGuestLeavesNothingBehind(t *testing.T) {
	before, files := hostState(), openFiles(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var logs [2]lockedBuffer
	var addresses []string
	var served sync.WaitGroup
	for i := range logs {
		reg := instr.NewRegistry()
		m := reg.NewMutex(fmt.Sprint("guest/", i))
		defer runtime.KeepAlive(m)
		s, err := New(Options{Registry: reg, Addr: "127.0.0.1:0", Log: &logs[i], Init: []string{"CREATE USER u", "GRANT SELECT ON performance_schema.* TO u"}})
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, s.Addr().String())
		served.Go(func() {
			if err := s.Serve(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	for i, addr := range addresses {
		db, err := sql.Open("mysql", "u@tcp("+addr+")/performance_schema")
		if err != nil {
			t.Fatal(err)
		}
		var names string
		err = db.QueryRow("SELECT GROUP_CONCAT(NAME) FROM setup_instruments WHERE NAME LIKE 'wait/synch/mutex/guest/%'").Scan(&names)
		if want := fmt.Sprint("wait/synch/mutex/guest/", i); err != nil || names != want {
			t.Errorf("endpoint %d has %q, %v, want %s", i, names, err, want)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	stop()
	served.Wait()
	if after := hostState(); after != before {
		t.Errorf("the host's were\n%s\nand are\n%s", before, after)
	}
	for i, addr := range addresses {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Errorf("endpoint %d still has its port: %v", i, err)
			continue
		}
		_ = l.Close()
		if got := logs[i].String(); !strings.Contains(got, "Shutdown complete") {
			t.Errorf("the log of endpoint %d is %q", i, got)
		}
	}
	eventually(t, "files are closed", func() bool { return slices.Equal(openFiles(t), files) })
}
