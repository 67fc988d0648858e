package instr

import (
	"slices"
	"sync"
	"testing"
)

func TestThreadClasses(t *testing.T) {
	r := NewRegistry()
	if got := r.Setup().ThreadClasses(); len(got) != 0 {
		t.Errorf("%d classes at first", len(got))
	}
	main := r.NewThreadClass("test/main")
	main.SetProperties(Singleton)
	r.Attach("thread/test/worker").Detach()
	r.AttachConnection("test/client", 1).Detach()
	done := make(chan struct{})
	r.Go("test/background", func() { close(done) })
	<-done
	if r.NewThreadClass("thread/test/main") != main || r.NewThreadClass("test/worker") != r.NewThreadClass("thread/test/worker") {
		t.Error("a class has two names")
	}
	var names []string
	for _, c := range r.Setup().ThreadClasses() {
		names = append(names, c.Name())
		if !c.Enabled() || !c.History() {
			t.Errorf("%s is off at first", c.Name())
		}
	}
	want := []string{"thread/test/main", "thread/test/worker", "thread/test/client", "thread/test/background"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if main.Properties() != Singleton || r.NewThreadClass("test/worker").Properties() != 0 {
		t.Error("properties of another class")
	}
	main.SetProperties(User)
	if main.Properties() != Singleton|User {
		t.Errorf("properties %b", main.Properties())
	}
}

// A thread takes its class's switches as it starts, and keeps them.
func TestThreadClassSwitches(t *testing.T) {
	w := newActorWorld()
	c := w.NewThreadClass("test/actor")
	for i := range 4 {
		enabled, history := i&1 != 0, i&2 != 0
		before := w.start()
		instrumented, histories := before.instrumented(), before.hasHistory()
		c.SetEnabled(enabled)
		c.SetHistory(history)
		if c.Enabled() != enabled || c.History() != history {
			t.Errorf("%v %v is shown as %v %v", enabled, history, c.Enabled(), c.History())
		}
		if before.instrumented() != instrumented || before.hasHistory() != histories {
			t.Error("a thread that is there has changed")
		}
		after := w.start()
		if after.instrumented() != enabled || after.hasHistory() != history {
			t.Errorf("a new thread is %v %v, want %v %v", after.instrumented(), after.hasHistory(), enabled, history)
		}
		after.wait(1)
		if got := after.classWaits(w.class).Count == 1; got != enabled {
			t.Errorf("enabled %v: the wait counts %v", enabled, got)
		}
		before.end()
		after.end()
	}
}

func TestThreadClassLimit(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetLimit(LimitThreadClasses, 2)
	wantLost := func(want uint64) {
		t.Helper()
		if got := r.Reader().Lost(LimitThreadClasses); got != want || r.Reader().Lost(LimitThreadInstances) != 0 {
			t.Errorf("%d classes and %d threads are lost, want %d and 0", got, r.Reader().Lost(LimitThreadInstances), want)
		}
	}
	r.NewThreadClass("test/a")
	r.Attach("test/b").Detach()
	wantLost(0)
	for range 3 {
		checkLostThread(t, r, r.Attach("test/c"))
	}
	wantLost(1)
	c := r.NewThreadClass("thread/test/c")
	c.SetEnabled(false)
	c.SetProperties(User)
	if c.Name() != "thread/test/c" || c.Enabled() || c.Properties() != User {
		t.Error("a lost class does not work")
	}
	r.NewThreadClass("test/d")
	wantLost(2)
	if n := len(r.Setup().ThreadClasses()); n != 2 {
		t.Errorf("%d classes, want 2", n)
	}
	r.Setup().SetLimit(LimitThreadClasses, -1)
	checkLostThread(t, r, r.AttachConnection("test/c", 1))
	wantLost(2)
	th := r.Attach("test/e")
	defer th.Detach()
	if th.ID() == 0 {
		t.Error("no thread below the limit")
	}
	r.Setup().SetLimit(LimitThreadClasses, 0)
	r.NewThreadClass("test/f")
	r.NewThreadClass("test/a")
	wantLost(3)
}

// checkLostThread checks that the methods of a lost thread do nothing.
func checkLostThread(t *testing.T, r *Registry, th *Thread) {
	t.Helper()
	if th.ID() != 0 || Current() != nil {
		t.Fatalf("the goroutine is thread %d", th.ID())
	}
	threads, actors := len(r.Reader().Threads()), len(r.Reader().Actors(LevelAccount, ActorFilter{}))
	m := r.NewMutex("test/lost")
	c := m.instance.Load().class
	c.SetEnabled(true)
	before, idle := m.instance.Load().Waits().Count, r.idle.Waits().Count
	th.SetAccount("lost", "nowhere")
	th.SetCommand("Sleep")
	th.SetConnectionType("Socket")
	th.SetDB("db")
	th.SetInfo("select 1")
	th.SetState("lost")
	th.SetPort(1)
	th.SetInstrumented(false)
	th.SetHistory(false)
	th.TruncateCurrentWaits()
	th.TruncateWaitsHistory()
	m.LockAs(th)
	if id := m.instance.Load().Holder(); r.Reader().ThreadByID(id) != nil {
		t.Errorf("thread %d holds the lock", id)
	}
	m.Unlock()
	th.StartIdle().End()
	if m.instance.Load().Waits().Count != before+1 || r.idle.Waits().Count != idle+1 {
		t.Error("the waits do not count by instance")
	}
	if _, ok := th.Snapshot(); ok || th.classWaits(c) != NoStat || len(th.CurrentWaits(nil))+len(th.WaitsHistory(nil)) != 0 {
		t.Error("a lost thread shows something")
	}
	th.Detach()
	th.Detach()
	if len(r.Reader().Threads()) != threads || r.Reader().ThreadByID(0) != nil || len(r.Reader().Actors(LevelAccount, ActorFilter{})) != actors {
		t.Error("a lost thread is listed")
	}
}

func TestThreadInstanceLimit(t *testing.T) {
	w := newActorWorld()
	w.Setup().SetLimit(LimitThreadInstances, 2)
	a, b := w.start(), w.start()
	wantLost := func(want uint64) {
		t.Helper()
		if got := w.Reader().Lost(LimitThreadInstances); got != want || len(w.Reader().Threads()) > 2 {
			t.Errorf("%d threads are lost, want %d; there are %d", got, want, len(w.Reader().Threads()))
		}
	}
	wantLost(0)
	checkLostThread(t, w.Registry, w.Attach("test/beyond"))
	checkLostThread(t, w.Registry, w.AttachConnection("test/beyond", 7))
	done := make(chan struct{})
	w.Go("test/beyond", func() {
		defer close(done)
		if HasThreadLookup && Current() != nil {
			t.Error("a goroutine is a thread beyond the limit")
		}
	})
	<-done
	wantLost(3)
	w.Setup().SetLimit(LimitThreadInstances, 0)
	if a.ID() == 0 || b.ID() == 0 {
		t.Error("a thread that was there is gone")
	}
	w.Setup().SetLimit(LimitThreadInstances, 2)
	a.end()
	c := w.start()
	if c.ID() == 0 {
		t.Error("the place of a thread that has ended is not free")
	}
	wantLost(3)
	if HasThreadLookup {
		// The goroutine's other thread ends first and frees its place.
		b.run(func() { b.Thread = w.Attach("test/other") })
		if b.ID() == 0 {
			t.Error("no place for a goroutine's next thread")
		}
		wantLost(3)
	}
	b.end()
	c.end()

	// The same with many goroutines at the same time.
	const goroutines, rounds = 4, 200
	var wg sync.WaitGroup
	var mu sync.Mutex
	lost := uint64(0)
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				th := w.Attach("test/many")
				if th.ID() == 0 {
					mu.Lock()
					lost++
					mu.Unlock()
				}
				if n := len(w.Reader().Threads()); n > 2 {
					t.Errorf("%d threads", n)
				}
				th.Detach()
			}
		})
	}
	wg.Wait()
	wantLost(3 + lost)
	if th := w.Attach("test/last"); th.ID() == 0 {
		t.Error("places are lost")
	} else {
		th.Detach()
	}
}
