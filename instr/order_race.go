//go:build race

package instr

import (
	"runtime"
	"unsafe"
)

// released and acquired tell the race detector what it cannot see: that the goroutine of a thread
// has ended, as its descriptor shows, before another goroutine ends the thread and uses its record.
func (t *Thread) released() {
	if t != nil {
		runtime.RaceReleaseMerge(unsafe.Pointer(&t.flags))
	}
}

func (t *Thread) acquired() { runtime.RaceAcquire(unsafe.Pointer(&t.flags)) }
