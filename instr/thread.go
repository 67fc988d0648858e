package instr

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// Thread is a goroutine that works for a connection or in the background, and that has events. Only
// its own goroutine may call the methods that record; those that read are safe for concurrent use.
//
// A record serves one thread after another. id is 0 in between, and each thread has another id: a
// reader of a record reads the id before and afterwards, and throws its copy away if the two are
// not the same.
type Thread struct {
	// Fields with pointers come first: the garbage collector reads a record as far as its last
	// pointer, and there can be 100,000 goroutines that became threads by themselves. What events
	// need is behind what they do not need.

	// Where the statistics are folded to: the account, or else the user and the host. Guarded by
	// threads.mu.
	above [2]*actor

	// What the owner sets to describe itself.
	account        atomic.Pointer[Account]
	connectionType atomic.Pointer[string]
	db             atomic.Pointer[string]
	command        atomic.Pointer[string]
	state          atomic.Pointer[string]
	info           atomic.Pointer[string]

	onStage func(*StageClass, uintptr) // see OnStage; of the owner alone

	// The thread that the goroutine has again when this one detaches, one of another registry; nil for none. Written by the owner.
	outer atomic.Pointer[outerThread]

	// The status variables, in blocks that the owner makes; nil until one is counted. statusDone is
	// how much of them has been folded or dropped, and is guarded by threads.mu.
	status     atomic.Pointer[[]*statusBlock]
	statusDone statusValues

	// Prepared statements, user variables and connection attributes; nil until the thread has any.
	// The owner makes it.
	session atomic.Pointer[session]

	// Statements, stages and transactions; nil until the record's first one. The owner makes it.
	activity atomic.Pointer[activity]

	class     atomic.Pointer[ThreadClass]                           // set when the thread starts
	readLocks atomic.Pointer[readLocks]                             // nil until the record's first one; the owner makes it
	deepWaits atomic.Pointer[[maxWaits - shallowWaits]event]        // nil until there is one; the owner makes it
	moreStats atomic.Pointer[[statBlocks]atomic.Pointer[statBlock]] // see stats
	registry  *Registry

	// Statistics of waits, in blocks by class id, which the owner makes and which stay. hasStats has
	// a bit for each block there is. A block whose place in stats is another one's is in moreStats.
	stats [statSlots]statSlot

	waitsHistory ringbuf.Ring[event] // the owner makes its slots at the record's first event

	// Written by the owner, read by anybody.
	id        uint64 // 0: the record is free
	depth     uint64 // how many waits the thread is in
	nextEvent uint64 // the next event's id; read by the owner alone
	nesting   uint64 // what the bottom wait of the stack is part of: see nestWaits; read by the owner alone

	// Written by whoever changes a switch.
	flags      atomic.Uint32
	port       atomic.Uint32 // the client's, which the owner says of itself
	waitsFloor atomic.Uint64 // the first wait that TRUNCATE has not hidden

	// Set when the thread starts.
	parent  uint64
	process uint64 // connection id; 0 in the background
	g, goid uint64
	started uint64 // cycles; when the current command began

	// Set when a goroutine becomes a thread by itself, 0 for all others.
	automatic  uint64 // 1: the thread ends when its goroutine is found to have ended
	parentGoid uint64 // the goroutine that started this one
	created    uint64 // where it did so, a program counter

	number uint64 // id, already before the thread is there; 0: the record is free. Guarded by threads.mu

	// The thread's places in their lists of threads, guarded by threads.mu, and how often the
	// statistics were folded, which changes together with them and may be read without it.
	places [2]uint32
	folds  atomic.Uint64

	waits      [shallowWaits]event
	hasStats   [statBlocks / 64]uint64
	firstBlock statBlock // the first block that is made: an object less for the garbage collector
}

// outerThread is a goroutine's thread while it has one of another registry. It does not change.
type outerThread struct {
	thread *Thread
	id     uint64 // the record may serve another thread meanwhile
}

// alive is the thread, nil if it has ended.
func (o *outerThread) alive() *Thread {
	if o == nil || o.thread.ID() != o.id {
		return nil
	}
	return o.thread
}

// Account is who a connection works for.
type Account struct{ User, Host string }

const (
	threadInstrumented = 1 << iota
	threadHistory
)

// statBlock is the statistics of a thread for some classes with neighbouring ids: block n has those
// from n * statBlockSize on. Most threads wait in few classes.
type statBlock [statBlockSize]stat

const (
	statBlockSize = 4
	statBlocks    = maxClasses / statBlockSize
	statSlots     = 4
)

// statSlot is where a thread keeps the first block of those whose numbers have the same remainder.
type statSlot struct {
	number uint64 // never changes once there is a block
	block  atomic.Pointer[statBlock]
}

// ownStats returns a block of statistics that is not in its slot, made if need be. Owned by the
// thread.
//
//go:noinline
func (t *Thread) ownStats(n uint64) *statBlock {
	if b := t.statBlock(n); b != nil {
		return b
	}
	b := &t.firstBlock
	if t.hasStats != ([statBlocks / 64]uint64{}) {
		b = new(statBlock)
	}
	t.registry.buffers[bufWaitsByThread].grow(statBlockSize, t.blockBytes(b))
	if slot := &t.stats[n%statSlots]; slot.block.Load() == nil {
		slot.number = n
		slot.block.Store(b)
	} else {
		more := t.moreStats.Load()
		if more == nil {
			more = new([statBlocks]atomic.Pointer[statBlock])
			t.registry.buffers[bufWaitsByThread].grow(0, size[[statBlocks]atomic.Pointer[statBlock]]())
			t.moreStats.Store(more)
		}
		more[n].Store(b)
	}
	has := &t.hasStats[n/64]
	ringbuf.Publish(has, ringbuf.Load(has)|1<<(n%64))
	return b
}

// blockBytes is how many bytes a block takes beside the record.
func (t *Thread) blockBytes(b *statBlock) int {
	if b == &t.firstBlock {
		return 0
	}
	return size[statBlock]()
}

// statBlock returns a block of statistics, nil if there is none.
func (t *Thread) statBlock(n uint64) *statBlock {
	slot := &t.stats[n%statSlots]
	if b := slot.block.Load(); b != nil && slot.number == n {
		return b
	}
	if more := t.moreStats.Load(); more != nil {
		return more[n].Load()
	}
	return nil
}

// eachStatBlock calls do with each block of statistics there is, by number.
func (t *Thread) eachStatBlock(do func(n int, b *statBlock)) {
	for i := range t.hasStats {
		for has := ringbuf.Load(&t.hasStats[i]); has != 0; has &= has - 1 {
			n := i*64 + bits.TrailingZeros64(has)
			do(n, t.statBlock(uint64(n)))
		}
	}
}

// classWaits is the thread's statistics of a class, NoStat if that is none of waits.
func (t *Thread) classWaits(c *Class) Stat {
	if kinds[c.kind].family != FamilyWaits {
		return NoStat
	}
	if b := t.statBlock(uint64(c.id / statBlockSize)); b != nil {
		return b[c.id%statBlockSize].read()
	}
	return NoStat
}

// threads are the threads of a registry.
type threads struct {
	byID        threadMap
	byGoroutine threadMap
	byProcess   threadMap
	lost        *Thread // stands for all threads for which there is no room

	mu      sync.Mutex // guards the rest, and changes of the maps
	lastID  uint64
	records []*Thread // all records; taking some out makes a new list
	free    []*Thread
	live    int // records that are not free
	actors  actors
	classes threadClasses
}

// init makes the threads of a new registry.
func (ts *threads) init(r *Registry) {
	ts.lost = &Thread{registry: r}
	ts.actors.init()
}

// Go runs fn in a new goroutine that is the background thread thread/NAME while it runs.
func (r *Registry) Go(name string, fn func()) {
	class, parent := r.NewThreadClass(name), r.currentID()
	go func() {
		defer r.attach(class, parent, 0).Detach()
		fn()
	}()
}

// Go runs fn in a new goroutine that is a background thread of the default registry.
func Go(name string, fn func()) { Default.Go(name, fn) }

// Attach makes the calling goroutine the background thread thread/NAME until Detach. If it
// became a thread by itself, that one gets the name and keeps its id and statistics; any other
// that it has in the registry ends. A thread that it has in another registry rests until Detach: it keeps
// its rows, and nothing is recorded for it.
//
// Beyond LimitThreadInstances, and in a class beyond LimitThreadClasses, the goroutine becomes no
// thread: the returned Thread has the id 0, no rows and no events, and its methods have no effect.
// So it is with AttachConnection and Go.
func (r *Registry) Attach(name string) *Thread {
	return r.attach(r.NewThreadClass(name), 0, 0)
}

// Attach makes the calling goroutine a background thread of the default registry until Detach.
func Attach(name string) *Thread { return Default.Attach(name) }

// AttachConnection makes the calling goroutine the foreground thread of the connection
// with this id, until Detach.
func (r *Registry) AttachConnection(name string, id uint64) *Thread {
	return r.attach(r.NewThreadClass(name), r.currentID(), id)
}

// AttachConnection makes the calling goroutine the thread of a connection in the default registry.
func AttachConnection(name string, id uint64) *Thread { return Default.AttachConnection(name, id) }

// Registry is the registry that the thread belongs to. Safe for concurrent use.
func (t *Thread) Registry() *Registry { return t.registry }

// Class is the class of the thread, nil if it has none: it is beyond a limit. Safe for concurrent use.
func (t *Thread) Class() *ThreadClass { return t.class.Load() }

// Name is the thread's name, "" if it has none. Safe for concurrent use.
func (t *Thread) Name() string {
	if c := t.class.Load(); c != nil {
		return c.name
	}
	return ""
}

// Goroutine is the number of the thread's goroutine, 0 if unknown. Safe for concurrent use.
func (t *Thread) Goroutine() uint64 { return ringbuf.Load(&t.goid) }

// currentID is the id of the calling goroutine's thread, 0 if it is none of the registry.
func (r *Registry) currentID() uint64 {
	if t := Current(); t != nil && t.registry == r {
		return t.ID()
	}
	return 0
}

func (r *Registry) attach(class *ThreadClass, parent, process uint64) *Thread {
	g, goid := goroutine(goidOffset)
	var outer *outerThread
	if e := goroutines.find(g); e != nil {
		old := e.thread.Load()
		switch {
		case old == nil || old.registry == nil:
		case e.goid.Load() != goid:
			// A goroutine that ends without Detach leaves its thread behind; the next one with
			// the same descriptor clears it away.
			old.retireAbandoned()
		case old.registry == r && old.IsAutomatic() && old.ID() != 0 && !class.lost:
			old.rename(class, parent, process)
			return old
		default:
			outer = old.rest(r)
		}
	}
	if class.lost {
		return r.lostThread(process, g, goid, outer)
	}
	t, id := r.newThread(process, goid)
	if t == nil && r.goroutineThreads.live.Load() > 0 {
		r.sweep()
		t, id = r.newThread(process, goid)
	}
	if t == nil {
		r.lost[LimitThreadInstances].Add(1)
		return r.lostThread(process, g, goid, outer)
	}
	t.reset(class, parent, process, g, goid)
	replace(&t.outer, outer)
	atomic.StoreUint64(&t.id, id)
	if HasThreadLookup {
		setGoroutineThread(g, goid, t)
	}
	return t
}

// rest ends the calling goroutine's threads of a registry, of which t is the innermost, and returns the innermost one of those that are
// left.
func (t *Thread) rest(r *Registry) *outerThread {
	innermost := &outerThread{t, t.ID()}
	var inner *Thread
	for o := innermost; o.alive() != nil; {
		next := o.thread.outer.Load()
		switch {
		case o.thread.registry != r:
			inner = o.thread
		case inner == nil:
			innermost = next
			o.thread.retire(o.id, nil)
		default:
			inner.outer.Store(next)
			o.thread.retire(o.id, nil)
		}
		o = next
	}
	if innermost.alive() == nil {
		return nil
	}
	return innermost
}

// reset makes a record that of a new thread, which has no id yet.
func (t *Thread) reset(class *ThreadClass, parent, process, g, goid uint64) {
	t.nextEvent = 1
	t.nesting = waitInNothing
	ringbuf.Store(&t.depth, 0)
	for i := range uint64(maxWaits) {
		// The places above an empty place are empty.
		e := t.waitAt(i)
		if e == nil || ringbuf.Load(&e[eventID]) == 0 {
			break
		}
		ringbuf.Store(&e[eventID], 0)
	}
	if h := t.readLocks.Load(); h != nil && ringbuf.Load(&h.n) != 0 {
		ringbuf.Publish(&h.n, 0)
	}
	t.waitsHistory.Reset()
	if t.waitsFloor.Load() != 0 {
		t.waitsFloor.Store(0)
	}
	t.flags.Store(class.flags.Load())
	replace(&t.class, class)
	t.onStage = nil
	ringbuf.Store(&t.parent, parent)
	ringbuf.Store(&t.process, process)
	ringbuf.Store(&t.g, g)
	ringbuf.Store(&t.goid, goid)
	ringbuf.Store(&t.started, timers.ReadCycle())
	replace(&t.outer, nil)
	replace(&t.connectionType, nil)
	replace(&t.db, nil)
	replace(&t.command, nil)
	replace(&t.state, nil)
	replace(&t.info, nil)
	replace(&t.account, nil)
	if t.port.Load() != 0 {
		t.port.Store(0)
	}
	if t.IsAutomatic() {
		ringbuf.Store(&t.automatic, 0)
		ringbuf.Store(&t.parentGoid, 0)
		ringbuf.Store(&t.created, 0)
	}
}

// lostThread is what stands for a thread that there is no room for. The counters of connections
// are their own. The calling goroutine keeps its thread of another registry, or does not become a thread by itself either.
func (r *Registry) lostThread(process, g, goid uint64, outer *outerThread) *Thread {
	if HasGoroutineThreads() && outer == nil {
		setGoroutineThread(g, goid, noThread)
	}
	if process != 0 {
		return r.newUnlisted()
	}
	return r.threads.lost
}

// replace stores v unless it is stored already. Storing takes ten times as long as comparing, and
// the last thread of a record often had the same value.
func replace[T any](p *atomic.Pointer[T], v *T) {
	if p.Load() != v {
		p.Store(v)
	}
}

// newThread returns a record, which belongs to the account without a name, and the id of its
// thread; nil if there are too many threads. The thread can be found by its id, connection and
// goroutine as soon as the caller has stored the id in the record.
func (r *Registry) newThread(process, goid uint64) (t *Thread, id uint64) {
	ts := &r.threads
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if limit := r.Setup().Limit(LimitThreadInstances); limit >= 0 && ts.live >= limit {
		return nil, 0
	}
	ts.live++
	t = ts.take(r)
	r.join(t, Account{})
	ts.lastID++
	t.number = ts.lastID
	ts.byID.put(ts.lastID, 0, t)
	if goid != 0 {
		ts.byGoroutine.put(goid, 0, t)
	}
	if process != 0 {
		ts.byProcess.put(process, 0, t)
	}
	return t, ts.lastID
}

// take returns a free record, made if need be. The caller holds mu.
func (ts *threads) take(r *Registry) *Thread {
	t := ts.takeFree(r)
	if t == nil {
		t = &Thread{registry: r}
		ts.add(r, t)
	}
	return t
}

// takeFree returns a free record that has no history yet, or one of the right size; nil if there is none. The
// caller holds mu.
func (ts *threads) takeFree(r *Registry) *Thread {
	var unfit map[*Thread]bool // free records whose history has another size
	for len(ts.free) > 0 {
		t := ts.free[len(ts.free)-1]
		ts.free = ts.free[:len(ts.free)-1]
		if !t.waitsHistory.Made() || t.waitsHistory.Size() == r.Setup().HistorySize(FamilyWaits) {
			ts.drop(unfit)
			return t
		}
		if unfit == nil {
			unfit = map[*Thread]bool{}
		}
		unfit[t] = true
	}
	ts.drop(unfit)
	return nil
}

// add adds a new record, which is not free. The caller holds mu.
func (ts *threads) add(r *Registry, t *Thread) {
	r.buffers[bufThreads].grow(1, size[Thread]())
	ts.records = append(ts.records, t)
}

// makeWaitsHistory makes the slots of the thread's history. Owned by the thread.
//
//go:noinline
func (t *Thread) makeWaitsHistory() {
	t.waitsHistory.Init(t.registry.Setup().HistorySize(FamilyWaits))
	t.registry.buffers[bufWaitsHistory].grow(t.waitsHistory.Memory())
}

// release gives up the memory of a record that no thread will have.
func (t *Thread) release() {
	r := t.registry
	r.buffers[bufThreads].shrink(1, size[Thread]())
	r.buffers[bufWaitsHistory].shrink(t.waitsHistory.Memory())
	if t.deepWaits.Load() != nil {
		r.buffers[bufThreads].shrink(0, size[[maxWaits - shallowWaits]event]())
	}
	if t.readLocks.Load() != nil {
		r.buffers[bufThreads].shrink(0, size[readLocks]())
	}
	t.eachStatBlock(func(_ int, b *statBlock) { r.buffers[bufWaitsByThread].shrink(statBlockSize, t.blockBytes(b)) })
	if t.moreStats.Load() != nil {
		r.buffers[bufWaitsByThread].shrink(0, size[[statBlocks]atomic.Pointer[statBlock]]())
	}
	if a := t.activity.Load(); a != nil {
		a.release(r)
	}
}

// drop takes records out of the list. The caller holds mu.
func (ts *threads) drop(surplus map[*Thread]bool) {
	for t := range surplus {
		t.release()
	}
	if len(surplus) > 0 {
		ts.records = slices.DeleteFunc(slices.Clone(ts.records), func(t *Thread) bool { return surplus[t] })
	}
}

// Detach ends the thread: its rows vanish, and its statistics go to its account. The goroutine does
// not become a thread again, unless by Attach. Detach does nothing if the thread belongs to another
// goroutine or has ended.
func (t *Thread) Detach() {
	// Read the id once: a record that is free now may be the thread of another goroutine soon.
	id := t.ID()
	if id == 0 {
		t.registry.unlist(t)
		return
	}
	inner := Current()
	if !HasThreadLookup || inner == t {
		// What the goroutine still does, such as to unlock what it has locked, is no new thread's.
		next := t.outer.Load().alive()
		if next == nil {
			next = noThread
		}
		t.retire(id, next)
		return
	}
	for inner != nil {
		o := inner.outer.Load()
		if o.alive() == t {
			inner.outer.Store(t.outer.Load())
			t.retire(id, nil)
			return
		}
		inner = o.alive()
	}
}

// retire ends the thread if it still has this id. next becomes the entry of its goroutine:
// noThread, or nil if the goroutine has ended.
func (t *Thread) retire(id uint64, next *Thread) {
	ts := &t.registry.threads
	if !atomic.CompareAndSwapUint64(&t.id, id, 0) {
		return
	}
	goroutines.mu.Lock()
	goroutines.replace(ringbuf.Load(&t.g), t, next)
	goroutines.mu.Unlock()
	t.clearActivity()
	t.closeSession()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.IsAutomatic() {
		t.registry.goroutineThreads.live.Add(-1)
	} else {
		ts.byID.remove(id, t)
		ts.byGoroutine.remove(ringbuf.Load(&t.goid), t)
		ts.byProcess.remove(ringbuf.Load(&t.process), t)
	}
	t.number = 0
	t.fold(true)
	t.leave(true)
	t.forgetMemory()
	ts.live--
	ts.free = append(ts.free, t)
}

// all returns the records there are, free ones among them.
func (ts *threads) all() []*Thread {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.records
}

// Threads returns the threads that exist now.
func (h Reader) Threads() []*Thread {
	h.r.sweep()
	return liveThreads(h.r.threads.all())
}

// ThreadCount is how many threads exist now. Safe for concurrent use.
func (h Reader) ThreadCount() int {
	h.r.sweep()
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	return h.r.threads.live
}

// liveThreads returns the records that are in use.
func liveThreads(records []*Thread) []*Thread {
	live := make([]*Thread, 0, len(records))
	for _, t := range records {
		if t.ID() != 0 {
			live = append(live, t)
		}
	}
	return live
}

// ThreadByProcess returns the thread of the connection with this id, nil if there is none. If
// several connections have the same id, it is that of the last one.
func (h Reader) ThreadByProcess(id uint64) *Thread { return h.r.threads.byProcess.live(id) }

// ThreadByGoroutine returns the thread of the goroutine with this id, nil if it has none.
func (h Reader) ThreadByGoroutine(id uint64) *Thread { return h.r.threadByGoroutine(id) }

// ThreadByID returns the thread with this id, nil if there is none.
func (h Reader) ThreadByID(id uint64) *Thread {
	if id == 0 {
		return nil
	}
	if t := h.r.threads.byID.get(id); t != nil && t.ID() == id {
		return t
	}
	return h.r.goroutineThreadByID(id)
}

// ID is the thread's number, THREAD_ID: never used again, and 0 when the thread has ended.
func (t *Thread) ID() uint64 { return ringbuf.Load(&t.id) }

// instrumented reports whether the thread's events are recorded.
func (t *Thread) instrumented() bool { return t.flags.Load()&threadInstrumented != 0 }

// hasHistory reports whether the thread's events go to the histories.
func (t *Thread) hasHistory() bool { return t.flags.Load()&threadHistory != 0 }

// SetInstrumented switches the recording of the thread's events, at once for all that
// start afterwards. Safe for concurrent use.
func (t *Thread) SetInstrumented(on bool) { setFlag(&t.flags, threadInstrumented, on) }

// SetHistory switches the histories for the thread, as SetInstrumented. Safe for concurrent use.
func (t *Thread) SetHistory(on bool) { setFlag(&t.flags, threadHistory, on) }

func setFlag(flags *atomic.Uint32, flag uint32, on bool) {
	if on {
		flags.Or(flag)
	} else {
		flags.And(^flag)
	}
}

func threadFlags(instrumented, history bool) (flags uint32) {
	if instrumented {
		flags |= threadInstrumented
	}
	if history {
		flags |= threadHistory
	}
	return flags
}

// ThreadInfo is a copy of what the table threads shows. Texts are "" where it shows NULL.
type ThreadInfo struct {
	ID        uint64
	Name      string
	Process   uint64 // connection id; 0 in the background
	Parent    uint64
	Goroutine uint64 // the goroutine's id; 0 if unknown
	// For a goroutine that became a thread at its first wait: the goroutine that started it, and
	// the file and line of the go statement, "" if unknown. Parent is the thread that the starting
	// goroutine has now, if it has one.
	ParentGoroutine uint64
	Created         string
	Automatic       bool // the thread began by itself, and Attach has not named it
	Account         Account
	Port            int // the client's; 0 if it has none
	ConnectionType  string
	DB              string
	Command         string
	State           string
	Info            string
	Since           time.Time // when the current command began
	Instrumented    bool
	History         bool
	Memory          SessionMemory
}

// Snapshot copies what the table threads shows; false if the thread has ended.
func (t *Thread) Snapshot() (ThreadInfo, bool) {
	text := func(p *atomic.Pointer[string]) string {
		if s := p.Load(); s != nil {
			return *s
		}
		return ""
	}
	id := t.ID()
	class := t.class.Load()
	if id == 0 || class == nil {
		return ThreadInfo{}, false
	}
	s := ThreadInfo{
		ID: id, Name: class.name, Process: ringbuf.Load(&t.process), Parent: ringbuf.Load(&t.parent), Goroutine: ringbuf.Load(&t.goid),
		ConnectionType: text(&t.connectionType), DB: text(&t.db), Command: text(&t.command), State: text(&t.state), Info: text(&t.info),
		Since: t.registry.timeOf(ringbuf.Load(&t.started)), Instrumented: t.instrumented(), History: t.hasHistory(), Memory: t.memory(),
	}
	s.ParentGoroutine, s.Created = ringbuf.Load(&t.parentGoid), t.registry.source(uintptr(ringbuf.Load(&t.created)))
	s.Automatic = t.IsAutomatic()
	if s.Parent == 0 {
		if p := t.registry.threadByGoroutine(s.ParentGoroutine); p != nil {
			s.Parent = p.ID()
		}
	}
	s.Port = int(t.port.Load())
	if a := t.account.Load(); a != nil {
		s.Account = *a
	}
	return s, t.ID() == id
}

// State is what the thread is doing, as in Snapshot; "" if that is not known or the thread has ended. Safe for concurrent use.
func (t *Thread) State() string {
	if t == nil || t.ID() == 0 {
		return ""
	}
	if s := t.state.Load(); s != nil {
		return *s
	}
	return ""
}

// timeOf is the moment at which the cycle counter had this reading.
func (r *Registry) timeOf(cycles uint64) time.Time {
	since := cycles - min(r.start[timers.Cycle], cycles)
	return r.started.Add(timers.Cycle.Duration(since))
}

// SetAccount says which account the thread works for. The first time, at login, the statistics of
// the thread move with it to the account. Later they stay with the old account, where the thread
// counts as an ended one. Each time, setup_actors says whether the thread is instrumented and has
// histories. Owned by the thread's goroutine.
func (t *Thread) SetAccount(user, host string) {
	if t == nil {
		return
	}
	ts := &t.registry.threads
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.ID() == 0 {
		return
	}
	old := t.account.Load()
	login := old == nil || old.User == ""
	if !login {
		t.fold(false)
	}
	t.leave(!login)
	t.flags.Store(t.registry.join(t, Account{user, host}))
	t.joinMemory()
	if a := t.above[0]; a != nil && a.name == (Account{user, host}) {
		t.account.Store(&a.name)
	} else {
		t.account.Store(&Account{user, host})
	}
}

// SetPort says which port the client's end of the connection has, 0 for none.
func (t *Thread) SetPort(port int) {
	if t != nil {
		t.port.Store(uint32(port))
	}
}

// SetConnectionType says how the client is connected: TCP/IP, Socket, SSL/TLS.
func (t *Thread) SetConnectionType(s string) {
	if t != nil {
		t.connectionType.Store(&s)
	}
}

// SetDB says which database is the default one.
func (t *Thread) SetDB(s string) {
	if t != nil {
		t.db.Store(&s)
	}
}

// SetCommand says what kind of command runs, and that it begins now.
func (t *Thread) SetCommand(s string) {
	if t != nil {
		t.command.Store(&s)
		ringbuf.Store(&t.started, timers.ReadCycle())
	}
}

// SetState says what the thread is doing, PROCESSLIST_STATE.
func (t *Thread) SetState(s string) {
	if t != nil {
		t.state.Store(&s)
	}
}

// SetInfo says which statement runs; "" for none.
func (t *Thread) SetInfo(s string) {
	if t != nil {
		t.info.Store(&s)
	}
}
