package instr

import (
	"fmt"
	"testing"
	"time"
)

func TestErrorStatAdds(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	var s ErrorStat
	s.record(false, at(5))
	s.record(true, at(3))
	s.record(false, at(9))
	if want := (ErrorStat{2, 1, at(3), at(9)}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	sum := ErrorStat{}
	sum.Add(s)
	sum.Add(ErrorStat{})
	sum.Add(ErrorStat{1, 1, at(1), at(4)})
	if want := (ErrorStat{3, 2, at(1), at(9)}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
}

func TestServerErrors(t *testing.T) {
	r := NewRegistry()
	if all := r.Reader().ServerErrors(); len(all) != 1 || all[0] != (ServerError{}) {
		t.Errorf("at first: %v", all)
	}
	r.RaiseError(1146, false)
	if n := errorOf(r.Reader().GlobalWork(), 0).Raised; n != 1 {
		t.Errorf("without a list %d errors count in the first place, want 1", n)
	}
	given := []ServerError{{1064, "ER_PARSE_ERROR", "42000"}, {1146, "ER_NO_SUCH_TABLE", "42S02"}}
	r.Setup().SetServerErrors(given)
	all := r.Reader().ServerErrors()
	if want := append([]ServerError{{}}, given...); fmt.Sprint(all) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", all, want)
	}
	all[1].Number = 9
	if r.Reader().ServerErrors()[1] != given[0] {
		t.Error("a reader has changed the list")
	}
}

// Errors for which there is no room count together with unknown errors.
func TestErrorSize(t *testing.T) {
	const parse, noTable = 1064, 1146
	for _, c := range []struct {
		size, listed int
		raised       [3]uint64
	}{
		{-1, 3, [3]uint64{1, 1, 1}}, {1000, 3, [3]uint64{1, 1, 1}}, {3, 3, [3]uint64{1, 1, 1}}, {2, 2, [3]uint64{2, 1, 0}}, {1, 1, [3]uint64{3, 0, 0}}, {0, 0, [3]uint64{}},
	} {
		r := NewRegistry()
		r.Setup().SetErrorSize(c.size)
		r.Setup().SetServerErrors([]ServerError{{parse, "ER_PARSE_ERROR", "42000"}, {noTable, "ER_NO_SUCH_TABLE", "42S02"}})
		th := r.Attach("test/errors")
		th.RaiseError(parse, false)
		r.RaiseError(noTable, false)
		th.RaiseError(9999, false)
		th.Detach()
		if got := len(r.Reader().ServerErrors()); got != c.listed || r.Setup().ErrorSize() != c.size {
			t.Errorf("size %d: %d errors, want %d", r.Setup().ErrorSize(), got, c.listed)
		}
		all := r.Reader().GlobalWork()
		if got := [3]uint64{all.Error(0).Raised, all.Error(1).Raised, all.Error(2).Raised}; got != c.raised {
			t.Errorf("size %d: raised %v, want %v", c.size, got, c.raised)
		}
	}
}

func errorOf(w Work, index int) ErrorStat { return w.Error(index) }

func TestRaiseError(t *testing.T) {
	const parse, noTable = 1, 2
	r := NewRegistry()
	r.Setup().SetServerErrors([]ServerError{{1064, "ER_PARSE_ERROR", "42000"}, {1146, "ER_NO_SUCH_TABLE", "42S02"}})
	th := r.Attach("test/errors")
	defer th.Detach()
	counts := func(w Work) (c [3][2]uint64) {
		for i := range c {
			c[i] = [2]uint64{w.Error(i).Raised, w.Error(i).Handled}
		}
		return c
	}
	want := func(when string, thread, global [3][2]uint64) {
		t.Helper()
		if got := counts(th.Work()); got != thread {
			t.Errorf("%s: the thread has %v, want %v", when, got, thread)
		}
		if got := counts(r.Reader().GlobalWork()); got != global {
			t.Errorf("%s: everything has %v, want %v", when, got, global)
		}
	}
	begin := time.UnixMicro(1_700_000_000_000_001)
	now := begin
	r.Setup().SetClock(func() time.Time { return now })
	th.RaiseError(1064, false)
	th.RaiseError(1146, true)
	now = begin.Add(time.Microsecond)
	th.RaiseError(1146, false)
	th.RaiseError(9999, false)
	errors := [3][2]uint64{{1, 0}, {1, 0}, {1, 1}}
	want("raised", errors, errors)
	if s := errorOf(th.Work(), noTable); !s.First.Equal(begin) || !s.Last.Equal(now) {
		t.Errorf("%+v, want from %v to %v", s, begin, now)
	}
	global := errors
	global[parse][0]++
	r.RaiseError(1064, false)
	want("without thread", errors, global)

	r.Setup().SetConsumer(ConsumerThreadInstrumentation, false)
	th.RaiseError(1146, true)
	global[noTable][1]++
	want("without thread_instrumentation", errors, global)
	r.Setup().SetConsumer(ConsumerThreadInstrumentation, true)

	th.SetInstrumented(false)
	th.RaiseError(1064, false)
	want("of a thread that is not instrumented", errors, global)
	th.SetInstrumented(true)

	r.Setup().SetConsumer(ConsumerGlobalInstrumentation, false)
	th.RaiseError(1064, false)
	r.RaiseError(1064, false)
	want("without global_instrumentation", errors, global)
	r.Setup().SetConsumer(ConsumerGlobalInstrumentation, true)

	c := r.Reader().ClassByName("error")
	c.SetEnabled(false)
	th.RaiseError(1064, false)
	r.RaiseError(1064, false)
	want("with the instrument off", errors, global)
	c.SetEnabled(true)
	th.RaiseError(1064, false)
	errors[parse][0]++
	global[parse][0]++
	want("and on again", errors, global)
}

// A goroutine with a lost thread counts like one without a thread.
func TestRaiseErrorWithoutThread(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetLimit(LimitThreadInstances, 0)
	r.Attach("test/errors").RaiseError(1, false)
	if n := errorOf(r.Reader().GlobalWork(), 0).Raised; n != 1 {
		t.Errorf("%d errors, want 1", n)
	}
	if rows := r.Reader().ThreadWork(); len(rows) != 0 {
		t.Errorf("%v", rows)
	}
}

// Errors of a nil thread count nowhere.
func TestRaiseErrorOfNilThread(t *testing.T) {
	before := errorOf(Default.Reader().GlobalWork(), 0)
	(*Thread)(nil).RaiseError(1, false)
	if got := errorOf(Default.Reader().GlobalWork(), 0); got != before {
		t.Errorf("the default registry has %+v, had %+v", got, before)
	}
}

func TestErrorInstrumentHasNoTimes(t *testing.T) {
	r := NewRegistry()
	c := r.Reader().ClassByName("error")
	switch {
	case c == nil:
		t.Fatal("there is no instrument")
	case !c.Enabled() || c.Timed() || !c.Kind().Timeless():
		t.Errorf("enabled %t, timed %t", c.Enabled(), c.Timed())
	}
	c.SetTimed(true)
	if c.Timed() {
		t.Error("it can be timed")
	}
	r.Setup().AddPattern("%", PatternOn)
	if c.Timed() {
		t.Error("a pattern has it timed")
	}
	r.Setup().AddPattern("error", PatternOff)
	if c.Enabled() {
		t.Error("a pattern does not switch it off")
	}
	for k := range kindCount {
		if k.Timeless() != (k == KindError || k == KindMemory) {
			t.Errorf("kind %d: timeless %t", k, k.Timeless())
		}
	}
}
