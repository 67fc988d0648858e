package txkv

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// spanned opens a store in which keys with the same first byte are locked together after a few.
func spanned(t *testing.T) *Store {
	return open(t, Options{LockLimit: 4, LockSpan: func(key []byte) (lo, hi []byte) { return []byte{key[0]}, []byte{key[0] + 1} }})
}

// lockMany locks enough keys that the transaction tries to have a span.
func lockMany(t *testing.T, x *Txn, mode LockMode) {
	t.Helper()
	for i := range 4 {
		lock(t, x, fmt.Sprint("a", i), mode)
	}
}

func (t *Txn) hasSpan() bool { return len(t.locks.spans) > 0 }

func TestSpansKeepOthersOut(t *testing.T) {
	for _, c := range []struct {
		held, wanted LockMode
		wait         bool
	}{
		{Exclusive, Shared, true}, {Exclusive, Exclusive, true}, {Insert, Insert, true},
		{Shared, Shared, false}, {Shared, Exclusive, true}, {Shared, Insert, true},
	} {
		s := spanned(t)
		x, y := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
		lockMany(t, x, c.held)
		if !x.hasSpan() || len(x.locks.held) > 0 {
			t.Fatalf("%v: no span after four keys", c)
		}
		lock(t, x, "a99", c.held)
		lock(t, y, "b", c.wanted) // outside
		if !c.wait {
			lock(t, y, "a99", c.wanted)
			continue
		}
		if _, err := y.Lock(t.Context(), []byte("a50"), c.wanted, NoWait); !errors.Is(err, ErrLocked) {
			t.Errorf("%v: %v", c, err)
		}
		done := waitLock(t, s, y, "a50", c.wanted)
		blocked := false
		for _, l := range s.Locks() {
			if l.Waiting && l.Txn == y.ID() {
				blocked = len(l.Blockers) == 1 && s.Locks()[l.Blockers[0]].Span
			}
		}
		if !blocked {
			t.Errorf("%v: it does not wait for the span: %v", c, s.Locks())
		}
		x.Rollback()
		if err := <-done; err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A transaction has a span only if nobody else has locked something in it, and tries again later.
func TestSpansWaitForNobody(t *testing.T) {
	s := spanned(t)
	x, y, z := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
	lock(t, y, "a5", Shared)
	lockMany(t, x, Exclusive)
	if x.hasSpan() {
		t.Fatal("another has locked a key in the span")
	}
	y.Rollback()
	if _, err := z.LockRange(t.Context(), []byte("a8"), []byte("a9"), Shared, NoWait); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		lock(t, x, fmt.Sprint("a1", i), Exclusive)
	}
	if x.hasSpan() {
		t.Fatal("another has locked a range in the span")
	}
	z.Rollback()
	for i := range 4 {
		lock(t, x, fmt.Sprint("a2", i), Exclusive)
	}
	if !x.hasSpan() {
		t.Fatal("nobody else has locked anything")
	}
	w := begin(t, s, RepeatableRead, nil)
	done := waiting(t, s, w, func() error {
		_, err := w.LockRange(context.Background(), []byte("a8"), []byte("a9"), Shared, -1)
		return err
	})
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// Who waited for a key waits for the span that took its place, and two that want more than they share deadlock.
func TestSpansTakeOverWhoWaits(t *testing.T) {
	s := spanned(t)
	x, y := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
	lock(t, x, "a0", Exclusive)
	done := waitLock(t, s, y, "a0", Exclusive)
	lockMany(t, x, Exclusive)
	if !x.hasSpan() {
		t.Fatal("no span")
	}
	select {
	case err := <-done:
		t.Fatalf("it does not wait any more: %v", err)
	default:
	}
	x.Rollback()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	y.Rollback()

	v, w := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
	lockMany(t, v, Shared)
	lockMany(t, w, Shared)
	if !v.hasSpan() || !w.hasSpan() {
		t.Fatal("spans are not shared")
	}
	done = waitLock(t, s, v, "a1", Exclusive)
	if _, err := w.Lock(t.Context(), []byte("a2"), Exclusive, -1); !errors.Is(err, ErrDeadlock) {
		t.Fatal(err)
	}
	w.Rollback()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// A shared lock of a key stays one while another's shared span keeps it from becoming more.
func TestSpansAndUpgrades(t *testing.T) {
	s := spanned(t)
	x, y := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
	lock(t, y, "a9", Shared)
	lockMany(t, x, Shared)
	if !x.hasSpan() {
		t.Fatal("shared locks are in each other's way")
	}
	if _, err := y.Lock(t.Context(), []byte("a9"), Exclusive, NoWait); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	z := begin(t, s, RepeatableRead, nil)
	lock(t, z, "a9", Shared)
	z.Rollback()
	x.Rollback()
	lock(t, y, "a9", Exclusive)
}

// Who holds a key and locks it once more keeps it while another looks whether a span is free.
func TestSpansLeaveWhatIsHeld(t *testing.T) {
	for _, mode := range []LockMode{Shared, Exclusive, Insert} {
		s := spanned(t)
		x, y := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
		lock(t, y, "a9", mode)
		tried := span{x, "a", "b", Exclusive, grant{}}
		if !s.locks.enterSpan(tried) {
			t.Fatal("it is not free")
		}
		if _, err := y.Lock(t.Context(), []byte("a9"), mode, NoWait); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
		if got := s.locks.mode(y, "a9"); got != mode {
			t.Errorf("%v became %v", mode, got)
		}
		if !s.locks.lockedInside(tried) {
			t.Errorf("%v: the span is free", mode)
		}
		s.locks.leaveSpans(func(o *span) bool { return *o == tried })
	}
}
