package main

import (
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pfsd": main})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"alive":     alive,
			"listen":    listen,
			"terminate": terminate,
		},
	})
}

// alive ARGS waits until pfsd ping ARGS succeeds.
func alive(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("alive cannot be negated")
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := ts.Exec("pfsd", append([]string{"ping"}, args...)...)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no server came alive: %v", err)
		}
	}
}

// terminate FILE sends SIGTERM to the process whose id the file holds.
func terminate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: terminate pid-file")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(syscall.Kill(pid, syscall.SIGTERM))
}

// listen takes a free TCP port of 127.0.0.1 for the rest of the script and puts it in $PORT.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: listen")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { ln.Close() })
	ts.Setenv("PORT", strconv.Itoa(ln.Addr().(*net.TCPAddr).Port))
}
