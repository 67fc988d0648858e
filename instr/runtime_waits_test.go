package instr

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// What the runtime counts is in the instruments, with times and percentiles, is emptied, and is left out while they are off.
func TestRuntimeWaits(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetConsumer(ConsumerEventsWaitsHistogram, true)
	if r.Reader().ClassByName("wait/synch/runtime/go/scheduler") != nil {
		t.Error("the instruments are there unasked")
	}
	r.WatchRuntime()
	r.WatchRuntime()
	scheduler, pause := r.Reader().ClassByName("wait/synch/runtime/go/scheduler"), r.Reader().ClassByName("wait/synch/runtime/go/gc_pause")
	pause.Reset()
	if n := pause.Waits().Count; n > 2 { // one may just be happening
		t.Errorf("%d pauses after Reset", n)
	}
	const collections = 5
	collect := func() {
		for range collections {
			runtime.GC() // has two pauses
		}
		var all sync.WaitGroup
		for range 1000 {
			all.Go(runtime.Gosched)
		}
		all.Wait()
	}
	before := scheduler.Waits().Count
	collect()
	w := pause.Waits()
	if w.Count < 2*collections || !w.Timed() || w.Min > w.Max || w.Sum < w.Max || w.MaxPicoseconds() > uint64(time.Minute)*1000 {
		t.Errorf("pauses: %+v", w)
	}
	if n := scheduler.Waits().Count - before; n == 0 {
		t.Error("nobody has waited for a processor")
	}
	times := r.Reader().Times(pause)
	if len(times) != 1 || times[0].Count() < w.Count || times[0].Quantile(500) > times[0].Quantile(1000) || times[0].Quantile(1000) == 0 {
		t.Errorf("percentiles: %d of them", len(times))
	}
	pause.SetEnabled(false)
	off := pause.Waits().Count
	collect()
	if n := pause.Waits().Count; n != off {
		t.Errorf("%d pauses are counted while the instrument is off", n-off)
	}
	pause.SetEnabled(true)
	if n := pause.Waits().Count; n > off+2 {
		t.Errorf("%d pauses are counted that were when the instrument was off", n-off)
	}
	for _, i := range r.Reader().Snapshot().Instruments {
		if i.Name == pause.Name() && i.Events.Sum <= 0 {
			t.Errorf("a snapshot has %+v", i.Events)
		}
	}
}
