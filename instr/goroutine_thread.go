package instr

import (
	"maps"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// goroutineThreads is what a registry keeps of goroutines that became threads at their first wait,
// without Attach. Such a thread is named after its goroutine's start function. It ends when the end
// of its goroutine is noticed: by the next goroutine with the same descriptor, or by sweep.
type goroutineThreads struct {
	limit    atomic.Int64 // how many there can be at a time
	lost     atomic.Uint64
	starts   atomic.Pointer[map[startPlace]*ThreadClass] // each new place makes a new map; for nil classes see startClass
	sweeping sync.Mutex
	sweptAt  atomic.Uint64 // cycles
	index    atomic.Pointer[threadIndex]

	// Guarded by threads.mu, but live may be read without.
	live     atomic.Int64
	attached int // since the last sweep
	classes  int // how many are named after functions
	other    *ThreadClass
}

// DefaultGoroutineThreads is how many goroutines can be threads by themselves at a time, until
// SetGoroutineThreads.
const DefaultGoroutineThreads = 10_000

// SetGoroutineThreads sets how many goroutines can be threads at a time that became threads by
// themselves, at their first wait; with 0 no goroutine becomes one. Goroutines that are threads
// already stay threads. Where HasGoroutineThreads is false it has no effect. Safe for concurrent
// use.
func (h Setup) SetGoroutineThreads(n int) {
	h.r.goroutineThreads.limit.Store(int64(n))
	freed.Add(1)
}

// GoroutineThreads is what SetGoroutineThreads has set. Safe for concurrent use.
func (h Setup) GoroutineThreads() int { return int(h.r.goroutineThreads.limit.Load()) }

// GoroutineThreadsLost is how often a goroutine did not become a thread at a wait because there
// were too many. Safe for concurrent use.
func (h Reader) GoroutineThreadsLost() uint64 { return h.r.goroutineThreads.lost.Load() }

// noThread is the entry of goroutines that have ended their thread with Detach: they do not become
// threads by themselves again.
var noThread = &Thread{}

// refused are the entries of goroutines for which there was no room, by the lowest bits of freed at
// that time. Such a goroutine tries again when freed has changed.
var refused [4]Thread

// freed changes when there may be room again for goroutines that were refused.
var freed atomic.Uint64

// mayAttach reports whether a goroutine with this entry, nil for none, may become a thread by
// itself.
func mayAttach(t *Thread) bool {
	return t == nil || t.registry == nil && t != noThread && t != &refused[freed.Load()%uint64(len(refused))]
}

// beginUnknown starts a wait of a goroutine that is no thread of the class's registry, or while the
// consumer thread_instrumentation is off. t is the goroutine's thread, nil if it has none.
//
//go:noinline
func (c *Class) beginUnknown(t *Thread, g, goid uint64, sw switches, op Op, object uint64, caller uintptr) wait {
	if sw&swThreads != 0 && mayAttach(t) && HasGoroutineThreads() && c.registry.goroutineThreads.limit.Load() > 0 {
		if t := c.registry.attachGoroutine(g, goid); t != nil {
			return c.beginAs(t, sw, op, object, caller)
		}
	}
	return c.beginUnrecorded(t, goid, sw)
}

// Enter returns the calling goroutine's thread in the registry. A goroutine without a thread becomes one, as it does at its first
// wait. Enter returns nil if there is no room, if goroutines do not become threads by themselves, and if the goroutine is a
// thread of another registry or has ended its own thread with Detach.
func (r *Registry) Enter() *Thread {
	g, goid := goroutine(goidOffset)
	var t *Thread
	if e := goroutines.find(g); e != nil && e.goid.Load() == goid {
		t = e.thread.Load()
	}
	if t != nil && t.registry == r {
		return t
	}
	if mayAttach(t) && HasGoroutineThreads() && r.goroutineThreads.limit.Load() > 0 {
		return r.attachGoroutine(g, goid)
	}
	return nil
}

// Enter is Registry.Enter of the default registry.
func Enter() *Thread { return Default.Enter() }

// attachGoroutine makes the calling goroutine a thread; nil if there is no room.
func (r *Registry) attachGoroutine(g, goid uint64) *Thread {
	class := r.startClass()
	if e := goroutines.find(g); e != nil {
		// The entry's goroutine has ended. Its thread ends here: once the entry belongs to another
		// thread, sweep does not find it.
		e.thread.Load().retireAbandoned()
	}
	t, id, due := r.newGoroutineThread()
	if t == nil && timers.ReadCycle()-r.goroutineThreads.sweptAt.Load() > cyclesPerMillisecond() {
		r.sweep()
		t, id, due = r.newGoroutineThread()
	}
	if t == nil {
		r.goroutineThreads.lost.Add(1)
		setGoroutineThread(g, goid, &refused[freed.Load()%uint64(len(refused))])
		return nil
	}
	_, parent := goroutine(goroutineOffsets.parent)
	_, created := goroutine(goroutineOffsets.created)
	t.reset(class, 0, 0, g, goid)
	ringbuf.Store(&t.automatic, 1)
	ringbuf.Store(&t.parentGoid, parent)
	ringbuf.Store(&t.created, created)
	atomic.StoreUint64(&t.id, id)
	setGoroutineThread(g, goid, t)
	if due {
		r.sweep()
	}
	return t
}

// setGoroutineThread sets the thread of a goroutine.
func setGoroutineThread(g, goid uint64, t *Thread) {
	goroutines.mu.Lock()
	defer goroutines.mu.Unlock()
	goroutines.put(g, goid, t)
}

// newGoroutineThread returns a record, and the id of its thread; nil if there are too many threads. due
// tells the caller to sweep. Unlike newThread it does not enter the thread into the maps: each map
// costs a cache miss, and a rebuild for every thousand goroutines. Readers find the thread by a
// threadIndex.
func (r *Registry) newGoroutineThread() (t *Thread, id uint64, due bool) {
	ts, gs := &r.threads, &r.goroutineThreads
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var fresh *Thread
	if len(ts.free) == 0 {
		// Others who start or end threads must not wait while memory is allocated.
		ts.mu.Unlock()
		fresh = &Thread{registry: r}
		ts.mu.Lock()
	}
	limit := r.limits[LimitThreadInstances].Load()
	if limit >= 0 && int64(ts.live) >= limit || gs.live.Load() >= gs.limit.Load() {
		return nil, 0, false
	}
	if t = ts.takeFree(r); t == nil {
		if t = fresh; t == nil {
			t = &Thread{registry: r}
		}
		ts.add(r, t)
	}
	ts.live++
	gs.live.Add(1)
	r.join(t, Account{})
	ts.lastID++
	t.number = ts.lastID
	gs.attached++
	if table := goroutines.table.Load(); table != nil && gs.attached > max(64, len(*table)/4) {
		gs.attached, due = 0, true
	}
	return t, ts.lastID, due
}

func cyclesPerMillisecond() uint64 { return uint64(timers.Cycle.Frequency()) / 1000 }

// retireAbandoned ends the threads, of which t may be nil and is the innermost, of a goroutine that has ended.
func (t *Thread) retireAbandoned() {
	if t == nil || t.registry == nil {
		return
	}
	for o := (&outerThread{t, t.ID()}); o != nil && o.id != 0; {
		o.thread.acquired()
		next := o.thread.outer.Load()
		o.thread.retire(o.id, nil)
		o = next
	}
}

// retireOuter ends those threads of the registry that became ones by themselves and rest behind t, the thread with this id of another
// registry, whose goroutine has ended.
func (r *Registry) retireOuter(t *Thread, id uint64) (found int) {
	o := t.outer.Load()
	if t.ID() != id {
		return 0
	}
	for o.alive() != nil {
		next := o.thread.outer.Load()
		if o.thread.registry == r && o.thread.IsAutomatic() {
			o.thread.acquired()
			o.thread.retire(o.id, nil)
			found++
		}
		o = next
	}
	return found
}

// sweep ends the threads of goroutines that became threads by themselves and have ended. If
// another goroutine does so already, it leaves it to that one. Safe for concurrent use.
func (r *Registry) sweep() {
	gs := &r.goroutineThreads
	if gs.live.Load() == 0 || !gs.sweeping.TryLock() {
		return
	}
	defer gs.sweeping.Unlock()
	found, used := 0, 0
	table := *goroutines.table.Load()
	for i := range table {
		e := &table[i]
		t := e.thread.Load()
		if t == nil {
			continue
		}
		g, goid := e.key.Load(), e.goid.Load()
		if g == 0 || !goroutineEnded(uintptr(g), goid) {
			used++
			continue
		}
		if t.registry == nil {
			goroutines.mu.Lock()
			if e.goid.Load() == goid {
				e.thread.CompareAndSwap(t, nil)
			}
			goroutines.mu.Unlock()
			continue
		}
		// The entry may be changing. What counts is the record, if it has the same id before and
		// after.
		id := t.ID()
		if t.registry != r && id != 0 && ringbuf.Load(&t.goid) == goid && ringbuf.Load(&t.g) == g {
			found += r.retireOuter(t, id)
		}
		if t.registry != r || id == 0 || !t.IsAutomatic() || ringbuf.Load(&t.goid) != goid || ringbuf.Load(&t.g) != g || t.ID() != id {
			used++
			continue
		}
		t.acquired()
		t.retire(id, nil)
		found++
	}
	gs.sweptAt.Store(timers.ReadCycle())
	if found > 0 {
		freed.Add(1)
	}
	r.threads.dropSurplus(&gs.attached)
	if len(table) > 1024 && 32*used < len(table) {
		goroutines.mu.Lock()
		goroutines.rebuild(goroutines.table.Load())
		goroutines.mu.Unlock()
	}
}

// dropSurplus gives up the memory of most free records if there are more than four times as many as
// threads, and sets attached to 0.
func (ts *threads) dropSurplus(attached *int) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	*attached = 0
	keep := 2*ts.live + 64
	if len(ts.free) <= 2*keep {
		return
	}
	surplus := make(map[*Thread]bool, len(ts.free)-keep)
	for _, t := range ts.free[keep:] {
		surplus[t] = true
	}
	clear(ts.free[keep:])
	ts.free = ts.free[:keep]
	ts.drop(surplus)
}

// IsAutomatic reports whether the thread began by itself, at its goroutine's first wait, and Attach
// has not named it. Safe for concurrent use.
func (t *Thread) IsAutomatic() bool { return ringbuf.Load(&t.automatic) != 0 }

// rename turns a thread that began by itself into one that Attach has made. Owned by the thread's
// goroutine.
func (t *Thread) rename(class *ThreadClass, parent, process uint64) {
	r := t.registry
	ts := &r.threads
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.byID.put(ringbuf.Load(&t.id), 0, t)
	ts.byGoroutine.put(ringbuf.Load(&t.goid), 0, t)
	if process != 0 {
		ts.byProcess.put(process, 0, t)
	}
	r.goroutineThreads.live.Add(-1)
	ringbuf.Store(&t.automatic, 0)
	t.flags.Store(class.flags.Load())
	t.class.Store(class)
	if parent != 0 {
		ringbuf.Store(&t.parent, parent)
	}
	ringbuf.Store(&t.process, process)
	ringbuf.Store(&t.started, timers.ReadCycle())
}

// threadIndex finds threads that began by themselves. It has those that existed when it was made.
// As an id is never used again, the id shows that a thread has ended meanwhile.
type threadIndex struct {
	made              uint64 // cycles
	last              uint64 // id
	byID, byGoroutine map[uint64]*Thread
}

// makeIndex makes the index anew.
func (r *Registry) makeIndex() *threadIndex {
	ts := &r.threads
	x := &threadIndex{made: timers.ReadCycle()}
	ts.mu.Lock()
	x.last = ts.lastID
	records := ts.records
	numbers := make([]uint64, len(records))
	for i, t := range records {
		numbers[i] = t.number
	}
	ts.mu.Unlock()
	x.byID, x.byGoroutine = map[uint64]*Thread{}, map[uint64]*Thread{}
	for i, t := range records {
		if numbers[i] == 0 || !t.IsAutomatic() {
			continue
		}
		x.byID[numbers[i]] = t
		x.byGoroutine[ringbuf.Load(&t.goid)] = t
	}
	r.goroutineThreads.index.Store(x)
	return x
}

// goroutineThreadByID returns the thread with this id if it became one by itself.
func (r *Registry) goroutineThreadByID(id uint64) *Thread {
	if r.goroutineThreads.live.Load() == 0 {
		return nil
	}
	x := r.goroutineThreads.index.Load()
	if x == nil || id > x.last {
		x = r.makeIndex()
	}
	return x.byID[id].ifAlive(func(t *Thread) bool { return t.ID() == id })
}

// threadByGoroutine returns the thread of a goroutine, nil if it is none. A thread that began
// within the last milliseconds may not be found.
func (r *Registry) threadByGoroutine(goid uint64) *Thread {
	if t := r.threads.byGoroutine.live(goid); t != nil || goid == 0 || r.goroutineThreads.live.Load() == 0 {
		return t
	}
	old := 2 * cyclesPerMillisecond()
	alive := func(t *Thread) bool { return ringbuf.Load(&t.goid) == goid }
	x := r.goroutineThreads.index.Load()
	if x != nil {
		if t := x.byGoroutine[goid].ifAlive(alive); t != nil || timers.ReadCycle()-x.made < old {
			return t
		}
	}
	return r.makeIndex().byGoroutine[goid].ifAlive(alive)
}

// ifAlive returns t if it matches and its goroutine has not ended, else nil.
func (t *Thread) ifAlive(is func(*Thread) bool) *Thread {
	if t == nil {
		return nil
	}
	id := t.ID()
	if id == 0 || !is(t) || t.IsAutomatic() && goroutineEnded(uintptr(ringbuf.Load(&t.g)), ringbuf.Load(&t.goid)) || t.ID() != id {
		return nil
	}
	return t
}

// startPlace is where a goroutine started: the return addresses that root returns, which are in the
// start function, or in a wrapper and the function that it calls.
type startPlace struct{ at, next uintptr }

// startClass is the class of threads that the calling goroutine belongs to. In starts, the class nil says
// that the start function is a wrapper.
func (r *Registry) startClass() *ThreadClass {
	_, start := goroutine(goroutineOffsets.start)
	place := startPlace{at: uintptr(start)}
	class, known := r.classAt(place)
	if class != nil {
		return class
	}
	if !known {
		name := ""
		if f := runtime.FuncForPC(uintptr(start)); f != nil {
			name = f.Name()
		}
		if name != "" && !isWrapper(name) {
			return r.addStart(place, r.functionClass(name))
		}
		r.addStart(place, nil)
	}
	place.at, place.next = root()
	if class, known = r.classAt(place); known {
		return class
	}
	return r.addStart(place, r.functionClass(outermostFunction(place)))
}

func (r *Registry) classAt(place startPlace) (class *ThreadClass, known bool) {
	if starts := r.goroutineThreads.starts.Load(); starts != nil {
		class, known = (*starts)[place]
	}
	return class, known
}

// addStart remembers the class of goroutines that start at a place, and returns it.
func (r *Registry) addStart(place startPlace, class *ThreadClass) *ThreadClass {
	r.threads.mu.Lock()
	defer r.threads.mu.Unlock()
	starts := map[startPlace]*ThreadClass{}
	if old := r.goroutineThreads.starts.Load(); old != nil {
		starts = maps.Clone(*old)
	}
	starts[place] = class
	r.goroutineThreads.starts.Store(&starts)
	return class
}

// outermostFunction is the name of the outermost function at the two return addresses that is no
// wrapper.
func outermostFunction(place startPlace) (name string) {
	frames := runtime.CallersFrames([]uintptr{place.next, place.at})
	for {
		f, more := frames.Next()
		if name == "" || !isWrapper(f.Function) && f.Function != "" {
			name = f.Function
		}
		if !more {
			return name
		}
	}
}

// isWrapper reports whether a start function only calls what the goroutine is for: the compiler
// makes one for each go statement with arguments.
func isWrapper(function string) bool {
	switch function {
	case "sync.(*WaitGroup).Go.func1", "golang.org/x/sync/errgroup.(*Group).Go.func1", "golang.org/x/sync/errgroup.(*Group).TryGo.func1":
		return true
	}
	return function == groupStart || strings.Contains(function, ".gowrap")
}

// groupStart is the function that goroutines of a Group start with.
var groupStart = reflect.TypeFor[Group]().PkgPath() + ".(*Group).start.func1"

const functionPrefix = threadPrefix + "go/"

// functionClass is the class of the goroutines that start with a function: thread/go/ and the
// function's name, or the end of the name if it is too long. Such classes take up to half of the
// places of LimitThreadClasses; beyond that, goroutines belong to thread/go/other.
func (r *Registry) functionClass(function string) *ThreadClass {
	if function == "" || function == "runtime.main" {
		function = "main.main"
	}
	if most := maxNameLength - len(functionPrefix); len(function) > most {
		function = function[len(function)-most:]
	}
	ts, gs := &r.threads, &r.goroutineThreads
	ts.mu.Lock()
	defer ts.mu.Unlock()
	name := functionPrefix + function
	if c := ts.classes.byName[name]; c != nil && !c.lost {
		return c
	}
	if limit := r.limits[LimitThreadClasses].Load(); limit >= 0 && (int64(gs.classes) >= limit/2 || int64(len(ts.classes.all)) >= limit) {
		if gs.other == nil {
			gs.other = ts.classes.add(functionPrefix + "other")
		}
		return gs.other
	}
	gs.classes++
	return ts.classes.add(name)
}

// bytes is how many bytes the classes by place and the index take.
func (gs *goroutineThreads) bytes() (n int) {
	if starts := gs.starts.Load(); starts != nil {
		n += size[map[startPlace]*ThreadClass]() + len(*starts)*(size[startPlace]()+size[*ThreadClass]())
	}
	if x := gs.index.Load(); x != nil {
		n += size[threadIndex]() + (len(x.byID)+len(x.byGoroutine))*(size[uint64]()+size[*Thread]())
	}
	return n
}
