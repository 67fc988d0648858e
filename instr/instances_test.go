package instr

import (
	"runtime"
	"testing"
	"time"
)

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 seconds: %s", what)
		}
	}
}

// collected collects garbage until the condition holds.
func collected(t *testing.T, what string, condition func() bool) {
	t.Helper()
	eventually(t, what+" is collected", func() bool {
		if condition() {
			return true
		}
		runtime.GC()
		return false
	})
}

// wantNoAllocs wants f not to allocate when it is called again and again.
func wantNoAllocs(t *testing.T, what string, f func()) {
	t.Helper()
	if raceEnabled {
		return // the detector makes sync.Pool forget at random
	}
	if n := testing.AllocsPerRun(200, f); n != 0 {
		t.Errorf("%s allocates %v times", what, n)
	}
}
