package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wovenWaited builds testdata/waited with a recorder, and with the packages of golang.org/x/sync that pfsd's own go.mod has. They are of a module for an
// old version of Go here.
func wovenWaited(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sync").Output()
	if err != nil {
		t.Fatal(err)
	}
	needRecorder(t)
	dir := t.TempDir()
	write := func(name string, text []byte) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module waited\n\ngo 1.24\n\nrequire golang.org/x/sync v0.0.0\n\nreplace golang.org/x/sync => ./sync\n"))
	write("sync/go.mod", []byte("module golang.org/x/sync\n\ngo 1.24\n"))
	for to, from := range map[string]string{
		"main.go":                     filepath.Join("testdata", "waited", "main.go.txt"),
		"sync/errgroup/errgroup.go":   filepath.Join(strings.TrimSpace(string(module)), "errgroup", "errgroup.go"),
		"sync/semaphore/semaphore.go": filepath.Join(strings.TrimSpace(string(module)), "semaphore", "semaphore.go"),
	} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(to, text)
	}
	t.Chdir(dir)
	var out bytes.Buffer
	if status := runGo("build", []string{"-o", "waited", "."}, &out, &out); status != 0 {
		t.Fatalf("status %d: %s", status, &out)
	}
	return filepath.Join(dir, "waited")
}

// waitedAnswers is what is to be seen of the program waited: what waits, with who is in the way, and cycles.
func waitedAnswers(t *testing.T, holds bool) (waits, deadlocks []string) {
	t.Helper()
	at := func(text string) string { return line(t, "waited", text) }
	const channel, value, cond = "for room in a channel, or a receiver", "for a value from a channel", "for a condition variable to be signalled"
	const received, sent = "it has received from the channel last; another goroutine may receive", "it has sent to the channel last; another goroutine may send"
	const limit, place = "the errgroup has begun it, after a place was taken that it seems to have until it ends",
		"it, or who has begun it, has sent to the channel, and it has not received from it since: perhaps it has a place there; another goroutine may receive; any of 2 would do"
	wait := func(thread, waits_, line, about, blocker, locked, waitsAt, certain, doubt string) {
		waits = append(waits, strings.Join([]string{thread, waits_, line, about, blocker, locked, waitsAt, certain, doubt}, "|"))
	}
	alone := func(thread, waits, line, about string) {
		wait(thread, waits, line, about, "NULL", "NULL", "NULL", "NULL", "NULL")
	}
	// known is where a mutex was locked that nobody waited for.
	known := func(line string) string {
		if holds {
			return line
		}
		return "NULL"
	}
	send, lock, subscribed := at("events <- 3"), at("state.Lock()\n}"), at("select {\n\tcase <-events")
	wait("subscribe", "to lock a mutex", lock, "NULL", "publish", known(at("state.Lock()\n\tevents")), send, "YES", "NULL")
	wait("publish", channel, send, "a channel without a buffer; sent to last by main.publish at "+at("events <- 2")+" # ago; received from last by main.subscribe at "+subscribed+" # ago",
		"subscribe", subscribed, lock, "NO", received)
	deadlocks = append(deadlocks, "publish|SEND|subscribe|RECEIVE|NO|"+received, "subscribe|EXCLUSIVE|publish|EXCLUSIVE|YES|NULL")
	alone("logs", channel, at("tail <- line"), "a channel with 2 of 2 values; sent to last by main.logs at "+at("tail <- line")+" # ago; nobody has received from it")
	seats := "a channel with 2 of 2 values of no size; sent to last by goroutine #, which has ended, at " + at("seats <- struct{}{}\n\tgo") + " # ago; nobody has received from it"
	wait("wantsSeat", channel, at("func wantsSeat"), seats, "sits", "NULL", at("select {}\n}\n\n// host"), "NO", place)
	wait("wantsSeat", channel, at("func wantsSeat"), seats, "guest", "NULL", at("<-never\n}\n\nfunc wantsSeat"), "NO", place)
	asked, answered := at("<-replies\n}"), at("replies <- 1")
	wait("answer", "to lock a mutex", at("ledger.Lock()\n\treplies"), "NULL", "ask", known(at("ledger.Lock()\n\treplied")), asked, "YES", "NULL")
	alone("ask", value, asked, "a channel without a buffer; sent to last by main.answer at "+answered+" # ago; received from last by main.ask at "+at("<-replies\n\tledger")+" # ago")
	deadlocks = append(deadlocks, "ask|RECEIVE|answer|SEND|NO|"+sent, "answer|EXCLUSIVE|ask|EXCLUSIVE|YES|NULL")
	const never = "a channel that is nil: nothing ever happens to it"
	alone("waitsForNil", value, at("func waitsForNil"), never)
	alone("guest", value, at("<-never\n}\n\nfunc wantsSeat"), never)
	alone("producer", value, at("func producer"), never)
	alone("load", value, at("<-never\n}\n\nfunc wantsLoaded"), never)
	alone("ticks", value, at("<-ticker.C\n}"), "the channel of a timer or a ticker")
	signal := " by main.main at " + at("c.Signal()") + " # ago with Signal: "
	alone("tooLate", cond, at("c.Wait()"), "signalled 2 times, last"+signal+"before this one began to wait")
	alone("neverSignalled", cond, at("c.Wait()"), "a condition variable that was never signalled")
	alone("consumer", cond, at("c.Wait()"), "signalled once, last"+signal+"it has woken another one")
	alone("waitsForBoth", "for a WaitGroup", at("func waitsForBoth"), "a WaitGroup whose counter is 2, last changed by main.main at "+at("func done")+" # ago")
	wait("wantsLoaded", "for the first call of a Once", at("func wantsLoaded"), "the first call of a Once, begun by main.load at "+at("func load")+" # ago",
		"load", at("func load"), at("<-never\n}\n\nfunc wantsLoaded"), "YES", "NULL")
	const errgroup = "errgroup.go:#"
	wait("func1", "for a place under the limit of an errgroup", errgroup, "the limit of an errgroup (called at "+at("tasks.Go(func()")+"): 1 of 1 run", "func1", errgroup, errgroup, "NO", limit)
	deadlocks = append(deadlocks, "func1|SEND|func1|PLACE|NO|"+limit)
	alone("waitsForTasks", "for a WaitGroup", errgroup, "a WaitGroup whose counter is 1; who has changed it last is not known")
	units := "a semaphore (called at " + at("func wantsUnits") + ")"
	if holds {
		units += ": when it began to wait, 2 of 3 units were taken; by whom is not known"
	} else {
		units += "; who has units is not known, and how many there are only while holds are recorded"
	}
	alone("wantsUnits", "for units of a semaphore", "semaphore.go:#", units)
	slices.Sort(waits)
	slices.Sort(deadlocks)
	return waits, deadlocks
}

// Goroutines wait in channels, condition variables, WaitGroups, Onces and the limits of golang.org/x/sync. One statement says what is known of these, and who is
// perhaps in the way, while the program lives and after it was killed, with and without holds. A cycle that goes through a channel is a suspicion.
func TestRecordedWaited(t *testing.T) {
	tested := self(t)
	all := map[bool][2][]string{}
	for _, holds := range []bool{false, true} {
		waits, deadlocks := waitedAnswers(t, holds)
		all[holds] = [2][]string{waits, deadlocks}
	}
	built := wovenWaited(t)
	for _, holds := range []bool{false, true} {
		t.Run(fmt.Sprintf("holds=%v", holds), func(t *testing.T) { waitedAre(t, built, tested, holds, all[holds][0], all[holds][1]) })
	}
}

var (
	agesInText = regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s|m\S+) ago`)
	goroutines = regexp.MustCompile(`goroutine \d+, which`)
	linesOfLib = regexp.MustCompile(`(errgroup|semaphore)\.go:\d+`)
)

func waitedAre(t *testing.T, built, tested string, holds bool, waits, deadlocks []string) {
	dir, cmd := t.TempDir(), exec.Command(built)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	env := "PFSD_RECORD_HOLDS=0"
	if holds {
		env = "PFSD_RECORD_HOLDS=1"
	}
	out := startReady(t, cmd, dir, env)
	p := start(t, exec.Command(tested, "attach", dir, "--port=0"))
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+p.says(t, readyForConnections)+")/sys")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	join := func(query string) (list []string) {
		t.Helper()
		for _, row := range read(t, db, query) {
			text := agesInText.ReplaceAllString(strings.Join(row, "|"), "# ago")
			list = append(list, linesOfLib.ReplaceAllString(goroutines.ReplaceAllString(text, "goroutine #, which"), "$1.go:#"))
		}
		slices.Sort(list)
		return list
	}
	asked := func() []string {
		t.Helper()
		return join(`SELECT SUBSTRING_INDEX(thread, '.', -1), waits_for, waits_at, about, SUBSTRING_INDEX(blocking_thread, '.', -1), blocking_locked_at, blocking_waits_at, certain, doubt
			FROM sys.what_waits WHERE about IS NOT NULL OR blocking_thread IS NOT NULL`)
	}
	check := func() {
		t.Helper()
		if got := asked(); !slices.Equal(got, waits) {
			t.Errorf("what waits\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(waits, "\n"))
		}
		got := join(`SELECT SUBSTRING_INDEX(thread, '.', -1), lock_mode, SUBSTRING_INDEX(blocking_thread, '.', -1), blocking_lock_mode, certain, doubt FROM sys.deadlocks`)
		if !slices.Equal(got, deadlocks) {
			t.Errorf("deadlocks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(deadlocks, "\n"))
		}
	}
	until(t, "all wait", func() bool { return len(asked()) == len(waits) })
	if _, err := fmt.Fprintln(in); err != nil {
		t.Fatal(err)
	}
	if said, err := out.ReadString('\n'); said != "done\n" {
		t.Fatalf("%q, %v", said, err)
	}
	check()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	check()
}
