package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"pfsd/engine/config"
)

// Go's garbage collector runs when as much has been allocated as was alive after its last run. A server with little data has little alive, so
// that short statements would have it run several times a second, each time for some megabytes. collectorRoom is how much is
// allocated between two runs at least, bytes, on a machine with 2 GiB of memory or more. One with less has the same part of it.
const (
	collectorRoom = 64 << 20
	collectorPart = 32
)

// giveRoom has the garbage collector run no sooner than collectorRoom says, unless GOGC says when it runs. GOMEMLIMIT
// holds all the same. The returned function ends that.
func giveRoom() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	room := int64(collectorRoom)
	if memory := config.MachineMemory(); memory > 0 {
		room = min(room, memory/collectorPart)
	}
	return keepRoom(room)
}

// keepRoom is giveRoom for this many bytes. After each run of the collector it works out how much may be allocated until the next one, in percent of what is
// alive, which is how Go has it.
func keepRoom(room int64) (end func()) {
	const usual = 100
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var mu sync.Mutex // guards the others, and the percent of the collector
	ended, percent := false, usual
	var adjust func(struct{})
	adjust = func(struct{}) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		metrics.Read(live)
		wanted := usual
		if alive := int64(live[0].Value.Uint64()); alive < room {
			wanted = int(room * usual / max(alive, 1<<20))
		}
		if wanted < percent || wanted > percent+percent/8 { // setting it stops all goroutines for a moment
			debug.SetGCPercent(wanted)
			percent = wanted
		}
		runtime.AddCleanup(&struct{ _ [16]byte }{}, adjust, struct{}{}) // after the next run, which finds that nobody has it
	}
	runtime.GC() // nothing is known of what is alive before the first run
	adjust(struct{}{})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		debug.SetGCPercent(usual)
	}
}
