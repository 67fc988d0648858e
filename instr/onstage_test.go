package instr

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestOnStage(t *testing.T) {
	w := newWorker(t)
	w.open.Class().SetEnabled(false) // f is called all the same
	var got []string
	w.OnStage(func(c *StageClass, caller uintptr) {
		if c == nil {
			got = append(got, "end")
			return
		}
		frame, _ := runtime.CallersFrames([]uintptr{caller}).Next()
		if !strings.HasSuffix(frame.Function, ".TestOnStage") {
			t.Errorf("%s was started by %s", c.Class().Name(), frame.Function)
		}
		got = append(got, c.Class().Name())
	})
	w.StartStage(w.open)
	w.StartStage(w.sending)
	w.EndStage()
	w.OnStage(nil)
	w.StartStage(w.open)
	w.EndStage()
	if want := []string{"stage/sql/Opening tables", "stage/sql/Sending data", "end"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var none *Thread
	none.OnStage(nil)
}
