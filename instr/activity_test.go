package instr

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// worker is a thread of a registry with every consumer and every instrument on, and classes
// of all families.
type worker struct {
	*Thread
	r             *Registry
	query, sel    *StatementClass
	open, sending *StageClass
	load          *StageClass // with progress
	mutex         *Mutex
}

func newWorker(t *testing.T) *worker {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	for c := range ConsumerCount {
		r.Setup().SetConsumer(c, true)
	}
	w := &worker{
		r: r, query: r.NewStatementClass("abstract/Query"), sel: r.NewStatementClass("sql/select"),
		open: r.NewStageClass("sql/Opening tables", false), sending: r.NewStageClass("sql/Sending data", false),
		load: r.NewStageClass("innodb/alter table (read PK and internal sort)", true), mutex: r.NewMutex("test/lock"),
	}
	w.Thread = r.Attach("test/worker")
	t.Cleanup(w.Detach)
	return w
}

// each runs one event of each family: a statement with a stage, in a transaction.
func (w *worker) each() {
	w.StartTransaction(TransactionOptions{})
	s := w.StartStatement(w.sel)
	w.StartStage(w.open)
	w.EndStage()
	s.End()
	w.EndTransaction(true)
}

// wait is the event that a wait is part of if it happens now.
func (w *worker) wait() (id uint64, in NestingType) {
	w.mutex.Lock()
	w.mutex.Unlock()
	e := w.WaitsHistory(nil)
	last := e[len(e)-1]
	return last.NestingID, last.NestingType
}

// rows counts the rows of the thread's and the registry's tables of events of a family.
func (w *worker) rows(f Family) (current, history, long int) {
	switch f {
	case FamilyStages:
		return len(w.CurrentStage(nil)), len(w.StagesHistory(nil)), len(w.r.Reader().StagesHistoryLong())
	case FamilyStatements:
		return len(w.CurrentStatements(nil)), len(w.StatementsHistory(nil)), len(w.r.Reader().StatementsHistoryLong())
	}
	return len(w.CurrentTransaction(nil)), len(w.TransactionsHistory(nil)), len(w.r.Reader().TransactionsHistoryLong())
}

// counted is how many events of a family are in the thread's and in the global statistics.
func (w *worker) counted(f Family) (thread, global uint64) {
	of := func(s Work) uint64 {
		switch f {
		case FamilyStages:
			return s.Stage(w.open.class).Count
		case FamilyStatements:
			return s.Statement(w.sel.class).Count
		}
		return s.Transaction().All().Count
	}
	for _, s := range w.r.Reader().ThreadWork() {
		if s.ThreadID == w.ID() {
			thread = of(s)
		}
	}
	return thread, of(w.r.Reader().GlobalWork())
}

var workFamilies = map[string]Family{"stages": FamilyStages, "statements": FamilyStatements, "transactions": FamilyTransactions}

func TestStatementNesting(t *testing.T) {
	type nesting struct {
		id    uint64
		in    NestingType
		level int
	}
	for name, c := range map[string]struct {
		do   func(w *worker) // starts statements and does not end them
		want []nesting
	}{
		"alone":    {func(w *worker) { w.StartStatement(w.sel) }, []nesting{{0, NestingNone, 0}}},
		"in order": {func(w *worker) { s := w.StartStatement(w.sel); s.End(); w.StartStatement(w.sel) }, []nesting{{0, NestingNone, 0}}},
		"in a statement": {func(w *worker) { w.StartStatement(w.sel); w.StartStatement(w.sel); w.StartStatement(w.sel) },
			[]nesting{{0, NestingNone, 0}, {1, NestingStatement, 1}, {2, NestingStatement, 2}}},
		"in a transaction": {func(w *worker) {
			w.StartTransaction(TransactionOptions{})
			w.StartStatement(w.sel)
			w.StartStatement(w.sel)
		}, []nesting{{1, NestingTransaction, 0}, {2, NestingStatement, 1}}},
		"in a transaction in a statement": {func(w *worker) {
			w.StartStatement(w.sel)
			w.StartTransaction(TransactionOptions{})
			w.StartStatement(w.sel)
		}, []nesting{{0, NestingNone, 0}, {2, NestingTransaction, 1}}},
		"after a transaction": {func(w *worker) {
			w.StartTransaction(TransactionOptions{})
			w.EndTransaction(true)
			w.StartStatement(w.sel)
		}, []nesting{{0, NestingNone, 0}}},
		"in a stage": {func(w *worker) { w.StartStatement(w.sel); w.StartStage(w.open); w.StartStatement(w.sel) },
			[]nesting{{0, NestingNone, 0}, {1, NestingStatement, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t)
			c.do(w)
			var got []nesting
			for _, e := range w.CurrentStatements(nil) {
				got = append(got, nesting{e.NestingID, e.NestingType, e.Level})
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestTransactionNesting(t *testing.T) {
	w := newWorker(t)
	check := func(id uint64, in NestingType) {
		t.Helper()
		w.StartTransaction(TransactionOptions{})
		e := w.CurrentTransaction(nil)
		if len(e) != 1 || e[0].NestingID != id || e[0].NestingType != in {
			t.Errorf("%+v, want to be in %d, %d", e, id, in)
		}
		w.EndTransaction(true)
	}
	check(0, NestingNone) // the event 1
	s := w.StartStatement(w.sel)
	check(2, NestingStatement)
	inner := w.StartStatement(w.sel)
	check(4, NestingStatement)
	inner.End()
	check(2, NestingStatement)
	s.End()
	check(0, NestingNone)
}

func TestStageNesting(t *testing.T) {
	w := newWorker(t)
	check := func(id uint64, in NestingType) {
		t.Helper()
		w.StartStage(w.open)
		e := w.CurrentStage(nil)
		if len(e) != 1 || e[0].NestingID != id || e[0].NestingType != in {
			t.Errorf("%+v, want to be in %d, %d", e, id, in)
		}
	}
	check(0, NestingNone)        // 1
	s := w.StartStatement(w.sel) // 2
	check(2, NestingStatement)   // 3
	inner := w.StartStatement(w.sel)
	check(4, NestingStatement)
	inner.End()
	check(4, NestingStatement) // the statement that began last
	s.End()
	check(0, NestingNone)
}

func TestWaitNesting(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(w *worker)
		id   uint64
		want NestingType
	}{
		"nothing":           {func(w *worker) {}, 0, NestingNone},
		"statement":         {func(w *worker) { w.StartStatement(w.sel) }, 1, NestingStatement},
		"ended statement":   {func(w *worker) { s := w.StartStatement(w.sel); s.End() }, 0, NestingNone},
		"dropped statement": {func(w *worker) { s := w.StartStatement(w.query); w.sel.class.SetEnabled(false); s.Refine(w.sel) }, 0, NestingNone},
		"transaction":       {func(w *worker) { w.StartTransaction(TransactionOptions{}) }, 0, NestingNone},
		"stage":             {func(w *worker) { w.StartStatement(w.sel); w.StartStage(w.open) }, 2, NestingStage},
		"stage alone":       {func(w *worker) { w.StartStage(w.open) }, 1, NestingStage},
		"second stage":      {func(w *worker) { w.StartStatement(w.sel); w.StartStage(w.open); w.StartStage(w.sending) }, 3, NestingStage},
		"ended stage":       {func(w *worker) { w.StartStatement(w.sel); w.StartStage(w.open); w.EndStage() }, 1, NestingStatement},
		"ended stage alone": {func(w *worker) { w.StartStage(w.open); w.EndStage() }, 0, NestingNone},
		"stage that is off": {func(w *worker) {
			w.sending.class.SetEnabled(false)
			w.StartStatement(w.sel)
			w.StartStage(w.open)
			w.StartStage(w.sending)
		}, 1, NestingStatement},
		"inner statement": {func(w *worker) { w.StartStatement(w.sel); w.StartStage(w.open); w.StartStatement(w.sel) }, 3, NestingStatement},
		"inner stage ended": {func(w *worker) { w.StartStatement(w.sel); w.StartStatement(w.sel); w.StartStage(w.open); w.EndStage() },
			1, NestingStatement},
		"after inner statement": {func(w *worker) { w.StartStatement(w.sel); s := w.StartStatement(w.sel); s.End() }, 1, NestingStatement},
		"stage after inner statement": {func(w *worker) {
			w.StartStatement(w.sel)
			w.StartStage(w.open)
			s := w.StartStatement(w.sel)
			s.End()
		}, 2, NestingStage},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t)
			c.do(w)
			if id, in := w.wait(); id != c.id || in != c.want {
				t.Errorf("in %d, %d, want %d, %d", id, in, c.id, c.want)
			}
		})
	}
}

func TestWaitsInWaitsAndIdle(t *testing.T) {
	w := newWorker(t)
	w.StartStatement(w.sel)
	idle := w.StartIdle()
	if id, in := w.wait(); id != 2 || in != NestingWait {
		t.Errorf("a wait in a wait is in %d, %d", id, in)
	}
	idle.End()
	e := w.CurrentWaits(nil)
	if len(e) != 1 || e[0].NestingID != 0 || e[0].NestingType != NestingNone || e[0].EndID != 3 {
		t.Errorf("idle: %+v", e)
	}
	if id, in := w.wait(); id != 1 || in != NestingStatement {
		t.Errorf("after idle a wait is in %d, %d", id, in)
	}
}

func TestEndEventID(t *testing.T) {
	w := newWorker(t)
	w.StartTransaction(TransactionOptions{}) // 1
	s := w.StartStatement(w.sel)             // 2
	w.StartStage(w.open)                     // 3
	w.wait()                                 // 4
	w.StartStage(w.sending)                  // 5
	if e := w.CurrentStatements(nil)[0]; e.Ended || e.EndID != 0 || e.ID != 2 {
		t.Errorf("running: %+v", e)
	}
	w.EndStage()
	s.End()
	w.EndTransaction(true)
	stages := w.StagesHistory(nil)
	if len(stages) != 2 || stages[0].ID != 3 || stages[0].EndID != 4 || stages[1].ID != 5 || stages[1].EndID != 5 {
		t.Errorf("stages: %+v", stages)
	}
	if stages[0].TimerEnd() != stages[1].TimerStart() {
		t.Errorf("a stage begins at %d, the one before ends at %d", stages[1].TimerStart(), stages[0].TimerEnd())
	}
	if e := w.StatementsHistory(nil); len(e) != 1 || e[0].EndID != 5 || !e[0].Ended {
		t.Errorf("statements: %+v", e)
	}
	if e := w.TransactionsHistory(nil); len(e) != 1 || e[0].EndID != 5 || e[0].State != TransactionCommitted {
		t.Errorf("transactions: %+v", e)
	}
}

// The consumers of each family, from nothing to everything.
func TestConsumersOfFamilies(t *testing.T) {
	for name, f := range workFamilies {
		c := families[f]
		for _, step := range []struct {
			name                                   string
			off                                    []Consumer
			thread, global                         uint64
			current, history, long, ids, histogram int
		}{
			{name: "all on", thread: 1, global: 1, current: 1, history: 1, long: 1, ids: 1, histogram: 1},
			{name: "no history", off: []Consumer{c.history}, thread: 1, global: 1, current: 1, long: 1, ids: 1, histogram: 1},
			{name: "no history_long", off: []Consumer{c.historyLong}, thread: 1, global: 1, current: 1, history: 1, ids: 1, histogram: 1},
			{name: "no current", off: []Consumer{c.current}, thread: 1, global: 1, histogram: 1},
			{name: "no threads", off: []Consumer{ConsumerThreadInstrumentation}, global: 1, histogram: 1},
			{name: "nothing", off: []Consumer{ConsumerGlobalInstrumentation}},
		} {
			t.Run(name+"/"+step.name, func(t *testing.T) {
				w := newWorker(t)
				for other := range workFamilies {
					// Only the events of this family take ids.
					if o := families[workFamilies[other]]; o != c {
						w.r.Setup().SetConsumer(o.current, false)
					}
				}
				for _, c := range step.off {
					w.r.Setup().SetConsumer(c, false)
				}
				w.each()
				current, history, long := w.rows(f)
				if f == FamilyStages {
					w.StartStage(w.open)
					current, _, _ = w.rows(f)
					step.ids *= 2
				}
				if current != step.current || history != step.history || long != step.long {
					t.Errorf("%d current, %d in history, %d in history_long", current, history, long)
				}
				if thread, global := w.counted(f); thread != step.thread || global != step.global {
					t.Errorf("the thread counts %d, everything %d", thread, global)
				}
				if n := int(w.nextEvent) - 1; n != step.ids {
					t.Errorf("%d ids, want %d", n, step.ids)
				}
				if n := w.r.Reader().GlobalStatementHistogram().total(); int(n) != step.histogram {
					t.Errorf("%d in the histogram, want %d", n, step.histogram)
				}
			})
		}
	}
}

func TestThreadFlagsOfActivity(t *testing.T) {
	for name, f := range workFamilies {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t)
			w.SetHistory(false)
			w.each()
			if _, history, long := w.rows(f); history != 0 || long != 0 {
				t.Errorf("without HISTORY: %d in history, %d in history_long", history, long)
			}
			w.SetInstrumented(false)
			w.each()
			if thread, global := w.counted(f); thread != 1 || global != 1 {
				t.Errorf("without INSTRUMENTED: the thread counts %d, everything %d", thread, global)
			}
			w.SetInstrumented(true)
			w.SetHistory(true)
			w.each()
			if _, history, long := w.rows(f); history != 1 || long != 1 {
				t.Errorf("with both: %d in history, %d in history_long", history, long)
			}
		})
	}
}

func TestSwitchedOffActivity(t *testing.T) {
	w := newWorker(t)
	w.r.Setup().AddPattern("%", PatternOff)
	w.each()
	if w.activity.Load() != nil {
		t.Error("nothing is on, and the thread has an activity")
	}
	w.r.Setup().AddPattern("%", PatternCounted)
	w.each()
	e := w.StatementsHistory(nil)
	if len(e) != 1 || e[0].Timed() || e[0].TimerWait() != 0 {
		t.Errorf("untimed: %+v", e)
	}
	work := w.r.Reader().GlobalWork()
	if s := work.Statement(w.sel.class); s.Timed() || s.Count != 1 || s.Untimed != 1 {
		t.Errorf("untimed: %+v", s)
	}
	if n := w.r.Reader().GlobalStatementHistogram().total(); n != 0 {
		t.Errorf("untimed: %d in the histogram", n)
	}
}

func TestHistorySizesOfFamilies(t *testing.T) {
	for name, f := range workFamilies {
		for _, size := range []int{0, 1, 10} {
			t.Run(fmt.Sprint(name, "/", size), func(t *testing.T) {
				w := newWorker(t)
				w.r.Setup().SetHistorySize(f, size)
				w.r.Setup().SetHistoryLongSize(f, 2*size)
				if w.r.Setup().HistorySize(f) != size || w.r.Setup().HistoryLongSize(f) != 2*size {
					t.Errorf("sizes %d and %d", w.r.Setup().HistorySize(f), w.r.Setup().HistoryLongSize(f))
				}
				for range 25 {
					w.each()
				}
				if _, history, long := w.rows(f); history != size || long != 2*size {
					t.Errorf("%d in history, %d in history_long", history, long)
				}
				var ids []uint64
				for _, e := range w.r.Reader().StagesHistoryLong() {
					ids = append(ids, e.ID)
				}
				if !slices.IsSorted(ids) || f == FamilyStages && size > 0 && ids[len(ids)-1] != 75 {
					t.Errorf("history_long has the ids %d", ids)
				}
			})
		}
	}
}

// A record that is used again gets the history size that is set when its next thread starts.
func TestHistorySizeOfNextThread(t *testing.T) {
	w := newWorker(t)
	w.each()
	w.Detach()
	w.r.Setup().SetHistorySize(FamilyStatements, 3)
	w.Thread = w.r.Attach("test/worker")
	for range 5 {
		w.each()
	}
	if _, history, _ := w.rows(FamilyStatements); history != 3 {
		t.Errorf("%d statements in history, want 3", history)
	}
	if _, history, _ := w.rows(FamilyStages); history != 5 {
		t.Errorf("%d stages in history, want 5", history)
	}
}

func TestLongHistoryOfThreads(t *testing.T) {
	w := newWorker(t)
	w.r.Setup().SetHistoryLongSize(FamilyStatements, 100)
	for range 3 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				defer w.r.Attach("test/other").Detach()
				th := Current()
				for range 50 {
					s := th.StartStatement(w.sel)
					s.End()
				}
			})
		}
		wg.Wait()
	}
	events := w.r.Reader().StatementsHistoryLong()
	if len(events) != 100 {
		t.Errorf("%d events", len(events))
	}
	last := map[uint64]uint64{}
	for _, e := range events {
		if e.ID <= last[e.ThreadID] {
			t.Errorf("the event %d of thread %d comes after %d", e.ID, e.ThreadID, last[e.ThreadID])
		}
		last[e.ThreadID] = e.ID
	}
	for id := range last {
		// The thread of w is 1, and the threads of the last round are the last ones.
		if id <= 9 {
			t.Errorf("there is an event of thread %d", id)
		}
	}
}

func TestTruncateActivity(t *testing.T) {
	w := newWorker(t)
	w.each()
	w.StartTransaction(TransactionOptions{})
	s := w.StartStatement(w.sel)
	w.StartStage(w.open)
	w.TruncateCurrentStage()
	w.TruncateCurrentStatements()
	w.TruncateCurrentTransaction()
	for name, f := range workFamilies {
		if current, history, long := w.rows(f); current != 0 || history != 1 || long != 1 {
			t.Errorf("%s: %d, %d, %d rows after TRUNCATE of current", name, current, history, long)
		}
	}
	w.EndStage()
	s.End()
	w.EndTransaction(false)
	for name, f := range workFamilies {
		if current, history, long := w.rows(f); current != 0 || history != 1 || long != 1 {
			t.Errorf("%s: %d, %d, %d rows when the hidden event has ended", name, current, history, long)
		}
		if thread, _ := w.counted(f); thread != 2 {
			t.Errorf("%s: %d counted", name, thread)
		}
	}
	w.TruncateStagesHistory()
	w.TruncateStatementsHistory()
	w.TruncateTransactionsHistory()
	for name, f := range workFamilies {
		if _, history, long := w.rows(f); history != 0 || long != 1 {
			t.Errorf("%s: %d, %d rows after TRUNCATE of history", name, history, long)
		}
	}
	w.r.Reader().TruncateStagesHistoryLong()
	w.r.Reader().TruncateStatementsHistoryLong()
	w.r.Reader().TruncateTransactionsHistoryLong()
	for name, f := range workFamilies {
		if _, _, long := w.rows(f); long != 0 {
			t.Errorf("%s: %d rows after TRUNCATE of history_long", name, long)
		}
	}
	w.each()
	for name, f := range workFamilies {
		if _, history, long := w.rows(f); history != 1 || long != 1 {
			t.Errorf("%s: %d, %d rows of what came after", name, history, long)
		}
	}
}

// The rows of a thread vanish when it ends, and its running events are not counted. The next thread
// with the record begins empty, whatever the old thread's statement still does.
func TestActivityOfEndedThread(t *testing.T) {
	w := newWorker(t)
	w.each()
	w.StartTransaction(TransactionOptions{})
	s := w.StartStatement(w.sel)
	s.SetText("SELECT 1")
	w.StartStage(w.open)
	w.Detach()
	for name, f := range workFamilies {
		if current, history, long := w.rows(f); current != 0 || history != 0 || long != 1 {
			t.Errorf("%s of the ended thread: %d, %d, %d rows", name, current, history, long)
		}
		if _, global := w.counted(f); global != 1 {
			t.Errorf("%s: %d counted", name, global)
		}
	}
	w.each() // of a thread that has ended: nothing
	old := w.Thread
	w.Thread = w.r.Attach("test/worker")
	if w.Thread != old {
		t.Fatal("the record is not used again")
	}
	for name, f := range workFamilies {
		if current, history, _ := w.rows(f); current != 0 || history != 0 {
			t.Errorf("%s of the new thread: %d, %d rows", name, current, history)
		}
	}
	if w.InTransaction() {
		t.Error("the new thread is in a transaction")
	}
	if id, _ := w.wait(); id != 0 {
		t.Errorf("a wait of the new thread is in %d", id)
	}
	mine := w.StartStatement(w.sel)
	s.SetText("SELECT 2")
	s.Add(RowsSent, 1)
	s.End()
	mine.End()
	e := w.StatementsHistory(nil)
	if len(e) != 1 || e[0].SQLText != "" || e[0].Counters[RowsSent] != 0 {
		t.Errorf("%+v", e)
	}
}

// The methods of a nil thread, and of one for which there is no room, do nothing.
func TestActivityOfNoThread(t *testing.T) {
	w := newWorker(t)
	w.r.Setup().SetLimit(LimitThreadInstances, 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lost := w.r.Attach("test/other")
		defer lost.Detach()
		for _, th := range []*Thread{nil, lost} {
			none := &worker{Thread: th, r: w.r, sel: w.sel, open: w.open}
			none.each()
			th.StartStage(w.load)
			th.SetWorkEstimated(2)
			th.SetWorkCompleted(1)
			th.Savepoint()
			th.RollbackToSavepoint()
			th.ReleaseSavepoint()
			if th.InTransaction() {
				t.Error("no thread is in a transaction")
			}
		}
		if lost.activity.Load() != nil {
			t.Error("the lost thread has an activity")
		}
	}()
	<-done
	for name, f := range workFamilies {
		if _, global := w.counted(f); global != 0 {
			t.Errorf("%s: %d counted", name, global)
		}
	}
	var none Statement
	none.SetText("x")
	none.Refine(w.sel)
	none.End()
}

// Classes beyond their limit are lost, and so are their events; only the thread's state is set.
func TestLimitsOfActivityClasses(t *testing.T) {
	w := newWorker(t)
	w.r.Setup().SetLimit(LimitStageClasses, len(w.r.Reader().FamilyClasses(FamilyStages)))
	w.r.Setup().SetLimit(LimitStatementClasses, len(w.r.Reader().FamilyClasses(FamilyStatements)))
	stage, statement := w.r.NewStageClass("sql/lost", true), w.r.NewStatementClass("sql/lost")
	w.r.NewStageClass("sql/lost", true)
	s := w.StartStatement(statement)
	w.StartStage(stage)
	if info, _ := w.Snapshot(); info.State != "lost" {
		t.Errorf("the state is %q", info.State)
	}
	w.EndStage()
	s.End()
	if w.activity.Load() != nil {
		t.Error("a lost class makes an activity")
	}
	wantLost(t, w.r, map[Limit]uint64{LimitStageClasses: 1, LimitStatementClasses: 1})
	for _, c := range w.r.Reader().Classes() {
		if strings.HasSuffix(c.Name(), "/lost") {
			t.Errorf("%s is listed", c.Name())
		}
	}
}

func TestStatementStack(t *testing.T) {
	w := newWorker(t)
	var running []Statement
	for range DefaultStatementStackSize {
		running = append(running, w.StartStatement(w.sel))
	}
	for range 3 {
		s := w.StartStatement(w.sel)
		s.SetText("lost")
		s.End()
	}
	if n := w.r.Reader().NestedStatementLost(); n != 3 {
		t.Errorf("%d lost, want 3", n)
	}
	if n := len(w.CurrentStatements(nil)); n != DefaultStatementStackSize {
		t.Errorf("%d run", n)
	}
	for _, s := range slices.Backward(running) {
		s.End()
	}
	s := w.StartStatement(w.sel)
	s.End()
	// A lost statement takes an id.
	if e := w.CurrentStatements(nil); len(e) != 1 || e[0].ID != DefaultStatementStackSize+3+1 {
		t.Errorf("%+v", e)
	}
	if thread, _ := w.counted(FamilyStatements); thread != DefaultStatementStackSize+1 {
		t.Errorf("%d counted", thread)
	}

	w.r.Setup().SetStatementStackSize(1)
	s = w.StartStatement(w.sel)
	inner := w.StartStatement(w.sel)
	inner.End()
	s.End()
	if n := w.r.Reader().NestedStatementLost(); n != 4 || w.r.Setup().StatementStackSize() != 1 {
		t.Errorf("%d lost, want 4", n)
	}
	// Statements without events need no place among those.
	w.r.Setup().SetConsumer(ConsumerEventsStatementsCurrent, false)
	s = w.StartStatement(w.sel)
	inner = w.StartStatement(w.sel)
	inner.End()
	s.End()
	if n := w.r.Reader().NestedStatementLost(); n != 4 {
		t.Errorf("%d lost, want 4", n)
	}
	if thread, _ := w.counted(FamilyStatements); thread != DefaultStatementStackSize+4 {
		t.Errorf("%d counted", thread)
	}
}

// When an outer statement ends, the statements inside it that a panic has left vanish.
func TestStatementsLeftByPanic(t *testing.T) {
	w := newWorker(t)
	s := w.StartStatement(w.sel)
	left := w.StartStatement(w.query)
	s.End()
	left.End()
	s.End()
	if e := w.CurrentStatements(nil); len(e) != 1 || e[0].Class != w.sel.class {
		t.Errorf("%+v", e)
	}
	if e := w.StatementsHistory(nil); len(e) != 1 {
		t.Errorf("%+v", e)
	}
	s = w.StartStatement(w.sel)
	if e := w.CurrentStatements(nil); len(e) != 1 || e[0].Level != 0 {
		t.Errorf("%+v", e)
	}
	s.End()
}

func TestRefine(t *testing.T) {
	w := newWorker(t)
	s := w.StartStatement(w.query)
	s.Refine(w.sel)
	if e := w.CurrentStatements(nil); len(e) != 1 || e[0].Class != w.sel.class {
		t.Errorf("%+v", e)
	}
	s.End()
	work := w.r.Reader().GlobalWork()
	if a, b := work.Statement(w.query.class).Count, work.Statement(w.sel.class).Count; a != 0 || b != 1 {
		t.Errorf("%d and %d counted", a, b)
	}

	w.sel.class.SetTimed(false)
	s = w.StartStatement(w.query)
	s.Refine(w.sel)
	s.End()
	if e := w.CurrentStatements(nil); len(e) != 1 || e[0].Timed() {
		t.Errorf("a statement of an untimed class: %+v", e)
	}
	if n := w.r.Reader().GlobalStatementHistogram().total(); n != 1 {
		t.Errorf("%d in the histogram", n)
	}

	w.sel.class.SetEnabled(false)
	s = w.StartStatement(w.query)
	s.Refine(w.sel)
	if e := w.CurrentStatements(nil); len(e) != 0 {
		t.Errorf("a statement of a class that is off: %+v", e)
	}
	s.End()
	if n := len(w.StatementsHistory(nil)); n != 2 {
		t.Errorf("%d in history", n)
	}
	// A statement whose class was off when it began stays uncounted, whatever is done with it.
	s = w.StartStatement(w.sel)
	s.Refine(w.query)
	s.End()
	work = w.r.Reader().GlobalWork()
	if n := work.Statement(w.query.class).Count; n != 0 {
		t.Errorf("%d counted", n)
	}
}

func TestStatementEvent(t *testing.T) {
	w := newWorker(t)
	s := w.StartStatement(w.sel)
	s.SetText("CALL p()")
	s.SetSchema("shop")
	s.SetObject("PROCEDURE", "shop", "p")
	d := w.r.DigestOf("CALL p()")
	s.SetDigest(d)
	s.Add(RowsSent, 2)
	s.Add(RowsSent, 3)
	s.Add(RowsAffected, 4)
	s.SetDiagnostics(1062, "23000", "Duplicate entry")
	e := w.CurrentStatements(nil)[0]
	if e.Counters[RowsSent] != 5 || e.Ended || e.TimerEnd() < e.TimerStart() || e.Counters[Errors] != 1 {
		t.Errorf("running: %+v", e)
	}
	s.End()
	e = w.StatementsHistory(nil)[0]
	e.EventHead = EventHead{}
	want := StatementEvent{
		SQLText: "CALL p()", Schema: "shop", Digest: d, ObjectType: "PROCEDURE", ObjectSchema: "shop", ObjectName: "p",
		Errno: 1062, SQLState: "23000", Message: "Duplicate entry", StatementID: 1,
	}
	// A statement that fails has no affected rows.
	want.Counters[RowsSent], want.Counters[Errors] = 5, 1
	if e != want {
		t.Errorf("%+v\nwant %+v", e, want)
	}
	rows := w.r.Reader().Digests(DigestFilter{})
	if len(rows) != 1 || rows[0].Digest != d || rows[0].Schema != "shop" || rows[0].Stat.Counters[RowsSent] != 5 || rows[0].Stat.Count != 1 {
		t.Errorf("digests: %+v", rows)
	}

	s = w.StartStatement(w.sel)
	s.Add(RowsAffected, 4)
	s.SetDiagnostics(0, "", "Rows matched: 4")
	s.End()
	e = w.StatementsHistory(nil)[1]
	if e.SQLState != "00000" || e.Counters[RowsAffected] != 4 || e.StatementID != 2 {
		t.Errorf("%+v", e)
	}
	work := w.r.Reader().GlobalWork()
	if got := work.Statement(w.sel.class).Counters; got[RowsSent] != 5 || got[RowsAffected] != 4 || got[Errors] != 1 {
		t.Errorf("counters: %d", got)
	}
	// Without threads there are no digests.
	w.r.Setup().SetConsumer(ConsumerThreadInstrumentation, false)
	s = w.StartStatement(w.sel)
	s.SetDigest(d)
	s.End()
	if rows := w.r.Reader().Digests(DigestFilter{}); len(rows) != 1 || rows[0].Stat.Count != 1 {
		t.Errorf("digests: %+v", rows)
	}
	source := e.Source()
	if !strings.HasPrefix(source, "activity_test.go:") {
		t.Errorf("source %q", source)
	}
}

func TestCutText(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"SELECT 1", 8, "SELECT 1"},
		{"SELECT 12", 8, "SELEC..."},
		{"SELECT 12", 3, "..."},
		{"SELECT 12", 2, ".."},
		{"SELECT 12", 0, ""},
		{"", 0, ""},
		{"SELEä 123", 8, "SELE..."},
		{"SEL\u20ac 123", 8, "SEL..."},
		{"\xff\xff\xff\xff\xff\xff\xff", 6, "\xff\xff\xff..."},
	} {
		if got := cutText(c.text, c.n); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
	w := newWorker(t)
	w.r.Setup().SetSQLTextLength(8)
	s := w.StartStatement(w.sel)
	s.SetText("SELECT 12")
	s.End()
	if e := w.CurrentStatements(nil)[0]; e.SQLText != "SELEC..." {
		t.Errorf("%q", e.SQLText)
	}
}

func FuzzCutText(f *testing.F) {
	f.Add("SELECT \u20ac", 9)
	f.Add("\U000279e7\U000279e7", 6)
	f.Add("\xf0\x9f\x98", 4)
	f.Fuzz(func(t *testing.T, s string, n int) {
		got := cutText(s, n)
		switch {
		case len(s) <= n && got != s:
			t.Errorf("%q for a text that fits", got)
		case n >= 0 && len(got) > n, n < 0 && got != "":
			t.Errorf("%d bytes", len(got))
		case utf8.ValidString(s) && !utf8.ValidString(got):
			t.Errorf("%q is no text", got)
		case len(s) > n && n > 6 && len(got) < n-3:
			t.Errorf("%q is too short", got)
		}
	})
}

func TestStageState(t *testing.T) {
	w := newWorker(t)
	check := func(want string) {
		t.Helper()
		if info, _ := w.Snapshot(); info.State != want {
			t.Errorf("the state is %q, want %q", info.State, want)
		}
	}
	w.StartStage(w.open)
	check("Opening tables")
	w.sending.class.SetEnabled(false)
	w.StartStage(w.sending)
	check("Sending data")
	if len(w.CurrentStage(nil)) != 0 || len(w.StagesHistory(nil)) != 1 {
		t.Errorf("stages %+v", w.CurrentStage(nil))
	}
	w.EndStage()
	check("")
	w.StartStage(w.r.NewStageClass("sql/"+strings.Repeat("long ", 20), false))
	check(strings.Repeat("long ", 20)[:64])
	w.EndStage()
	w.r.Setup().AddPattern("%", PatternOff)
	w.StartStage(w.open)
	check("Opening tables")
}

func TestStageDefaults(t *testing.T) {
	r := NewRegistry()
	plain, progress := r.NewStageClass("sql/executing", false).Class(), r.NewStageClass("sql/copy to tmp table", true).Class()
	if plain.Enabled() || plain.Timed() || !progress.Enabled() || !progress.Timed() {
		t.Error("stages are on, or those with progress are not")
	}
	if plain.Properties() != 0 || progress.Properties() != Progress {
		t.Errorf("properties %d and %d", plain.Properties(), progress.Properties())
	}
	for _, c := range []*Class{r.NewStatementClass("com/Init DB").Class(), r.transaction} {
		if !c.Enabled() || !c.Timed() {
			t.Errorf("%s is off", c.Name())
		}
	}
}

func TestStageProgress(t *testing.T) {
	w := newWorker(t)
	w.SetWorkEstimated(1)
	w.StartStage(w.open)
	w.SetWorkEstimated(10)
	w.SetWorkCompleted(5)
	if e := w.CurrentStage(nil)[0]; e.Progress() || e.WorkEstimated != 0 || e.WorkCompleted != 0 {
		t.Errorf("%+v", e)
	}
	w.StartStage(w.load)
	w.SetWorkEstimated(10)
	w.SetWorkCompleted(5)
	if e := w.CurrentStage(nil)[0]; !e.Progress() || e.WorkEstimated != 10 || e.WorkCompleted != 5 {
		t.Errorf("%+v", e)
	}
	w.EndStage()
	if e := w.StagesHistory(nil)[1]; !e.Progress() || e.WorkEstimated != 10 || e.WorkCompleted != 5 {
		t.Errorf("%+v", e)
	}
}

func TestTransactionEvent(t *testing.T) {
	w := newWorker(t)
	w.Savepoint() // in no transaction
	o := TransactionOptions{ReadOnly: true, Autocommit: true, Isolation: "READ COMMITTED"}
	w.StartTransaction(o)
	w.Savepoint()
	w.Savepoint()
	w.Savepoint()
	w.RollbackToSavepoint()
	w.RollbackToSavepoint()
	w.ReleaseSavepoint()
	e := w.CurrentTransaction(nil)[0]
	if e.State != TransactionActive || e.Ended || !w.InTransaction() {
		t.Errorf("running: %+v", e)
	}
	w.EndTransaction(false)
	w.EndTransaction(true)
	e = w.CurrentTransaction(nil)[0]
	if e.State != TransactionRolledBack || !e.Ended || w.InTransaction() || e.TransactionOptions != o ||
		e.Savepoints != 3 || e.RollbacksToSavepoint != 2 || e.ReleasedSavepoint != 1 {
		t.Errorf("ended: %+v", e)
	}
	// The start of another one commits.
	w.StartTransaction(TransactionOptions{})
	w.StartTransaction(TransactionOptions{})
	states := []TransactionState{}
	for _, e := range w.TransactionsHistory(nil) {
		states = append(states, e.State)
	}
	if !slices.Equal(states, []TransactionState{TransactionRolledBack, TransactionCommitted}) {
		t.Errorf("history: %d", states)
	}
	work := w.r.Reader().GlobalWork()
	if s := work.Transaction(); s.ReadOnly.Count != 1 || s.ReadWrite.Count != 1 || !s.ReadOnly.Timed() {
		t.Errorf("%+v", s)
	}
}

// Readers and TRUNCATE beside threads that come and go: no count is lost, and no row mixes
// two events.
func TestActivityBesideReaders(t *testing.T) {
	w := newWorker(t)
	const threads, rounds, statements = 4, 5, 100
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	check := func(events []StatementEvent) {
		for _, e := range events {
			if e.SQLText != "" && e.SQLText != fmt.Sprint(e.Counters[RowsSent]) {
				t.Errorf("the text %q of a statement with %d rows", e.SQLText, e.Counters[RowsSent])
			}
			if e.Ended && e.EndID < e.ID || e.TimerEnd() < e.TimerStart() {
				t.Errorf("%+v", e)
			}
		}
	}
	readers.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			for _, th := range w.r.Reader().Threads() {
				check(th.CurrentStatements(nil))
				check(th.StatementsHistory(nil))
				th.CurrentStage(nil)
				th.StagesHistory(nil)
				th.CurrentTransaction(nil)
				th.TransactionsHistory(nil)
				if n%8 == 0 {
					th.TruncateCurrentStatements()
					th.TruncateCurrentStage()
					th.TruncateCurrentTransaction()
					th.TruncateStatementsHistory()
					th.TruncateStagesHistory()
					th.TruncateTransactionsHistory()
				}
			}
			check(w.r.Reader().StatementsHistoryLong())
			w.r.Reader().StagesHistoryLong()
			w.r.Reader().TransactionsHistoryLong()
			if n%8 == 0 {
				w.r.Reader().TruncateStatementsHistoryLong()
				w.r.Setup().SetHistoryLongSize(FamilyStages, 10)
				w.r.Reader().ResetThreadWork(WorkStatements)
			}
		}
	})
	for range threads {
		writers.Go(func() {
			for range rounds {
				th := w.r.Attach("test/other")
				for i := range uint64(statements) {
					th.StartTransaction(TransactionOptions{})
					s := th.StartStatement(w.query)
					s.Refine(w.sel)
					th.StartStage(w.open)
					s.Add(RowsSent, i)
					s.SetText(fmt.Sprint(i))
					th.StartStage(w.load)
					th.SetWorkCompleted(1)
					th.EndStage()
					s.End()
					th.EndTransaction(i%2 == 0)
				}
				th.Detach()
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	const all = threads * rounds * statements
	work := w.r.Reader().GlobalWork()
	if s := work.Statement(w.sel.class); s.Count != all || s.Counters[RowsSent] != threads*rounds*statements*(statements-1)/2 {
		t.Errorf("statements: %+v", s)
	}
	if n := work.Stage(w.open.class).Count; n != all {
		t.Errorf("%d stages", n)
	}
	if n := work.Transaction().All().Count; n != all {
		t.Errorf("%d transactions", n)
	}
	if n := w.r.Reader().GlobalStatementHistogram().total(); n != all {
		t.Errorf("%d in the histogram", n)
	}
}

func TestActivityAllocatesNothing(t *testing.T) {
	w := newWorker(t)
	const sql = "SELECT 1"
	do := func() {
		w.StartTransaction(TransactionOptions{})
		s := w.StartStatement(w.query)
		s.SetText(sql)
		s.SetDigest(w.r.DigestOf(sql))
		s.Refine(w.sel)
		w.StartStage(w.open)
		w.StartStage(w.load)
		w.SetWorkCompleted(1)
		w.EndStage()
		s.Add(RowsSent, 1)
		s.SetDiagnostics(0, "", "")
		s.End()
		w.EndTransaction(true)
	}
	for f := range workFamilies {
		w.r.Setup().SetHistoryLongSize(workFamilies[f], 10)
	}
	for range 100 {
		do()
	}
	if n := testing.AllocsPerRun(100, do); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// An ended stage from AddStage is part of the innermost statement, has its times, and leaves the thread's own stage running. A
// stage that a statement starts is part of that statement, whichever statement began last.
func TestStagesOfStatements(t *testing.T) {
	w := newWorker(t)
	outer := w.Thread.StartStatement(w.r.NewStatementClass("test/outer"))
	own, past := w.r.NewStageClass("test/own", true), w.r.NewStageClass("test/past", true)
	outer.StartStage(own)
	start := past.Now()
	inner := w.Thread.StartStatement(w.r.NewStatementClass("test/inner"))
	innerID := inner.EventID()
	w.Thread.AddStage(past, start, past.Now())
	w.Thread.AddStage(past, StageTime{}, past.Now())
	inner.End()
	outer.StartStage(own)
	outerID := outer.EventID()
	w.Thread.EndStage()
	outer.End()
	outer.StartStage(past) // of none: it has ended
	w.Thread.EndStage()
	got := w.Thread.StagesHistory(nil)
	if len(got) != 5 {
		t.Fatalf("%d stages: %v", len(got), got)
	}
	for i, want := range []struct {
		class  *StageClass
		in     uint64
		timed  bool
		inside NestingType
	}{{past, innerID, true, NestingStatement}, {past, innerID, false, NestingStatement}, {own, outerID, true, NestingStatement}, {own, outerID, true, NestingStatement}, {past, 0, true, NestingNone}} {
		if g := got[i]; g.Class != want.class.class || g.NestingID != want.in || g.Timed() != want.timed || g.NestingType != want.inside {
			t.Errorf("stage %d: %s in %d, timed %v", i, g.Class.Name(), g.NestingID, g.Timed())
		}
	}
	if n := w.Thread.Work(WorkStages); n.Stage(past.class).Count != 3 || n.Stage(own.class).Count != 2 {
		t.Errorf("stages counted: %d, %d", n.Stage(past.class).Count, n.Stage(own.class).Count)
	}
	var none Statement
	none.StartStage(own)
	(*Thread)(nil).AddStage(own, start, start)
}

// All digests of the same name are one row, beside the rows of SQL texts, while digests are on.
func TestDigestsOfNames(t *testing.T) {
	w := newWorker(t)
	class := w.r.NewStatementClass("test/named")
	for range 2 {
		s := w.Thread.StartStatement(class)
		s.SetDigest(w.r.NewDigest("GET /é/{id}"))
		s.End()
	}
	s := w.Thread.StartStatement(class)
	s.SetDigest(w.r.DigestOf("GET /é/{id}"))
	s.End()
	rows := w.r.Reader().Digests(DigestFilter{})
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if named := row.Digest.Text() == "GET /é/{id}"; named != (row.Stat.Count == 2) || len(row.Digest.Hex()) != 64 {
			t.Errorf("%s %s: %d", row.Digest.Text(), row.Digest.Hex(), row.Stat.Count)
		}
	}
	w.r.Setup().SetKeptDigestLength(6)
	if d := w.r.NewDigest("GET /é/{id}"); d.Text() != "GET /" {
		t.Errorf("cut to %q", d.Text())
	}
	w.r.Setup().SetMaxDigestLength(0)
	if w.r.NewDigest("x") != nil || w.r.NewDigest("") != nil {
		t.Error("there is a digest")
	}
}

// A detached statement counts once, when it is finished: for its thread, or for no thread if that has ended. A cancelled one
// counts nowhere.
func TestDetachedStatements(t *testing.T) {
	w := newWorker(t)
	class := w.r.NewStatementClass("test/left")
	stat := func(work Work) StatementStat { return work.Statement(class.class) }
	count := func() uint64 { return stat(w.r.Reader().GlobalWork(WorkStatements)).Count }
	rows := func() uint64 { return stat(w.r.Reader().GlobalWork(WorkStatements)).Counters[RowsSent] }
	result := StatementResult{SQLState: "00000"}
	result.Counters[RowsSent] = 7

	s := w.StartStatement(class)
	left := s.Detach()
	if count() != 0 || s.Detach() != nil || s.EventID() != 0 {
		t.Error("counted, or there still")
	}
	next := w.StartStatement(w.query) // not part of the one that is left
	if got := w.CurrentStatements(nil); len(got) != 1 || got[0].NestingID != 0 {
		t.Errorf("current: %+v", got)
	}
	left.Finish(&result)
	left.Finish(&result)
	next.End()
	if count() != 1 || rows() != 7 || stat(w.Work(WorkStatements)).Count != 1 {
		t.Errorf("counted %d, %d rows", count(), rows())
	}
	if h := w.StatementsHistory(nil); len(h) != 2 || h[0].Class != class.class || h[0].Counters[RowsSent] != 7 {
		t.Errorf("history %+v", h)
	}

	cancelled := w.StartStatement(class)
	w.StartStatement(class)
	cancelled.Cancel()
	cancelled.Cancel()
	if count() != 1 || len(w.StatementsHistory(nil)) != 2 || w.activity.Load().depth != 0 {
		t.Error("a cancelled statement counts")
	}

	gone := make(chan *DetachedStatement)
	go func() {
		other := w.r.Attach("test/gone")
		s := other.StartStatement(class)
		left := s.Detach()
		other.Detach()
		gone <- left
	}()
	left = <-gone
	defer w.r.Attach("test/next").Detach() // perhaps with the same record
	left.Finish(&result)
	if count() != 2 || rows() != 14 || stat(Current().Work(WorkStatements)).Count != 0 {
		t.Errorf("counted %d, %d rows", count(), rows())
	}
	// What is counted does not count again when its memory is of another one.
	finished, again := w.StartStatement(class), w.StartStatement(w.query)
	another := again.Detach()
	first := finished.Detach()
	first.Finish(&result)
	third := w.StartStatement(w.query)
	later := third.Detach()
	first.Finish(&result)
	another.Finish(&result)
	later.Finish(&StatementResult{SQLState: "00000"})
	if count() != 3 || rows() != 21 || w.activity.Load().depth != 0 {
		t.Errorf("counted %d, %d rows", count(), rows())
	}
	(*DetachedStatement)(nil).Finish(&result)
	var none Statement
	none.Cancel()
	if none.Detach() != nil {
		t.Error("none was left")
	}
}
