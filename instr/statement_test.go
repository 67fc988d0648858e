package instr

import (
	"slices"
	"strings"
	"testing"
)

// Identify and Finish do the same as the methods that they combine.
func TestStatementAtOnce(t *testing.T) {
	text := "SELECT " + strings.Repeat("x", 2*DefaultSQLTextLength)
	for name, result := range map[string]StatementResult{
		"rows":  {Counters: [StatementCounterCount]uint64{RowsSent: 3, RowsExamined: 5}},
		"ok":    {SQLState: "00000", Message: "done", Counters: [StatementCounterCount]uint64{RowsAffected: 7}},
		"error": {Errno: 1146, SQLState: "42S02", Message: "none", Counters: [StatementCounterCount]uint64{RowsAffected: 7, SortRows: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t)
			d := w.r.DigestOf(text)

			s := w.StartStatement(w.query)
			s.SetSchema("shop")
			s.SetText(text)
			s.SetDigest(d)
			s.Refine(w.sel)
			s.Add(RowsSent, 1)
			for c, n := range result.Counters {
				s.Add(StatementCounter(c), n)
			}
			if result.SQLState != "" {
				s.SetDiagnostics(result.Errno, result.SQLState, result.Message)
			}
			s.End()

			s = w.StartStatement(w.query)
			s.Identify(w.sel, "shop", text, d)
			s.Add(RowsSent, 1)
			s.Finish(&result)
			s.Finish(&result) // has no effect: it has ended

			e := w.StatementsHistory(nil)
			if len(e) != 2 {
				t.Fatalf("%d statements", len(e))
			}
			for i := range e {
				e[i].ID, e[i].EndID, e[i].StatementID, e[i].Caller, e[i].start, e[i].end = 0, 0, 0, 0, 0, 0
			}
			if e[0] != e[1] {
				t.Errorf("one by one %+v\nat once %+v", e[0], e[1])
			}
			if e[1].Class != w.sel.class || e[1].Counters[RowsSent] != result.Counters[RowsSent]+1 {
				t.Errorf("%+v", e[1])
			}
			if rows := w.r.Reader().Digests(DigestFilter{}); len(rows) != 1 || rows[0].Stat.Count != 2 {
				t.Errorf("digests %+v", rows)
			}
		})
	}
}

func TestIdentifyWithoutClass(t *testing.T) {
	w := newWorker(t)
	s := w.StartStatement(w.query)
	s.Identify(nil, "shop", "SELECT 1", nil)
	if e := w.CurrentStatements(nil)[0]; e.Class != w.query.class || e.SQLText != "SELECT 1" || e.Schema != "shop" {
		t.Errorf("%+v", e)
	}
	w.sel.class.SetEnabled(false)
	s.Identify(w.sel, "shop", "SELECT 2", nil)
	s.Finish(&StatementResult{})
	if e := w.StatementsHistory(nil); len(e) != 0 {
		t.Errorf("%+v", e)
	}
}

// A reader finds a stage in the long history as soon as it has ended, in the order in which the
// stages of a thread ended.
func TestStagesHistoryLongAtOnce(t *testing.T) {
	ids := func(w *worker) (ids []uint64) {
		for _, e := range w.r.Reader().StagesHistoryLong() {
			ids = append(ids, e.ID)
		}
		return ids
	}
	w := newWorker(t)
	var want []uint64
	for id := range uint64(3 * maxPendingStages) {
		w.StartStage(w.open)
		w.EndStage()
		want = append(want, id+1)
		if got := ids(w); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	w.StartStage(w.open)
	w.EndStage()
	w.r.Reader().TruncateStagesHistoryLong()
	if got := ids(w); got != nil {
		t.Errorf("%v after TRUNCATE", got)
	}
	w.StartStage(w.open)
	w.StartStage(w.sending)
	w.Detach()
	if got, want := ids(w), []uint64{uint64(3*maxPendingStages) + 2}; !slices.Equal(got, want) {
		t.Errorf("%v of a thread that has ended, want %v", got, want)
	}
}
