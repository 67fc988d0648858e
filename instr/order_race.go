//go:build race

package instr

import (
	"runtime"
	"unsafe"
)

// released and acquired tell the race detector what it cannot see: that a goroutine has ended,
// as its descriptor says, before another one ends its thread and uses the record.
func (t *Thread) released() {
	if t != nil {
		runtime.RaceReleaseMerge(unsafe.Pointer(&t.flags))
	}
}

func (t *Thread) acquired() { runtime.RaceAcquire(unsafe.Pointer(&t.flags)) }
