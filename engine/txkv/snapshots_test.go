package txkv

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// kept is how many snapshots Pebble has.
func kept(s *Store) int { return s.db.Metrics().Snapshots.Count }

func TestTransactionsShareASnapshot(t *testing.T) {
	s := open(t, Options{})
	put(t, s, "k", "1")
	first := begin(t, s, RepeatableRead, nil)
	get(t, first, "k")
	first.Rollback()
	if kept(s) != 1 {
		t.Fatalf("%d snapshots are kept for the next reads, not one", kept(s))
	}
	a, b := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
	if get(t, a, "k") != "1" || get(t, b, "k") != "1" || a.snapshot != b.snapshot || kept(s) != 1 {
		t.Fatalf("%d snapshots for two transactions between which nothing is committed", kept(s))
	}
	put(t, s, "k", "2")
	c := begin(t, s, RepeatableRead, nil)
	if got := get(t, c, "k"); got != "2" {
		t.Fatalf("after a commit a transaction reads %s", got)
	}
	if got := get(t, a, "k"); got != "1" {
		t.Fatalf("a transaction that has read 1 reads %s", got)
	}
	for _, x := range []*Txn{a, b, c} {
		x.Rollback()
	}
	if kept(s) != 1 {
		t.Fatalf("%d snapshots when nobody reads", kept(s))
	}
	put(t, s, "k", "3")
	if kept(s) != 0 {
		t.Fatal("a commit leaves a snapshot that nobody reads")
	}
}

// Each commit adds 1 to two keys. Who begins to read after a commit has returned sees it, whole.
func TestSharedSnapshotsMissNothing(t *testing.T) {
	const commits = 500
	s := open(t, Options{})
	put(t, s, "a", "0")
	put(t, s, "b", "0")
	var done atomic.Int64
	var writer, readers sync.WaitGroup
	writer.Go(func() {
		for n := range commits {
			x := s.Begin(TxnOptions{})
			for _, key := range []string{"a", "b"} {
				if _, err := x.Lock(t.Context(), []byte(key), Exclusive, time.Minute); err != nil {
					t.Error(err)
					return
				}
				if err := x.Put([]byte(key), []byte(fmt.Sprint(n+1))); err != nil {
					t.Error(err)
					return
				}
			}
			if err := x.Commit(); err != nil {
				t.Error(err)
				return
			}
			done.Store(int64(n + 1))
		}
	})
	for range 3 {
		readers.Go(func() {
			for seen := int64(0); seen < commits && !t.Failed(); {
				before := done.Load()
				x := s.Begin(TxnOptions{Isolation: RepeatableRead})
				a, errA := x.Get([]byte("a"))
				b, errB := x.Get([]byte("b"))
				x.Rollback()
				n := int64(0)
				_, err := fmt.Sscan(string(a), &n)
				if errA != nil || errB != nil || err != nil || string(a) != string(b) || n < before || n < seen {
					t.Errorf("a is %s and b is %s after commit %d, when %d had been read: %v, %v, %v", a, b, before, seen, errA, errB, err)
				}
				seen = n
			}
		})
	}
	writer.Wait()
	readers.Wait()
}
