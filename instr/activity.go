package instr

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"pfsd/timers"
)

// activity is what a thread does besides waiting: its statements, its stage and its
// transaction, the histories and the statistics of them. It is made when the thread does
// the first of these, and stays with the thread's record.
//
// mu guards all of it but thread. The owner holds it for each change, readers while they
// copy; the owner alone changes whether something runs, and so may ask that without it.
type activity struct {
	thread uint64 // whose it is, 0 if the thread has ended; the owner's own

	mu            sync.Mutex
	statements    []*runningStatement // the stack's places; the first depth of them run
	depth         int
	recorded      int    // how many of the running statements have ids
	lastStatement uint64 // the id of the statement that began last, 0 if none runs
	stage         runningStage
	transaction   runningTransaction

	statementsHistory   eventRing[StatementEvent]
	stagesHistory       eventRing[StageEvent]
	transactionsHistory eventRing[TransactionEvent]

	stats workStats
}

// working returns the thread's activity, made if need be. Owned by the thread.
func (t *Thread) working() *activity {
	if a := t.activity.Load(); a != nil && a.thread == t.id {
		return a
	}
	return t.startWorking()
}

// startWorking makes the activity, or makes the one of the record's last thread the thread's.
func (t *Thread) startWorking() *activity {
	a := t.activity.Load()
	if a == nil {
		a = new(activity)
		t.activity.Store(a)
	}
	a.thread = t.id
	r := t.registry
	a.mu.Lock()
	defer a.mu.Unlock()
	a.statementsHistory.resize(r.EventsHistorySize(FamilyStatements))
	a.stagesHistory.resize(r.EventsHistorySize(FamilyStages))
	a.transactionsHistory.resize(r.EventsHistorySize(FamilyTransactions))
	return a
}

// stopWorking forgets everything but the statistics: the thread ends.
func (t *Thread) stopWorking() {
	a := t.activity.Load()
	if a == nil || a.thread == 0 {
		return
	}
	a.thread = 0
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, p := range a.statements {
		if i > 0 {
			a.statements[i] = nil
		}
		*p = runningStatement{}
	}
	a.statements = a.statements[:min(1, len(a.statements))]
	a.depth, a.recorded, a.lastStatement = 0, 0, 0
	a.stage, a.transaction = runningStage{}, runningTransaction{}
	a.statementsHistory.clear()
	a.stagesHistory.clear()
	a.transactionsHistory.clear()
}

// readActivity appends what read does of the thread's activity; nothing if the thread has
// none, or has ended before the end of the reading.
func readActivity[E any](t *Thread, to []E, read func(a *activity, to []E) []E) []E {
	id := t.ID()
	a := t.activity.Load()
	if id == 0 || a == nil {
		return to
	}
	before := len(to)
	a.mu.Lock()
	to = read(a, to)
	a.mu.Unlock()
	if t.ID() != id {
		return to[:before]
	}
	return to
}

// changeActivity lets a reader change the thread's activity.
func changeActivity(t *Thread, change func(a *activity)) {
	if a := t.activity.Load(); a != nil {
		a.mu.Lock()
		change(a)
		a.mu.Unlock()
	}
}

// recording is the switches of an event of the thread that begins now in a class with the
// switches sw: 0 if it is not to be counted.
func (t *Thread) recording(c *Class) switches {
	sw := switches(c.switches.Load())
	if sw == 0 || c.registry != t.registry {
		return 0
	}
	if sw&swThreads == 0 {
		return sw
	}
	flags := t.flags.Load()
	if flags&threadInstrumented == 0 {
		return 0
	}
	if flags&threadHistory == 0 {
		sw &^= swHistory | swHistoryLong
	}
	return sw
}

// begin fills in the head of an event of the thread that begins now. start is a reading of
// its timer, if it is timed.
func (e *EventHead) begin(t *Thread, c *Class, sw switches, start uint64, caller uintptr) {
	*e = EventHead{ThreadID: t.id, Class: c, Caller: caller, registry: t.registry}
	if sw&swTimed != 0 {
		e.timed, e.timer, e.start = true, sw.timer(), start
	}
	if sw&swCurrent != 0 {
		e.ID = t.nextEvent
		t.nextEvent++
	}
}

// finish ends the event at end, a reading of its timer, and returns how long it took, in
// picoseconds.
func (e *EventHead) finish(t *Thread, end uint64) (ps uint64) {
	e.Ended = true
	if e.ID != 0 {
		e.EndID = t.nextEvent - 1
	}
	if !e.timed {
		return 0
	}
	e.end = max(end, e.start)
	return e.timer.PicosecondsSaturated(e.end - e.start)
}

// now reads the event's timer, if it is timed.
func (e *EventHead) now() uint64 {
	if e.timed {
		return e.timer.Now()
	}
	return 0
}

// readNow ends a copy of a running event for its reader.
func (e *EventHead) readNow() {
	if !e.Ended {
		e.end = max(e.now(), e.start)
	}
}

// Where the bottom wait of a thread's stack nests is one word, Thread.nesting, which only the
// thread knows: four times the event's id, and its type by these numbers. So is the word
// eventNesting.
const (
	waitInNothing = iota
	waitInStatement
	waitInStage
	waitInWait
)

var waitNestings = [4]NestingType{NestingNone, NestingStatement, NestingStage, NestingWait}

// nestWaits makes the waits that begin from now on part of an event with id, or of none if it
// is 0.
func (t *Thread) nestWaits(id uint64, in uint64) {
	if id == 0 {
		in = waitInNothing
	}
	t.nesting = id<<2 | in
}

// outermost is the id of the top-level statement, 0 if none runs.
func (a *activity) outermost() uint64 {
	if a.depth > 0 {
		return a.statements[0].ID
	}
	return 0
}

// innermost is the id of the innermost running statement that has one, 0 if there is none.
func (a *activity) innermost() uint64 {
	for i := a.depth - 1; i >= 0; i-- {
		if id := a.statements[i].ID; id != 0 {
			return id
		}
	}
	return 0
}

// eventRing is the events that were last added, as many as its size. The zero eventRing has
// no room.
type eventRing[E any] struct {
	size   int
	n      int   // how many have been added
	floor  int   // how many of them are no more to be seen
	blocks [][]E // made when they are needed
}

// eventBlock is how many events are allocated together.
const eventBlock = 64

// resize empties a ring whose size is another one.
func (g *eventRing[E]) resize(size int) {
	if size != g.size {
		*g = eventRing[E]{size: size, blocks: make([][]E, (size+eventBlock-1)/eventBlock)}
	}
}

// at is the place of the event that was added after n others.
func (g *eventRing[E]) at(n int) *E {
	i := n % g.size
	b := &g.blocks[i/eventBlock]
	if *b == nil {
		*b = make([]E, min(eventBlock, g.size-i/eventBlock*eventBlock))
	}
	return &(*b)[i%eventBlock]
}

func (g *eventRing[E]) add(e *E) {
	if g.size > 0 {
		*g.at(g.n) = *e
		g.n++
	}
}

// begin is the number of the oldest event that there is.
func (g *eventRing[E]) begin() int { return max(g.floor, g.n-g.size) }

// appendTo appends the events, oldest first.
func (g *eventRing[E]) appendTo(to []E) []E {
	for n := g.begin(); n < g.n; n++ {
		to = append(to, *g.at(n))
	}
	return to
}

// clear empties the ring.
func (g *eventRing[E]) clear() {
	var none E
	for n := max(0, g.n-g.size); n < g.n; n++ {
		*g.at(n) = none
	}
	g.n, g.floor = 0, 0
}

// longHistory is the events of a family that ended last, of all threads. Each thread adds to
// one of the shards, which has room for all.
type longHistory[E any] struct {
	size   int
	shards []longShard[E]
}

type longShard[E any] struct {
	mu   sync.Mutex
	ring eventRing[longEntry[E]]
	_    [64]byte // the next one's cache line
}

// longEntry is an event, and when it was added, in cycles.
type longEntry[E any] struct {
	stamp uint64
	event E
}

// maxLongShards is how many shards a long history has at most.
const maxLongShards = 8

func newLongHistory[E any](size int) *longHistory[E] {
	h := &longHistory[E]{size: size, shards: make([]longShard[E], min(runtime.GOMAXPROCS(0), maxLongShards))}
	for i := range h.shards {
		h.shards[i].ring.resize(size)
	}
	return h
}

// add adds an event of a thread.
func (h *longHistory[E]) add(thread uint64, e *E) {
	if h.size == 0 {
		return
	}
	s := &h.shards[thread%uint64(len(h.shards))]
	s.mu.Lock()
	entry := s.ring.at(s.ring.n)
	entry.stamp, entry.event = timers.ReadCycle(), *e
	s.ring.n++
	s.mu.Unlock()
}

// all returns the events that there are as it begins, as far as they are not overwritten
// before their turn, the oldest first. It holds no lock for longer than it takes to copy a few.
func (h *longHistory[E]) all() []E {
	var entries []longEntry[E]
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		n, end := s.ring.begin(), s.ring.n
		for ; n < end; n = max(n, s.ring.begin()) {
			for stop := min(n+eventBlock, end); n < stop; n++ {
				entries = append(entries, *s.ring.at(n))
			}
			s.mu.Unlock()
			s.mu.Lock()
		}
		s.mu.Unlock()
	}
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(entries[a].stamp, entries[b].stamp) })
	order = order[max(0, len(order)-h.size):]
	events := make([]E, len(order))
	for i, n := range order {
		events[i] = entries[n].event
	}
	return events
}

// truncate hides the events so far.
func (h *longHistory[E]) truncate() {
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		s.ring.floor = s.ring.n
		clear(s.ring.blocks)
		s.mu.Unlock()
	}
}

// work is what a registry knows of statements, stages and transactions that threads do not.
type work struct {
	historySizes  [familyCount]atomic.Int64
	statements    atomic.Pointer[longHistory[StatementEvent]]
	stages        atomic.Pointer[longHistory[StageEvent]]
	transactions  atomic.Pointer[longHistory[TransactionEvent]]
	stackSize     atomic.Int64
	textLength    atomic.Int64
	lastStatement atomic.Uint64 // the last STATEMENT_ID
	nestedLost    atomic.Uint64
}
