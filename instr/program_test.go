package instr

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// runProgram runs a program once, with so many statements.
func (w *worker) runProgram(p *Program, statements int) {
	run := w.StartProgram(p)
	for range statements {
		s := w.StartStatement(w.sel)
		s.SetProgram(p)
		s.Add(RowsSent, 2)
		s.End()
	}
	run.End()
}

// rowsOf says how often each program ran, and how many statements it ran.
func rowsOf(r *Registry) (all []string) {
	for _, p := range r.Reader().Programs() {
		all = append(all, fmt.Sprintf("%s %s.%s %d/%d", programTypes[p.Type], p.Schema, p.Name, p.Calls.Count, p.Statements.Count))
	}
	return all
}

func TestProgramNames(t *testing.T) {
	w := newWorker(t)
	r := w.r
	proc := r.NewProgram(ObjectProcedure, "db", "Straße")
	for _, same := range []string{"straße", "STRAßE"} {
		if r.NewProgram(ObjectProcedure, "db", same) != proc {
			t.Errorf("%s is another procedure", same)
		}
	}
	for _, other := range []*Program{r.NewProgram(ObjectProcedure, "DB", "straße"), r.NewProgram(ObjectFunction, "db", "straße"), r.NewProgram(ObjectProcedure, "db", "Strasse")} {
		if other == proc {
			t.Error("the same program")
		}
	}
	if r.NewProgram(ObjectTrigger, "db", "t") == r.NewProgram(ObjectTrigger, "db", "T") {
		t.Error("triggers do not tell letter case apart")
	}
	if r.NewProgram(ObjectTable, "db", "t") != nil || r.Reader().Lost(LimitPrograms) != 0 {
		t.Error("a table is a program")
	}
	want := []string{"PROCEDURE db.Straße 0/0", "PROCEDURE DB.straße 0/0", "FUNCTION db.straße 0/0", "PROCEDURE db.Strasse 0/0", "TRIGGER db.t 0/0", "TRIGGER db.T 0/0"}
	if got := rowsOf(r); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A statement counts in the last program that it is part of, and nowhere if that is not watched.
func TestStatementOfTwoPrograms(t *testing.T) {
	w := newWorker(t)
	watched, unwatched := w.r.NewProgram(ObjectProcedure, "db", "a"), w.r.NewProgram(ObjectProcedure, "mysql", "b")
	for _, p := range []*Program{watched, unwatched} {
		s := w.StartStatement(w.sel)
		s.SetProgram(watched)
		s.SetProgram(p)
		s.End()
	}
	if got, want := rowsOf(w.r), []string{"PROCEDURE db.a 0/1", "PROCEDURE mysql.b 0/0"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Programs beyond the limit run and count nothing; a dropped one leaves its place to another.
func TestProgramLimit(t *testing.T) {
	w := newWorker(t)
	w.r.Setup().SetLimit(LimitPrograms, 2)
	a, b := w.r.NewProgram(ObjectProcedure, "db", "a"), w.r.NewProgram(ObjectTrigger, "db", "b")
	for range 3 {
		if c := w.r.NewProgram(ObjectProcedure, "db", "c"); c != nil {
			t.Fatal("no limit")
		}
		w.runProgram(nil, 1)
	}
	wantLost(t, w.r, map[Limit]uint64{LimitPrograms: 3})
	w.r.DropProgram(ObjectProcedure, "db", "b") // is a trigger
	w.r.DropProgram(ObjectProcedure, "db", "A")
	w.runProgram(a, 1) // still runs, counts nowhere
	c := w.r.NewProgram(ObjectEvent, "db", "c")
	w.runProgram(b, 1)
	w.runProgram(c, 2)
	if got, want := rowsOf(w.r), []string{"TRIGGER db.b 1/1", "EVENT db.c 1/2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	other := NewRegistry().NewProgram(ObjectProcedure, "db", "p")
	run := w.StartProgram(other)
	run.End()
	s := w.StartStatement(w.sel)
	s.SetProgram(other)
	s.End()
	if got := other.registry.Reader().Programs()[0]; got.Calls.Count+got.Statements.Count != 0 {
		t.Errorf("counted in another registry: %+v", got)
	}
	w.r.Setup().SetLimit(LimitPrograms, 0)
	if w.r.NewProgram(ObjectEvent, "db", "d") != nil {
		t.Error("0 is no limit")
	}
}

// Every switch counts from the next run and the next statement on.
func TestProgramSwitches(t *testing.T) {
	w := newWorker(t)
	p := w.r.NewProgram(ObjectProcedure, "db", "p")
	set := func(enabled, timed bool) func() {
		return func() {
			w.r.Setup().RemoveObject(ObjectProcedure, "db", "P")
			if err := w.r.Setup().AddObject(SetupObject{ObjectProcedure, "db", "P", enabled, timed}); err != nil {
				t.Fatal(err)
			}
		}
	}
	consumer := func(c Consumer, on bool) func() { return func() { w.r.Setup().SetConsumer(c, on) } }
	for _, test := range []struct {
		name string
		set  func()
		// how many of one run and two statements count, and whether the run is timed
		runs, statements uint64
		timed            bool
	}{
		{"as it is", func() {}, 1, 2, true},
		{"setup_objects: off", set(false, true), 0, 0, false},
		{"setup_objects: untimed", set(true, false), 1, 2, false},
		{"setup_objects: the rows of any", w.r.Setup().ClearObjects, 0, 0, false},
		{"setup_objects: on", set(true, true), 1, 2, true},
		{"a timer", func() { w.r.Setup().SetTimer(TimerStatement, 1) }, 1, 2, true},
		{"the thread off", func() { w.SetInstrumented(false) }, 0, 0, false},
		{"the thread on", func() { w.SetInstrumented(true) }, 1, 2, true},
		{"no threads", consumer(ConsumerThreadInstrumentation, false), 1, 2, true},
		{"nothing", consumer(ConsumerGlobalInstrumentation, false), 0, 0, false},
		{"all", func() {
			w.r.Setup().SetConsumer(ConsumerGlobalInstrumentation, true)
			w.r.Setup().SetConsumer(ConsumerThreadInstrumentation, true)
		}, 1, 2, true},
		{"no events", consumer(ConsumerEventsStatementsCurrent, false), 1, 2, true},
	} {
		test.set()
		w.r.Reader().TruncatePrograms()
		w.runProgram(p, 2)
		got := w.r.Reader().Programs()[0]
		if got.Calls.Count != test.runs || got.Statements.Count != test.statements || got.Statements.Counters[RowsSent] != 2*test.statements {
			t.Errorf("%s: %d runs, %+v", test.name, got.Calls.Count, got.Statements)
		}
		if got.Calls.Timed() != test.timed {
			t.Errorf("%s: timed: %t", test.name, got.Calls.Timed())
		}
	}
	var none *Thread
	run := none.StartProgram(p)
	run.End()
	w.r.Reader().TruncatePrograms()
	twice := w.StartProgram(p)
	twice.End()
	twice.End()
	if got := w.r.Reader().Programs()[0].Calls.Count; got != 1 {
		t.Errorf("ended twice, counted %d times", got)
	}
}

// Random work, compared with a model.
func TestProgramsModel(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorker(t)
		random := rand.New(rand.NewPCG(seed, 0))
		type counts struct{ runs, statements int }
		model, order, lost := map[string]*counts{}, []string(nil), uint64(0)
		limit := 3 + random.IntN(3)
		w.r.Setup().SetLimit(LimitPrograms, limit)
		for range 300 {
			name := fmt.Sprint("p", random.IntN(8))
			switch random.IntN(8) {
			case 0:
				w.r.DropProgram(ObjectFunction, "db", name)
				if model[name] != nil {
					delete(model, name)
					order = slices.DeleteFunc(order, func(n string) bool { return n == name })
				}
			case 1:
				if random.IntN(10) == 0 {
					w.r.Reader().TruncatePrograms()
					for _, c := range model {
						*c = counts{}
					}
				}
			default:
				p, n := w.r.NewProgram(ObjectFunction, "db", name), random.IntN(4)
				if model[name] == nil && len(model) < limit {
					model[name] = &counts{}
					order = append(order, name)
				}
				w.runProgram(p, n)
				if c := model[name]; c != nil {
					c.runs++
					c.statements += n
				} else {
					lost++
				}
			}
			var want []string
			for _, name := range order {
				want = append(want, fmt.Sprintf("FUNCTION db.%s %d/%d", name, model[name].runs, model[name].statements))
			}
			if got := rowsOf(w.r); !slices.Equal(got, want) || w.r.Reader().Lost(LimitPrograms) != lost {
				t.Fatalf("seed %d: got  %q, lost %d\nwant %q, lost %d", seed, got, w.r.Reader().Lost(LimitPrograms), want, lost)
			}
		}
	}
}

// Threads run, make and drop programs at the same time, while others read: no row is torn, and a
// program that is never dropped loses nothing.
func TestProgramsConcurrently(t *testing.T) {
	const threads, rounds = 4, 300
	r := NewRegistry()
	sel := r.NewStatementClass("sp/stmt")
	var work, read sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		read.Go(func() {
			for {
				for _, p := range r.Reader().Programs() {
					if n := p.Statements; n.Counters[RowsSent] != 2*n.Count || n.Count < p.Calls.Count {
						t.Errorf("%s: %d statements sent %d rows in %d runs", p.Name, n.Count, n.Counters[RowsSent], p.Calls.Count)
					}
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range threads {
		work.Go(func() {
			th := r.Attach("test/worker")
			defer th.Detach()
			for n := range rounds {
				for _, name := range []string{"kept", fmt.Sprint("p", (n+i)%5)} {
					p := r.NewProgram(ObjectProcedure, "db", name)
					run := th.StartProgram(p)
					s := th.StartStatement(sel)
					s.SetProgram(p)
					s.Add(RowsSent, 2)
					s.End()
					run.End()
				}
				r.DropProgram(ObjectProcedure, "db", fmt.Sprint("p", n%5))
				r.Setup().UpdateObject(SetupObject{Type: ObjectProcedure, Schema: anyObject, Name: anyObject}, func(o *SetupObject) { o.Timed = n%2 == 0 })
			}
		})
	}
	work.Wait()
	close(done)
	read.Wait()
	kept := r.Reader().Programs()[0]
	if kept.Name != "kept" || kept.Calls.Count != threads*rounds || kept.Statements.Count != threads*rounds {
		t.Errorf("got %+v", kept)
	}
}

// Statements deeper than the stack are lost, in a program and out of it.
func TestStatementStackOfPrograms(t *testing.T) {
	w := newWorker(t)
	w.r.Setup().SetStatementStackSize(3)
	p := w.r.NewProgram(ObjectProcedure, "db", "p")
	var recurse func(depth int)
	recurse = func(depth int) {
		if depth == 0 {
			return
		}
		run := w.StartProgram(p)
		s := w.StartStatement(w.sel)
		s.SetProgram(p)
		recurse(depth - 1)
		s.End()
		run.End()
	}
	recurse(5)
	got := w.r.Reader().Programs()[0]
	if got.Calls.Count != 5 || got.Statements.Count != 3 || w.r.Reader().NestedStatementLost() != 2 {
		t.Errorf("%d runs, %d statements, %d lost", got.Calls.Count, got.Statements.Count, w.r.Reader().NestedStatementLost())
	}
	history := w.StatementsHistory(nil)
	for i, e := range history {
		if e.Level != 2-i {
			t.Errorf("statement %d is on level %d", i, e.Level)
		}
	}
}
