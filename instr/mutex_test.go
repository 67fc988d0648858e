package instr

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// watchAll switches every instrument and every wait consumer of a registry on.
func watchAll(r *Registry) {
	r.Setup().AddPattern("%", PatternOn)
	for _, c := range []Consumer{ConsumerEventsWaitsCurrent, ConsumerEventsWaitsHistory, ConsumerEventsWaitsHistoryLong} {
		r.Setup().SetConsumer(c, true)
	}
}

// needsThreadLookup skips a test whose goroutines must be found to be threads.
func needsThreadLookup(t *testing.T) {
	if !HasThreadLookup {
		t.Skip("this platform has no thread lookup")
	}
}

// longEvents returns all of events_waits_history_long.
func longEvents(r *Registry) []WaitEvent {
	var all []WaitEvent
	buf := make([]WaitEvent, 7)
	for c := r.Reader().WaitsHistoryLong(); ; {
		n := c.Next(buf)
		if n == 0 {
			return all
		}
		all = append(all, buf[:n]...)
	}
}

func TestMutexCountsExactly(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	r.Setup().SetGoroutineThreads(0)
	m := r.NewMutex("test/lock")
	class := r.Reader().ClassByName("wait/synch/mutex/test/lock")
	const goroutines, rounds = 4, 1000
	var wg, attached sync.WaitGroup
	release := make(chan struct{})
	for i := range goroutines {
		wg.Add(1)
		attached.Add(1)
		run := func() {
			defer wg.Done()
			for range rounds {
				m.Lock()
				m.Unlock()
			}
			attached.Done()
			<-release
		}
		if i%2 == 0 {
			r.Go("test/locker", run)
		} else {
			go run() // no thread: counts in the instance and the class alone
		}
	}
	attached.Wait()
	in := m.instance.Load()
	if got := in.Waits().Count; got != goroutines*rounds {
		t.Errorf("the instance counts %d locks, want %d", got, goroutines*rounds)
	}
	threads := uint64(0)
	for _, th := range r.Reader().Threads() {
		threads += th.classWaits(class).Count
	}
	if threads != goroutines/2*rounds {
		t.Errorf("the threads count %d locks, want %d", threads, goroutines/2*rounds)
	}
	close(release)
	wg.Wait()
	if got := class.Waits(); got.Count != goroutines*rounds || !got.Timed() || got.Sum == 0 {
		t.Errorf("the class has %+v after its threads have ended", got)
	}
	if got := in.Holder(); got != 0 {
		t.Errorf("nobody holds the mutex, but %d", got)
	}
	class.Reset()
	if got := class.Waits(); got != NoStat {
		t.Errorf("after a reset: %+v", got)
	}
	m.Lock()
	m.Unlock()
	if got := class.Waits().Count; got != 1 {
		t.Errorf("one lock after a reset counts as %d", got)
	}
}

func TestMutexOff(t *testing.T) {
	r := NewRegistry()
	m := r.NewMutex("test/lock")
	m.Lock()
	if m.TryLock() {
		t.Error("TryLock of a held mutex succeeds")
	}
	if got := m.instance.Load().Holder(); got != 0 {
		t.Errorf("the holder is known to be %d with the instrument off", got)
	}
	m.Unlock()
	if got := m.instance.Load().Waits().Count; got != 0 {
		t.Errorf("%d waits counted with the instrument off", got)
	}
}

func TestMutexHolder(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	th := r.Attach("test/holder")
	m.Lock()
	if got := m.instance.Load().Holder(); got != th.ID() {
		t.Errorf("thread %d holds the mutex, but the mutex says %d", th.ID(), got)
	}
	m.Unlock()
	th.Detach()
	m.Lock()
	if got := m.instance.Load().Holder(); HasThreadLookup && got != holderGoroutine|stackGoid() {
		t.Errorf("goroutine %d holds the mutex, but the mutex says %#x", stackGoid(), got)
	}
	m.Unlock()
}

func TestMutexTryLock(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	th := r.Attach("test/holder")
	defer th.Detach()
	if !m.TryLock() {
		t.Fatal("TryLock of a free mutex fails")
	}
	if m.TryLock() {
		t.Fatal("TryLock of a held mutex succeeds")
	}
	m.Unlock()
	if got := m.instance.Load().Waits().Count; got != 2 {
		t.Errorf("%d attempts counted, want 2", got)
	}
	for _, e := range longEvents(r) {
		if e.Op != OpTryLock {
			t.Errorf("an attempt is recorded as %v", e.Op)
		}
	}
}

func TestMutexEvents(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	th := r.Attach("test/locker")
	defer th.Detach()
	m.Lock()
	_, _, line, _ := runtime.Caller(0)
	m.Unlock()
	for name, events := range map[string][]WaitEvent{
		"current": th.CurrentWaits(nil), "history": th.WaitsHistory(nil), "history_long": longEvents(r),
	} {
		if len(events) != 1 {
			t.Fatalf("%s has %d events", name, len(events))
		}
		e := events[0]
		if e.ThreadID != th.ID() || e.ID != 1 || e.EndID != 1 || !e.Ended || !e.Timed() || e.NestingID != 0 ||
			e.Class.Name() != "wait/synch/mutex/test/lock" || e.Op != OpLock || e.Object != m.instance.Load().ID() {
			t.Errorf("%s: %+v", name, e)
		}
		if want := fmt.Sprintf("mutex_test.go:%d", line-1); e.Source() != want {
			t.Errorf("%s: source %s, want %s", name, e.Source(), want)
		}
		if e.TimerEnd()-e.TimerStart() > e.TimerWait()+1 || e.TimerEnd() < e.TimerStart() {
			t.Errorf("%s: from %d to %d is %d ps", name, e.TimerStart(), e.TimerEnd(), e.TimerWait())
		}
	}
}

// A wait that lasts is in events_waits_current while it does.
func TestMutexWaitIsVisible(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	m.Lock()
	threads := make(chan *Thread)
	done := make(chan struct{})
	r.Go("test/waiter", func() {
		threads <- Current()
		m.Lock()
		m.Unlock()
		close(done)
	})
	th := <-threads
	var events []WaitEvent
	for len(events) == 0 {
		runtime.Gosched()
		events = th.CurrentWaits(nil)
	}
	if e := events[0]; e.Ended || e.EndID != 0 || e.Op != OpLock {
		t.Errorf("%+v", e)
	}
	m.Unlock()
	<-done
}

var packageMutex Mutex

// A mutex that is a variable of the package is never collected.
func TestPackageMutex(t *testing.T) {
	packageMutex.Lock()
	packageMutex.Unlock()
	runtime.GC()
	if packageMutex.instance.Load() == nil {
		t.Error("it has no instance")
	}
}

func TestZeroMutexBelongsToItsPackage(t *testing.T) {
	var m Mutex
	m.Lock()
	m.Unlock()
	if got := m.instance.Load().Class().Name(); got != "wait/synch/mutex/instr/Mutex" {
		t.Errorf("its class is %s", got)
	}
}

func TestCollectedMutexLeavesItsCounts(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	class := r.class(KindMutex, "test/lock")
	func() {
		m := r.NewMutex("test/lock")
		m.Lock()
		m.Unlock()
	}()
	for len(class.Instances()) > 0 {
		runtime.GC()
		runtime.Gosched()
	}
	if got := class.Waits().Count; got != 1 {
		t.Errorf("the class counts %d, want 1", got)
	}
}

func TestMutexNames(t *testing.T) {
	r := NewRegistry()
	if r.NewMutex("sql/LOCK_open").instance.Load().class != r.NewMutex("wait/synch/mutex/sql/LOCK_open").instance.Load().class {
		t.Error("the short and the full name make two classes")
	}
	for _, bad := range []string{"", "lock", "a//b", "/a/b", "a/b/", "a/b c", "a/b%", "a/" + strings.Repeat("x", 200)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the name %q is accepted", bad)
				}
			}()
			r.NewMutex(bad)
		}()
	}
}

func TestMutexAllocatesNothing(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	th := r.Attach("test/locker")
	defer th.Detach()
	if n := testing.AllocsPerRun(1000, func() { m.Lock(); m.Unlock() }); n != 0 {
		t.Errorf("%v allocations an event", n)
	}
}
