package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// checkThreadWaits: each goroutine has statistics of its own waits, also one whose row another goroutine has had before.
func checkThreadWaits(t *testing.T, m tables.Model, pay, scan string) {
	t.Helper()
	slept := ""
	for _, row := range rows(t, m, "events_waits_summary_by_thread_by_event_name", "THREAD_ID", "COUNT_STAR", "EVENT_NAME") {
		f := strings.Fields(row)
		switch {
		case f[0] == "1" && f[2] == "wait/synch/cond/sleep/main.main":
			slept = f[1]
		case f[0] == pay && f[1] != "0" && !strings.HasSuffix(f[2], ".pay"), f[0] == scan && f[1] != "0":
			t.Errorf("statistics of a goroutine that did not wait there: %s", row)
		}
	}
	if slept != "50" {
		t.Errorf("main has slept %q times, not 50", slept)
	}
	all := 0
	for _, row := range rows(t, m, "events_waits_summary_by_thread_by_genus", "THREAD_ID", "COUNT_STAR") {
		if strings.HasPrefix(row, "1 ") && row != "1 0" {
			all++
		}
	}
	if all == 0 {
		t.Error("main has no waits by genus")
	}
}

// The recording of 100,000 goroutines stays small, and counts the waits that it has no room for.
func TestRecordedManyGoroutines(t *testing.T) {
	program, dir := wovenOf(t, "many"), t.TempDir()
	startProgram(t, program, dir)
	rec, err := record.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	info, err := os.Stat(rec.Info().Path)
	if err != nil {
		t.Fatal(err)
	}
	if size := info.Sys().(*syscall.Stat_t).Blocks * 512; size > 20_000_000 {
		t.Errorf("the recording has %d bytes", size)
	} else {
		t.Logf("%d bytes", size)
	}
	model := recorded.New(rec, tables.Of(instr.NewRegistry()))
	threads := rec.Threads()
	if len(threads) < 100_000 {
		t.Fatalf("%d goroutines", len(threads))
	}
	const receive = "wait/synch/cond/receive/main.main.func1"
	class, by := model.ClassByName(receive), 0
	for _, th := range model.Threads() {
		for _, w := range th.AppendWaits(nil) {
			if w.Class == class.ID() && th.ID() != 1 {
				by++
				if w.Count != 1 {
					t.Fatalf("goroutine %d has waited %d times", th.ID(), w.Count)
				}
			}
		}
	}
	all, lost := model.ClassWaits(class).Count, model.ThreadWaitsLost()
	if all != 100_000 || by < 1900 || uint64(by)+lost < all {
		t.Errorf("of %d waits %d are counted by thread and %d are lost", all, by, lost)
	}

	// What TRUNCATE takes does not come back.
	model.ResetThreadWaits()
	for _, th := range model.Threads() {
		if waits := th.AppendWaits(nil); th.ID() != 1 && len(waits) > 0 {
			t.Fatalf("goroutine %d still has %+v", th.ID(), waits)
		}
	}
}

// New goroutines begin with what setup_threads says of their start function.
func TestSetupThreadsOfARecording(t *testing.T) {
	program, dir := woven(t), t.TempDir()
	_, in, out := startProgram(t, program, dir)
	rec, model := recordingIn(t, dir)
	again(t, in, out)
	const nap = "thread/go/main.nap"
	if all := rows(t, model, "setup_threads", "NAME", "ENABLED", "HISTORY"); !slices.Contains(all, nap+" YES YES") || !slices.Contains(all, "thread/go/main.main YES YES") {
		t.Fatalf("classes of threads %q", all)
	}
	set := func(column, value string) {
		t.Helper()
		for _, def := range tables.All() {
			if def.Name() == "setup_threads" {
				if err := def.Update(model, tables.Key{{Column: "NAME", Value: tables.Text(nap)}}, column, tables.Text(value)); err != nil {
					t.Fatal(err)
				}
			}
		}
		again(t, in, out)
	}
	set("ENABLED", "NO")
	set("HISTORY", "NO")
	set("ENABLED", "YES")
	var got []string
	for _, row := range rows(t, model, "threads", "NAME", "INSTRUMENTED", "HISTORY") {
		if switches, ok := strings.CutPrefix(row, nap+" "); ok {
			got = append(got, switches)
		}
	}
	slices.Sort(got)
	if want := []string{"NO NO", "NO YES", "YES NO", "YES YES"}; !slices.Equal(got, want) {
		t.Errorf("goroutines with %q, want %q", got, want)
	}
	slept := uint64(0)
	for _, row := range rows(t, model, "events_waits_summary_global_by_event_name", "EVENT_NAME", "COUNT_STAR") {
		if n, ok := strings.CutPrefix(row, "wait/synch/cond/sleep/main.nap "); ok {
			slept, _ = strconv.ParseUint(n, 10, 64)
		}
	}
	if slept != 2 {
		t.Errorf("%d of the goroutines that are instrumented have slept, not 2", slept)
	}
	other := recorded.New(rec, tables.Of(instr.NewRegistry()))
	if all := rows(t, other, "setup_threads", "NAME", "ENABLED", "HISTORY"); !slices.Contains(all, nap+" YES NO") {
		t.Errorf("another reader sees %q", all)
	}
}
