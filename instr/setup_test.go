package instr

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"pfsd/timers"
)

func TestSwitchesTakeEffectAtOnce(t *testing.T) {
	r := NewRegistry()
	m := r.NewMutex("test/lock")
	class := r.Reader().ClassByName("wait/synch/mutex/test/LOCK")
	th := r.Attach("test/locker")
	defer th.Detach()
	lock := func() { m.Lock(); m.Unlock() }
	type counts struct{ instance, thread, events int }
	look := func() counts {
		return counts{int(class.Waits().Count), int(th.classWaits(class).Count), len(longEvents(r))}
	}
	for _, step := range []struct {
		name string
		do   func()
		want counts // what one lock adds
	}{
		{"off", func() {}, counts{}},
		{"enabled", func() { class.SetEnabled(true) }, counts{1, 1, 0}},
		{"current", func() { r.Setup().SetConsumer(ConsumerEventsWaitsCurrent, true) }, counts{1, 1, 0}},
		{"history_long", func() { r.Setup().SetConsumer(ConsumerEventsWaitsHistoryLong, true) }, counts{1, 1, 1}},
		{"no history for the thread", func() { th.SetHistory(false) }, counts{1, 1, 0}},
		{"history again", func() { th.SetHistory(true) }, counts{1, 1, 1}},
		{"thread not instrumented", func() { th.SetInstrumented(false) }, counts{}},
		{"thread instrumented", func() { th.SetInstrumented(true) }, counts{1, 1, 1}},
		{"no threads", func() { r.Setup().SetConsumer(ConsumerThreadInstrumentation, false) }, counts{1, 0, 0}},
		{"nothing", func() { r.Setup().SetConsumer(ConsumerGlobalInstrumentation, false) }, counts{}},
		{"all", func() {
			r.Setup().SetConsumer(ConsumerGlobalInstrumentation, true)
			r.Setup().SetConsumer(ConsumerThreadInstrumentation, true)
		}, counts{1, 1, 1}},
		{"no current", func() { r.Setup().SetConsumer(ConsumerEventsWaitsCurrent, false) }, counts{1, 1, 0}},
		{"disabled", func() { class.SetEnabled(false) }, counts{}},
	} {
		step.do()
		before := look()
		lock()
		after := look()
		if got := (counts{after.instance - before.instance, after.thread - before.thread, after.events - before.events}); got != step.want {
			t.Errorf("%s: a lock adds %+v, want %+v", step.name, got, step.want)
		}
	}
}

func TestUntimedEventsCountOnly(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	class := r.Reader().ClassByName("wait/synch/mutex/test/lock")
	th := r.Attach("test/locker")
	defer th.Detach()
	class.SetTimed(false)
	m.Lock()
	m.Unlock()
	if s := class.Waits(); s.Count != 1 || s.Timed() || s.SumPicoseconds() != 0 || s.MinPicoseconds() != 0 || s.AvgPicoseconds() != 0 || s.MaxPicoseconds() != 0 {
		t.Errorf("%+v", s)
	}
	if e := longEvents(r)[0]; e.Timed() {
		t.Errorf("%+v is timed", e)
	}
}

// An event keeps the timer that it began with; later ones have the new one.
func TestSetTimer(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	th := r.Attach("test/locker")
	defer th.Detach()
	for id := range timers.Count {
		if ok := r.Setup().SetTimer(TimerWait, id); ok != (id.Available() && id != timers.ThreadCPU) {
			t.Errorf("SetTimer(%v) = %v", id, ok)
		} else if !ok {
			continue
		}
		m.Lock()
		m.Unlock()
		events := longEvents(r)
		if e := events[len(events)-1]; e.timer != id {
			t.Errorf("with %v the event has %v", id, e.timer)
		}
	}
	class := r.Reader().ClassByName("wait/synch/mutex/test/lock")
	r.Setup().SetTimer(TimerWait, timers.Nanosecond)
	w := class.begin(switches(class.switches.Load()), OpLock, 0, 0)
	r.Setup().SetTimer(TimerWait, timers.Millisecond)
	w.end(class, 0)
	events := longEvents(r)
	if e := events[len(events)-1]; e.timer != timers.Nanosecond {
		t.Errorf("an event in progress went over from NANOSECOND to %v", e.timer)
	}
}

func TestNestedWaits(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	r.NewMutex("test/lock")
	class := r.Reader().ClassByName("wait/synch/mutex/test/lock")
	th := r.Attach("test/nested")
	defer th.Detach()
	var waits [maxWaits + 1]wait
	for i := range waits {
		waits[i] = class.begin(switches(class.switches.Load()), OpLock, 0, 0)
	}
	if waits[maxWaits].counted() || r.Reader().LockerLost() != 1 {
		t.Errorf("a wait too deep is counted, or not counted as lost: %d", r.Reader().LockerLost())
	}
	running := th.CurrentWaits(nil)
	if len(running) != maxWaits {
		t.Fatalf("%d running waits, want %d", len(running), maxWaits)
	}
	for i, e := range running {
		if e.ID != uint64(i+1) || e.NestingID != uint64(i) || e.Ended {
			t.Errorf("wait %d: %+v", i, e)
		}
	}
	for i := maxWaits - 1; i >= 0; i-- {
		waits[i].end(class, 0)
	}
	for i, e := range longEvents(r) {
		if id := uint64(maxWaits - i); e.ID != id || e.EndID != maxWaits || e.NestingID != id-1 {
			t.Errorf("%+v: want event %d in %d, up to %d", e, id, id-1, maxWaits)
		}
	}
	if current := th.CurrentWaits(nil); len(current) != 1 || current[0].ID != 1 || !current[0].Ended {
		t.Errorf("after the waits the current row is %+v", current)
	}
}

// A wait that a panic has left ends with the wait around it, and one End too many does no harm.
func TestWaitsLeftBehind(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	th := r.Attach("test/panics")
	defer th.Detach()
	outer := th.StartIdle()
	th.StartIdle() // never ended
	outer.End()
	outer.End()
	if got := th.CurrentWaits(nil); len(got) != 1 || !got[0].Ended || got[0].ID != 1 {
		t.Errorf("after the outer wait: %+v", got)
	}
	if got := len(longEvents(r)); got != 1 {
		t.Errorf("%d events, want 1", got)
	}
}

func TestTruncate(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	th := r.Attach("test/locker")
	defer th.Detach()
	lock := func() { m.Lock(); m.Unlock() }
	lock()
	th.TruncateCurrentWaits()
	th.TruncateWaitsHistory()
	r.Reader().TruncateWaitsHistoryLong()
	if n := len(th.CurrentWaits(nil)) + len(th.WaitsHistory(nil)) + len(longEvents(r)); n != 0 {
		t.Errorf("%d events after TRUNCATE", n)
	}
	lock()
	if a, b, c := len(th.CurrentWaits(nil)), len(th.WaitsHistory(nil)), len(longEvents(r)); a != 1 || b != 1 || c != 1 {
		t.Errorf("%d, %d and %d events after one more", a, b, c)
	}
}

func TestHistorySizes(t *testing.T) {
	for _, size := range []int{0, 1, 10} {
		r := NewRegistry()
		r.Setup().SetHistorySize(FamilyWaits, size)
		r.Setup().SetHistoryLongSize(FamilyWaits, size)
		watchAll(r)
		m := r.NewMutex("test/lock")
		th := r.Attach("test/locker")
		for range 3 * (size + 1) {
			m.Lock()
			m.Unlock()
		}
		for name, events := range map[string][]WaitEvent{"history": th.WaitsHistory(nil), "history_long": longEvents(r)} {
			if len(events) != size {
				t.Errorf("%s of size %d has %d events", name, size, len(events))
			}
			for i, e := range events {
				if want := uint64(3*(size+1) - size + i + 1); e.ID != want {
					t.Errorf("%s of size %d: event %d at %d, want %d", name, size, e.ID, i, want)
				}
			}
		}
		th.Detach()
	}
}

func TestPatterns(t *testing.T) {
	r := NewRegistry()
	r.Setup().AddPattern("wait/synch/%", PatternOn)
	r.Setup().AddPattern("wait/synch/mutex/sql/%", PatternCounted)
	r.Setup().AddPattern("%/LOCK_OPEN%", PatternOff)
	r.Setup().AddPattern("wait/synch/mutex/sql/lock_?", PatternOff)
	for name, want := range map[string][2]bool{
		"a/b":           {true, true},
		"sql/LOCK_log":  {true, false},
		"sql/LOCK_open": {true, false}, // the longer pattern wins
		"sql/LOCK_x":    {false, false},
		"x/LOCK_open":   {false, false}, // as long as wait/synch/%, and later
	} {
		r.NewMutex(name)
		c := r.Reader().ClassByName("wait/synch/mutex/" + name)
		if got := [2]bool{c.Enabled(), c.Timed()}; got != want {
			t.Errorf("%s: enabled and timed %v, want %v", name, got, want)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("wait/%", "wait/x")
	f.Add("%a%b?", "xaybz")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 12 || len(name) > 24 {
			return
		}
		if got, want := match(pattern, name), slowMatch(pattern, name); got != want {
			t.Errorf("match(%q, %q) = %v, want %v", pattern, name, got, want)
		}
	})
}

func slowMatch(p, n string) bool {
	if p == "" {
		return n == ""
	}
	if p[0] == '%' {
		return slowMatch(p[1:], n) || n != "" && slowMatch(p, n[1:])
	}
	return n != "" && (p[0] == '?' || p[0] == n[0]) && slowMatch(p[1:], n[1:])
}

func TestConsumersByName(t *testing.T) {
	for c := range ConsumerCount {
		if got, ok := ConsumerByName(strings.ToUpper(c.String())); !ok || got != c {
			t.Errorf("%v is found as %v", c, got)
		}
	}
	if _, ok := ConsumerByName("nosuch"); ok {
		t.Error("a consumer nosuch is found")
	}
}

// A statement reads the consumers while another goroutine switches them, and does not wait for it.
func TestConsumersAreReadWhileTheyAreSwitched(t *testing.T) {
	r := NewRegistry()
	read := func() (on int) {
		for c := range ConsumerCount {
			if r.Setup().Consumer(c) {
				on++
			}
		}
		return on
	}
	before := read()
	r.mu.Lock()
	if got := read(); got != before {
		t.Errorf("%d consumers are on during a switch, before it %d", got, before)
	}
	r.mu.Unlock()
	var all sync.WaitGroup
	for c := range ConsumerCount {
		all.Go(func() {
			for i := range 100 {
				on := i%2 == 0
				r.Setup().SetConsumer(c, on)
				if got := r.Setup().Consumer(c); got != on {
					t.Errorf("%v: set to %v, read %v", c, on, got)
				}
				read()
			}
		})
	}
	all.Wait()
	if got := read(); got != 0 {
		t.Errorf("%d consumers are on", got)
	}
}

// BenchmarkSwitchAll measures switching a thousand instruments off and on, one after the other,
// while there are as many threads: their number has no influence.
func BenchmarkSwitchAll(b *testing.B) {
	for _, threads := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			r := NewRegistry()
			r.Setup().SetHistorySize(FamilyWaits, 1)
			r.Setup().SetLimit(LimitMutexClasses, -1)
			for i := range 1000 {
				r.NewMutex(fmt.Sprint("test/", i))
			}
			stop := make(chan struct{})
			var ready, done sync.WaitGroup
			ready.Add(threads)
			done.Add(threads)
			for range threads {
				r.Go("test/worker", func() {
					defer done.Done()
					ready.Done()
					<-stop
				})
			}
			ready.Wait()
			on := false
			for b.Loop() {
				on = !on
				for _, c := range r.Reader().Classes() {
					c.SetEnabled(on)
					c.SetTimed(on)
				}
			}
			close(stop)
			done.Wait()
		})
	}
}
