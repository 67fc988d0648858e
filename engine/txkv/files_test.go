package txkv

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"pfsd/instr"
)

// No test leaves a goroutine behind, not even one in which Pebble cannot open a store.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// Each file of a store counts in its instrument, with its bytes. Flushes and compactions are
// threads in stages.
func TestFilesAndJobsAreInstruments(t *testing.T) {
	r := instr.NewRegistry()
	r.Setup().SetConsumer(instr.ConsumerEventsStagesCurrent, true)
	var mu sync.Mutex
	var threads []string
	s := open(t, Options{Dir: filepath.Join(t.TempDir(), "store"), Registry: r, BallastBytes: 1 << 20})
	s.jobs.began = func(thread *instr.Thread) {
		mu.Lock()
		defer mu.Unlock()
		e := thread.CurrentStage(nil)
		threads = append(threads, fmt.Sprint(thread.Class().Name(), " ", e[0].Class.Name(), " ", e[0].WorkEstimated > 0))
	}
	class := func(name string) instr.IOStat {
		t.Helper()
		c := r.Reader().ClassByName("wait/io/file/pebble/" + name)
		if c == nil {
			t.Fatalf("no instrument %s", name)
		}
		return c.IO()
	}
	before := class("wal")
	put(t, s, "k", strings.Repeat("x", 1000))
	wal := class("wal")
	if n := wal.WriteBytes - before.WriteBytes; n < 1000 || n > 1100 {
		t.Errorf("a commit of 1001 bytes wrote %d", n)
	}
	if n := wal.Misc.Count - before.Misc.Count; n != 1 {
		t.Errorf("a commit synced %d times", n)
	}
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	if class("sst").WriteBytes == 0 || class("manifest").WriteBytes == 0 {
		t.Error("a flush wrote nothing")
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(threads, "thread/txkv/flush stage/txkv/flushing memtables true") {
		t.Errorf("%q", threads)
	}
}

// TestDirectoryIsSyncedAtOnce syncs the directory on several goroutines: flushes and compactions
// share Pebble's handle of it. The race detector finds the faults.
func TestDirectoryIsSyncedAtOnce(t *testing.T) {
	s := open(t, Options{})
	dir, err := s.files.OpenDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	start := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			<-start
			for range 20 {
				if err := dir.Sync(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	close(start)
	all.Wait()
}
