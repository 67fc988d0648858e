package instr

import (
	"strings"
	"sync"
	"unicode/utf8"

	"pfsd/timers"
)

// StageClass is a kind of stages, the instrument stage/NAME. Safe for concurrent use.
type StageClass struct {
	class *Class
	state string // PROCESSLIST_STATE
}

// maxState is how many characters PROCESSLIST_STATE has at most.
const maxState = 64

// NewStageClass returns the class of stages stage/NAME, made if need be. Progress says that
// its stages tell how far they are; such a class is on and timed from the start.
func (r *Registry) NewStageClass(name string, progress bool) *StageClass {
	c := r.classOn(KindStage, name, progress)
	if progress {
		c.SetProperties(Progress)
	}
	_, state, _ := strings.Cut(strings.TrimPrefix(c.name, kinds[KindStage].prefix), "/")
	if utf8.RuneCountInString(state) > maxState {
		state = string([]rune(state)[:maxState])
	}
	return &StageClass{c, state}
}

// NewStageClass is Registry.NewStageClass of the default registry.
func NewStageClass(name string, progress bool) *StageClass {
	return Default.NewStageClass(name, progress)
}

// Class is the instrument.
func (c *StageClass) Class() *Class { return c.class }

// runningStage is a thread's current stage.
type runningStage struct {
	StageEvent
	sw      switches // as the stage began
	running bool
	hidden  bool // by TRUNCATE
}

// StartStage ends the thread's stage, if it is in one, and starts another with the same
// reading of the timer. PROCESSLIST_STATE shows it even if the instrument is off. A nil
// thread starts none. Owned by the thread's goroutine.
//
//go:noinline
func (t *Thread) StartStage(c *StageClass) {
	if t != nil && c != nil && t.ID() != 0 {
		t.startStage(c, nil, callerPC())
	}
}

// StartStage is Thread.StartStage, but the stage is part of this statement, rather than of the one that began last, which may have been
// part of this one and be over. If the statement is none it is Thread.StartStage of no thread. Owned by the thread's goroutine.
//
//go:noinline
func (s *Statement) StartStage(c *StageClass) {
	if s.activity != nil && c != nil && s.thread.ID() != 0 {
		s.thread.startStage(c, s, callerPC())
	}
}

// startStage is StartStage, of the statement in if that is not nil.
func (t *Thread) startStage(c *StageClass, in *Statement, caller uintptr) {
	replace(&t.state, &c.state)
	if t.onStage != nil {
		t.onStage(c, caller)
	}
	if c.class.switches.Load() == 0 && !t.inStage() {
		return
	}
	t.changeStage(c.class, in, t.recording(c.class), caller)
}

// EndStage ends the thread's stage, if it is in one, and empties PROCESSLIST_STATE. Owned by
// the thread's goroutine.
func (t *Thread) EndStage() {
	if t == nil || t.ID() == 0 {
		return
	}
	replace(&t.state, nil)
	if t.onStage != nil {
		t.onStage(nil, 0)
	}
	if t.inStage() {
		t.changeStage(nil, nil, 0, 0)
	}
}

// OnStage has f called at each StartStage of the thread, with its caller, whatever the instruments are, and at each
// EndStage, with nil. A nil f, or a thread that ends, ends that. Owned by the thread's goroutine.
func (t *Thread) OnStage(f func(c *StageClass, caller uintptr)) {
	if t != nil {
		t.onStage = f
	}
}

func (t *Thread) inStage() bool {
	a := t.activity.Load()
	return a != nil && a.stage.running
}

// changeStage ends the thread's stage, if it is in one, and starts one of class c, unless its
// switches are 0. It is part of the statement in, or of the one that began last if that is nil.
func (t *Thread) changeStage(c *Class, in *Statement, sw switches, caller uintptr) {
	if sw == 0 && !t.inStage() {
		return
	}
	a := t.working()
	a.mu.Lock()
	defer a.mu.Unlock()
	x := &a.stage
	now, read := uint64(0), false
	if x.running {
		now, read = x.now(), x.timed
		a.endStage(t, now)
	}
	if sw == 0 {
		*x = runningStage{}
		return
	}
	if sw&swTimed != 0 && !(read && x.timer == sw.timer()) {
		now = sw.now()
	}
	*x = runningStage{sw: sw, running: true}
	x.begin(t, c, sw, now, caller)
	if x.ID != 0 {
		x.NestingID = a.lastStatement
		if in != nil && in.place.StatementID == in.id && !in.place.Ended {
			x.NestingID = in.place.ID
		}
		if x.NestingID != 0 {
			x.NestingType = NestingStatement
		}
		t.nestWaits(x.ID, waitInStage)
	}
}

// endStage ends the running stage at a reading of its timer. Waits are again part of the
// top-level statement, whichever the stage was part of. The caller holds mu.
func (a *activity) endStage(t *Thread, end uint64) {
	x := &a.stage
	a.addStage(t, x, x.finish(t, end))
	x.running = false
	t.nestWaits(a.outermost(), waitInStatement)
}

// addStage counts a stage that has ended and took ps, and puts it in the histories. The caller holds mu.
func (a *activity) addStage(t *Thread, x *runningStage, ps uint64) {
	r := t.registry
	a.count(r, x.sw, func(w *workStats) { w.addStage(x.Class.id, x.timed, ps) })
	x.Class.recordTime(x.sw, ps)
	if x.sw&(swHistory|swHistoryLong) != 0 && !x.hidden {
		record := x.record()
		if x.sw&swHistory != 0 {
			a.stagesHistory.add(&record)
		}
		if x.sw&swHistoryLong != 0 {
			a.keepStage(r, longEntry[stageRecord]{x.stamp(), record})
		}
	}
}

// StageTime is a reading of the timer of stages, of whatever timer that was. The zero StageTime is none.
type StageTime struct {
	raw   uint64
	timer timers.ID
	read  bool
}

// Now reads the timer of the class's stages; none is read where they are not timed. Safe for concurrent use.
func (c *StageClass) Now() StageTime {
	sw := switches(c.class.switches.Load())
	if sw&swTimed == 0 {
		return StageTime{}
	}
	return StageTime{sw.now(), sw.timer(), true}
}

// AddStage records a stage that somebody else has gone through for the thread, and which is over: it is part of the thread's innermost
// statement, and the thread's own stage goes on. It has no time where start and end are not of the timer that stages have now. A nil thread
// records none. Owned by the thread's goroutine.
//
//go:noinline
func (t *Thread) AddStage(c *StageClass, start, end StageTime) {
	if t == nil || c == nil || t.ID() == 0 {
		return
	}
	sw := t.recording(c.class)
	if sw == 0 {
		return
	}
	if !start.read || !end.read || start.timer != sw.timer() || end.timer != sw.timer() {
		sw &^= swTimed
	}
	a := t.working()
	a.mu.Lock()
	defer a.mu.Unlock()
	x := runningStage{sw: sw}
	x.begin(t, c.class, sw, start.raw, callerPC())
	if x.ID != 0 {
		if x.NestingID = a.innermost(); x.NestingID != 0 {
			x.NestingType = NestingStatement
		}
	}
	a.addStage(t, &x, x.finish(t, end.raw))
}

// keptStages is how many stages of a thread wait for their way into the long history.
const keptStages = 16

// stagesPool has memory for stages that wait.
var stagesPool = sync.Pool{New: func() any { return new([keptStages]longEntry[stageRecord]) }}

// lateStages is how many of them there is room for beyond the size of the long history: those
// of 64 threads that share a part of it.
const lateStages = 64 * keptStages

// keepStage keeps a stage, which has ended, for the long history. It gets there together
// with others: when the thread's statement ends, there are many, or a reader wants them. One
// by one each would wait for a place in the cache and for the lock. The caller holds mu.
func (a *activity) keepStage(r *Registry, s longEntry[stageRecord]) {
	if a.kept == nil {
		a.kept = stagesPool.Get().(*[keptStages]longEntry[stageRecord])[:0]
	}
	a.kept = append(a.kept, s)
	if len(a.kept) == keptStages {
		a.passStages(r)
	}
}

// passStages adds the stages that wait to the long history. The caller holds mu.
func (a *activity) passStages(r *Registry) {
	if len(a.kept) > 0 {
		r.work.stages.Load().add(a.kept[0].record.thread, a.kept...)
	}
	a.dropStages()
}

// dropStages forgets the stages that wait, and leaves their memory to threads that work. The caller holds mu.
func (a *activity) dropStages() {
	if a.kept != nil {
		stagesPool.Put((*[keptStages]longEntry[stageRecord])(a.kept[:keptStages]))
		a.kept = nil
	}
}

// SetWorkEstimated says how much work the current stage has to do, in units of the stage's
// own. Stages without progress have none. Owned by the thread's goroutine.
func (t *Thread) SetWorkEstimated(n uint64) { t.setWork(func(x *StageEvent) { x.WorkEstimated = n }) }

// SetWorkCompleted says how much of the stage's work is done. Owned by the thread's goroutine.
func (t *Thread) SetWorkCompleted(n uint64) { t.setWork(func(x *StageEvent) { x.WorkCompleted = n }) }

func (t *Thread) setWork(set func(x *StageEvent)) {
	if t == nil || t.ID() == 0 || !t.inStage() {
		return
	}
	a := t.activity.Load()
	if !a.stage.Progress() {
		return
	}
	a.mu.Lock()
	set(&a.stage.StageEvent)
	a.mu.Unlock()
}

// StageEvent is a copy of a stage, as a row of events_stages_current and its histories
// shows it.
type StageEvent struct {
	EventHead
	WorkCompleted, WorkEstimated uint64 // 0 unless Progress
}

// Progress reports whether the stage tells how far it is.
func (e *StageEvent) Progress() bool { return e.Class.Properties()&Progress != 0 }

// CurrentStage appends the row that events_stages_current has for the thread while it is in a
// stage. Safe for concurrent use.
func (t *Thread) CurrentStage(to []StageEvent) []StageEvent {
	return readActivity(t, to, func(a *activity, to []StageEvent) []StageEvent {
		if x := &a.stage; x.running && x.ID != 0 && !x.hidden {
			to = append(to, x.StageEvent)
			to[len(to)-1].readNow()
		}
		return to
	})
}

// TruncateCurrentStage hides the stage that the thread is in, and keeps it out of the
// histories. Safe for concurrent use.
func (t *Thread) TruncateCurrentStage() {
	changeActivity(t, func(a *activity) { a.stage.hidden = true })
}

// StagesHistory appends the rows of events_stages_history, oldest first. Safe for concurrent
// use.
func (t *Thread) StagesHistory(to []StageEvent) []StageEvent {
	return readActivity(t, to, func(a *activity, to []StageEvent) []StageEvent {
		return appendRecords(to, &a.stagesHistory, func(s *stageRecord) StageEvent { return s.event(t.registry) })
	})
}

// TruncateStagesHistory empties the thread's history of stages. Safe for concurrent use.
func (t *Thread) TruncateStagesHistory() {
	changeActivity(t, func(a *activity) { a.stagesHistory.clear() })
}

// StagesHistoryLong returns the rows of events_stages_history_long, oldest first. Safe for
// concurrent use.
func (h Reader) StagesHistoryLong() []StageEvent {
	for _, t := range h.r.threads.all() {
		changeActivity(t, func(a *activity) { a.passStages(h.r) })
	}
	return allRecords(h.r.work.stages.Load(), func(s *stageRecord) StageEvent { return s.event(h.r) })
}

// TruncateStagesHistoryLong empties the long history of stages. Safe for concurrent use.
func (h Reader) TruncateStagesHistoryLong() {
	for _, t := range h.r.threads.all() {
		changeActivity(t, (*activity).dropStages)
	}
	h.r.work.stages.Load().truncate()
}
