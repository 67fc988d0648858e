package main

import (
	"runtime"
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

// The collector runs once for each room that is allocated, or less often, and as often as before when that has ended.
func TestCollectorHasRoom(t *testing.T) {
	const total, room = 1 << 30, 128 << 20
	usual := runsOf(total)
	end := keepRoom(room)
	given := runsOf(total)
	if most := uint32(total/room) + 1; given > most {
		t.Errorf("the collector ran %d times while %d MiB were allocated, with room for %d MiB; want at most %d", given, total>>20, room>>20, most)
	}
	end()
	if after := runsOf(total); after < usual/2 {
		t.Errorf("the collector ran %d times without room, and %d times before", after, usual)
	}
}
