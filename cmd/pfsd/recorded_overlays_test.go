package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The user's own overlay is found wherever the go command takes it from, and not in the arguments of a program or of a test.
func TestSplitArguments(t *testing.T) {
	for line, want := range map[string]string{
		"build -o x -race .":                              "||-o x -race .",
		"build -overlay=o.json .":                         "o.json||.",
		"build --overlay o.json -o x .":                   "o.json||-o x .",
		"build -C sub -overlay=a -overlay b .":            "b|sub|-C sub .",
		"run -o -overlay=x . -overlay=y":                  "||-o -overlay=x . -overlay=y",
		"run -race -overlay=x . -overlay=y":               "x||-race . -overlay=y",
		"test ./... -overlay=x -args -overlay=y":          "x||./... -args -overlay=y",
		"test -run -overlay=x -own ./a -count 1":          "||-run -overlay=x -own ./a -count 1",
		"install -ldflags -s -tags a,b ./cmd/x -overlay=": "||-ldflags -s -tags a,b ./cmd/x -overlay=",
		"build -overlay":                                  "||",
	} {
		f := strings.Fields(line)
		a := splitArguments(f[0], f[1:])
		if got := a.overlay + "|" + a.dir + "|" + strings.Join(a.rest, " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	for rest, want := range map[string]string{"-C sub -o x .": "build -C sub -overlay=f -o x .", "--C=sub .": "build --C=sub -overlay=f .", "-o x -C sub .": "build -overlay=f -o x -C sub .", ".": "build -overlay=f ."} {
		if got := strings.Join(withOverlay("build", "f", strings.Fields(rest)), " "); got != want {
			t.Errorf("%s: %s, want %s", rest, got, want)
		}
	}
	if got, want := quotedFields(" -a  '-overlay=one two' \"-x='\"\n-mod=mod"), []string{"-a", "-overlay=one two", "-x='", "-mod=mod"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A program is built with the recorder and with the user's own overlay, unless both replace a file.
func TestOverlaysOfARecording(t *testing.T) {
	built := woven(t) // skips the test where nothing is recorded
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Dir(built)
	write := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay := func(replace map[string]string) {
		t.Helper()
		text, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			t.Fatal(err)
		}
		write("own.json", text)
	}
	build := func(args ...string) (status int, out string) {
		t.Helper()
		_ = os.Remove(built)
		var b bytes.Buffer
		status = runGo("build", args, &b, &b)
		return status, b.String()
	}
	write("other.txt", []byte("package main\n\nfunc main() { println(\"other\") }\n"))
	overlay(map[string]string{"main.go": "other.txt"})
	other := func(how string, args ...string) {
		t.Helper()
		if status, out := build(args...); status != 0 {
			t.Fatalf("%s: status %d: %s", how, status, out)
		}
		text, err := os.ReadFile(built)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(built).CombinedOutput()
		if err != nil || string(out) != "other\n" || !bytes.Contains(text, []byte("PFSD_RECORD")) {
			t.Errorf("%s: %v, %s, with a recorder: %v", how, err, out, bytes.Contains(text, []byte("PFSD_RECORD")))
		}
	}
	other("a flag", "-o", built, "-overlay=own.json", ".")
	flags := os.Getenv("GOFLAGS")
	t.Setenv("GOFLAGS", flags+" '-overlay="+filepath.Join(dir, "own.json")+"'")
	other("GOFLAGS", "-o", built, ".")
	t.Setenv("GOFLAGS", flags)
	t.Chdir(t.TempDir())
	other("another directory", "-C", dir, "-o", built, "--overlay", "own.json")
	t.Chdir(dir)

	var file, errors bytes.Buffer
	if status := printOverlay(&file, &errors); status != 0 {
		t.Fatalf("status %d: %s", status, &errors)
	}
	recorder, err := readOverlay(strings.TrimSpace(file.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	tc := needRecorder(t)
	for _, from := range slices.Sorted(maps.Keys(recorder))[:3] {
		_, below, _ := strings.Cut(from, "/src/")
		for _, name := range []string{from, filepath.Join(tc.GOROOT, "src", below)} { // the go command may know a distribution by two names
			overlay(map[string]string{name: "other.txt"})
			status, out := build("-o", built, "-overlay=own.json", ".")
			if want := "own.json replaces " + from + ", as the recorder does"; status != 1 || !strings.Contains(out, want) {
				t.Errorf("%s: status %d, %s, want %s", name, status, out, want)
			}
		}
	}
	write("own.json", []byte("no JSON"))
	if status, out := build("-overlay=own.json", "."); status != 1 || !strings.Contains(out, "pfsd: -overlay: "+filepath.Join(dir, "own.json")+": ") {
		t.Errorf("status %d, %s", status, out)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A tool that changes the standard library while it is compiled changes what the recorder has made of it: the program has both.
func TestToolexecOfARecording(t *testing.T) {
	if os.Getenv("PFSD_TOOLCHAIN") == "" {
		t.Skip("make weave runs this")
	}
	needRecorder(t)
	tool := sourceOf(t, "toolexec")
	if out, err := exec.Command("go", "build", "-C", tool, "-o", "tool", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir, recordings := sourceOf(t, "marked"), t.TempDir()
	built := filepath.Join(dir, "marked")
	var out bytes.Buffer
	if status := runGo("build", []string{"-C", dir, "-toolexec", filepath.Join(tool, "tool"), "-o", built, "."}, &out, &out); status != 0 {
		t.Fatalf("status %d: %s", status, &out)
	}
	cmd := exec.Command(built)
	cmd.Env = append(os.Environ(), "PFSD_RECORD="+recordings)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ready 7\n" {
		t.Errorf("%v: %s", err, out)
	}
	_, model := recordingIn(t, recordings)
	contains(t, "events_waits_summary_global_by_event_name", rows(t, model, "events_waits_summary_global_by_event_name", "EVENT_NAME", "COUNT_STAR"),
		"wait/synch/cond/receive/main.main 1")
}
