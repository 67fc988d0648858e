package tables

import (
	"errors"
	"testing"

	"pfsd/instr"
	"pfsd/timers"
)

func TestSetupInstruments(t *testing.T) {
	reg := instr.NewRegistry()
	m := keep(t, reg.NewMutex("test/a"))
	tb := tableNamed(t, "setup_instruments")
	expect(t, one(t, reg, "setup_instruments", is("NAME", "wait/synch/mutex/test/a")), row{
		"NAME": "wait/synch/mutex/test/a", "ENABLED": "NO", "TIMED": "NO", "PROPERTIES": "", "FLAGS": "NULL", "VOLATILITY": "0", "DOCUMENTATION": "NULL",
	})
	expect(t, one(t, reg, "setup_instruments", is("NAME", "idle")), row{"ENABLED": "YES", "TIMED": "YES", "PROPERTIES": "user"})

	key := Key{is("NAME", "WAIT/synch/Mutex/test/A")}
	for _, u := range []struct {
		column string
		value  Value
		err    error
		want   row
	}{
		{"ENABLED", Text("yes"), nil, row{"ENABLED": "YES", "TIMED": "NO"}},
		{"TIMED", Text("Yes"), nil, row{"ENABLED": "YES", "TIMED": "YES"}},
		{"FLAGS", Text("controlled"), nil, row{"FLAGS": "NULL"}},
		{"TIMED", Null, nil, row{"TIMED": "NO"}},
		{"ENABLED", Null, ErrNull, row{"ENABLED": "YES"}},
		{"ENABLED", Text("maybe"), ErrBadValue, row{"ENABLED": "YES"}},
		{"NAME", Text("x"), ErrColumnNotUpdatable, row{"NAME": "wait/synch/mutex/test/a"}},
		{"PROPERTIES", Text("user"), ErrColumnNotUpdatable, row{"PROPERTIES": ""}},
	} {
		if err := tb.Update(Of(reg), key, u.column, u.value); !errors.Is(err, u.err) {
			t.Errorf("UPDATE %s = %v: %v, want %v", u.column, u.value, err, u.err)
		}
		expect(t, one(t, reg, "setup_instruments", key...), u.want)
	}

	lock(m, 2)
	tb.Update(Of(reg), nil, "ENABLED", Text("NO"))
	lock(m, 4)
	expect(t, one(t, reg, "events_waits_summary_global_by_event_name", is("EVENT_NAME", "wait/synch/mutex/test/a")), row{"COUNT_STAR": "2", "SUM_TIMER_WAIT": "0"})
}

func TestPropertiesAreInMySQLsOrder(t *testing.T) {
	reg := instr.NewRegistry()
	keep(t, reg.NewMutex("test/a"))
	reg.Reader().ClassByName("wait/synch/mutex/test/a").SetProperties(instr.Mutable | instr.Singleton | instr.User)
	expect(t, one(t, reg, "setup_instruments", is("NAME", "wait/synch/mutex/test/a")), row{"PROPERTIES": "singleton,user,mutable"})
}

func TestSetupConsumers(t *testing.T) {
	reg := instr.NewRegistry()
	want := facts(t, "consumers.tsv")
	got := rows(t, reg, "setup_consumers")
	if len(got) != 25 {
		t.Fatalf("%d consumers", len(got))
	}
	for i, name := range []string{"events_waits_histogram", "events_waits_histogram_by_instance", "events_stages_histogram", "events_statements_histogram", "events_transactions_histogram"} {
		expect(t, got[16+i], row{"NAME": name, "ENABLED": "NO"}) // ours
	}
	expect(t, got[21], row{"NAME": "active_session_history", "ENABLED": "YES"}) // ours, too
	expect(t, got[22], row{"NAME": "events_waits_snapshot", "ENABLED": "YES"})
	expect(t, got[23], row{"NAME": "events_waits_history_metric", "ENABLED": "YES"})
	expect(t, got[24], row{"NAME": "events_waits_summary_by_thread_by_time", "ENABLED": "YES"})
	for i, r := range got[:16] {
		// The first column of the facts is the order.
		fact := want[text(Int(int64(i+1)))][0]
		expect(t, r, row{"NAME": fact["name"], "ENABLED": fact["default"]})
	}

	tb := tableNamed(t, "setup_consumers")
	if err := tb.Update(Of(reg), Key{is("NAME", "EVENTS_waits_current")}, "ENABLED", Text("Yes")); err != nil {
		t.Error(err)
	}
	expect(t, one(t, reg, "setup_consumers", is("NAME", "events_waits_current")), row{"ENABLED": "YES"})
	if !reg.Setup().Consumer(instr.ConsumerEventsWaitsCurrent) {
		t.Error("the consumer is off")
	}
	if err := tb.Update(Of(reg), nil, "NAME", Text("x")); !errors.Is(err, ErrColumnNotUpdatable) {
		t.Errorf("UPDATE NAME: %v", err)
	}
	if all := rows(t, reg, "setup_consumers", is("NAME", "no such consumer")); len(all) != 0 {
		t.Errorf("rows of an unknown consumer: %v", all)
	}
}

func TestSetupTimers(t *testing.T) {
	reg := instr.NewRegistry()
	tb := tableNamed(t, "setup_timers")
	for i, name := range []string{"idle", "wait", "stage", "statement", "transaction"} {
		expect(t, rows(t, reg, "setup_timers")[i], row{"NAME": name, "TIMER_NAME": reg.Setup().Timer(instr.TimerKind(i)).String()})
	}
	for id := timers.Cycle; id <= timers.Tick; id++ {
		before := one(t, reg, "setup_timers", is("NAME", "wait"))["TIMER_NAME"]
		err := tb.Update(Of(reg), Key{is("NAME", "WAIT")}, "TIMER_NAME", Text(id.String()))
		want := before
		if id.Available() {
			want = id.String()
		}
		if got := one(t, reg, "setup_timers", is("NAME", "wait"))["TIMER_NAME"]; got != want || (err == nil) != id.Available() {
			t.Errorf("%v: TIMER_NAME is %s after %s, %v", id, got, before, err)
		}
		if err != nil && !errors.Is(err, ErrTimerNotAvailable) {
			t.Errorf("%v: %v", id, err)
		}
	}
	if err := tb.Update(Of(reg), nil, "TIMER_NAME", Text("microsecond")); err != nil {
		t.Error(err)
	}
	for _, r := range rows(t, reg, "setup_timers") {
		expect(t, r, row{"TIMER_NAME": "MICROSECOND"})
	}
	for _, bad := range []string{"THREAD_CPU", "FORTNIGHT", ""} {
		if err := tb.Update(Of(reg), nil, "TIMER_NAME", Text(bad)); !errors.Is(err, ErrBadValue) {
			t.Errorf("TIMER_NAME = %q: %v", bad, err)
		}
	}
}

// This machine may have every timer: THREAD_CPU, which cannot time events, stands for a missing
// one.
func TestTimerThatIsNotAvailable(t *testing.T) {
	reg := instr.NewRegistry()
	set := tableNamed(t, "setup_timers").(*table[*timerKindRow]).def.Columns[1].Set
	before := reg.Setup().Timer(instr.TimerWait)
	if err := set(Of(reg), &timerKindRow{kind: instr.TimerWait}, Text("THREAD_CPU")); err != ErrTimerNotAvailable || reg.Setup().Timer(instr.TimerWait) != before {
		t.Errorf("%v, and the timer is %v", err, reg.Setup().Timer(instr.TimerWait))
	}
}

func TestPerformanceTimers(t *testing.T) {
	got := rows(t, instr.NewRegistry(), "performance_timers")
	for i, name := range []string{"CYCLE", "NANOSECOND", "MICROSECOND", "MILLISECOND", "TICK", "THREAD_CPU"} {
		want := row{"TIMER_NAME": name}
		if id := timers.ID(i); !id.Available() {
			want["TIMER_FREQUENCY"], want["TIMER_RESOLUTION"], want["TIMER_OVERHEAD"] = "NULL", "NULL", "NULL"
		} else if got[i]["TIMER_RESOLUTION"] == "NULL" || got[i]["TIMER_OVERHEAD"] == "NULL" {
			t.Errorf("%v is not measured", got[i])
		}
		expect(t, got[i], want)
	}
	expect(t, got[timers.Nanosecond], row{"TIMER_FREQUENCY": "1000000000"})
	expect(t, got[timers.Microsecond], row{"TIMER_FREQUENCY": "1000000"})
	expect(t, got[timers.Millisecond], row{"TIMER_FREQUENCY": "1000"})
}
