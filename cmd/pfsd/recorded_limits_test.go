package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// Events are counted on all processors, also on those that come later, and however many there are.
func TestRecordedProcessors(t *testing.T) {
	built := wovenOf(t, "stuck")
	for _, processors := range []string{"1", "16", "64", "128", "1000"} {
		dir := t.TempDir()
		cmd := exec.Command(built, "sleeps", processors)
		cmd.Env = append(os.Environ(), "PFSD_RECORD="+dir, "GOMAXPROCS=2")
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		rec, err := record.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		model := recorded.New(rec, tables.Of(instr.NewRegistry()))
		found := false
		for _, row := range rows(t, model, "events_waits_summary_global_by_event_name", "COUNT_STAR", "EVENT_NAME") {
			if strings.HasSuffix(row, "sleep/main.nap") || strings.HasSuffix(row, "sleep/stuck.nap") {
				if found = true; !strings.HasPrefix(row, "10000 ") {
					t.Errorf("%s processors: %s", processors, row)
				}
			}
		}
		if lost := rec.Lost(); !found || lost.Events != 0 {
			t.Errorf("%s processors: counted %v, lost %+v", processors, found, lost)
		}
		_ = rec.Close()
	}
}

// A goroutine for which there is no row is shown while it waits for a lock, and the goroutines that are not shown are counted in words.
func TestRecordedCrowd(t *testing.T) {
	program, dir := wovenOf(t, "stuck"), t.TempDir()
	cmd := stuck(t, program, dir, "crowd")
	rec, err := record.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	check := func(m tables.Model) {
		t.Helper()
		const pay, ship = "thread/go/main.pay", "thread/go/main.ship"
		waits := rows(t, m, "lock_waits", "REQUESTING_THREAD_NAME", "BLOCKING_THREAD_NAME", "CERTAIN", "BLOCKING_GOROUTINE_ID")
		for i, row := range waits {
			f := strings.Fields(row)
			if f[3] == "NULL" {
				t.Errorf("it is not known who holds the lock: %s", row)
			}
			waits[i] = strings.Join(f[:3], " ")
		}
		slices.Sort(waits)
		if want := []string{pay + " " + ship + " YES", ship + " " + pay + " YES", "thread/go/main.wantKept NULL YES"}; !slices.Equal(waits, want) {
			t.Errorf("waits for locks %q, want %q", waits, want)
		}
		if got := rows(t, m, "deadlocks", "REQUESTING_THREAD_NAME"); len(got) != 2 {
			t.Errorf("deadlocks %q", got)
		}
		first, ok := m.Threads()[0].Snapshot()
		if !ok || !strings.HasSuffix(first.State, " more goroutines are not shown") || strings.HasPrefix(first.State, "0 ") {
			t.Errorf("the first thread is %+v", first)
		}
	}
	model := recorded.New(rec, tables.Of(instr.NewRegistry()))
	until(t, "all wait", func() bool { return len(model.LockWaits()) == 3 })
	check(model)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	check(recorded.New(rec, tables.Of(instr.NewRegistry())))
}
