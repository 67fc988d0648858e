package txkv

import (
	"crypto/rand"
	"encoding/binary"
	"testing"
	"time"
)

// TestReclaim: the files of a range that has been deleted go, though other keys are beside it; and so they do if the store is opened again.
func TestReclaim(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		o := Options{Dir: t.TempDir(), MemTableBytes: 1 << 20}
		s, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		key := func(table byte, n int) []byte { return binary.BigEndian.AppendUint64([]byte{'t', table}, uint64(n)) }
		value := make([]byte, 1000)
		for part := range 12 {
			tx := s.Begin(TxnOptions{})
			for n := range 1000 {
				_, _ = rand.Read(value)
				for table := range byte(3) {
					if table == 1 || n%100 == 0 {
						if err := tx.Put(key(table, part*1000+n), append([]byte(nil), value...)); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		lo, hi := []byte{'t', 1}, []byte{'t', 2}
		before, err := s.db.EstimateDiskUsage(lo, hi)
		if err != nil || before < 8<<20 {
			t.Fatalf("%d bytes, %v", before, err)
		}
		tx := s.Begin(TxnOptions{})
		if err := tx.DeleteRange(lo, hi); err != nil {
			t.Fatal(err)
		}
		if reopened {
			s.reclaiming.wanted = nil // as if the process had ended before
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if reopened {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(o); err != nil {
				t.Fatal(err)
			}
			s.Reclaim(lo, hi)
		}
		deadline := time.Now().Add(time.Minute)
		for {
			left, err := s.db.EstimateDiskUsage(lo, hi)
			if err == nil && left < reclaimBytes/8 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("opened again %v: %d bytes of %d are left, %v", reopened, left, before, err)
			}
			time.Sleep(5 * time.Millisecond)
		}
		tx = s.Begin(TxnOptions{ReadOnly: true})
		if v, err := tx.Get(key(2, 100)); v == nil || err != nil {
			t.Errorf("a key beside the range is gone: %v", err)
		}
		tx.Rollback()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
