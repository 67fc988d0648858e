package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"debug/macho"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/cmd/pfsd/weave"
	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// needRecorder selects the toolchain in PFSD_TOOLCHAIN, and skips the test if it builds for a system without a recorder.
func needRecorder(t *testing.T) weave.Toolchain {
	t.Helper()
	if version := os.Getenv("PFSD_TOOLCHAIN"); version != "" {
		t.Setenv("GOTOOLCHAIN", version)
	}
	tc, err := weave.Find("")
	if err != nil {
		t.Fatal(err)
	}
	if !tc.Recorded() {
		t.Skipf("programs for %s/%s are not recorded", tc.GOOS, tc.GOARCH)
	}
	return tc
}

// woven builds testdata/program with a recorder, and returns its path.
func woven(t *testing.T) string {
	t.Helper()
	return wovenOf(t, "program")
}

// wovenOf builds a program of testdata with a recorder, and returns its path.
func wovenOf(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	needRecorder(t)
	dir := sourceOf(t, name)
	t.Chdir(dir)
	var out bytes.Buffer
	if status := runGo("build", []string{"-o", name, "."}, &out, &out); status != 0 {
		t.Fatalf("status %d: %s", status, &out)
	}
	return filepath.Join(dir, name)
}

// sourceOf copies a program of testdata into a module of its own, and returns its directory.
func sourceOf(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join(testdata, name, "main.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"go.mod": "module " + name + "\n\ngo 1.24\n", "main.go": string(source)} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rows returns the rows of a table, as COLUMN=VALUE.
func rows(t *testing.T, m tables.Model, name string, columns ...string) (list []string) {
	t.Helper()
	for _, def := range tables.All() {
		if def.Name() != name {
			continue
		}
		var cols []int
		for _, want := range columns {
			for i, c := range def.Columns() {
				if c.Name == want {
					cols = append(cols, i)
				}
			}
		}
		values := make([]tables.Value, len(cols))
		for c := def.Scan(m, cols, nil); c.Next(values); {
			var row []string
			for _, v := range values {
				row = append(row, text(v))
			}
			list = append(list, strings.Join(row, " "))
		}
		return list
	}
	t.Fatalf("no table %s", name)
	return nil
}

// text returns a value as SQL shows it.
func text(v tables.Value) string {
	if n, ok := v.Uint(); ok && !v.IsText() {
		return strconv.FormatUint(n, 10)
	}
	if v.IsNull() {
		return "NULL"
	}
	return v.Str()
}

// startProgram starts the program with a recording in dir. It returns the process, its standard input and its output.
func startProgram(t *testing.T, built, dir string) (*exec.Cmd, io.Writer, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(built, filepath.Join(dir, "stored.txt"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	return cmd, in, startReady(t, cmd, dir)
}

// startReady starts a program with a recording in dir and, besides, an environment. It returns its output when the program has said that it is ready.
func startReady(t *testing.T, cmd *exec.Cmd, dir string, env ...string) *bufio.Reader {
	t.Helper()
	cmd.Env = append(append(os.Environ(), "PFSD_RECORD="+dir), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q: %q %v", cmd.Args[1:], line, err)
	}
	return r
}

// recordingIn returns the recording in dir, which it closes at the end of the test, and what tables show of it.
func recordingIn(t *testing.T, dir string) (*record.Recording, *recorded.Model) {
	t.Helper()
	rec, err := record.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rec.Close() })
	return rec, recorded.New(rec, tables.Of(instr.NewRegistry()))
}

// A program that does not use pfsd deadlocks. While it lives, and after it was killed, the tables
// show who waits for whom, where, and what the threads did before.
func TestRecordedProgram(t *testing.T) {
	program, dir := woven(t), t.TempDir()
	cmd, _, _ := startProgram(t, program, dir)
	rec, err := record.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if info := rec.Info(); info.PID != uint64(cmd.Process.Pid) || info.Program != program {
		t.Errorf("%+v", info)
	}
	if overlay := rec.Info().Overlay; !strings.HasPrefix(overlay, rec.Info().GoVersion+"-") || describe(rec) == "" || !strings.Contains(describe(rec), overlay) {
		t.Errorf("overlay %q: %s", overlay, describe(rec))
	}
	if mode, err := os.Stat(rec.Info().Path); err != nil || mode.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", mode.Mode(), err)
	}
	if !rec.Alive() {
		t.Error("the recording says that the program has ended")
	}
	model := recorded.New(rec, tables.Of(instr.NewRegistry()))
	t.Run("alive", func(t *testing.T) { checkTables(t, model, dir) })

	// TRUNCATE of one reader does not change what others see.
	t.Run("truncate", func(t *testing.T) {
		other := recorded.New(rec, tables.Of(instr.NewRegistry()))
		for _, def := range tables.All() {
			switch def.Name() {
			case "events_waits_summary_global_by_event_name", "events_waits_history_long", "file_summary_by_instance":
				def.Truncate(other)
			}
		}
		if left := rows(t, other, "events_waits_history_long", "EVENT_NAME"); len(left) > 0 {
			t.Errorf("long history %q", left)
		}
		for _, row := range rows(t, other, "events_waits_summary_global_by_event_name", "COUNT_STAR", "SUM_TIMER_WAIT", "MAX_TIMER_WAIT", "EVENT_NAME") {
			if !strings.HasPrefix(row, "0 0 0 ") {
				t.Errorf("summary %s", row)
			}
		}
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if rec.Alive() {
		t.Error("the recording says that the program still runs")
	}
	t.Run("killed", func(t *testing.T) {
		checkTables(t, model, dir)
		again, err := record.Find(rec.Info().Path)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		checkTables(t, recorded.New(again, tables.Of(instr.NewRegistry())), dir)
	})
}

// checkTables compares the tables with what the program has done.
func checkTables(t *testing.T, m tables.Model, dir string) {
	t.Helper()
	ids := map[string]string{} // ids of threads, by name
	for _, row := range rows(t, m, "threads", "THREAD_ID", "NAME", "TYPE", "INSTRUMENTED") {
		f := strings.Fields(row)
		ids[f[1]] = f[0]
		if f[2] != "BACKGROUND" || f[3] != "YES" {
			t.Errorf("thread %s", row)
		}
	}
	pay, ship, scan := ids["thread/go/main.pay"], ids["thread/go/main.ship"], ids["thread/go/main.scan"]
	if ids["thread/go/main.main"] != "1" || pay == "" || ship == "" || scan == "" {
		t.Fatalf("threads %v", ids)
	}
	waiting := map[string]string{} // what each thread waits for, by thread
	for _, row := range rows(t, m, "events_waits_current", "THREAD_ID", "OBJECT_INSTANCE_BEGIN", "EVENT_NAME", "SOURCE", "OPERATION", "END_EVENT_ID") {
		f := strings.Fields(row)
		if f[5] != "NULL" {
			continue
		}
		want := map[string]string{
			pay:  "wait/synch/mutex/main/pay main.go:" + place("orders.Lock()\n}") + " lock",
			ship: "wait/synch/mutex/main/ship main.go:" + place("accounts.Lock()\n}") + " lock",
			scan: "wait/synch/rwlock/main/scan main.go:" + place("table.RLock()") + " read_lock",
		}[f[0]]
		if got := strings.Join(f[2:5], " "); want != "" && got != want {
			t.Errorf("thread %s waits for %s, not %s", f[0], got, want)
		}
		waiting[f[0]] = f[1]
	}
	holds := map[string]string{}
	for _, row := range rows(t, m, "held_locks", "OBJECT_INSTANCE_BEGIN", "OWNER_THREAD_ID") {
		object, owner, _ := strings.Cut(row, " ")
		holds[object] = owner
	}
	for waiter, want := range map[string]string{pay: ship, ship: pay, scan: "1"} {
		if got := holds[waiting[waiter]]; got != want {
			t.Errorf("thread %s waits for %s, which %s holds, not %s", waiter, waiting[waiter], got, want)
		}
	}

	checkLockWaits(t, m, pay, ship, scan)

	name := filepath.Join(dir, "stored.txt")
	want := fmt.Sprintf("wait/io/file/main/store 0 10 1000 %s", name)
	if got := rows(t, m, "file_summary_by_instance", "EVENT_NAME", "COUNT_READ", "COUNT_WRITE", "SUM_NUMBER_OF_BYTES_WRITE", "FILE_NAME"); len(got) == 0 || !slices.Contains(got, want) {
		t.Errorf("files %q, without %s", got, want)
	}
	if got := rows(t, m, "file_instances", "OPEN_COUNT", "FILE_NAME"); !slices.Contains(got, "1 "+name) {
		t.Errorf("files %q", got)
	}
	received := false
	for _, row := range rows(t, m, "socket_summary_by_event_name", "EVENT_NAME", "COUNT_READ", "SUM_NUMBER_OF_BYTES_READ", "SUM_NUMBER_OF_BYTES_WRITE") {
		received = received || row == "wait/io/socket/main/main 1 5 0"
	}
	if !received {
		t.Error("the five bytes that main has received are missing")
	}
	sleeps := rows(t, m, "events_waits_summary_global_by_event_name", "EVENT_NAME", "COUNT_STAR")
	if !slices.Contains(sleeps, "wait/synch/cond/sleep/main.main 50") {
		t.Errorf("not 50 sleeps in %q", sleeps)
	}
	checkRuntimeWaits(t, m)
	checkThreadWaits(t, m, pay, scan)
	spun := false
	for _, row := range rows(t, m, "events_waits_history_long", "SPINS", "EVENT_NAME") {
		n, name, _ := strings.Cut(row, " ")
		if strings.HasPrefix(name, "wait/synch/mutex/") != (n != "NULL") {
			t.Errorf("spins of a wait: %s", row)
		}
		spun = spun || name == "wait/synch/mutex/main/contend.func1" && n != "0"
	}
	if !spun && runtime.NumCPU() > 1 { // Go does not spin on one processor
		t.Error("no wait for the contended mutex spun")
	}
	synced := false
	for _, row := range rows(t, m, "events_waits_history_long", "OPERATION", "EVENT_NAME", "OBJECT_NAME") {
		synced = synced || row == "sync wait/io/file/main/store "+name
	}
	if !synced {
		t.Error("the sync is not in the long history")
	}
}

// checkLockWaits: pay and ship wait for each other, and scan for main. The first two are a deadlock.
func checkLockWaits(t *testing.T, m tables.Model, pay, ship, scan string) {
	t.Helper()
	want := []string{
		pay + " wait/synch/mutex/main/pay EXCLUSIVE main.go:" + place("orders.Lock()\n}") + " " + ship + " thread/go/main.ship YES",
		ship + " wait/synch/mutex/main/ship EXCLUSIVE main.go:" + place("accounts.Lock()\n}") + " " + pay + " thread/go/main.pay YES",
	}
	slices.Sort(want)
	columns := []string{"REQUESTING_THREAD_ID", "EVENT_NAME", "LOCK_MODE", "SOURCE", "BLOCKING_THREAD_ID", "BLOCKING_THREAD_NAME", "CERTAIN"}
	got := rows(t, m, "deadlocks", columns...)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("deadlocks %q, want %q", got, want)
	}
	want = append(want, scan+" wait/synch/rwlock/main/scan SHARED main.go:"+place("table.RLock()")+" 1 thread/go/main.main YES")
	slices.Sort(want)
	if got = rows(t, m, "lock_waits", columns...); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("waits for locks %q, want %q", got, want)
	}
	roots := rows(t, m, "lock_waits", "REQUESTING_THREAD_ID", "CHAIN_LENGTH", "ROOT_THREAD_ID")
	for _, want := range []string{pay + " 2 NULL", ship + " 2 NULL", scan + " 1 1"} {
		if !slices.Contains(roots, want) {
			t.Errorf("chains %q, without %s", roots, want)
		}
	}
}

// checkRuntimeWaits: the waits in the runtime itself have statistics that fit together.
func checkRuntimeWaits(t *testing.T, m tables.Model) {
	t.Helper()
	runtimeWaits := 0
	for _, row := range rows(t, m, "events_waits_summary_global_by_event_name", "EVENT_NAME", "COUNT_STAR", "MIN_TIMER_WAIT", "AVG_TIMER_WAIT", "MAX_TIMER_WAIT") {
		if !strings.HasPrefix(row, "wait/synch/runtime/go/") {
			continue
		}
		var name string
		var n, least, average, longest uint64
		if _, err := fmt.Sscan(row, &name, &n, &least, &average, &longest); err != nil {
			t.Fatal(err)
		}
		if n == 0 && !strings.HasSuffix(name, "/other_pause") || least > average || average > longest || longest > uint64(time.Minute)*1000 {
			t.Errorf("waits in the runtime: %s", row)
		}
		runtimeWaits++
	}
	if runtimeWaits != 3 {
		t.Errorf("%d instruments for waits in the runtime", runtimeWaits)
	}
}

// place returns the place of the line of the program that begins with a tab and text.
func place(text string) string { return placeOf("program", text) }

func placeOf(program, text string) string {
	source, _ := os.ReadFile(filepath.Join(testdata, program, "main.go.txt"))
	before, _, _ := strings.Cut(string(source), text)
	return fmt.Sprint(strings.Count(before, "\n") + 1)
}

// testdata is the directory of the tests' files. It stays valid when a test changes its directory.
var testdata, _ = filepath.Abs("testdata")

// If the recording cannot be made, the program goes on, and prints why.
func TestNoRecording(t *testing.T) {
	built := woven(t)
	for what, dir := range map[string]string{
		"no file can be made":   filepath.Join(t.TempDir(), "missing"),
		"PFSD_RECORD is too lo": strings.Repeat("x", 500),
	} {
		cmd := exec.Command(built, filepath.Join(t.TempDir(), "stored.txt"))
		cmd.Env = append(os.Environ(), "PFSD_RECORD="+dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if line != "ready\n" || !strings.HasPrefix(stderr.String(), "pfsd: no recording: "+what) {
			t.Errorf("%q %v, %q", line, err, &stderr)
		}
	}
}

// Where the file system is full, at the start or at any time later, the program goes on.
func TestRecordedInFullFileSystem(t *testing.T) {
	if out, err := exec.Command("sh", "-c", "exec unshare -rm true").CombinedOutput(); err != nil {
		t.Skipf("no file system of a chosen size: %v %s", err, out)
	}
	built, dir := wovenOf(t, "crowded"), t.TempDir()
	recorded, kept := 0, t.TempDir()
	for kilobytes := 64; kilobytes <= 4096; kilobytes += kilobytes / 4 {
		const script = `mount -t tmpfs -o size="$2"k none "$1" && "$3"; status=$?; ls "$1" | wc -l; cp --sparse=always "$1"/pfsd.* "$4/$2" 2>/dev/null; exit $status`
		cmd := exec.Command("sh", "-c", `exec unshare -rm sh -c "$0" sh "$@"`, script, dir, strconv.Itoa(kilobytes), built, kept)
		cmd.Env = append(os.Environ(), "PFSD_RECORD="+dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		switch got := string(out) + stderr.String(); {
		case err == nil && got == "done\n1\n":
			recorded++
			r, err := record.Open(filepath.Join(kept, strconv.Itoa(kilobytes)))
			if err != nil { // what had no room is no part of the file that was cut
				t.Errorf("%d kilobytes: %v", kilobytes, err)
				continue
			}
			if r.Threads(); len(r.Classes()) < 2 || r.Err() != nil {
				t.Errorf("%d kilobytes: %d places, %v", kilobytes, len(r.Classes()), r.Err())
			}
			_ = r.Close()
		case err != nil || recorded != 0 || got != "done\n0\npfsd: no recording: no blocks can be reserved for it where PFSD_RECORD is\n":
			t.Errorf("%d kilobytes: %v, %s", kilobytes, err, got)
		}
	}
	if recorded < 5 {
		t.Errorf("%d sizes are enough for a recording", recorded)
	}
}

// Switches take effect in the program at once.
func TestSwitchesOfARecording(t *testing.T) {
	program, dir := woven(t), t.TempDir()
	_, in, out := startProgram(t, program, dir)
	rec, model := recordingIn(t, dir)
	again := func() {
		t.Helper()
		if _, err := io.WriteString(in, "again\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := out.ReadString('\n'); line != "again\n" {
			t.Fatalf("%q %v", line, err)
		}
	}
	count := func(name string) (counted, timed uint64) {
		s := model.ClassWaits(model.ClassByName(name))
		return s.Count, s.Count - s.Untimed
	}
	const store, sleep = "wait/io/file/main/store", "wait/synch/cond/sleep/main.again"
	again()
	before, _ := count(store)
	if before == 0 {
		t.Fatal("nothing is recorded")
	}
	again()
	each, _ := count(store)
	each -= before

	// column and value are those of UPDATE setup_instruments.
	set := func(column, value string, names ...string) {
		t.Helper()
		for _, def := range tables.All() {
			for _, name := range names {
				if def.Name() == "setup_instruments" {
					if err := def.Update(model, tables.Key{{Column: "NAME", Value: tables.Text(name)}}, column, tables.Text(value)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	at, _ := count(store)
	set("ENABLED", "NO", store)
	again()
	if now, _ := count(store); now != at {
		t.Errorf("%d events while it is off", now-at)
	}
	set("ENABLED", "YES", store)
	set("TIMED", "NO", store)
	_, timed := count(store)
	again()
	if now, still := count(store); now != at+each || still != timed {
		t.Errorf("%d events and %d timed ones, not %d and 0", now-at, still-timed, each)
	}

	// If all instruments of a kind are off, the program does not look for the place in the code.
	var files []string
	for _, row := range rows(t, model, "setup_instruments", "NAME") {
		if strings.HasPrefix(row, "wait/io/file/") {
			files = append(files, row)
		}
	}
	set("ENABLED", "NO", files...)
	if rec.KindSwitches(record.FileIO)&record.Off == 0 || rec.KindSwitches(record.Sleep)&record.Off != 0 {
		t.Error("the kind's switch is wrong")
	}
	slept, _ := count(sleep)
	again()
	if now, _ := count(sleep); now != slept+1 {
		t.Errorf("%d sleeps, not %d", now, slept+1)
	}
	model.Setup().SetConsumer(instr.ConsumerGlobalInstrumentation, false)
	again()
	if now, _ := count(sleep); now != slept+1 {
		t.Error("a sleep is recorded while everything is off")
	}
	if other := recorded.New(rec, tables.Of(instr.NewRegistry())); other.Setup().Consumer(instr.ConsumerGlobalInstrumentation) {
		t.Error("another reader sees the consumer as on")
	}
}

// debug.ReadBuildInfo says which overlay a program was built with.
func TestBuildInformation(t *testing.T) {
	program := woven(t) // skips the test where nothing is recorded
	const source = `package main

import "runtime/debug"

func main() {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "pfsd.overlay" {
			println(s.Value)
		}
	}
}
`
	if err := os.WriteFile("main.go", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, file bytes.Buffer
	if status := runGo("build", []string{"-o", program, "."}, &out, &out); status != 0 {
		t.Fatalf("status %d: %s", status, &out)
	}
	if status := printOverlay(&file, &out); status != 0 {
		t.Fatalf("status %d: %s", status, &out)
	}
	built := program
	got, err := exec.Command(built).CombinedOutput()
	if want := filepath.Base(filepath.Dir(strings.TrimSpace(file.String()))); err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("%q, %v, want %s", got, err, want)
	}
}

// Programs for arm64 have the recorder, too. Here they are only built.
func TestBuildsForArm64(t *testing.T) {
	if os.Getenv("PFSD_TOOLCHAIN") == "" {
		t.Skip("make weave runs this")
	}
	t.Setenv("GOARCH", "arm64")
	for _, name := range []string{"program", "server"} {
		t.Run(name, func(t *testing.T) {
			built, err := os.ReadFile(wovenOf(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if file, err := elf.NewFile(bytes.NewReader(built)); err != nil || file.Machine != elf.EM_AARCH64 {
				t.Errorf("the program is not for arm64: %v", err)
			}
			if !bytes.Contains(built, []byte("PFSD_RECORD")) {
				t.Error("the program has no recorder")
			}
		})
	}
}

// For a system without a recorder, a program is built, and a warning says that it does not record.
func TestBuildsForOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	needRecorder(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module program\n\ngo 1.24\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOOS", "darwin")
	t.Setenv("GOARCH", "arm64")
	const warning = "pfsd: warning: programs for darwin/arm64 are built without a recorder: there is one for linux on amd64 and arm64\n"
	var stdout, stderr bytes.Buffer
	if status := runGo("build", []string{"-o", "program", "."}, &stdout, &stderr); status != 0 || stderr.String() != warning {
		t.Errorf("build: status %d: %s", status, &stderr)
	}
	built, err := os.ReadFile("program")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := macho.NewFile(bytes.NewReader(built)); err != nil || bytes.Contains(built, []byte("PFSD_RECORD")) {
		t.Errorf("the program is for another system, or has a recorder: %v", err)
	}
	stderr.Reset()
	if status := printOverlay(&stdout, &stderr); status != 1 || stdout.Len() > 0 || stderr.String() != warning {
		t.Errorf("overlay: status %d: %q %s", status, &stdout, &stderr)
	}
}
