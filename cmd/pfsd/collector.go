package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"pfsd/engine/config"
)

// Go's garbage collector runs when as many bytes have been allocated as were alive after its last
// run. A server with little data has few live bytes, so that short statements would start the
// collector several times a second, each time for a few megabytes. collectorRoom is the least
// number of bytes that is allocated between two runs, on a machine with 2 GiB of memory or more. On
// a machine with less memory, it is a part of the memory, one collectorPart-th. readerRoom is the same
// for a server that shows a recording.
const (
	collectorRoom = 64 << 20
	readerRoom    = 8 << 20
	collectorPart = 32
)

// giveRoom makes the garbage collector wait until so many bytes have been allocated, unless
// GOGC is set. GOMEMLIMIT still applies. The returned function restores the default.
func giveRoom(room int64) (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	if memory := config.MachineMemory(); memory > 0 {
		room = min(room, memory/collectorPart)
	}
	return keepRoom(room)
}

// keepRoom does the same as giveRoom for this many bytes. After each run of the collector it
// calculates how many bytes may be allocated until the next run, as a percentage of the live bytes,
// which is Go's setting.
func keepRoom(room int64) (end func()) {
	const usual = 100
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var mu sync.Mutex // guards ended and percent, and the percentage of the collector
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
		if wanted < percent || wanted > percent+percent/8 { // setting the percentage stops all goroutines for a moment
			debug.SetGCPercent(wanted)
			percent = wanted
		}
		runtime.AddCleanup(&struct{ _ [16]byte }{}, adjust, struct{}{}) // called after the collector's next run, because nothing refers to the object
	}
	runtime.GC() // the number of live bytes is not known before the first run
	adjust(struct{}{})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		debug.SetGCPercent(usual)
	}
}

// idleInterval is how often it is looked whether a server that shows a recording is idle, idleRoom how many bytes it may have allocated in between, and
// how much more memory than it needs it may have, and idlePages how much more of its own file.
const (
	idleInterval = 5 * time.Second
	idleRoom     = 4 << 20
	idlePages    = 16 << 20
)

// returnMemory returns memory to the system that the start of a server and large statements have needed, and pages of the program's file: at each tick up to which little was allocated.
// The collector itself runs only when much is allocated again, and keeps the room that it had last. The returned function ends that.
func returnMemory(ticks <-chan time.Time) (end func()) {
	debug.FreeOSMemory()
	ending, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		allocated, needed := heapUse()
		returned, used := false, uint64(0) // whether all ticks since pages were returned were idle, and what came back until the first of them
		for {
			select {
			case <-ending:
				return
			case <-ticks:
			}
			before := allocated
			var has uint64
			if allocated, has = heapUse(); allocated-before >= idleRoom {
				returned = false
				continue
			}
			if has > needed+idleRoom {
				debug.FreeOSMemory()
				_, needed = heapUse()
			}
			switch pages := filePages(); {
			case !returned || used > 0 && pages > used+idlePages:
				returnFilePages()
				returned, used = true, 0
			case used == 0:
				used = pages
			}
		}
	}()
	return func() {
		close(ending)
		<-ended
	}
}

// heapUse is how many bytes have ever been allocated, and how many the heap has from the system.
func heapUse() (allocated, has uint64) {
	heap := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(heap)
	for _, s := range heap[1:] {
		has += s.Value.Uint64()
	}
	return heap[0].Value.Uint64(), has
}
