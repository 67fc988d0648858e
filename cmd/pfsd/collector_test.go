package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// allocated keeps the compiler from putting what a test allocates on the stack.
var allocated []byte

// runsOf is how often the garbage collector runs while some bytes are allocated, a megabyte at a time, and dropped.
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

// The collector runs once for each room that is allocated, or less often, and as Go has it when that has ended.
func TestCollectorHasRoom(t *testing.T) {
	const total, room = 1 << 30, 128 << 20
	end := keepRoom(room)
	given := runsOf(total)
	if most := uint32(total/room) + 1; given > most {
		t.Errorf("the collector ran %d times while %d MiB were allocated, with room for %d MiB; want at most %d", given, total>>20, room>>20, most)
	}
	end()
	runtime.GC() // what it has found that nobody has must not change anything any more
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("the collector runs at %d percent, want 100", percent)
	}
}
