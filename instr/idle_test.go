package instr

import (
	"testing"

	"pfsd/timers"
)

func TestIdle(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	th := r.Attach("test/worker")
	defer th.Detach()
	const rounds = 5
	for i := range rounds {
		w := th.StartIdle()
		events := th.CurrentWaits(nil)
		if len(events) != 1 {
			t.Fatalf("%d events, want 1", len(events))
		}
		e := events[0]
		if e.Ended || e.Op != OpIdle || e.Op.String() != "idle" || e.Class.Name() != "idle" || e.Object != 0 || e.NestingID != 0 || e.timer != timers.Microsecond {
			t.Errorf("%+v", e)
		}
		if got := r.idle.Waits().Count; got != uint64(i) {
			t.Errorf("%d counted while idle, want %d", got, i)
		}
		w.End()
	}
	if got := th.classWaits(r.idle); got.Count != rounds || !got.Timed() {
		t.Errorf("the thread has %+v", got)
	}
	if got := r.idle.Waits(); got.Count != rounds || !got.Timed() {
		t.Errorf("the class has %+v", got)
	}
	if n := len(r.idle.Instances()); n != 0 {
		t.Errorf("%d instances", n)
	}
	wantNoAllocs(t, "idle", func() { th.StartIdle().End() })
}

func TestIdleOff(t *testing.T) {
	r := NewRegistry()
	th := r.Attach("test/worker")
	defer th.Detach()
	r.idle.SetEnabled(false)
	w := th.StartIdle()
	r.idle.SetEnabled(true)
	w.End()
	if got := r.idle.Waits().Count; got != 0 {
		t.Errorf("%d counted with the instrument off", got)
	}
	var none *Thread
	none.StartIdle().End()
	Wait{}.End()
}
