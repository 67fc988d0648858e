package tables

import (
	"fmt"
	"slices"

	"pfsd/instr"
)

// modelProgram is a row of events_statements_summary_by_program.
type modelProgram struct {
	kind             instr.ObjectType
	schema, name     string
	product          *instr.Program
	runs, statements modelSum
}

// openRun is a run of a program that has not ended.
type openRun struct {
	handle         instr.ProgramRun
	program        *modelProgram
	counted, timed bool
}

var programNames = slices.Concat([]string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}, waitStatNames,
	[]string{"COUNT_STATEMENTS", "SUM_STATEMENTS_WAIT", "MIN_STATEMENTS_WAIT", "AVG_STATEMENTS_WAIT", "MAX_STATEMENTS_WAIT"}, statementSums)

func (m *model) expectPrograms(x *expectation) {
	e := x.table("events_statements_summary_by_program", 3, programNames...)
	for _, p := range m.programs {
		e.row(slices.Concat([]string{modelObjectTypes[p.kind], p.schema, p.name}, p.runs.cells(), p.statements.cells(), nums(p.statements.counters[:]))...)
	}
}

// truncatePrograms leaves the rows.
func (m *model) truncatePrograms() {
	for _, p := range m.programs {
		p.runs, p.statements = noSum, noSum
	}
}

// program returns a program, made if need be; nil if there is none.
func (w *modelWorld) program(a, b uint32) *modelProgram {
	kind := pick([]instr.ObjectType{instr.ObjectProcedure, instr.ObjectFunction, instr.ObjectTrigger, instr.ObjectTable}, a)
	schema, name := pick([]string{"db1", "db2", "mysql"}, b), pick([]string{"t1", "p1"}, b/4)
	product := w.reg.NewProgram(kind, schema, name)
	var p *modelProgram
	for _, o := range w.programs {
		if o.kind == kind && o.schema == schema && o.name == name {
			p = o
		}
	}
	if p == nil && kind != instr.ObjectTable && !w.full(instr.LimitPrograms, len(w.programs)) {
		p = &modelProgram{kind: kind, schema: schema, name: name, product: product, runs: noSum, statements: noSum}
		w.programs = append(w.programs, p)
	}
	if (p == nil) != (product == nil) || p != nil && p.product != product {
		w.fail("the program %s.%s of type %d is %p", schema, name, kind, product)
	}
	return p
}

// watchedProgram is what setup_objects says of a program.
func (m *model) watchedProgram(p *modelProgram) (enabled, timed bool) {
	return m.watchedObject(p.kind, p.schema, p.name)
}

func (p *modelProgram) String() string {
	return fmt.Sprintf("%s %s.%s", modelObjectTypes[p.kind], p.schema, p.name)
}

// calls is what the registry has counted of the runs of a program.
func (w *modelWorld) calls(p *modelProgram) (s instr.WorkStat) {
	for _, row := range w.reg.Reader().Programs() {
		if row.Type == p.kind && row.Schema == p.schema && row.Name == p.name {
			s = row.Calls
		}
	}
	return s
}

var modelProgramOps = []modelOp{
	{"program", 4, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if r.thread == nil || len(r.runs) > 5 {
			return ""
		}
		p := w.program(a/8, b)
		if p == nil {
			return "no program"
		}
		enabled, timed := w.watchedProgram(p)
		counted := enabled && w.consumers[instr.ConsumerGlobalInstrumentation] && (r.thread.instrumented || !w.consumers[instr.ConsumerThreadInstrumentation])
		run := &openRun{program: p, counted: counted, timed: timed}
		w.in(r, func() { run.handle = r.handle.StartProgram(p.product) })
		r.runs = append(r.runs, run)
		return fmt.Sprint(r, " runs ", p)
	}},
	{"program end", 5, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if len(r.runs) == 0 {
			return ""
		}
		run := r.runs[len(r.runs)-1]
		r.runs = r.runs[:len(r.runs)-1]
		p := run.program
		before := w.calls(p)
		w.in(r, run.handle.End)
		after := w.calls(p)
		if run.counted && slices.Contains(w.programs, p) {
			one := modelSum{count: 1, min: noSum.min}
			if run.timed {
				one.sum = after.Sum - before.Sum
				one.min, one.max, one.timed = one.sum, one.sum, 1
			}
			p.runs.add(one)
		}
		return fmt.Sprint(r, " has run ", p)
	}},
	{"drop program", 1, func(w *modelWorld, a, b, c uint32) string {
		if len(w.programs) == 0 {
			return ""
		}
		p := pick(w.programs, a)
		w.reg.DropProgram(p.kind, p.schema, p.name)
		w.programs = slices.DeleteFunc(w.programs, func(o *modelProgram) bool { return o == p })
		return p.String()
	}},
}
