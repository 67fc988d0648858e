package instr

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestWorkStat(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct {
		name               string
		timed              []uint64
		untimed            int
		want               WorkStat
		sum, low, avg, max uint64
	}{
		{name: "none", want: NoWorkStat},
		{name: "untimed", untimed: 2, want: WorkStat{Count: 2, Min: most, Untimed: 2}},
		{name: "timed", timed: []uint64{7, 3, 5}, want: WorkStat{3, 15, 3, 7, 0}, sum: 15, low: 3, avg: 5, max: 7},
		{name: "no time", timed: []uint64{0}, want: WorkStat{Count: 1}},
		{name: "both", timed: []uint64{7, 3}, untimed: 2, want: WorkStat{4, 10, 3, 7, 2}, sum: 10, low: 3, avg: 5, max: 7},
		{name: "too much", timed: []uint64{most - 1, 2, 5}, want: WorkStat{3, most, 2, most - 1, 0}, sum: most, low: 2, avg: most / 3, max: most - 1},
		{name: "much too much", timed: []uint64{most - 1, most - 1, most - 1}, want: WorkStat{3, most, most - 1, most - 1, 0}, sum: most, low: most - 1, avg: most - 1, max: most - 1},
		{name: "just enough", timed: []uint64{most - 1, 1}, want: WorkStat{2, most, 1, most - 1, 0}, sum: most, low: 1, avg: most / 2, max: most - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var one, added WorkStat
			for _, ps := range c.timed {
				one.record(true, ps)
				var s WorkStat
				s.record(true, ps)
				added.Add(s)
			}
			for range c.untimed {
				one.record(false, 99)
				added.Add(WorkStat{Count: 1, Min: most, Untimed: 1})
			}
			added.Add(NoWorkStat)
			added.Add(WorkStat{})
			for _, s := range []WorkStat{one.orNone(), added.orNone()} {
				if s != c.want {
					t.Errorf("%+v, want %+v", s, c.want)
				}
				got := [4]uint64{s.SumPicoseconds(), s.MinPicoseconds(), s.AvgPicoseconds(), s.MaxPicoseconds()}
				if want := [4]uint64{c.sum, c.low, c.avg, c.max}; got != want {
					t.Errorf("times are %v, want %v", got, want)
				}
			}
		})
	}
}

func TestStatementStatAdds(t *testing.T) {
	counters := func(first uint64) (c [StatementCounterCount]uint64) {
		for i := range c {
			c[i] = first + uint64(i)
		}
		return c
	}
	s := StatementStat{WorkStat{1, 5, 5, 5, 0}, counters(100)}
	s.Add(StatementStat{WorkStat{2, 7, 3, 4, 0}, counters(1)})
	if want := (WorkStat{3, 12, 3, 5, 0}); s.WorkStat != want {
		t.Errorf("%+v, want %+v", s.WorkStat, want)
	}
	for c, n := range s.Counters {
		want := 101 + 2*uint64(c)
		if c == int(MaxControlledMemory) || c == int(MaxTotalMemory) {
			want = 100 + uint64(c)
		}
		if n != want {
			t.Errorf("counter %d is %d, want %d", c, n, want)
		}
	}
	s = StatementStat{Counters: counters(1)}
	s.Add(StatementStat{Counters: counters(100)})
	if got, want := s.Counters[MaxTotalMemory], 100+uint64(MaxTotalMemory); got != want {
		t.Errorf("the largest memory is %d, want %d", got, want)
	}
}

// Statistics by id are the same as in a map, in whatever order the ids come.
func TestWorkList(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		var lists [2]workList[WorkStat]
		want := map[int]uint64{}
		ids := 1 + random.IntN(40)
		for i := range 200 {
			id := random.IntN(ids)
			lists[i%2].at(id).record(true, 1)
			want[id]++
		}
		lists[0].addAll(lists[1], (*WorkStat).Add)
		if len(lists[0]) != len(want) {
			t.Fatalf("%d ids, want %d", len(lists[0]), len(want))
		}
		for i := range lists[0] {
			if e := lists[0][i]; e.stat.Sum != want[e.id] || e.stat.Count != want[e.id] || i > 0 && e.id <= lists[0][i-1].id {
				t.Fatalf("at %d: id %d with %+v, want %d", i, e.id, e.stat, want[e.id])
			}
			if s := lists[0].get(lists[0][i].id); s != &lists[0][i].stat {
				t.Fatalf("id %d is not found", lists[0][i].id)
			}
		}
		if s := lists[0].get(ids); s != nil {
			t.Fatalf("found %+v", s)
		}
	}
}

func TestWorkOfNothing(t *testing.T) {
	var w Work
	c := &Class{id: 1}
	if s := w.Stage(c); s != NoWorkStat {
		t.Errorf("stage %+v", s)
	}
	if s := w.Statement(c); s != (StatementStat{WorkStat: NoWorkStat}) {
		t.Errorf("statement %+v", s)
	}
	if s := w.Transaction(); s != (TransactionStat{NoWorkStat, NoWorkStat}) {
		t.Errorf("transaction %+v", s)
	}
	if s := w.Error(0); s != (ErrorStat{}) {
		t.Errorf("error %+v", s)
	}
}

// After clear, statistics are as if nothing had been counted before; the families are independent.
func TestWorkStatsByFamily(t *testing.T) {
	at := time.Unix(1, 0)
	fill := func(w *workStats) {
		w.addStage(3, true, 30)
		w.addStatement(5, &StatementStat{WorkStat: WorkStat{1, 50, 50, 50, 0}})
		w.addTransaction(true, true, 70)
		w.addError(2, false, at)
	}
	full := func(w *workStats, k WorkKind) bool {
		r := Work{stats: *w}
		switch k {
		case WorkStages:
			return r.Stage(&Class{id: 3}) == WorkStat{1, 30, 30, 30, 0}
		case WorkStatements:
			return r.Statement(&Class{id: 5}).WorkStat == WorkStat{1, 50, 50, 50, 0}
		case WorkTransactions:
			return r.Transaction() == TransactionStat{NoWorkStat, WorkStat{1, 70, 70, 70, 0}}
		default:
			return r.Error(2) == ErrorStat{1, 0, at, at}
		}
	}
	for k := range WorkMemory {
		var w, taken workStats
		fill(&w)
		taken.add(&w, k.set())
		w.clear(k.set())
		for other := range WorkMemory {
			if got, want := full(&w, other), other != k; got != want || w.has(other) != want {
				t.Errorf("after clear of %d family %d is there: %t", k, other, got)
			}
			if got, want := full(&taken, other), other == k; got != want || taken.has(other) != want {
				t.Errorf("of family %d alone, %d is added: %t", k, other, got)
			}
		}
		if w.empty(allWork) || !w.empty(k.set()) || !taken.empty(allWork&^k.set()) {
			t.Errorf("family %d: not the empty ones are empty", k)
		}
		w.clear(allWork)
		fill(&w)
		for other := range WorkMemory {
			if !full(&w, other) {
				t.Errorf("after two clears family %d is wrong", other)
			}
		}
	}
}
