package instr

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// prepare runs a statement of the worker that prepares another one.
func (w *worker) prepare(o PreparedOptions) *PreparedStatement {
	s := w.StartStatement(w.query)
	defer s.End()
	return w.Prepare(o)
}

// execute runs a statement that executes p, returns rows, and ends with an error if errno is not 0.
func (w *worker) execute(p *PreparedStatement, rows uint64, errno int) {
	s := w.StartStatement(w.sel)
	w.Execute(p)
	s.Add(RowsSent, rows)
	s.Add(RowsAffected, 5)
	s.SetDiagnostics(errno, "", "")
	s.End()
}

func TestPreparedStatement(t *testing.T) {
	w := newWorker(t)
	s := w.StartStatement(w.query)
	id := w.CurrentStatements(nil)[0].ID
	p := w.Prepare(PreparedOptions{StatementID: 7, Name: "p", SQLText: "SELECT ?"})
	if p.Stat() != noPreparedStat {
		t.Errorf("while it is prepared: %+v", p.Stat())
	}
	s.End()
	if thread, event := p.Owner(); thread != w.Thread.ID() || event != id {
		t.Errorf("the owner is %d %d, want %d %d", thread, event, w.Thread.ID(), id)
	}
	if kind, schema, name := p.OwnerObject(); kind+schema+name != "" {
		t.Errorf("%q %q %q has prepared it", kind, schema, name)
	}
	if p.StatementID != 7 || p.Name != "p" || p.SQLText != "SELECT ?" || p.ID() == 0 {
		t.Errorf("%+v", p.PreparedOptions)
	}
	prepared := p.Stat()
	if prepared.Prepare.Count != 1 || !prepared.Prepare.Timed() || prepared.Executed.Count != 0 {
		t.Errorf("after it is prepared: %+v", prepared)
	}

	w.execute(p, 2, 0)
	w.execute(p, 3, 0)
	w.execute(p, 0, 1064)
	w.execute(nil, 100, 0)
	p.Reprepare()
	got := p.Stat()
	if got.Prepare != prepared.Prepare || got.Reprepared != 1 || got.Executed.Count != 3 {
		t.Errorf("after three executions: %+v", got)
	}
	if c := got.Executed.Counters; c[RowsSent] != 5 || c[RowsAffected] != 10 || c[Errors] != 1 {
		t.Errorf("they count %v", c)
	}
	// An execution also counts for the statement's instrument.
	if n := w.Work(WorkStatements); n.Statement(w.sel.Class()).Count != 4 {
		t.Errorf("%d statements", n.Statement(w.sel.Class()).Count)
	}

	w.r.Reader().ResetPreparedStatements()
	if p.Stat() != noPreparedStat {
		t.Errorf("after TRUNCATE: %+v", p.Stat())
	}
	w.execute(p, 1, 0)
	if got := p.Stat().Executed; got.Count != 1 || got.Counters[RowsSent] != 1 {
		t.Errorf("after TRUNCATE and an execution: %+v", got)
	}
	if all := w.r.Reader().PreparedStatements(); !slices.Equal(all, []*PreparedStatement{p}) {
		t.Errorf("there are %v", all)
	}
	p.Drop()
	p.Drop()
	if all := w.r.Reader().PreparedStatements(); len(all) != 0 {
		t.Errorf("there are %v", all)
	}
}

// Inside a stored program the program is the owner, and the event that it runs in.
func TestPreparedInProgram(t *testing.T) {
	w := newWorker(t)
	call := w.StartStatement(w.sel)
	id := w.CurrentStatements(nil)[0].ID
	inside := w.StartStatement(w.query)
	inside.SetObject("PROCEDURE", "db", "p")
	p := w.Prepare(PreparedOptions{StatementID: 1})
	inside.End()
	call.End()
	if kind, schema, name := p.OwnerObject(); kind != "PROCEDURE" || schema != "db" || name != "p" {
		t.Errorf("%q %q %q has prepared it", kind, schema, name)
	}
	if _, event := p.Owner(); event != id {
		t.Errorf("event %d has prepared it, want %d", event, id)
	}
}

// If the statement is not instrumented, the prepared statement is not either.
func TestPreparedUninstrumented(t *testing.T) {
	w := newWorker(t)
	p := w.prepare(PreparedOptions{StatementID: 1})
	off := w.r.NewStatementClass("sql/off")
	off.Class().SetEnabled(false)
	for name, do := range map[string]func(run func()){
		"no statement": func(run func()) { run() },
		"instrument": func(run func()) {
			s := w.StartStatement(w.query)
			s.Refine(off)
			run()
			s.End()
		},
		"thread": func(run func()) {
			w.SetInstrumented(false)
			s := w.StartStatement(w.query)
			run()
			s.End()
			w.SetInstrumented(true)
		},
	} {
		do(func() {
			if w.Prepare(PreparedOptions{StatementID: 2}) != nil {
				t.Errorf("%s: prepared", name)
			}
			w.Execute(p)
		})
	}
	if n := p.Stat().Executed.Count; n != 0 {
		t.Errorf("%d executions", n)
	}
	var none *Thread
	none.Execute(p)
	none.Prepare(PreparedOptions{}).Drop()
	none.Prepare(PreparedOptions{}).Reprepare()

	w.sel.Class().SetTimed(false)
	w.execute(p, 1, 0)
	if got := p.Stat().Executed; got.Count != 1 || got.Timed() {
		t.Errorf("untimed: %+v", got)
	}
}

// Beyond the limit they are lost, until one is dropped or its thread ends.
func TestLimitOfPreparedStatements(t *testing.T) {
	w := newWorker(t)
	w.r.Setup().SetLimit(LimitPreparedStatements, 2)
	first := w.prepare(PreparedOptions{StatementID: 1})
	done := make(chan struct{})
	go func() {
		defer close(done)
		th := w.r.Attach("test/other")
		s := th.StartStatement(w.query)
		th.Prepare(PreparedOptions{StatementID: 1})
		if th.Prepare(PreparedOptions{StatementID: 2}) != nil {
			t.Error("there is a third one")
		}
		s.End()
		th.Detach()
	}()
	<-done
	if all := w.r.Reader().PreparedStatements(); !slices.Equal(all, []*PreparedStatement{first}) {
		t.Errorf("after the end of the other thread there are %v", all)
	}
	if w.prepare(PreparedOptions{StatementID: 2}) == nil || w.prepare(PreparedOptions{StatementID: 3}) != nil {
		t.Error("there is not room for one more")
	}
	first.Drop()
	if w.prepare(PreparedOptions{StatementID: 4}) == nil {
		t.Error("there is no room after a drop")
	}
	wantLost(t, w.r, map[Limit]uint64{LimitPreparedStatements: 2})
}

func TestPreparedTextIsCut(t *testing.T) {
	w := newWorker(t)
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("x", preparedTextLength), strings.Repeat("x", preparedTextLength)},
		{strings.Repeat("x", preparedTextLength+1), strings.Repeat("x", preparedTextLength)},
		{"x" + strings.Repeat("é", preparedTextLength), "x" + strings.Repeat("é", preparedTextLength/2-1)},
	} {
		p := w.prepare(PreparedOptions{SQLText: c.text})
		if p.SQLText != c.want || !utf8.ValidString(p.SQLText) {
			t.Errorf("%d bytes of %d, want %d", len(p.SQLText), len(c.text), len(c.want))
		}
	}
}

// Readers see whole statistics of statements of threads that come and go.
func TestPreparedStatementsRace(t *testing.T) {
	r := NewRegistry()
	class := r.NewStatementClass("sql/select")
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				for _, p := range r.Reader().PreparedStatements() {
					s := p.Stat().Executed
					if s.Counters[RowsSent] != 3*s.Count {
						t.Errorf("%d rows of %d executions", s.Counters[RowsSent], s.Count)
					}
				}
				r.Reader().ResetPreparedStatements()
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for n := range 3 {
		writers.Go(func() {
			for range 50 {
				th := r.Attach("test/writer")
				var all []*PreparedStatement
				for i := range 20 {
					s := th.StartStatement(class)
					all = append(all, th.Prepare(PreparedOptions{StatementID: uint64(i), Name: fmt.Sprint(n)}))
					s.End()
					s = th.StartStatement(class)
					th.Execute(all[i/2])
					s.Add(RowsSent, 3)
					s.End()
					if i%3 == 0 {
						all[i].Drop()
					}
				}
				th.Detach()
				all[1].Drop()
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	if n := r.used[LimitPreparedStatements].Load(); n != 0 {
		t.Errorf("%d places are taken", n)
	}
}
