package main

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"
)

// The runtime's own profile of leaked goroutines, where there is one, has the goroutines of a program with a recorder, at the line where
// the recording has them: the recorder keeps nothing from being found that nothing else refers to.
func TestLeakProfileOfARecording(t *testing.T) {
	if os.Getenv("PFSD_TOOLCHAIN") == "" {
		t.Skip("make weave runs this")
	}
	hasProfile := !regexp.MustCompile(`^go1\.2[4-6]\D`).MatchString(needRecorder(t).GOVERSION + " ")
	built, dir := wovenOf(t, "leaked"), t.TempDir()
	cmd := exec.Command(built)
	profile, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = profile.Close() }()
	cmd.ExtraFiles = []*os.File{w}
	startReady(t, cmd, dir)
	_ = w.Close()
	text, err := io.ReadAll(profile)
	if err != nil {
		t.Fatal(err)
	}
	line := "main.go:" + placeOf("leaked", "go func() { answer <- 1 }()")
	if found := regexp.MustCompile(`total 5\n5 @ .*\n#\t\S+\tmain\.leave\.func1\S+\s+\S+/` + line + `\n`).Match(text); found != hasProfile {
		t.Errorf("five goroutines at %s: %v; the profile is\n%s", line, found, text)
	}
	_, model := recordingIn(t, dir)
	if got, want := rows(t, model, "goroutine_groups", "CREATED_AT", "SOURCE", "GOROUTINES"), line+" "+line+" 5"; !slices.Contains(got, want) {
		t.Errorf("groups %q, without %s", got, want)
	}
}
