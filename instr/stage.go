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

// NewStageClass returns the class of stages stage/NAME, made if need be. progress says that its
// stages report their progress; such a class is on and timed from the start.
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

// StartStage ends the thread's stage, if it is in one, and starts another one at the same reading
// of the timer. PROCESSLIST_STATE shows it even if the instrument is off. A nil thread starts none.
// Owned by the thread's goroutine.
//
//go:noinline
func (t *Thread) StartStage(c *StageClass) {
	if t != nil && c != nil && t.ID() != 0 {
		t.startStage(c, nil, callerPC())
	}
}

// StartStage is Thread.StartStage, but the stage is part of this statement. Thread.StartStage makes it part of the statement that
// began last, which may have been an inner statement that has ended. For the zero Statement, or one that has ended, it does
// nothing. Owned by the thread's goroutine.
//
//go:noinline
func (s *Statement) StartStage(c *StageClass) {
	if s.activity != nil && c != nil && s.thread.ID() != 0 {
		s.thread.startStage(c, s, callerPC())
	}
}

// startStage starts a stage that is part of the statement in, or of the one that began last if in
// is nil.
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

// OnStage makes each StartStage of the thread call f, with the stage's class and the caller of StartStage, also if
// the instrument is off; EndStage calls f with nil. This lasts until OnStage(nil) or the end of the thread. Owned
// by the thread's goroutine.
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
	a := t.ensureActivity()
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

// endStage ends the running stage at a reading of its timer. From then on, waits are part of the
// top-level statement again, whichever statement the stage was part of. The caller holds mu.
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
			a.addPendingStage(r, longEntry[stageRecord]{x.stamp(), record})
		}
	}
}

// StageTime is a reading of the timer of stages, and says which timer that was. The zero StageTime is no
// reading.
type StageTime struct {
	raw   uint64
	timer timers.ID
	read  bool
}

// Now reads the timer of the class's stages; it returns the zero StageTime if they are not timed. Safe for
// concurrent use.
func (c *StageClass) Now() StageTime {
	sw := switches(c.class.switches.Load())
	if sw&swTimed == 0 {
		return StageTime{}
	}
	return StageTime{sw.now(), sw.timer(), true}
}

// AddStage records an ended stage that another goroutine has gone through for the thread. It is part of the thread's innermost
// statement, and the thread's own stage continues. It has no time if start and end are not readings of the present timer of
// stages. A nil thread records none. Owned by the thread's goroutine.
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
	a := t.ensureActivity()
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

// maxPendingStages is how many ended stages of a thread wait until they are added to the long
// history.
const maxPendingStages = 16

// stagesPool has memory for pending stages.
var stagesPool = sync.Pool{New: func() any { return new([maxPendingStages]longEntry[stageRecord]) }}

// lateStages is the additional room in a shard of the long history for stages that are added late:
// the pending stages of 64 threads.
const lateStages = 64 * maxPendingStages

// addPendingStage keeps an ended stage for the long history. Several stages are added there
// together: when the thread's statement ends, when there are many, or when a reader needs them.
// Added one by one, each would cost a cache miss and a lock. The caller holds mu.
func (a *activity) addPendingStage(r *Registry, s longEntry[stageRecord]) {
	if a.pending == nil {
		a.pending = stagesPool.Get().(*[maxPendingStages]longEntry[stageRecord])[:0]
	}
	a.pending = append(a.pending, s)
	if len(a.pending) == maxPendingStages {
		a.flushStages(r)
	}
}

// flushStages adds the pending stages to the long history. The caller holds mu.
func (a *activity) flushStages(r *Registry) {
	if len(a.pending) > 0 {
		r.work.stages.Load().add(a.pending[0].record.thread, a.pending...)
	}
	a.dropStages()
}

// dropStages drops the pending stages, and gives their memory back to the pool. The caller holds mu.
func (a *activity) dropStages() {
	if a.pending != nil {
		stagesPool.Put((*[maxPendingStages]longEntry[stageRecord])(a.pending[:maxPendingStages]))
		a.pending = nil
	}
}

// SetWorkEstimated says how much work the current stage has to do, in a unit that the stage
// chooses. It does nothing for a stage without progress. Owned by the thread's goroutine.
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

// Progress reports whether the stage reports its progress.
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
		changeActivity(t, func(a *activity) { a.flushStages(h.r) })
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
