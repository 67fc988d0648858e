package txkv

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// snapshotCount returns how many snapshots Pebble has.
func snapshotCount(s *Store) int { return s.db.Metrics().Snapshots.Count }

func TestTransactionsShareASnapshot(t *testing.T) {
	s := open(t, Options{})
	put(t, s, "k", "1")
	first := begin(t, s, RepeatableRead, nil)
	get(t, first, "k")
	first.Rollback()
	if snapshotCount(s) != 1 {
		t.Fatalf("%d snapshots are kept for the next reads, not one", snapshotCount(s))
	}
	a, b := begin(t, s, RepeatableRead, nil), begin(t, s, RepeatableRead, nil)
	if get(t, a, "k") != "1" || get(t, b, "k") != "1" || a.snapshot != b.snapshot || snapshotCount(s) != 1 {
		t.Fatalf("%d snapshots for two transactions between which nothing is committed", snapshotCount(s))
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
	if snapshotCount(s) != 1 {
		t.Fatalf("%d snapshots when nobody reads", snapshotCount(s))
	}
	put(t, s, "k", "3")
	if snapshotCount(s) != 0 {
		t.Fatal("a commit leaves a snapshot that nobody reads")
	}
}

// Each commit adds 1 to two keys. A transaction that begins to read after a commit has returned
// sees both changes.
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

// A job that begins while a commit's keys are in Pebble and not shown drops the versions that a
// snapshot of that moment needs.
func TestReadsWaitForCommitsThatAJobHasMet(t *testing.T) {
	s := open(t, Options{})
	put(t, s, "k", "1")
	for name, read := range map[string]func(*Txn){
		"snapshot": func(x *Txn) { get(t, x, "k") },
		"newest": func(x *Txn) {
			if _, err := x.GetNewest([]byte("k")); err != nil {
				t.Error(err)
			}
		},
		"newest range": func(x *Txn) {
			it, err := x.ScanNewest(nil, nil, false)
			if err := errors.Join(err, it.Close()); err != nil {
				t.Error(err)
			}
		},
	} {
		begin := func() chan struct{} {
			done := make(chan struct{})
			go func() {
				x := s.Begin(TxnOptions{Isolation: RepeatableRead})
				read(x)
				x.Rollback()
				close(done)
			}()
			return done
		}
		s.snapshots.begin()
		<-begin() // there is no job to wait for
		s.snapshots.jobBegins()
		s.snapshots.begin() // another commit
		done := begin()
		for waiting := false; !waiting; runtime.Gosched() {
			s.snapshots.mu.Lock()
			waiting = s.snapshots.cleared != nil
			s.snapshots.mu.Unlock()
		}
		s.snapshots.end()
		select {
		case <-done:
			t.Errorf("%s: a read did not wait for a commit during which a job began", name)
		default:
		}
		s.snapshots.end()
		<-done
		s.snapshots.jobBegins() // there is no commit to wait for
		<-begin()
	}
}

// A snapshot keeps its values to its end, also while files that replace them are ingested, flushed
// and compacted.
func TestSnapshotsBesideFilesAndJobs(t *testing.T) {
	const commits, keys = 400, 3
	s := open(t, Options{Dir: "db", FS: vfs.NewMem(), MemTableBytes: 64 << 10, BallastBytes: -1, TransactionMemory: 1})
	write := func(n int) error {
		x := s.Begin(TxnOptions{})
		defer x.Rollback()
		for k := range keys {
			if err := x.Put([]byte{'k', byte(k)}, fmt.Append(nil, n)); err != nil {
				return err
			}
		}
		return x.Commit()
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for n := range commits {
				if err := write(n + 1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 16 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				x := s.Begin(TxnOptions{Isolation: RepeatableRead})
				first := ""
				for i := range 60 {
					v, err := x.Get([]byte{'k', byte(i % keys)})
					if i == 0 {
						first = string(v)
					}
					if err != nil || v == nil || string(v) != first {
						t.Errorf("a transaction has read %s and then %q: %v", first, v, err)
						x.Rollback()
						return
					}
					runtime.Gosched()
				}
				x.Rollback()
				if v, err := s.Begin(TxnOptions{}).GetNewest([]byte("k\x00")); err != nil || v == nil {
					t.Errorf("the newest state has no k: %v", err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
}
