package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

//go:embed testdata/program.go.txt
var program string

// start is the operation that is the whole program.
const start = "start"

// operations are what the program can do, with what is measured.
var operations = []struct{ name, what string }{
	{"Mutex", "Mutex, Lock and Unlock, ns"},
	{"RWMutex", "RWMutex, Lock and Unlock, ns"},
	{"RWMutex, reading", "RWMutex, RLock and RUnlock, ns"},
	{"contended map", "map under a contended Mutex, ns of CPU"},
	{"channel", "channel, round trip of 2 goroutines, ns"},
	{"channel with room", "channel with room, send and receive, ns"},
	{"select with room", "the same in two select statements, ns"},
	{"Cond", "Cond, Signal without a waiter, ns"},
	{"WaitGroup", "WaitGroup, Add and Done without a waiter, ns"},
	{"pread", "ReadAt of 4 KiB in memory, ns"},
	{"TCP echo", "TCP echo of 64 bytes, ns"},
	{"HTTP", "net/http hello, client and server, ns of CPU"},
	{start, "start and end of a program that does nothing, ns of CPU"},
}

// variant is a way to run the program.
type variant struct {
	name, watcher   string
	woven, recorded bool
}

var variants = []variant{
	{name: "plain", watcher: "none"},
	{name: "with the recorder", watcher: "none", woven: true},
	{name: "recording", watcher: "none", woven: true, recorded: true},
	{name: "profiles", watcher: "profiles"},
	{name: "trace", watcher: "trace"},
	{name: "flight recorder", watcher: "flight"},
}

func main() {
	pfsd := flag.String("pfsd", "bin/pfsd", "pfsd's `binary`")
	rounds := flag.Int("rounds", 25, "how often each variant does each operation")
	d := flag.Duration("d", 50*time.Millisecond, "how long at least, each time")
	flag.Parse()
	if err := measure(*pfsd, *rounds, *d); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(pfsd string, rounds int, d time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "pfsd-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if pfsd, err = filepath.Abs(pfsd); err != nil {
		return err
	}
	for name, text := range map[string]string{"main.go": program, "go.mod": "module program\n\ngo 1.25\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for binary, command := range map[string]string{"plain": "go", "woven": pfsd} {
		cmd := exec.Command(command, "build", "-o", binary, ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprint(w, "least of ", rounds, " rounds")
	for _, v := range variants {
		fmt.Fprint(w, "\t", v.name)
	}
	fmt.Fprintln(w)
	for _, op := range operations {
		least := make([]float64, len(variants))
		for range rounds {
			for i, v := range variants {
				took, err := v.run(dir, op.name, d)
				if err != nil {
					return err
				}
				if least[i] == 0 || took < least[i] {
					least[i] = took
				}
			}
		}
		fmt.Fprint(w, op.what)
		for _, took := range least {
			fmt.Fprintf(w, "\t%.1f", took)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// run runs the program once, and returns the nanoseconds that an operation takes.
func (v variant) run(dir, operation string, d time.Duration) (float64, error) {
	binary := "plain"
	if v.woven {
		binary = "woven"
	}
	cmd := exec.Command(filepath.Join(dir, binary), operation, d.String(), v.watcher)
	cmd.Env = append(os.Environ(), "PFSD_RECORD=")
	cmd.Stderr = os.Stderr
	if v.recorded {
		recordings := filepath.Join(dir, "recordings")
		if err := os.MkdirAll(recordings, 0o700); err != nil {
			return 0, err
		}
		defer os.RemoveAll(recordings)
		cmd.Env = append(cmd.Env, "PFSD_RECORD="+recordings)
	}
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", cmd, err)
	}
	if operation == start {
		return float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()), nil
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}
