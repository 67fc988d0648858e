package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// allocated keeps the compiler from allocating a test's memory on the stack.
var allocated []byte

// runsOf returns how often the garbage collector runs while some bytes are allocated, a megabyte at
// a time, and dropped.
func runsOf(bytes int) uint32 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range bytes >> 20 {
		allocated = make([]byte, 1<<20)
	}
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

// While keepRoom is active, the collector runs at most once for each room that is allocated.
// Afterwards it runs with Go's default.
func TestCollectorHasRoom(t *testing.T) {
	const total, room = 1 << 30, 128 << 20
	end := keepRoom(room)
	given := runsOf(total)
	if most := uint32(total/room) + 1; given > most {
		t.Errorf("the collector ran %d times while %d MiB were allocated, with room for %d MiB; want at most %d", given, total>>20, room>>20, most)
	}
	end()
	runtime.GC() // cleanups after this run must not change the percentage
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("the collector runs at %d percent, want 100", percent)
	}
}
