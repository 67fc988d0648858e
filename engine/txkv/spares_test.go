package txkv

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// Scans and gets of one snapshot reuse its iterators. They read the same as the map that was
// committed, while other transactions write, and files of tables are made and removed.
func TestSpareIteratorsReadTheSame(t *testing.T) {
	for _, o := range []Options{{MemTableBytes: 64 << 10}, {Dir: t.TempDir() + "/store", MemTableBytes: 64 << 10, Flush: func() FlushPolicy { return FlushEachSecond }}} {
		s := open(t, o)
		rng := rand.New(rand.NewPCG(1, 2))
		key := func() string { return fmt.Sprintf("k%05d", rng.IntN(6000)) }
		committed := map[string]string{}
		write := func(n int) {
			t.Helper()
			x := s.Begin(TxnOptions{})
			for range n {
				k, v := key(), fmt.Sprint(rng.Uint64())
				var err error
				if rng.IntN(4) == 0 {
					err = x.Delete([]byte(k))
					delete(committed, k)
				} else {
					err = x.Put([]byte(k), []byte(v))
					committed[k] = v
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := x.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		type reader struct {
			x    *Txn
			keys []string
			want map[string]string
		}
		var readers []reader
		for round := range 60 {
			write(200)
			if round%7 == 3 {
				if err := s.flush(); err != nil {
					t.Fatal(err)
				}
			}
			want := make(map[string]string, len(committed))
			r := reader{x: s.Begin(TxnOptions{Isolation: RepeatableRead, Snapshot: true}), want: want}
			for k, v := range committed {
				want[k] = v
				r.keys = append(r.keys, k)
			}
			slices.Sort(r.keys)
			readers = append(readers, r)
			for range 30 {
				r := readers[rng.IntN(len(readers))]
				if rng.IntN(2) == 0 {
					k := key()
					v, err := r.x.Get([]byte(k))
					if want, ok := r.want[k]; err != nil || ok != (v != nil) || string(v) != want {
						t.Fatalf("%s is %q, not %q: %v", k, v, want, err)
					}
					continue
				}
				lo, hi := key(), key()
				if rng.IntN(2) == 0 {
					hi = lo + "0"
				}
				reverse, most := rng.IntN(2) == 0, rng.IntN(300)
				from, _ := slices.BinarySearch(r.keys, lo)
				to, _ := slices.BinarySearch(r.keys, hi)
				expect := slices.Clone(r.keys[from:max(from, to)])
				if reverse {
					slices.Reverse(expect)
				}
				it, err := r.x.Scan([]byte(lo), []byte(hi), reverse)
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for ; n < most && it.Next(); n++ {
					if n >= len(expect) || string(it.Key()) != expect[n] || string(it.Value()) != r.want[expect[n]] {
						t.Fatalf("%s to %s: %s is the %d. of %q", lo, hi, it.Key(), n, expect)
					}
				}
				if n < most && n != len(expect) {
					t.Fatalf("%s to %s: %d keys of %d", lo, hi, n, len(expect))
				}
				if err := it.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if len(readers) > 5 {
				i := rng.IntN(len(readers))
				readers[i].x.Rollback()
				readers = slices.Delete(readers, i, i+1)
			}
		}
		for _, r := range readers {
			r.x.Rollback()
		}
	}
}

// Transactions that share a snapshot use its iterators at the same time.
func TestSpareIteratorsAreShared(t *testing.T) {
	s := open(t, Options{MemTableBytes: 64 << 10})
	const keys = 500
	x := s.Begin(TxnOptions{})
	for i := range keys {
		if err := x.Put(benchKey(i), benchKey(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(n), 3))
			for range 300 {
				x := s.Begin(TxnOptions{Isolation: RepeatableRead})
				for range 3 {
					i := rng.IntN(keys)
					if v, err := x.Get(benchKey(i)); err != nil || string(v) != string(benchKey(i)) {
						t.Errorf("%d is %q: %v", i, v, err)
					}
					it, err := x.Scan(benchKey(i), benchKey(keys), rng.IntN(2) == 0)
					if err != nil {
						t.Error(err)
						break
					}
					found := 0
					for it.Next() {
						found++
					}
					if err := it.Close(); err != nil || found != keys-i {
						t.Errorf("%d keys from %d on: %v", found, i, err)
					}
				}
				x.Rollback()
			}
		})
	}
	for range 20 {
		if err := s.flush(); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}

// An iterator that nobody uses does not keep a memtable that has been flushed.
func TestSpareIteratorsGiveWay(t *testing.T) {
	s := open(t, Options{})
	put := func() {
		t.Helper()
		x := s.Begin(TxnOptions{})
		if err := x.Put([]byte("a"), make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if err := x.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	put()
	x := s.Begin(TxnOptions{Isolation: RepeatableRead})
	defer x.Rollback()
	for range 3 {
		if v, err := x.Get([]byte("a")); err != nil || len(v) != 1000 {
			t.Fatal(v, err)
		}
	}
	if x.snapshot.spares.get.Load() == nil {
		t.Fatal("no iterator is kept")
	}
	put() // else there is nothing to flush
	before := s.snapshots.reshaped.Load()
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	for s.snapshots.reshaped.Load() == before || x.snapshot.spares.get.Load() != nil {
		runtime.Gosched()
	}
	if v, err := x.Get([]byte("a")); err != nil || len(v) != 1000 {
		t.Fatal(v, err)
	}
}
