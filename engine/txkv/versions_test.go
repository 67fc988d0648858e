package txkv

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

// Reads of keys that are written again and again do not step over more and more versions: their
// steps cause a flush of the memtable.
func TestOldVersionsAreFlushed(t *testing.T) {
	s := open(t, Options{})
	const keys, rounds = 10, 2000
	for i := range keys {
		put(t, s, fmt.Sprint("k", i), "0")
	}
	steps := 0
	for n := range rounds {
		x := s.Begin(TxnOptions{})
		for i := range keys {
			key := fmt.Append(nil, "k", i)
			if _, err := x.Lock(t.Context(), key, Exclusive, NoWait); err != nil {
				t.Fatal(err)
			}
			if err := x.Put(key, fmt.Append(nil, n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Commit(); err != nil {
			t.Fatal(err)
		}
		r := s.Begin(TxnOptions{Isolation: RepeatableRead})
		it, err := r.Scan([]byte("k"), []byte("l"), false)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for it.Next() {
			if found++; string(it.Value()) != fmt.Sprint(n) {
				t.Fatalf("%s is %s after %d", it.Key(), it.Value(), n)
			}
		}
		stats := it.stored.Stats()
		steps += stats.ForwardStepCount[pebble.InternalIterCall]
		if err := it.Close(); err != nil || found != keys {
			t.Fatal(found, err)
		}
		r.Rollback()
		s.calls.Wait() // waits for a flush, so that the count below does not depend on the flush's speed
	}
	if m := s.db.Metrics(); m.Flush.Count < 2 {
		t.Errorf("%d flushes of versions that were stepped over", m.Flush.Count)
	}
	// Without flushes a scan steps over all versions: half of keys*rounds*rounds in all.
	if most := keys * rounds * rounds / 8; steps > most {
		t.Errorf("%d scans of %d keys took %d steps, more than %d", rounds, keys, steps, most)
	}
}
