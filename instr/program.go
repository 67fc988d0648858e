package instr

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Program is a stored program: something with a name of its own that runs statements. It is
// watched as setup_objects says, at once when that changes. A nil Program, one beyond the
// limit, works and counts nothing. Safe for concurrent use.
type Program struct {
	registry     *Registry
	kind         ObjectType
	schema, name string
	place        uint64 // among the registry's
	watch        objectWatch

	mu         sync.Mutex
	calls      WorkStat      // guarded by mu
	statements StatementStat // guarded by mu
}

// programs are the registry's programs. The zero programs has none.
type programs struct {
	mu       sync.RWMutex
	all      map[objectKey]*Program // guarded by mu
	next     uint64                 // the place of the next one; guarded by mu
	switches atomic.Uint64          // of all programs, like those of a class of statements
}

// NewProgram returns the program of a type that has this schema and name, made if need be. Names
// are compared as in setup_objects. It returns nil, and counts one more as lost, if there are as
// many as LimitPrograms allows. It returns nil for ObjectTable too, as a table is no program. Safe
// for concurrent use.
func (r *Registry) NewProgram(t ObjectType, schema, name string) *Program {
	if t == ObjectTable || t >= ObjectTypeCount {
		return nil
	}
	s, key := &r.programs, newObjectKey(t, schema, name)
	s.mu.RLock()
	p := s.all[key]
	s.mu.RUnlock()
	if p != nil {
		return p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.all[key]; p != nil {
		return p
	}
	if !r.acquire(LimitPrograms) {
		return nil
	}
	if s.all == nil {
		s.all = map[objectKey]*Program{}
	}
	p = &Program{registry: r, kind: t, schema: schema, name: name, place: s.next}
	s.all[key] = p
	s.next++
	return p
}

// NewProgram is Registry.NewProgram of the default registry.
func NewProgram(t ObjectType, schema, name string) *Program {
	return Default.NewProgram(t, schema, name)
}

// DropProgram removes the program with this type, schema and name, if there is one. Runs of it that
// are in progress count nowhere. Safe for concurrent use.
func (r *Registry) DropProgram(t ObjectType, schema, name string) {
	s, key := &r.programs, newObjectKey(t, schema, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[key] != nil {
		delete(s.all, key)
		r.release(LimitPrograms)
	}
}

// DropProgram is Registry.DropProgram of the default registry.
func DropProgram(t ObjectType, schema, name string) { Default.DropProgram(t, schema, name) }

// ProgramRow is a row of events_statements_summary_by_program: how often a program ran, and
// the statements that it ran. Times are in picoseconds.
type ProgramRow struct {
	Type         ObjectType
	Schema, Name string
	Calls        WorkStat
	Statements   StatementStat
}

// Programs returns the rows of events_statements_summary_by_program, in the order in which the
// programs were made. Safe for concurrent use.
func (h Reader) Programs() []ProgramRow {
	all := h.r.programs.list()
	rows := make([]ProgramRow, len(all))
	for i, p := range all {
		p.mu.Lock()
		rows[i] = ProgramRow{p.kind, p.schema, p.name, p.calls.orNone(), p.statements}
		p.mu.Unlock()
		rows[i].Statements.WorkStat = rows[i].Statements.orNone()
	}
	return rows
}

// TruncatePrograms makes the statistics of all programs 0; their rows stay. Safe for
// concurrent use.
func (h Reader) TruncatePrograms() {
	for _, p := range h.r.programs.list() {
		p.mu.Lock()
		p.calls, p.statements = WorkStat{}, StatementStat{}
		p.mu.Unlock()
	}
}

// list returns the programs, the oldest first.
func (s *programs) list() []*Program {
	s.mu.RLock()
	all := make([]*Program, 0, len(s.all))
	for _, p := range s.all {
		all = append(all, p)
	}
	s.mu.RUnlock()
	slices.SortFunc(all, func(a, b *Program) int { return cmp.Compare(a.place, b.place) })
	return all
}

// recomputePrograms packs the switches of all programs. The caller holds mu.
func (r *Registry) recomputePrograms() {
	s := switches(0)
	if r.Setup().Consumer(ConsumerGlobalInstrumentation) {
		s = swEnabled | swTimed | switches(r.timers[TimerStatement])<<swTimerShift
		if r.Setup().Consumer(ConsumerThreadInstrumentation) {
			s |= swThreads
		}
	}
	r.programs.switches.Store(uint64(s))
}

// watched is what setup_objects says of the program.
func (p *Program) watched() objectSwitches {
	return p.watch.switches(p.registry, p.kind, p.schema, p.name)
}

// ProgramRun is a run of a program in progress; the zero ProgramRun is none. Owned by the
// thread's goroutine.
type ProgramRun struct {
	program *Program
	sw      switches
	start   uint64
}

// StartProgram starts a run of a program, such as the call of a procedure. A nil thread or
// program starts none. Owned by the thread's goroutine.
func (t *Thread) StartProgram(p *Program) ProgramRun {
	if t == nil || p == nil || p.registry != t.registry {
		return ProgramRun{}
	}
	sw := switches(t.registry.programs.switches.Load())
	if sw == 0 || sw&swThreads != 0 && !t.instrumented() {
		return ProgramRun{}
	}
	w := p.watched()
	if !w.enabled {
		return ProgramRun{}
	}
	run := ProgramRun{program: p, sw: sw}
	if !w.timed {
		run.sw &^= swTimed
	} else {
		run.start = sw.now()
	}
	return run
}

// End ends the run, once.
func (run *ProgramRun) End() {
	p, timed := run.program, run.sw&swTimed != 0
	if p == nil {
		return
	}
	ps := uint64(0)
	if timed {
		ps = run.sw.timer().PicosecondsSaturated(max(run.sw.now(), run.start) - run.start)
	}
	run.program = nil
	p.mu.Lock()
	p.calls.record(timed, ps)
	p.mu.Unlock()
}

// SetProgram says which stored program the statement is part of. If the program is watched now, the
// statement counts there too when it ends. With a nil Program it does nothing: see SetObject.
func (s *Statement) SetProgram(p *Program) {
	if p == nil {
		return
	}
	s.SetObject(programTypes[p.kind], p.schema, p.name)
	if !p.watched().enabled || p.registry != s.registry() {
		p = nil
	}
	if place := s.lock(); place != nil {
		place.program = p
		s.activity.mu.Unlock()
	}
}

// programTypes are the names of the types, OBJECT_TYPE.
var programTypes = [ObjectTypeCount]string{
	ObjectEvent: "EVENT", ObjectFunction: "FUNCTION", ObjectProcedure: "PROCEDURE", ObjectTable: "TABLE", ObjectTrigger: "TRIGGER",
}

// registry is the registry of the statement's thread, nil for the zero Statement.
func (s *Statement) registry() *Registry {
	if s.thread == nil {
		return nil
	}
	return s.thread.registry
}

// addStatement counts a statement of the program.
func (p *Program) addStatement(one *StatementStat) {
	p.mu.Lock()
	p.statements.add(one)
	p.mu.Unlock()
}
