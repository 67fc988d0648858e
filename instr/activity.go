package instr

import (
	"sync/atomic"

	"pfsd/ringbuf"
)

// activity is what a thread does besides waiting: its statements, its stage and its
// transaction, the histories and the statistics of them. It is made when the thread does
// the first of these, and stays with the thread's record.
//
// mu guards all fields but thread. The owner holds it for each change, a reader while it copies.
// Only the owner changes whether something runs, so the owner may read that without mu.
type activity struct {
	thread uint64 // the owner's id, 0 if the thread has ended; only the owner uses it

	mu            ringbuf.Latch
	statements    []*runningStatement // the places of the stack; the first depth of them are running
	depth         int
	recorded      int    // how many of the running statements have ids
	lastStatement uint64 // the id of the statement that began last, 0 if none runs
	stage         runningStage
	transaction   runningTransaction

	statementsHistory   eventRing[statementRecord]
	stagesHistory       eventRing[stageRecord]
	transactionsHistory eventRing[transactionRecord]
	pending             []longEntry[stageRecord] // ended stages that are not in the long history yet

	stats  workStats
	memory sessionMemory
}

// Busy reports whether the thread waits, or is in a statement, a stage or a transaction. Safe for concurrent use.
func (t *Thread) Busy() bool {
	if t.ID() == 0 {
		return false
	}
	if ringbuf.Load(&t.depth) > 0 {
		return true
	}
	a := t.activity.Load()
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.depth > 0 || a.stage.running || a.transaction.ID != 0 && !a.transaction.Ended
}

// ensureActivity returns the thread's activity, made if need be. Owned by the thread.
func (t *Thread) ensureActivity() *activity {
	if a := t.activity.Load(); a != nil && a.thread == ringbuf.Load(&t.id) {
		return a
	}
	return t.makeActivity()
}

// makeActivity makes the activity, or makes the one of the record's last thread the thread's.
func (t *Thread) makeActivity() *activity {
	a := t.activity.Load()
	if a == nil {
		a = t.registry.newActivity()
		t.activity.Store(a)
	}
	a.thread = ringbuf.Load(&t.id)
	r := t.registry
	a.mu.Lock()
	defer a.mu.Unlock()
	a.statementsHistory.resize(r.Setup().HistorySize(FamilyStatements))
	a.stagesHistory.resize(r.Setup().HistorySize(FamilyStages))
	a.transactionsHistory.resize(r.Setup().HistorySize(FamilyTransactions))
	return a
}

func (r *Registry) newActivity() *activity {
	r.buffers[bufThreads].grow(0, size[activity]())
	a := new(activity)
	a.statementsHistory.memory = &r.buffers[bufStatementsHistory]
	a.stagesHistory.memory = &r.buffers[bufStagesHistory]
	a.transactionsHistory.memory = &r.buffers[bufTransactionsHistory]
	return a
}

// release gives up the activity's memory, with the thread's record.
func (a *activity) release(r *Registry) {
	a.statementsHistory.resize(0)
	a.stagesHistory.resize(0)
	a.transactionsHistory.resize(0)
	for range a.statements {
		r.buffers[bufStatementsCurrent].shrink(1, size[runningStatement]())
	}
	r.buffers[bufThreads].shrink(0, size[activity]())
}

// clearActivity forgets everything but the statistics: the thread ends.
func (t *Thread) clearActivity() {
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
			t.registry.buffers[bufStatementsCurrent].shrink(1, size[runningStatement]())
		}
		*p = runningStatement{}
	}
	a.statements = a.statements[:min(1, len(a.statements))]
	a.flushStages(t.registry)
	a.depth, a.recorded, a.lastStatement = 0, 0, 0
	a.stage, a.transaction = runningStage{}, runningTransaction{}
	a.statementsHistory.clear()
	a.stagesHistory.clear()
	a.transactionsHistory.clear()
}

// readActivity appends to the slice what read appends of the thread's activity. It appends nothing
// if the thread has no activity, or ends while it is read.
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

// recording returns the switches of an event of class c that the thread begins now, 0 if the event
// is not to be counted.
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

// count counts an ended event with the switches sw: in the thread's statistics, or in the global
// ones if the consumer thread_instrumentation was off when the event began. The caller holds mu.
func (a *activity) count(r *Registry, sw switches, add func(w *workStats)) {
	if sw&swThreads != 0 {
		add(&a.stats)
		return
	}
	r.global.mu.Lock()
	add(&r.global.stats)
	r.global.mu.Unlock()
}

// Thread.nesting and the word eventNesting of an event say which event a wait is part of: four
// times the id of that event, plus one of these numbers for its type.
const (
	waitInNothing = iota
	waitInStatement
	waitInStage
	waitInWait
)

var waitNestings = [4]NestingType{NestingNone, NestingStatement, NestingStage, NestingWait}

// nestWaits makes the waits that begin from now on part of the event with this id; 0 means of no
// event.
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

// innermost is the id of the innermost running statement that has an id, 0 if there is none.
func (a *activity) innermost() uint64 {
	for i := a.depth - 1; i >= 0; i-- {
		if id := a.statements[i].ID; id != 0 {
			return id
		}
	}
	return 0
}

// work is what a registry keeps of statements, stages and transactions outside of threads: sizes,
// the long histories and numbers.
type work struct {
	historySizes  [familyCount]atomic.Int64
	statements    atomic.Pointer[longHistory[statementRecord]]
	stages        atomic.Pointer[longHistory[stageRecord]]
	transactions  atomic.Pointer[longHistory[transactionRecord]]
	stackSize     atomic.Int64
	textLength    atomic.Int64
	lastStatement atomic.Uint64 // the last STATEMENT_ID
	nestedLost    atomic.Uint64
}
