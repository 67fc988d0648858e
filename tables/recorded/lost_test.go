package recorded

import (
	"testing"

	"pfsd/instr"
	"pfsd/instr/record"
)

// Each kind of what a recording loses has a counter, and FLUSH STATUS resets those that it resets in MySQL.
func TestLostOf(t *testing.T) {
	all := record.Lost{Classes: 1, Threads: 20, Files: 300, Locks: 4000, Events: 50000, LockWaits: 6}
	for _, flushed := range []record.Lost{{}, {Threads: 20, Files: 299, Locks: 4000, Classes: 1}, {Threads: 21}} {
		sum := uint64(0)
		for l := range instr.LimitCount {
			sum += lostOf(all, flushed, l)
		}
		want := all.Classes + all.Locks + all.LockWaits + all.Threads - min(all.Threads, flushed.Threads) + all.Files - flushed.Files
		if sum != want {
			t.Errorf("lost %d in all, want %d, after %+v", sum, want, flushed)
		}
	}
	if n := lostOf(all, record.Lost{}, instr.LimitThreadInstances); n != 26 {
		t.Errorf("%d threads", n)
	}
}
