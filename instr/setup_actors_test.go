package instr

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

var anybody = SetupActor{"%", "%", "%", true, true}

func TestSetupActorsRows(t *testing.T) {
	r := NewRegistry()
	want := func(when string, rows ...SetupActor) {
		t.Helper()
		if got := r.Setup().Actors(); len(got)+len(rows) > 0 && !reflect.DeepEqual(got, rows) {
			t.Errorf("%s: %v, want %v", when, got, rows)
		}
	}
	add := func(a SetupActor, want error) {
		t.Helper()
		if err := r.Setup().AddActor(a); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("adding %v: %v, want %v", a, err, want)
		}
	}
	want("at first", anybody)
	for _, a := range []SetupActor{{"", "u", "r", true, true}, {"h", "", "r", true, true}, {"h", "u", "", true, true}} {
		add(a, ErrEmptyName)
	}
	add(anybody, ErrDuplicate)
	ann := SetupActor{"Here", "ann", "%", true, false}
	add(ann, nil)
	add(SetupActor{"hERE", "ann", "%", false, false}, ErrDuplicate)
	other := []SetupActor{{"here", "Ann", "%", false, true}, {"here", "ann", "role", false, false}, {"there", "ann", "%", false, false}}
	for _, a := range other {
		add(a, nil)
	}
	want("added", append([]SetupActor{anybody, ann}, other...)...)
	r.Setup().SetLimit(LimitSetupActors, 5)
	add(SetupActor{"h", "u", "%", true, true}, ErrFull)
	r.Setup().SetLimit(LimitSetupActors, 6)

	r.Setup().UpdateActor(SetupActor{Host: "HERE", User: "ann", Role: "%"}, func(row *SetupActor) { row.Enabled, row.History = false, true })
	ann.Enabled, ann.History = false, true
	r.Setup().UpdateActor(SetupActor{Host: "nowhere", User: "ann", Role: "%"}, func(row *SetupActor) { row.Enabled = true })
	want("updated", append([]SetupActor{anybody, ann}, other...)...)
	r.Setup().RemoveActor("%", "%", "%")
	r.Setup().RemoveActor("%", "%", "%")
	r.Setup().RemoveActor("HERE", "ann", "role")
	want("removed", ann, other[0], other[2])
	add(anybody, nil)
	want("added again", ann, other[0], other[2], anybody)
	r.Setup().ClearActors()
	want("cleared")
	r.Setup().SetLimit(LimitSetupActors, 0)
	add(anybody, ErrFull)
	r.Setup().SetLimit(LimitSetupActors, -1)
	add(anybody, nil)
	want("one again", anybody)
}

// The first row that exists decides: for user and host, for the user, for the host, for anybody.
func TestSetupActorsPrecedence(t *testing.T) {
	type flags struct{ instrumented, history bool }
	rows := []SetupActor{
		{"here", "ann", "%", true, false},
		{"%", "ann", "%", false, true},
		{"here", "%", "%", true, true},
		{"%", "%", "%", false, false},
	}
	for _, limit := range []int{-1, 0} { // with and without accounts
		for set := range 1 << len(rows) {
			w := newActorWorld()
			w.Setup().SetLimit(LimitAccounts, limit)
			// The account is older than the rows.
			old := w.start()
			old.login("ann", "HERE")
			w.Setup().ClearActors()
			want := flags{}
			found := false
			for i, a := range rows {
				if set&(1<<i) != 0 {
					w.Setup().AddActor(a)
					if !found {
						found, want = true, flags{a.Enabled, a.History}
					}
				}
			}
			// None of these rows applies to ann.
			w.Setup().AddActor(SetupActor{"here", "ann", "role", !want.instrumented, !want.history})
			w.Setup().AddActor(SetupActor{"he%", "ann", "%", !want.instrumented, !want.history})
			w.Setup().AddActor(SetupActor{"here", "Ann", "%", !want.instrumented, !want.history})
			w.Setup().AddActor(SetupActor{"here", "_nn", "%", !want.instrumented, !want.history})
			w.Setup().AddActor(SetupActor{"127.0.0.1", "%", "%", !want.instrumented, !want.history})

			if !old.instrumented() || !old.hasHistory() {
				t.Errorf("rows %04b change a thread that is there", set)
			}
			a := w.start()
			if !a.instrumented() || !a.hasHistory() {
				t.Errorf("rows %04b: a thread is not instrumented before login", set)
			}
			for _, th := range []*actorThread{a, old} {
				th.login("ann", "Here")
				if got := (flags{th.instrumented(), th.hasHistory()}); got != want {
					t.Errorf("accounts %d, rows %04b: ann is %v, want %v", limit, set, got, want)
				}
			}
			a.login("ann", "")
			if !a.instrumented() || !a.hasHistory() {
				t.Errorf("rows %04b: a thread without host is not instrumented", set)
			}
			a.end()
			old.end()
		}
	}
}

// Every change of the rows applies to the next login of an existing account.
func TestSetupActorsChangesAccounts(t *testing.T) {
	w := newActorWorld()
	a := w.start()
	defer a.end()
	for i, step := range []struct {
		do                    func()
		instrumented, history bool
	}{
		{func() {}, true, true},
		{func() { w.Setup().AddActor(SetupActor{"%", "ann", "%", true, false}) }, true, false},
		{func() {
			w.Setup().UpdateActor(SetupActor{Host: "%", User: "ann", Role: "%"}, func(row *SetupActor) { row.Enabled, row.History = false, true })
		}, false, true},
		{func() { w.Setup().RemoveActor("%", "ann", "%") }, true, true},
		{func() { w.Setup().ClearActors() }, false, false},
		{func() { w.Setup().AddActor(anybody) }, true, true},
	} {
		step.do()
		before := [2]bool{a.instrumented(), a.hasHistory()}
		if i > 0 && before == [2]bool{step.instrumented, step.history} {
			t.Errorf("step %d: a change counts for a thread that is there", i)
		}
		a.login("ann", "here")
		if a.instrumented() != step.instrumented || a.hasHistory() != step.history {
			t.Errorf("step %d: instrumented %v, history %v", i, a.instrumented(), a.hasHistory())
		}
	}
}

// A login decides again, whatever setup_threads or threads have set.
func TestLoginOverridesTheThreadsSwitches(t *testing.T) {
	w := newActorWorld()
	c := w.NewThreadClass("test/actor")
	c.SetEnabled(false)
	c.SetHistory(false)
	a := w.start()
	defer a.end()
	a.wait(1)
	if n := a.classWaits(w.class).Count; n != 0 {
		t.Errorf("a thread that is not instrumented has %d waits", n)
	}
	a.login("ann", "here")
	a.wait(1)
	if n := a.classWaits(w.class).Count; n != 1 || !a.hasHistory() {
		t.Errorf("after login the thread has %d waits, want 1, and history %v", n, a.hasHistory())
	}
	a.SetHistory(false)
	a.login("ann", "here")
	if !a.hasHistory() {
		t.Error("the change of user has not asked setup_actors")
	}
}

// Without a limit there may be as many rows as in MySQL.
func TestSetupActorsAreBounded(t *testing.T) {
	r := NewRegistry()
	var err error
	n := 1 // there is one
	for ; err == nil && n <= 131072; n++ {
		err = r.Setup().AddActor(SetupActor{"h", strconv.Itoa(n), "%", true, true})
	}
	if n--; !errors.Is(err, ErrFull) || n != 131072 {
		t.Errorf("%d rows, %v", n, err)
	}
	for n, err = 0, nil; err == nil && n <= 131072; n++ { // there are 20
		err = r.Setup().AddObject(SetupObject{ObjectTable, "s", strconv.Itoa(n), true, true})
	}
	if n += 19; !errors.Is(err, ErrFull) || n != 131072 {
		t.Errorf("%d rows of setup_objects, %v", n, err)
	}
}

// Removing a row leaves the order of the others, also when places are used again.
func TestSetupActorsRemoved(t *testing.T) {
	r := NewRegistry()
	var want []SetupActor
	r.Setup().ClearActors()
	for i := range 200 {
		a := SetupActor{"h", strconv.Itoa(i), "%", i%2 == 0, i%3 == 0}
		if err := r.Setup().AddActor(a); err != nil {
			t.Fatal(err)
		}
		if want = append(want, a); i%4 != 0 {
			r.Setup().RemoveActor("H", strconv.Itoa(i/2), "%")
			want = slices.DeleteFunc(want, func(a SetupActor) bool { return a.User == strconv.Itoa(i/2) })
		}
		if got := r.Setup().Actors(); !slices.Equal(got, want) {
			t.Fatalf("row %d: %v, want %v", i, got, want)
		}
		for _, a := range want {
			if got, ok := r.Setup().Actor(a.Host, a.User, a.Role); !ok || got != a {
				t.Fatalf("row %v is %v, %v", a, got, ok)
			}
		}
	}
}

// What a change of setup_actors or setup_objects costs does not grow with the rows and the accounts: four times as many of all take four
// times as long.
func TestSetupChangesCostTheSame(t *testing.T) {
	change := func(n int) time.Duration {
		r := NewRegistry()
		for i := range n {
			thread := r.AttachConnection("sql/one_connection", uint64(i))
			thread.SetAccount(strconv.Itoa(i), "h")
			thread.Detach()
		}
		cased := func(i int) string { // names that are the same but for the case of letters
			b := []byte("abcdefghijklmnopqrst")
			for j := range b {
				b[j] -= byte(i>>j&1) << 5
			}
			return string(b)
		}
		start := processorTime()
		for i := range n {
			if err := errors.Join(r.Setup().AddActor(SetupActor{"h", strconv.Itoa(i), "%", true, true}), r.Setup().AddObject(SetupObject{ObjectTable, "s", cased(i), true, true})); err != nil {
				t.Fatal(err)
			}
		}
		for i := range n {
			r.Setup().UpdateActor(SetupActor{Host: "h", User: strconv.Itoa(i), Role: "%"}, func(row *SetupActor) { row.History = false })
			r.Setup().UpdateObject(SetupObject{Type: ObjectTable, Schema: "s", Name: cased(i)}, func(row *SetupObject) { row.Timed = false })
		}
		for i := range n {
			r.Setup().RemoveActor("h", strconv.Itoa(i), "%")
			r.Setup().RemoveObject(ObjectTable, "s", cased(i))
		}
		return processorTime() - start
	}
	const few = 3000
	less, more := change(few), change(4*few)
	for try := 0; try < 3 && more > 9*less; try++ {
		less, more = change(few), min(more, change(4*few))
	}
	if more > 9*less {
		t.Errorf("%d rows: %v, four times as many: %v", few, less, more)
	}
}

// processorTime is what the process has taken of processors' time.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
