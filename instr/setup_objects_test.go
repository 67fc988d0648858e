package instr

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/quick"
)

// update gives the row with the key of o the switches of o.
func update(r *Registry, o SetupObject) {
	r.Setup().UpdateObject(o, func(row *SetupObject) { row.Enabled, row.Timed = o.Enabled, o.Timed })
}

func TestSetupObjectsDefaults(t *testing.T) {
	var want []SetupObject
	for _, kind := range []ObjectType{ObjectEvent, ObjectFunction, ObjectProcedure, ObjectTable, ObjectTrigger} {
		want = append(want,
			SetupObject{kind, "mysql", "%", false, false}, SetupObject{kind, "performance_schema", "%", false, false},
			SetupObject{kind, "information_schema", "%", false, false}, SetupObject{kind, "%", "%", true, true})
	}
	if got := NewRegistry().Setup().Objects(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestObjectSwitches(t *testing.T) {
	r := NewRegistry()
	r.Setup().ClearObjects()
	for _, o := range []SetupObject{
		{ObjectTable, "shop", "orders", true, false},
		{ObjectTable, "shop", "%", false, true},
		{ObjectTable, "%", "%", true, true},
		{ObjectTable, "%", "ghost", false, false},
		{ObjectTrigger, "shop", "%", true, true},
		{ObjectTrigger, "%", "ghost", true, true},
		{ObjectFunction, "shop", "Price", true, false},
		{ObjectProcedure, "shop", "straße", true, true},
		{ObjectEvent, "shop", "DAILY", true, true},
		{ObjectEvent, "%", "%", false, true},
	} {
		check(t, r.Setup().AddObject(o))
	}
	type switches struct{ enabled, timed bool }
	for _, c := range []struct {
		kind         ObjectType
		schema, name string
		want         switches
	}{
		{ObjectTable, "shop", "orders", switches{true, false}},
		{ObjectTable, "shop", "others", switches{false, true}},
		{ObjectTable, "shop", "ghost", switches{false, true}},
		{ObjectTable, "else", "orders", switches{true, true}},
		{ObjectTable, "else", "ghost", switches{true, true}}, // any schema's ghost says nothing
		{ObjectTable, "shop", "Orders", switches{false, true}},
		{ObjectTable, "Shop", "orders", switches{true, true}},
		{ObjectTable, "", "", switches{true, true}},
		{ObjectTrigger, "shop", "orders", switches{true, true}},
		{ObjectTrigger, "else", "ghost", switches{}},
		{ObjectFunction, "shop", "price", switches{true, false}},
		{ObjectFunction, "shop", "PRICE", switches{true, false}},
		{ObjectFunction, "SHOP", "Price", switches{}},
		{ObjectFunction, "shop", "cost", switches{}},
		{ObjectProcedure, "shop", "STRAßE", switches{true, true}},
		{ObjectProcedure, "shop", "STRASSE", switches{}},
		{ObjectEvent, "shop", "daily", switches{true, true}},
		{ObjectEvent, "shop", "hourly", switches{false, true}},
	} {
		if enabled, timed := r.Setup().ObjectSwitches(c.kind, c.schema, c.name); (switches{enabled, timed}) != c.want {
			t.Errorf("%d %s.%s: %v, %v; want %v", c.kind, c.schema, c.name, enabled, timed, c.want)
		}
	}
}

// Each change applies to the next call of ObjectSwitches, and is shown in the table.
func TestSetupObjectsChange(t *testing.T) {
	r := NewRegistry()
	table := func(name string, on bool) SetupObject { return SetupObject{ObjectTable, "shop", name, on, on} }
	want := func(what string, on bool, rows int) {
		t.Helper()
		if enabled, timed := r.Setup().ObjectSwitches(ObjectTable, "shop", "orders"); enabled != on || timed != on {
			t.Errorf("%s: %v, %v, want %v", what, enabled, timed, on)
		}
		if got := len(r.Setup().Objects()); got != rows {
			t.Errorf("%s: %d rows, want %d", what, got, rows)
		}
	}
	want("defaults", true, 20)
	check(t, r.Setup().AddObject(table("%", false)))
	want("schema off", false, 21)
	check(t, r.Setup().AddObject(table("orders", true)))
	want("table on", true, 22)
	if err := r.Setup().AddObject(table("orders", false)); !errors.Is(err, ErrDuplicate) {
		t.Errorf("the same key again: %v", err)
	}
	want("duplicate", true, 22)
	update(r, table("orders", false))
	want("table off", false, 22)
	update(r, table("nothing", true))
	want("update of no row", false, 22)
	update(r, table("%", true))
	r.Setup().RemoveObject(ObjectTable, "shop", "orders")
	want("schema on", true, 21)
	r.Setup().RemoveObject(ObjectTable, "shop", "orders")
	want("no row to remove", true, 21)
	check(t, r.Setup().AddObject(SetupObject{ObjectProcedure, "shop", "Pay", true, true}))
	if err := r.Setup().AddObject(SetupObject{ObjectProcedure, "shop", "pAY", true, true}); !errors.Is(err, ErrDuplicate) {
		t.Errorf("the same key in another letter case: %v", err)
	}
	if rows := r.Setup().Objects(); rows[len(rows)-1].Name != "Pay" {
		t.Errorf("the row lost its spelling: %v", rows[len(rows)-1])
	}
	r.Setup().RemoveObject(ObjectProcedure, "shop", "PAY")
	want("procedure removed", true, 21)
	r.Setup().ClearObjects()
	want("cleared", false, 0)
	r.Setup().RemoveObject(ObjectTable, "shop", "orders")
	update(r, table("orders", true))
	want("changes of nothing", false, 0)
	check(t, r.Setup().AddObject(table("orders", true)))
	want("after clearing", true, 1)
}

func TestLimitOfSetupObjects(t *testing.T) {
	add := func(r *Registry, name string) error {
		return r.Setup().AddObject(SetupObject{ObjectTable, "shop", name, true, true})
	}
	for _, n := range []int{0, 1, 30} {
		r := NewRegistry()
		r.Setup().ClearObjects()
		r.Setup().SetLimit(LimitSetupObjects, n)
		for i := range n + 2 {
			want := error(nil)
			if i >= n {
				want = ErrFull
			}
			if err := add(r, fmt.Sprint(i)); !errors.Is(err, want) {
				t.Errorf("limit %d, row %d: %v, want %v", n, i, err, want)
			}
		}
		r.Setup().SetLimit(LimitSetupObjects, n+1)
		check(t, add(r, "more"))
		r.Setup().SetLimit(LimitSetupObjects, 0)
		if got := len(r.Setup().Objects()); got != n+1 {
			t.Errorf("limit %d: %d rows, want %d", n, got, n+1)
		}
	}
	// If many rows are added at the same time, exactly as many as the limit allows are there.
	r := NewRegistry()
	r.Setup().SetLimit(LimitSetupObjects, 50)
	var all sync.WaitGroup
	var full atomic.Int64
	for g := range 8 {
		all.Go(func() {
			for i := range 10 {
				if add(r, fmt.Sprint(g, i)) != nil {
					full.Add(1)
				}
			}
		})
	}
	all.Wait()
	if got := len(r.Setup().Objects()); got != 50 || full.Load() != 8*10-30 {
		t.Errorf("%d rows and %d refused, want 50 and %d", got, full.Load(), 8*10-30)
	}
}

// Random changes, compared with a list that is searched by the documented rule, while other
// goroutines call ObjectSwitches.
func TestSetupObjectsAgainstModel(t *testing.T) {
	texts := []string{"%", "a", "A", "b", "ß"}
	run := func(steps []uint16) bool {
		r := NewRegistry()
		r.Setup().ClearObjects()
		stop := make(chan struct{})
		var reader sync.WaitGroup
		reader.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					r.Setup().ObjectSwitches(ObjectTable, "a", "b")
				}
			}
		})
		defer reader.Wait()
		defer close(stop)
		var model []SetupObject
		// same compares the names of objects of a kind.
		same := func(kind ObjectType, a, b string) bool {
			if kind == ObjectTable || kind == ObjectTrigger {
				return a == b
			}
			return strings.EqualFold(a, b)
		}
		place := func(o SetupObject) int {
			return slices.IndexFunc(model, func(m SetupObject) bool {
				return m.Type == o.Type && m.Schema == o.Schema && same(o.Type, m.Name, o.Name)
			})
		}
		for _, step := range steps {
			n := int(step)
			take := func(of int) int { v := n % of; n /= of; return v }
			action := take(4)
			o := SetupObject{ObjectType(take(int(ObjectTypeCount))), texts[take(len(texts))], texts[take(len(texts))], take(2) == 0, take(2) == 0}
			at := place(o)
			switch action {
			case 0, 1:
				err := r.Setup().AddObject(o)
				if (err == nil) != (at < 0) {
					t.Logf("adding %v: %v", o, err)
					return false
				}
				if at < 0 {
					model = append(model, o)
				}
			case 2:
				if update(r, o); at >= 0 {
					model[at].Enabled, model[at].Timed = o.Enabled, o.Timed
				}
			case 3:
				if r.Setup().RemoveObject(o.Type, o.Schema, o.Name); at >= 0 {
					model = slices.Delete(model, at, at+1)
				}
			}
			if got := r.Setup().Objects(); !slices.Equal(got, model) {
				t.Logf("after %v: %v, want %v", o, got, model)
				return false
			}
			want := SetupObject{}
			for _, key := range []SetupObject{{Type: o.Type, Schema: "a", Name: o.Name}, {Type: o.Type, Schema: "a", Name: "%"}, {Type: o.Type, Schema: "%", Name: "%"}} {
				if at := place(key); at >= 0 {
					want = model[at]
					break
				}
			}
			if enabled, timed := r.Setup().ObjectSwitches(o.Type, "a", o.Name); enabled != want.Enabled || timed != want.Timed {
				t.Logf("after %v: a.%s is %v, %v, want %v", o, o.Name, enabled, timed, want)
				return false
			}
		}
		return true
	}
	if err := quick.Check(run, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

// BenchmarkObjectSwitches measures the look-up when a table is opened.
func BenchmarkObjectSwitches(b *testing.B) {
	r := NewRegistry()
	for _, kind := range []ObjectType{ObjectTable, ObjectProcedure} {
		b.Run(fmt.Sprintf("type=%d", kind), func(b *testing.B) {
			for b.Loop() {
				r.Setup().ObjectSwitches(kind, "shop", "orders")
			}
		})
	}
}
