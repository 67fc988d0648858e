package tables

import (
	"fmt"
	"slices"

	"pfsd/instr"
)

// modelPrepared is a row of prepared_statements_instances.
type modelPrepared struct {
	product    *instr.PreparedStatement
	options    instr.PreparedOptions
	thread     *modelThread
	event      uint64
	object     [3]string // the program that it was prepared in: type, schema, name
	prepare    modelSum
	reprepared uint64
	executed   modelSum
}

var preparedNames = slices.Concat([]string{
	"OBJECT_INSTANCE_BEGIN", "STATEMENT_ID", "STATEMENT_NAME", "SQL_TEXT", "OWNER_THREAD_ID", "OWNER_EVENT_ID", "OWNER_OBJECT_TYPE", "OWNER_OBJECT_SCHEMA",
	"OWNER_OBJECT_NAME", "EXECUTION_ENGINE", "TIMER_PREPARE", "COUNT_REPREPARE",
}, statNames("EXECUTE", "EXECUTE"), statementSums)

func (m *model) expectPrepared(x *expectation) {
	e := x.table("prepared_statements_instances", 1, preparedNames...)
	for _, p := range m.prepared {
		engine := "PRIMARY"
		if p.executed.counters[instr.CountSecondary] > 0 {
			engine = "SECONDARY"
		}
		e.row(slices.Concat([]string{
			num(p.product.ID()), num(p.options.StatementID), orNull(p.options.Name), p.options.SQLText, num(p.thread.id), num(p.event), orNull(p.object[0]), orNull(p.object[1]),
			orNull(p.object[2]), engine, num(p.prepare.sum), num(p.reprepared),
		}, p.executed.cells(), nums(p.executed.counters[:]))...)
	}
}

// truncatePrepared leaves the rows.
func (m *model) truncatePrepared() {
	for _, p := range m.prepared {
		p.prepare, p.reprepared, p.executed = noSum, 0, noSum
	}
}

// counts counts a statement that has prepared or executed p.
func (p *modelPrepared) counts(preparing bool, one modelSum) {
	if preparing {
		p.prepare.add(one)
	} else {
		p.executed.add(one)
	}
}

// runs is the innermost statement that a thread runs, with a row or not; nil if there is none.
func (t *modelThread) runs() *modelStatement {
	if t == nil || len(t.statements) == 0 {
		return nil
	}
	return t.statements[len(t.statements)-1]
}

// preparedOf are the statements that a thread has prepared.
func (m *model) preparedOf(t *modelThread) (all []*modelPrepared) {
	for _, p := range m.prepared {
		if p.thread == t {
			all = append(all, p)
		}
	}
	return all
}

var modelPreparedOps = []modelOp{
	{"prepare", 4, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		if !r.attached() {
			return ""
		}
		o := instr.PreparedOptions{StatementID: uint64(w.checks), Name: pick([]string{"", "s"}, b), SQLText: pick(modelTexts, c).sql}
		var product *instr.PreparedStatement
		w.in(r, func() { product = r.handle.Prepare(o) })
		s := r.thread.runs()
		made := s != nil && !w.full(instr.LimitPreparedStatements, len(w.prepared))
		if made != (product != nil) {
			w.fail("prepared: %v, want %v", product != nil, made)
		}
		if !made || product == nil {
			return "not instrumented"
		}
		p := &modelPrepared{product: product, options: o, thread: r.thread, event: s.id, object: s.object, prepare: noSum, executed: noSum}
		if s.object[0] != "" {
			p.event = s.nesting.id
		}
		w.prepared = append(w.prepared, p)
		s.prepared, s.preparing = p, true
		return fmt.Sprintf("%s prepares %d", r, product.ID())
	}},
	{"execute", 4, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		own := w.preparedOf(r.thread)
		if len(own) == 0 {
			return ""
		}
		p := pick(own, b)
		if c%6 == 0 {
			w.in(r, p.product.Reprepare)
			p.reprepared++
			return fmt.Sprintf("%d prepared again", p.product.ID())
		}
		w.in(r, func() { r.handle.Execute(p.product) })
		if s := r.thread.runs(); s != nil {
			s.prepared, s.preparing = p, false
		}
		return fmt.Sprintf("%s executes %d", r, p.product.ID())
	}},
	{"drop prepared", 1, func(w *modelWorld, a, b, c uint32) string {
		r := pick(w.routines, a)
		own := w.preparedOf(r.thread)
		if len(own) == 0 {
			return ""
		}
		p := pick(own, b)
		w.in(r, func() { p.product.Drop(); p.product.Drop() })
		w.prepared = slices.DeleteFunc(w.prepared, func(o *modelPrepared) bool { return o == p })
		return num(p.product.ID())
	}},
}
