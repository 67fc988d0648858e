package instr

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// needsGoroutineThreads skips a test whose goroutines must become threads by themselves.
func needsGoroutineThreads(t *testing.T) {
	t.Helper()
	if !HasThreadLookup {
		t.Skip("this platform has no thread lookup")
	}
	if !HasGoroutineThreads() {
		t.Fatalf("what a goroutine's descriptor says was not found: %+v", goroutineOffsets)
	}
}

// goroutineWorld is a registry where everything is on, and a lock.
func goroutineWorld(t *testing.T) (*Registry, *Mutex) {
	needsGoroutineThreads(t)
	r := NewRegistry()
	watchAll(r)
	return r, r.NewMutex("test/lock")
}

// parkedThreads are goroutines that have waited and then live until end.
type parkedThreads struct {
	release       chan struct{}
	waited, ended sync.WaitGroup
}

func newParked() *parkedThreads { return &parkedThreads{release: make(chan struct{})} }

// park waits for the lock, and then until end.
func (p *parkedThreads) park(m *Mutex) {
	m.Lock()
	m.Unlock()
	p.waited.Done()
	<-p.release
	p.ended.Done()
}

// start starts a goroutine that calls park, and waits until it is parked.
func (p *parkedThreads) start(fn func()) {
	p.waited.Add(1)
	p.ended.Add(1)
	go fn()
	p.waited.Wait()
}

func (p *parkedThreads) end() {
	close(p.release)
	p.ended.Wait()
}

// countedWaits is how many waits of a class the threads have, and the accounts of those that ended.
func countedWaits(r *Registry, c *Class) (n uint64) {
	for _, a := range r.Reader().ActorWaits(LevelAccount, ActorFilter{}) {
		if s := a.Waits(c); s != NoStat {
			n += s.Count
		}
	}
	return n
}

// noThreadsLeft waits until the goroutines that have done their work have ended.
func noThreadsLeft(r *Registry) {
	for r.Reader().ThreadCount() > 0 {
		runtime.Gosched()
	}
}

func threadNames(r *Registry) map[string]int {
	names := map[string]int{}
	for _, th := range r.Reader().Threads() {
		if s, ok := th.Snapshot(); ok {
			names[s.Name]++
		}
	}
	return names
}

func TestGoroutineBecomesThread(t *testing.T) {
	r, m := goroutineWorld(t)
	if Current() != nil {
		t.Error("a goroutine is a thread before its first wait")
	}
	m.Lock()
	th := Current()
	if th == nil || m.instance.Load().Holder() != th.ID() {
		t.Fatalf("after its first wait the goroutine is %v", th)
	}
	m.Unlock()
	if e := th.WaitsHistory(nil); len(e) != 1 || e[0].ID != 1 || e[0].Op != OpLock {
		t.Errorf("the first wait is recorded as %+v", e)
	}
	p := newParked()
	var line int
	p.start(func() {
		_, _, line, _ = runtime.Caller(0)
		go p.park(m)
	})
	defer p.end()
	child := r.Reader().Threads()[1]
	s, ok := child.Snapshot()
	if !ok || s.Name != "thread/go/pfsd/instr.(*parkedThreads).park" || s.Process != 0 || s.Account != (Account{}) || !s.Instrumented || !s.History {
		t.Errorf("%+v", s)
	}
	if want := fmt.Sprintf("goroutine_thread_test.go:%d", line+1); s.Created != want {
		t.Errorf("created at %s, want %s", s.Created, want)
	}
	if r.Reader().ThreadByID(s.ID) != child || r.Reader().ThreadByGoroutine(s.Goroutine) != child || r.Reader().ThreadByID(s.ID+1) != nil {
		t.Error("the thread is not found by its numbers")
	}
}

func TestGoroutineThreadKnowsItsParent(t *testing.T) {
	r, m := goroutineWorld(t)
	p := newParked()
	defer p.end()
	p.start(func() { p.park(m) }) // while the parent is no thread
	first := r.Reader().Threads()[0]
	parent := func() (thread, goroutine uint64) {
		s, _ := first.Snapshot()
		return s.Parent, s.ParentGoroutine
	}
	if thread, goroutine := parent(); thread != 0 || goroutine != stackGoid() {
		t.Errorf("goroutine %d has thread %d as parent, goroutine %d", stackGoid(), thread, goroutine)
	}
	defer r.Attach("test/parent").Detach()
	if thread, goroutine := parent(); thread != Current().ID() || goroutine != stackGoid() {
		t.Errorf("the parent is thread %d of goroutine %d, want %d of %d", thread, goroutine, Current().ID(), stackGoid())
	}
}

type methods struct{ do func() }

func (w methods) run(int) { w.do() }

//go:noinline
func deep(n int, do func()) {
	if n > 0 {
		deep(n-1, do)
		return
	}
	do()
}

func TestGoroutineThreadNames(t *testing.T) {
	r, m := goroutineWorld(t)
	p := newParked()
	defer p.end()
	park := func() { p.park(m) }
	for _, c := range []struct {
		want  string
		start func()
	}{
		{"thread/go/pfsd/instr.methods.run", func() { go methods{park}.run(1) }},
		{"thread/go/pfsd/instr.deep", func() { go deep(100, park) }},
		{"thread/go/pfsd/instr.TestGoroutineThreadNames.func1", func() { go park() }},
		{"thread/go/pfsd/instr.TestGoroutineThreadNames.func1", func() { var wg sync.WaitGroup; wg.Go(park) }},
	} {
		before := threadNames(r)[c.want]
		p.waited.Add(1)
		p.ended.Add(1)
		c.start()
		p.waited.Wait()
		if got := threadNames(r); got[c.want] != before+1 {
			t.Errorf("no thread %s among %v", c.want, got)
		}
	}
}

// A start function's name may be longer than an instrument's, and there may be more functions than classes.
func TestGoroutineThreadClasses(t *testing.T) {
	r, _ := goroutineWorld(t)
	long := r.functionClass("example.com/" + strings.Repeat("long/", 40) + "pkg.(*T[...]).run.func1").Name()
	if len(long) != maxNameLength || !strings.HasPrefix(long, functionPrefix) || !strings.HasSuffix(long, "/pkg.(*T[...]).run.func1") {
		t.Errorf("a long name becomes %q", long)
	}
	r.Setup().SetLimit(LimitThreadClasses, 6)
	names := map[string]bool{long: true}
	for i := range 5 {
		names[r.functionClass("main.f"+strconv.Itoa(i)).Name()] = true
	}
	if r.Reader().Lost(LimitThreadClasses) != 0 || len(names) != 4 || !names["thread/go/other"] || !names["thread/go/main.f1"] {
		t.Errorf("%d lost, classes %v", r.Reader().Lost(LimitThreadClasses), names)
	}
	r.NewThreadClass("test/named")
	if got := len(r.Setup().ThreadClasses()); got != 5 {
		t.Errorf("%d classes, want 5: functions leave half of the places", got)
	}
}

func TestGoroutineThreadClassIsSwitchedOff(t *testing.T) {
	r, m := goroutineWorld(t)
	p := newParked()
	defer p.end()
	park := func() { p.park(m) }
	p.start(park)
	for _, c := range r.Setup().ThreadClasses() {
		c.SetEnabled(false)
	}
	p.start(park)
	if got := m.instance.Load().Waits().Count; got != 1 {
		t.Errorf("%d waits, want that of the thread that was there before", got)
	}
	if n := len(r.Reader().Threads()); n != 2 {
		t.Errorf("%d threads, want 2, one of them not instrumented", n)
	}
}

func TestGoroutineThreadsSwitchedOff(t *testing.T) {
	r, m := goroutineWorld(t)
	r.Setup().SetGoroutineThreads(0)
	m.Lock()
	m.Unlock()
	if Current() != nil || r.Reader().GoroutineThreadsLost() != 0 {
		t.Error("with the switch off the goroutine is a thread, or lost")
	}
	r.Setup().SetGoroutineThreads(1)
	m.Lock()
	m.Unlock()
	if Current() == nil {
		t.Error("after the switch is on the goroutine is no thread at its next wait")
	}
}

func TestAttachRenamesGoroutineThread(t *testing.T) {
	r, m := goroutineWorld(t)
	m.Lock()
	m.Unlock()
	th := Current()
	id := th.ID()
	if got := r.AttachConnection("test/renamed", 7); got != th || got.ID() != id || Current() != th {
		t.Errorf("Attach returns another thread, %d instead of %d", got.ID(), id)
	}
	s, _ := th.Snapshot()
	if s.Name != "thread/test/renamed" || s.Process != 7 || r.Reader().ThreadByID(id) != th || r.Reader().ThreadByProcess(7) != th || r.Reader().ThreadByGoroutine(stackGoid()) != th {
		t.Errorf("the thread is not found as a named one: %+v", s)
	}
	if got := th.classWaits(m.instance.Load().Class()).Count; got != 1 {
		t.Errorf("the thread has %d waits, want the one from before", got)
	}
	th.Detach()
	m.Lock()
	m.Unlock()
	if Current() != nil || r.Reader().ThreadCount() != 0 {
		t.Error("a goroutine whose thread has ended becomes a thread by itself")
	}
	if th := r.Attach("test/again"); Current() != th || th.ID() == 0 {
		t.Error("Attach after Detach makes no thread")
	} else {
		th.Detach()
	}
}

// A goroutine keeps the thread that it has in another registry.
func TestGoroutineThreadLeavesOtherRegistriesAlone(t *testing.T) {
	r, m := goroutineWorld(t)
	th := NewRegistry().Attach("test/elsewhere")
	m.Lock()
	m.Unlock()
	if Current() != th || th.ID() == 0 || r.Reader().ThreadCount() != 0 {
		t.Error("a wait takes the goroutine away from another registry")
	}
	th.Detach()
}

func TestGoroutineThreadLimit(t *testing.T) {
	r, m := goroutineWorld(t)
	const limit, more = 5, 4
	r.Setup().SetGoroutineThreads(limit)
	p := newParked()
	threads := make(chan *Thread, 1)
	for range limit + more {
		p.start(func() { p.park(m) })
	}
	if n, lost := r.Reader().ThreadCount(), r.Reader().GoroutineThreadsLost(); n != limit || lost != more {
		t.Errorf("%d threads and %d lost, want %d and %d", n, lost, limit, more)
	}
	for range 3 {
		m.Lock()
		m.Unlock()
	}
	if lost := r.Reader().GoroutineThreadsLost(); lost != more+1 {
		t.Errorf("%d are lost, want %d: a goroutine that was refused asks again when there is room", lost, more+1)
	}
	named := r.Attach("test/named")
	if named.ID() == 0 {
		t.Error("the limit of goroutines keeps a named thread away")
	}
	named.Detach()
	p.end()
	noThreadsLeft(r)
	go func() { m.Lock(); m.Unlock(); threads <- Current() }()
	if th := <-threads; th == nil {
		t.Error("after the others have ended a goroutine becomes no thread")
	}
	if got := countedWaits(r, m.instance.Load().Class()); got != limit+1 {
		t.Errorf("threads have counted %d waits, want %d", got, limit+1)
	}
}

// Goroutines come and go: their waits count exactly once, no thread is left behind, and none ends
// the thread of another goroutine.
func TestGoroutineThreadChurn(t *testing.T) {
	r, m := goroutineWorld(t)
	goroutines, window := 20_000, 500
	if n, err := strconv.Atoi(os.Getenv("PFSD_CHURN")); err == nil {
		goroutines = n
	}
	p := newParked()
	p.start(func() { p.park(m) })
	survivor := r.Reader().Threads()[0]
	id := survivor.ID()
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				for _, th := range r.Reader().Threads() {
					th.Snapshot()
					th.CurrentWaits(nil)
					th.WaitsHistory(nil)
				}
				runtime.Gosched()
			}
		}
	})
	for range goroutines / window {
		var wg sync.WaitGroup
		for range window {
			wg.Go(func() {
				m.Lock()
				if th := Current(); th == nil || m.instance.Load().Holder() != th.ID() || th.ID() == 0 {
					t.Error("a goroutine lost its thread")
				}
				m.Unlock()
			})
		}
		wg.Wait()
	}
	close(stop)
	reader.Wait()
	want := uint64(goroutines/window*window) + 1
	if got := m.instance.Load().Waits().Count; got != want {
		t.Errorf("the instance has %d waits, want %d", got, want)
	}
	if got := countedWaits(r, m.instance.Load().Class()); got != want {
		t.Errorf("threads have counted %d waits, want %d", got, want)
	}
	for r.Reader().ThreadCount() > 1 {
		runtime.Gosched()
	}
	if survivor.ID() != id || r.Reader().ThreadByID(id) != survivor {
		t.Error("a goroutine that lives has lost its thread")
	}
	if got := countedWaits(r, m.instance.Load().Class()); got != want {
		t.Errorf("after the threads have ended %d waits are counted, want %d", got, want)
	}
	if n := len(r.threads.all()); n > 6*window {
		t.Errorf("%d records for %d threads at a time", n, window)
	}
	if n := r.Reader().GoroutineThreadsLost(); n != 0 {
		t.Errorf("%d goroutines were lost", n)
	}
	p.end()
	noThreadsLeft(r)
}

// A goroutine that becomes a thread of another registry has its first one again after Detach, whichever way it got that.
func TestAttachLeavesThreadsOfOtherRegistries(t *testing.T) {
	if !HasGoroutineThreads() {
		t.Skip("goroutines do not become threads")
	}
	for _, automatic := range []bool{false, true} {
		r, m := goroutineWorld(t)
		other := NewRegistry()
		inGoroutine(func() {
			outer := r.Enter()
			if !automatic {
				outer = r.Attach("test/outer")
			}
			id := outer.ID()
			m.Lock()
			m.Unlock()
			count := outer.classWaits(m.instance.Load().class).Count
			inner := other.Attach("test/inner")
			if Current() != inner || outer.ID() != id || inner.Registry() != other {
				t.Errorf("automatic %v: the goroutine's thread is %v, and the outer one's id %d, want %d", automatic, Current(), outer.ID(), id)
			}
			m.Lock()
			m.Unlock()
			if n := outer.classWaits(m.instance.Load().class).Count; n != count {
				t.Errorf("a thread that rests counts %d waits, want %d", n, count)
			}
			innerID := inner.ID()
			again := other.Attach("test/again") // the registry's thread before ends, the outer one does not
			if innerID == again.ID() || other.Reader().ThreadCount() != 1 || outer.ID() != id {
				t.Errorf("%d threads, outer %d", other.Reader().ThreadCount(), outer.ID())
			}
			again.Detach()
			if Current() != outer || outer.ID() != id || other.Reader().ThreadCount() != 0 {
				t.Errorf("automatic %v: after Detach the thread is %v, want %v", automatic, Current(), outer)
			}
			m.Lock()
			m.Unlock()
			if n := outer.classWaits(m.instance.Load().class).Count; n != count+1 {
				t.Errorf("the thread counts %d waits, want %d", n, count+1)
			}

			// Where there is no room for another one.
			other.Setup().SetLimit(LimitThreadInstances, 0)
			if none := other.Attach("test/none"); none.ID() != 0 || Current() != outer || outer.ID() != id {
				t.Errorf("without room the goroutine's thread is %v, want %v", Current(), outer)
			} else {
				none.Detach()
			}
			other.Setup().SetLimit(LimitThreadInstances, -1)
			if Current() != outer {
				t.Error("what is no thread takes one away with it")
			}

			// In the wrong order.
			inner = other.Attach("test/inner")
			outer.Detach()
			if Current() != inner || outer.ID() != 0 {
				t.Error("the outer thread is there, or the inner one is not")
			}
			inner.Detach()
			if c := Current(); c != nil {
				t.Errorf("a thread %d is left", c.ID())
			}

			// A third registry between two threads of one.
			a := r.Attach("test/a").ID()
			b := other.Attach("test/b")
			c := r.Attach("test/c")
			if a == c.ID() || r.Reader().ThreadCount() != 1 {
				t.Errorf("%d threads in a registry, want one", r.Reader().ThreadCount())
			}
			c.Detach()
			if Current() != b {
				t.Error("the goroutine has lost its thread")
			}
			b.Detach()
			if c := Current(); c != nil || r.Reader().ThreadCount()+other.Reader().ThreadCount() != 0 {
				t.Errorf("threads are left: %v", c)
			}
		})
	}
}

// What a goroutine leaves behind in two registries, a sweep finds, or the next one with its descriptor.
func TestRestingThreadsAreFound(t *testing.T) {
	if !HasGoroutineThreads() {
		t.Skip("goroutines do not become threads")
	}
	r, _ := goroutineWorld(t)
	other := NewRegistry()
	for range 100 {
		inGoroutine(func() {
			r.Enter()
			other.Attach("test/forgotten")
		})
	}
	eventually(t, "the threads of goroutines that have ended end", func() bool { return r.Reader().ThreadCount() == 0 })
}

// inGoroutine runs f in a goroutine of its own, and returns when that has ended.
func inGoroutine(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
