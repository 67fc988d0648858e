package instr

import (
	"fmt"
	"sync"
	"testing"
)

func TestMetadataLockRows(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	class := r.NewMetadataLockClass("test/names")
	if again := r.NewMetadataLockClass("test/names"); again != class {
		t.Error("two classes have one name")
	}
	th := r.Attach("test/owner")
	defer th.Detach()
	table := &MetadataObject{Type: "TABLE", Schema: "db", Name: "t"}
	l := class.NewLock(th)
	want := func(what string, rows ...string) {
		t.Helper()
		all := r.Reader().MetadataLocks()
		var got []string
		for _, i := range all {
			got = append(got, fmt.Sprint(*i.Object, i.Type, i.Duration, i.Status, i.Thread == th.ID(), i.Event))
			if i.Source() == "" || i.ID == 0 {
				t.Errorf("%s: source %q, id %d", what, i.Source(), i.ID)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(rows) {
			t.Errorf("%s: %q, want %q", what, got, rows)
		}
	}
	want("nothing is asked for")
	lock := r.NewMutex("test/lock")
	lock.Lock()
	lock.Unlock()
	l.Request(table, SharedRead, TransactionDuration)
	want("asked for", "{TABLE db t  } SHARED_READ TRANSACTION PENDING true 1")
	l.SetStatus(MetadataGranted)
	want("granted", "{TABLE db t  } SHARED_READ TRANSACTION GRANTED true 1")
	l.SetType(Exclusive)
	l.SetDuration(ExplicitDuration)
	want("changed", "{TABLE db t  } EXCLUSIVE EXPLICIT GRANTED true 1")
	l.Release()
	want("released")
	l.SetStatus(MetadataGranted)
	want("released, whatever is said of it afterwards")
	l.Request(&MetadataObject{Type: "GLOBAL"}, IntentionExclusive, StatementDuration)
	want("another", "{GLOBAL    } INTENTION_EXCLUSIVE STATEMENT PENDING true 1")
	other := class.NewLock(nil)
	other.Request(table, Shared, StatementDuration)
	want("of the goroutine's thread", "{GLOBAL    } INTENTION_EXCLUSIVE STATEMENT PENDING true 1", "{TABLE db t  } SHARED STATEMENT PENDING true 1")
	l.Close()
	l.Close()
	want("closed", "{TABLE db t  } SHARED STATEMENT PENDING true 1")
	other.Close()
	want("all closed")

	class.Class().SetEnabled(false)
	off := class.NewLock(th)
	off.Request(table, Shared, StatementDuration)
	off.Wait().End()
	want("off")
	off.Close()
	if n := class.Class().Waits().Count; n != 0 {
		t.Errorf("%d waits, though the instrument is off", n)
	}
	var none *MetadataLock
	none.Request(table, Shared, StatementDuration)
	none.SetStatus(MetadataGranted)
	none.Wait().End()
	none.Release()
	none.Close()
	for l := range LimitCount {
		if n := r.Reader().Lost(l); n != 0 {
			t.Errorf("%s: %d lost", l, n)
		}
	}
}

func TestMetadataWaits(t *testing.T) {
	needsThreadLookup(t)
	r := NewRegistry()
	watchAll(r)
	class := r.NewMetadataLockClass("test/names")
	th := r.Attach("test/owner")
	defer th.Detach()
	l := class.NewLock(th)
	defer l.Close()
	for i := range 2 {
		l.Request(&MetadataObject{Type: "TABLE", Schema: "db", Name: fmt.Sprint("t", i)}, Exclusive, TransactionDuration)
		w := l.Wait()
		id := r.Reader().MetadataLocks()[0].ID
		running := th.CurrentWaits(nil)
		if len(running) != 1 || running[0].Ended || running[0].Op != OpMetadataLock || running[0].Object != id || running[0].Op.String() != "metadata lock" {
			t.Errorf("while it waits: %+v, the lock is %d", running, id)
		}
		w.End()
		l.SetStatus(MetadataTimeout)
		l.Release()
	}
	history := th.WaitsHistory(nil)
	if len(history) != 2 || history[0].Object == history[1].Object {
		t.Fatalf("%+v", history)
	}
	for i, e := range history {
		if o := r.Reader().MetadataObject(e.Object); o == nil || o.Name != fmt.Sprint("t", i) || e.Class != class.Class() {
			t.Errorf("wait %d was for %v", i, o)
		}
	}
	if s := class.Class().Waits(); s.Count != 2 || th.classWaits(class.Class()).Count != 2 {
		t.Errorf("%+v", s)
	}
	if r.Reader().MetadataObject(1) != nil {
		t.Error("an id that no wait has leads to an object")
	}
}

// The names of the last waits are remembered, and no more than these.
func TestMetadataObjectsAreBounded(t *testing.T) {
	r := NewRegistry()
	class := r.NewMetadataLockClass("test/names")
	l := class.NewLock(nil)
	var ids []uint64
	for range metadataWaited + 10 {
		l.Request(&MetadataObject{Type: "TABLE"}, Shared, StatementDuration)
		l.Wait().End()
		ids = append(ids, r.Reader().MetadataLocks()[0].ID)
		l.Release()
	}
	for i, id := range ids {
		if known := r.Reader().MetadataObject(id) != nil; known != (i >= 10) {
			t.Fatalf("object %d of %d is known: %v", i, len(ids), known)
		}
	}
	if n := len(r.metadata.waited); n != metadataWaited {
		t.Errorf("%d objects are kept", n)
	}
}

func TestMetadataLockLimit(t *testing.T) {
	r := NewRegistry()
	r.Setup().SetLimit(LimitMetadataLocks, 2)
	class := r.NewMetadataLockClass("test/names")
	o := &MetadataObject{Type: "TABLE"}
	var locks []*MetadataLock
	for range 3 {
		l := class.NewLock(nil)
		l.Request(o, Shared, StatementDuration)
		locks = append(locks, l)
	}
	if n, lost := len(r.Reader().MetadataLocks()), r.Reader().Lost(LimitMetadataLocks); n != 2 || lost != 1 {
		t.Errorf("%d rows, %d lost", n, lost)
	}
	locks[0].Release()
	locks[2].Request(o, Shared, StatementDuration)
	if n, lost := len(r.Reader().MetadataLocks()), r.Reader().Lost(LimitMetadataLocks); n != 2 || lost != 1 {
		t.Errorf("with a place that is free again: %d rows, %d lost", n, lost)
	}
	for _, l := range locks {
		l.Close()
	}
	if n := r.used[LimitMetadataLocks].Load(); n != 0 {
		t.Errorf("%d places are taken when all is closed", n)
	}
}

// No row is half one lock and half another.
func TestMetadataLockRowsAreWhole(t *testing.T) {
	r := NewRegistry()
	class := r.NewMetadataLockClass("test/names")
	var objects [int(MetadataLockTypeCount)]*MetadataObject
	for i := range objects {
		objects[i] = &MetadataObject{Type: MetadataLockType(i).String()}
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			l := class.NewLock(nil)
			defer l.Close()
			for i := 1; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				n := 1 + i%int(MetadataLockTypeCount-1)
				l.Request(objects[n], MetadataLockType(n), MetadataLockDuration(n%3))
				l.Release()
			}
		})
	}
	seen := 0
	for seen < 20_000 {
		for _, i := range r.Reader().MetadataLocks() {
			seen++
			if i.Object.Type != i.Type.String() || i.Duration != MetadataLockDuration(i.Type%3) {
				t.Fatalf("%+v, %+v", i, i.Object)
			}
		}
	}
	close(stop)
	writers.Wait()
}

func TestMetadataLockAllocatesNothing(t *testing.T) {
	r := NewRegistry()
	l := r.NewMetadataLockClass("test/names").NewLock(nil)
	o := &MetadataObject{Type: "TABLE"}
	if n := testing.AllocsPerRun(100, func() {
		l.Request(o, SharedRead, TransactionDuration)
		l.SetStatus(MetadataGranted)
		l.Release()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMetadataLock(b *testing.B) {
	for _, on := range []bool{false, true} {
		b.Run(fmt.Sprintf("on=%v", on), func(b *testing.B) {
			r := NewRegistry()
			class := r.NewMetadataLockClass("test/names")
			class.Class().SetEnabled(on)
			th := r.Attach("test/owner")
			defer th.Detach()
			l := class.NewLock(th)
			o := &MetadataObject{Type: "TABLE"}
			for b.Loop() {
				l.Request(o, SharedRead, TransactionDuration)
				l.SetStatus(MetadataGranted)
				l.Release()
			}
		})
	}
}
