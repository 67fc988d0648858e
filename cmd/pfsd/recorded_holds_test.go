package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// While an instrument of holds is on, it is known where and when goroutines got locks that they did not wait for, and who holds locks for
// reading. A lock that another goroutine unlocks leaves no wrong row.
func TestHoldsOfARecording(t *testing.T) {
	program, dir := wovenOf(t, "holds"), t.TempDir()
	cmd, in, out := startProgram(t, program, dir)
	rec, model := recordingIn(t, dir)
	set := func(name, value string) {
		t.Helper()
		for _, def := range tables.All() {
			if def.Name() == "setup_instruments" {
				if err := def.Update(model, tables.Key{{Column: "NAME", Value: tables.Text(name)}}, "ENABLED", tables.Text(value)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if held := rows(t, model, "held_locks", "SOURCE"); rec.HoldsRecorded() || len(held) > 0 {
		t.Errorf("holds are recorded before they are switched on: %q", held)
	}
	set("hold/synch/mutex/go/all", "YES")
	again(t, in, out)
	t.Run("alive", func(t *testing.T) { checkHolds(t, model) })
	for _, row := range rows(t, model, "setup_instruments", "NAME", "ENABLED") {
		if strings.HasPrefix(row, "hold/") && !strings.HasSuffix(row, " YES") {
			t.Errorf("instrument %s", row)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	t.Run("killed", func(t *testing.T) { checkHolds(t, recorded.New(rec, tables.Of(instr.NewRegistry()))) })

	for _, row := range rows(t, model, "setup_instruments", "NAME") {
		if strings.HasPrefix(row, "hold/") {
			set(row, "NO")
		}
	}
	if rec.HoldsRecorded() {
		t.Error("holds are recorded while all their instruments are off")
	}
	for _, def := range tables.All() {
		if strings.HasPrefix(def.Name(), "holds_") {
			def.Truncate(model)
			if all := rows(t, model, def.Name(), "EVENT_NAME"); len(all) > 0 { // how long locks are held is not recorded
				t.Errorf("%s has rows: %q", def.Name(), all)
			}
		}
	}
}

func checkHolds(t *testing.T, m tables.Model) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(testdata, "holds", "main.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	line := func(function, statement string) string {
		at := strings.Index(string(source), "func "+function+"()")
		before := string(source)[:at+strings.Index(string(source)[at:], statement)]
		return fmt.Sprint("main.go:", strings.Count(before, "\n")+1)
	}
	names := map[string]string{}
	for _, row := range rows(t, m, "threads", "THREAD_ID", "NAME") {
		id, name, _ := strings.Cut(row, " ")
		names[id] = strings.TrimPrefix(name, "thread/go/main.")
	}
	var got []string
	for _, row := range rows(t, m, "held_locks", "OWNER_THREAD_ID", "LOCK_MODE", "SOURCE", "CERTAIN", "TIMER_HELD") {
		f := strings.Fields(row)
		if f[4] == "NULL" || f[4] == "0" {
			t.Errorf("held since an unknown time: %s", row)
		}
		got = append(got, names[f[0]]+" "+strings.Join(f[1:4], " "))
	}
	slices.Sort(got)
	want := []string{
		"giver SHARED " + line("giver", "given.RLock") + " NO",
		"keep EXCLUSIVE " + line("keep", "kept.Lock") + " YES",
		"read SHARED " + line("read", "table.RLock") + " YES",
		"second EXCLUSIVE " + line("second", "passed.Lock") + " YES",
		"taker SHARED " + line("taker", "given.RLock") + " YES",
	}
	if !slices.Equal(got, want) {
		t.Errorf("held locks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	got = nil
	for _, row := range rows(t, m, "lock_waits", "REQUESTING_THREAD_ID", "BLOCKING_THREAD_ID", "BLOCKING_LOCK_MODE", "CERTAIN") {
		f := strings.Fields(row)
		got = append(got, names[f[0]]+" "+names[f[1]]+" "+strings.Join(f[2:], " "))
	}
	slices.Sort(got)
	want = []string{"wantGiven taker SHARED YES", "wantKept keep EXCLUSIVE YES", "wantPassed second EXCLUSIVE YES", "wantTable read SHARED YES"}
	if !slices.Equal(got, want) {
		t.Errorf("waits for locks %q, want %q", got, want)
	}
}
