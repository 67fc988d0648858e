package txkv

import (
	"errors"
	"testing"
	"time"
)

// open opens a store in memory.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put commits one key.
func put(t testing.TB, s *Store, key, value string) {
	t.Helper()
	x := s.Begin(TxnOptions{})
	if _, err := x.Lock(t.Context(), []byte(key), Insert, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := x.Put([]byte(key), []byte(value)); err != nil {
		t.Fatal(err)
	}
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
}

// get returns the value that a transaction reads, "" if there is none.
func get(t testing.TB, x *Txn, key string) string {
	t.Helper()
	v, err := x.Get([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return string(v)
}

// scan returns the keys and values that a transaction finds in a range, as key=value.
func scan(t testing.TB, x *Txn, lo, hi string, reverse bool) (out []string) {
	t.Helper()
	it, err := x.Scan([]byte(lo), []byte(hi), reverse)
	if err != nil {
		t.Fatal(err)
	}
	for it.Next() {
		out = append(out, string(it.Key())+"="+string(it.Value()))
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLevelsReadWhatTheyPromise(t *testing.T) {
	for _, c := range []struct {
		level            Isolation
		inside, nextStmt string
	}{
		{ReadUncommitted, "2", "2"},
		{ReadCommitted, "1", "2"},
		{RepeatableRead, "1", "1"},
		{Serializable, "1", "1"},
	} {
		s := open(t, Options{})
		put(t, s, "k", "1")
		x := s.Begin(TxnOptions{Isolation: c.level})
		x.StartStatement()
		if got := get(t, x, "k"); got != "1" {
			t.Fatal(got)
		}
		put(t, s, "k", "2")
		if got := get(t, x, "k"); got != c.inside {
			t.Errorf("level %d: the same statement reads %q, not %q", c.level, got, c.inside)
		}
		x.StartStatement()
		if got := get(t, x, "k"); got != c.nextStmt {
			t.Errorf("level %d: the next statement reads %q, not %q", c.level, got, c.nextStmt)
		}
		if v, _, err := x.GetLocked(t.Context(), []byte("k"), Exclusive, NoWait); err != nil || string(v) != "2" {
			t.Errorf("level %d: a locking read reads %q, %v", c.level, v, err)
		}
		x.Rollback()
		if _, err := x.Get([]byte("k")); !errors.Is(err, ErrDone) {
			t.Error(err)
		}
	}
}
