package main

import (
	"net"
	"os"
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
			"appears":   appears,
			"listen":    listen,
			"terminate": signals(syscall.SIGTERM),
			"hangup":    signals(syscall.SIGHUP),
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

// signals returns a command with the argument FILE. It sends a signal to the process whose id is in
// the file.
func signals(signal syscall.Signal) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: %v pid-file", signal)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
		ts.Check(err)
		ts.Check(syscall.Kill(pid, signal))
	}
}

// appears FILE waits until the file exists.
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: appears file")
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("there is no file %s", args[0])
		}
	}
}

// listen finds a free TCP port of 127.0.0.1 for the rest of the script, and puts it into $PORT.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: listen")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { ln.Close() })
	ts.Setenv("PORT", strconv.Itoa(ln.Addr().(*net.TCPAddr).Port))
}
