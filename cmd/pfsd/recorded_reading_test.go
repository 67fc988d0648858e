package main

import (
	"testing"

	"pfsd/tables"
)

// What one statement reads of the goroutines is true of one moment, however often it looks; the next statement reads anew.
func TestReadingOfARecording(t *testing.T) {
	program, dir := woven(t), t.TempDir()
	cmd, _, _ := startProgram(t, program, dir)
	_, model := recordingIn(t, dir)
	one := tables.ReadingOf(model)
	before := one.Threads()
	waited := func(t tables.Thread) (all []uint64) {
		for _, e := range t.CurrentWaits(nil) {
			all = append(all, e.ID, e.TimerWait())
		}
		return all
	}
	if len(before) < 4 {
		t.Fatalf("%d goroutines", len(before))
	}
	for range 10 { // few look-ups, and then many
		for _, th := range before {
			again := one.ThreadByID(th.ID())
			if again == nil || again != th || len(waited(again)) != len(waited(th)) {
				t.Fatalf("goroutine %d is %v, and was %v", th.ID(), again, th)
			}
		}
	}
	if one.ThreadByID(1<<40) != nil {
		t.Error("there is a goroutine with a number that none has")
	}
	if got := tables.ReadingOf(model).(interface{ Busy() []tables.Thread }).Busy(); len(got) < 3 || len(got) >= len(before) {
		t.Errorf("%d of %d goroutines are busy", len(got), len(before))
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if len(one.Threads()) != len(before) {
		t.Error("a statement sees other goroutines than before")
	}
}
