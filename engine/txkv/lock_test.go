package txkv

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// begin begins a transaction that ends with the test.
func begin(t testing.TB, s *Store, level Isolation, owner any) *Txn {
	x := s.Begin(TxnOptions{Isolation: level, Owner: owner})
	t.Cleanup(x.Rollback)
	return x
}

// lock locks a key at once.
func lock(t testing.TB, x *Txn, key string, mode LockMode) {
	t.Helper()
	if _, err := x.Lock(t.Context(), []byte(key), mode, NoWait); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
}

// waiting starts a request, and returns when the request waits. The channel gets the request's
// result.
func waiting(t testing.TB, s *Store, x *Txn, request func() error) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- request() }()
	for !slices.ContainsFunc(s.Locks(), func(l LockInfo) bool { return l.Waiting && l.Txn == x.ID() }) {
		select {
		case err := <-done:
			t.Fatalf("the request did not wait: %v", err)
		default:
		}
	}
	return done
}

// waitLock starts a request for a lock, which waits.
func waitLock(t testing.TB, s *Store, x *Txn, key string, mode LockMode) <-chan error {
	t.Helper()
	return waiting(t, s, x, func() error {
		_, err := x.Lock(context.Background(), []byte(key), mode, -1)
		return err
	})
}

func TestLocksConflict(t *testing.T) {
	for _, c := range []struct {
		held, wanted LockMode
		free         bool
	}{
		{Shared, Shared, true}, {Shared, Exclusive, false}, {Shared, Insert, false},
		{Exclusive, Shared, false}, {Exclusive, Exclusive, false}, {Insert, Shared, false}, {Insert, Insert, false},
	} {
		s := open(t, Options{})
		a, b := begin(t, s, RepeatableRead, "a"), begin(t, s, RepeatableRead, "b")
		lock(t, a, "k", c.held)
		if _, err := b.Lock(t.Context(), []byte("k"), c.wanted, NoWait); (err == nil) != c.free || err != nil && !errors.Is(err, ErrLocked) {
			t.Errorf("%v and %v: %v", c.held, c.wanted, err)
		}
		if _, err := b.Lock(t.Context(), []byte("k"), c.wanted, time.Nanosecond); (err == nil) != c.free || err != nil && !errors.Is(err, ErrLockTimeout) {
			t.Errorf("%v and %v: %v", c.held, c.wanted, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		killed := errors.New("killed")
		cancel(killed)
		if _, err := b.Lock(ctx, []byte("k"), c.wanted, -1); (err == nil) != c.free || err != nil && !errors.Is(err, killed) {
			t.Errorf("%v and %v: %v", c.held, c.wanted, err)
		}
		if n := len(s.Locks()); n > 2 || !c.free && n > 1 {
			t.Errorf("%v and %v: %d locks", c.held, c.wanted, n)
		}
	}
}

// Requests that wait are served in order; those for shared locks, together.
func TestLocksAreServedInOrder(t *testing.T) {
	s := open(t, Options{})
	a, b, c, d := begin(t, s, 0, "a"), begin(t, s, 0, "b"), begin(t, s, 0, "c"), begin(t, s, 0, "d")
	lock(t, a, "k", Exclusive)
	wb, wc, wd := waitLock(t, s, b, "k", Shared), waitLock(t, s, c, "k", Shared), waitLock(t, s, d, "k", Exclusive)
	locks := s.Locks()
	if len(locks) != 4 || !slices.Equal(locks[3].Blockers, []int{0, 1, 2}) || locks[3].Owner != "d" {
		t.Errorf("%+v", locks)
	}
	e := begin(t, s, 0, "e")
	if _, err := e.Lock(t.Context(), []byte("k"), Shared, NoWait); !errors.Is(err, ErrLocked) {
		t.Error("the last request overtook another one:", err)
	}
	a.Rollback()
	if err := errors.Join(<-wb, <-wc); err != nil {
		t.Fatal(err)
	}
	b.Rollback()
	c.Rollback()
	if err := <-wd; err != nil {
		t.Fatal(err)
	}
}

func TestUpgradeGoesFirst(t *testing.T) {
	s := open(t, Options{})
	a, b, c := begin(t, s, 0, "a"), begin(t, s, 0, "b"), begin(t, s, 0, "c")
	lock(t, a, "k", Shared)
	lock(t, b, "k", Shared)
	wc := waitLock(t, s, c, "k", Exclusive)
	wa := waitLock(t, s, a, "k", Exclusive)
	if _, err := b.Lock(t.Context(), []byte("k"), Exclusive, -1); !errors.Is(err, ErrDeadlock) {
		t.Fatal(err)
	}
	if d := s.LastDeadlock(); d == nil || len(d.Waits) != 2 || d.Waits[0].Owner != "b" || d.Waits[1].Owner != "a" {
		t.Errorf("%+v", d)
	}
	b.Rollback()
	if err := <-wa; err != nil {
		t.Fatal(err)
	}
	a.Rollback()
	if err := <-wc; err != nil {
		t.Fatal(err)
	}
}

func TestUnlockGivesBackWhatIsFresh(t *testing.T) {
	s := open(t, Options{})
	a, b := begin(t, s, ReadCommitted, nil), begin(t, s, ReadCommitted, nil)
	fresh, err := a.Lock(t.Context(), []byte("k"), Exclusive, NoWait)
	if err != nil || !fresh {
		t.Fatal(fresh, err)
	}
	if fresh, err = a.Lock(t.Context(), []byte("k"), Exclusive, NoWait); err != nil || fresh {
		t.Fatal(fresh, err)
	}
	w := waitLock(t, s, b, "k", Exclusive)
	a.Unlock([]byte("k"))
	if err := <-w; err != nil {
		t.Fatal(err)
	}
}

func TestRangesKeepInsertsOut(t *testing.T) {
	s := open(t, Options{})
	a, b, c := begin(t, s, RepeatableRead, "a"), begin(t, s, ReadCommitted, "b"), begin(t, s, ReadCommitted, "c")
	r, err := a.LockRange(t.Context(), []byte("b"), []byte("f"), Exclusive, NoWait)
	if err != nil {
		t.Fatal(err)
	}
	lock(t, b, "a", Insert)
	lock(t, b, "f", Insert)
	lock(t, b, "c", Exclusive) // not an insert
	if _, err := c.Lock(t.Context(), []byte("d"), Insert, NoWait); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	w := waitLock(t, s, c, "d", Insert)
	locks := s.Locks()
	if last := locks[len(locks)-1]; !last.Waiting || last.Owner != "c" || len(last.Blockers) != 1 || locks[last.Blockers[0]].Owner != "a" {
		t.Errorf("%+v", locks)
	}
	r.Shrink([]byte("b"), []byte("d"))
	if err := <-w; err != nil {
		t.Fatal(err)
	}
	w = waitLock(t, s, c, "bb", Insert)
	a.Rollback()
	if err := <-w; err != nil {
		t.Fatal(err)
	}
	// A range waits for earlier inserts into it.
	e := begin(t, s, RepeatableRead, "e")
	we := waiting(t, s, e, func() error {
		_, err := e.LockRange(context.Background(), []byte("aa"), []byte("z"), Shared, -1)
		return err
	})
	c.Rollback()
	b.Rollback()
	if err := <-we; err != nil {
		t.Fatal(err)
	}
}

// Two transactions that have locked a range and insert into it wait for each other.
func TestRangesDeadlock(t *testing.T) {
	s := open(t, Options{})
	a, b := begin(t, s, RepeatableRead, "a"), begin(t, s, RepeatableRead, "b")
	for _, x := range []*Txn{a, b} {
		if _, err := x.LockRange(t.Context(), []byte("b"), []byte("f"), Exclusive, NoWait); err != nil {
			t.Fatal(err)
		}
	}
	w := waitLock(t, s, a, "c", Insert)
	if _, err := b.Lock(t.Context(), []byte("d"), Insert, -1); !errors.Is(err, ErrDeadlock) {
		t.Fatal(err)
	}
	b.Rollback()
	if err := <-w; err != nil {
		t.Fatal(err)
	}
	if _, err := a.LockRange(t.Context(), []byte("c"), []byte("e"), Exclusive, NoWait); err != nil {
		t.Fatal(err)
	}
}

// The ranges of a transaction cover the same keys as a list of these ranges.
func TestRangesOfATransaction(t *testing.T) {
	s := open(t, Options{})
	x := begin(t, s, RepeatableRead, nil)
	var list [][2]byte
	for i := range 60 {
		lo := byte(i * 37 % 200)
		hi := lo + 1 + byte(i*11%9)
		if _, err := x.LockRange(t.Context(), []byte{lo}, []byte{hi}, Shared, NoWait); err != nil {
			t.Fatal(err)
		}
		list = append(list, [2]byte{lo, hi})
		for k := range 220 {
			_, got := x.ranged.covering(string([]byte{byte(k)}))
			want := slices.ContainsFunc(list, func(r [2]byte) bool { return r[0] <= byte(k) && byte(k) < r[1] })
			if got != want {
				t.Fatalf("%d after %v: %v", k, list, got)
			}
		}
	}
}

// Eight writers add to two keys in both orders. Deadlocks are found, and no addition is lost.
func TestDeadlocksLoseNothing(t *testing.T) {
	s := open(t, Options{})
	var wg sync.WaitGroup
	var deadlocks atomic.Int64
	const writers, each = 8, 100
	for w := range writers {
		wg.Go(func() {
			keys := []string{"x", "y"}
			if w%2 == 1 {
				slices.Reverse(keys)
			}
			for n := 0; n < each; {
				x := s.Begin(TxnOptions{Isolation: RepeatableRead})
				err := error(nil)
				for _, k := range keys {
					var v []byte
					if v, _, err = x.GetLocked(t.Context(), []byte(k), Insert, -1); err != nil {
						break
					}
					u := uint64(0)
					if v != nil {
						u = binary.BigEndian.Uint64(v)
					}
					if err = x.Put([]byte(k), binary.BigEndian.AppendUint64(nil, u+1)); err != nil {
						break
					}
				}
				switch {
				case errors.Is(err, ErrDeadlock):
					deadlocks.Add(1)
					x.Rollback()
				case err != nil:
					t.Error(err)
					return
				default:
					if err := x.Commit(); err != nil {
						t.Error(err)
						return
					}
					n++
				}
			}
		})
	}
	wg.Wait()
	x := begin(t, s, RepeatableRead, nil)
	for _, k := range []string{"x", "y"} {
		if v := binary.BigEndian.Uint64([]byte(get(t, x, k))); v != writers*each {
			t.Errorf("%s is %d after %d deadlocks", k, v, deadlocks.Load())
		}
	}
	if n := len(s.Locks()); n > 0 {
		t.Errorf("%d locks are left", n)
	}
}

// A request that was cancelled but does not know it yet makes no other transaction the victim of a
// deadlock.
func TestWhoGivesUpIsInNoCircle(t *testing.T) {
	s := open(t, Options{})
	a, b := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
	lock(t, a, "a", Exclusive)
	lock(t, b, "b", Exclusive)
	ctx, cancel := context.WithCancel(t.Context())
	ended := waiting(t, s, a, func() error {
		_, err := a.Lock(ctx, []byte("b"), Exclusive, -1)
		return err
	})
	l := &s.locks
	entry := l.shard([]byte("a")).entries["a"]
	l.graph.Lock() // a's request cannot end while the test holds this lock
	l.setWaiting(b, &waiter{txn: b, mode: Exclusive, entry: entry, key: "a"})
	before := l.deadlocked(b)
	cancel()
	after := l.deadlocked(b)
	l.setWaiting(b, nil)
	l.graph.Unlock()
	if before == nil || after != nil {
		t.Errorf("deadlock while a waits: %v, after it was cancelled: %v", before, after)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
