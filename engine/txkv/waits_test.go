package txkv

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// waitRecorder records the waits and deadlocks that a store reports.
type waitRecorder struct {
	mu           sync.Mutex
	begun, ended []string
	deadlocks    []*Deadlock
}

func (w *waitRecorder) options() Options {
	return Options{
		OnWait: func(l LockInfo) func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			name := l.Owner.(string) + " for " + string(l.Key)
			w.begun = append(w.begun, name)
			return func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.ended = append(w.ended, name)
			}
		},
		OnDeadlock: func(d *Deadlock) { w.deadlocks = append(w.deadlocks, d) },
	}
}

// Each request that waits counts once, however it ends. A request that does not wait does not
// count.
func TestWaitsAreCounted(t *testing.T) {
	var recorder waitRecorder
	s := open(t, recorder.options())
	a, b, c := begin(t, s, RepeatableRead, "a"), begin(t, s, RepeatableRead, "b"), begin(t, s, RepeatableRead, "c")
	lock(t, a, "k", Exclusive)
	lock(t, a, "k2", Exclusive)
	if _, err := b.Lock(t.Context(), []byte("k"), Shared, NoWait); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	if got := s.LockStats(); got != (LockStats{}) {
		t.Errorf("counts without a wait: %+v", got)
	}
	if _, err := b.Lock(t.Context(), []byte("k"), Shared, time.Millisecond); !errors.Is(err, ErrLockTimeout) {
		t.Fatal(err)
	}
	got := s.LockStats()
	if got.Waits != 1 || got.Current != 0 || got.Timeouts != 1 || got.Deadlocks != 0 || got.Time < time.Millisecond || got.Max != got.Time {
		t.Errorf("counts after a timeout: %+v", got)
	}
	wb, wc := waitLock(t, s, b, "k", Shared), waitLock(t, s, c, "k2", Exclusive)
	deadline := time.Now().Add(30 * time.Second)
	for got = s.LockStats(); got.Waits != 3 || got.Current != 2; got = s.LockStats() { // a request waits before it is counted
		if time.Now().After(deadline) {
			t.Fatalf("counts while two requests wait: %+v", got)
		}
	}
	a.Rollback()
	if err := errors.Join(<-wb, <-wc); err != nil {
		t.Fatal(err)
	}
	after := s.LockStats()
	if after.Waits != 3 || after.Current != 0 || after.Timeouts != 1 || after.Time <= got.Time || after.Max < got.Max || after.Time < after.Max {
		t.Errorf("counts after all waits: %+v", after)
	}
	slices.Sort(recorder.begun)
	slices.Sort(recorder.ended)
	if want := []string{"b for k", "b for k", "c for k2"}; !slices.Equal(recorder.begun, want) || !slices.Equal(recorder.ended, want) {
		t.Errorf("the recorder has begun %q and ended %q", recorder.begun, recorder.ended)
	}
}

// A deadlock says which locks each transaction holds for which another one waits, on keys and on
// ranges.
func TestDeadlockSaysWhatIsHeld(t *testing.T) {
	var recorder waitRecorder
	s := open(t, recorder.options())
	a, b := begin(t, s, RepeatableRead, "a"), begin(t, s, RepeatableRead, "b")
	lock(t, a, "x", Shared)
	if _, err := b.LockRange(t.Context(), []byte("k"), []byte("m"), Exclusive, NoWait); err != nil {
		t.Fatal(err)
	}
	lock(t, b, "y", Exclusive)
	wa := waitLock(t, s, a, "l", Insert)
	if _, err := b.Lock(t.Context(), []byte("x"), Exclusive, -1); !errors.Is(err, ErrDeadlock) {
		t.Fatal(err)
	}
	if len(recorder.deadlocks) != 1 || recorder.deadlocks[0] != s.LastDeadlock() || s.LockStats().Deadlocks != 1 {
		t.Fatalf("the recorder has %d deadlocks, the counts are %+v", len(recorder.deadlocks), s.LockStats())
	}
	d := recorder.deadlocks[0]
	type lock struct {
		owner, key, end string
		mode            LockMode
	}
	var got []lock
	for _, l := range append(slices.Clone(d.Waits), d.Holds...) {
		got = append(got, lock{l.Owner.(string), string(l.Key), string(l.End), l.Mode})
	}
	want := []lock{{"b", "x", "", Exclusive}, {"a", "l", "", Insert}, {"b", "k", "m", Exclusive}, {"a", "x", "", Shared}}
	if !slices.Equal(got, want) || !slices.Equal(d.Held, []int{2, 1}) {
		t.Errorf("got %+v and %v", got, d.Held)
	}
	b.Rollback()
	if err := <-wa; err != nil {
		t.Fatal(err)
	}
}
