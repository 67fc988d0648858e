package instr

import "testing"

// A wait for a lock on a row counts, and is an event of its thread that names the table and the index; the function for
// the names is not called if there is no event.
func TestRowLockWaits(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	class := r.NewRowLockClass()
	if again := r.NewRowLockClass(); again.Class() != class.Class() {
		t.Error("there are two instruments")
	}
	th := r.Attach("test/owner")
	defer th.Detach()
	asked := 0
	on := func() *MetadataObject {
		asked++
		return &MetadataObject{Type: "TABLE", Schema: "db", Name: "t", Index: "PRIMARY"}
	}
	w := class.Wait(th, on)
	events := th.CurrentWaits(nil)
	if len(events) != 1 || events[0].Ended || events[0].Op != OpRowLock || events[0].Class != class.Class() || events[0].Class.Name() != "wait/lock/row/sql/handler" {
		t.Fatalf("it waits: %+v", events)
	}
	if o := r.Reader().MetadataObject(events[0].Object); o == nil || *o != *on() {
		t.Errorf("it waits for %+v", o)
	}
	w.End()
	if events = th.WaitsHistory(nil); len(events) != 1 || !events[0].Ended {
		t.Errorf("it has waited: %+v", events)
	}
	if n := class.Class().Waits().Count; n != 1 || asked != 2 {
		t.Errorf("%d waits, asked for %d names", n, asked)
	}

	r.Setup().SetConsumer(ConsumerEventsWaitsCurrent, false)
	class.Wait(th, on).End()
	class.Class().SetEnabled(false)
	class.Wait(th, on).End()
	var none *RowLockClass
	none.Wait(th, on).End()
	RowLockWait{}.End()
	if n := class.Class().Waits().Count; n != 2 || asked != 2 {
		t.Errorf("%d waits, asked for %d names", n, asked)
	}
}
