package main

import (
	"os/exec"
	"testing"
	"time"
)

// The line of a hold is known whatever function of the recorder the stack of its goroutine grows in.
func TestRecordedHoldsOfGrowingStacks(t *testing.T) {
	built, dir := wovenOf(t, "stacks"), t.TempDir()
	startReady(t, exec.Command(built), dir, "PFSD_RECORD_HOLDS=1")
	_, model := recordingIn(t, dir)
	want := "main.go:" + placeOf("stacks", "mutexes[depth].Lock()")
	var held []string
	for deadline := time.Now().Add(time.Minute); len(held) < 128 && time.Now().Before(deadline); {
		held = rows(t, model, "held_locks", "SOURCE")
	}
	if len(held) != 128 {
		t.Errorf("%d holds, want 128", len(held))
	}
	for _, source := range held {
		if source != want {
			t.Errorf("a hold at %s, want %s", source, want)
		}
	}
}
