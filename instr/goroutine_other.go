//go:build !amd64 && !arm64

package instr

import (
	"runtime"
	"unsafe"
)

// HasThreadLookup reports whether this platform finds the current thread by itself. Where it
// does not, only the methods that take a *Thread record events of threads.
const HasThreadLookup = false

const goidOffset = 0

func goroutine(uintptr) (gp, goid uint64) { return 0, 0 }

// goroutineOffsets are unknown on this platform.
var goroutineOffsets descriptorOffsets

func goroutineEnded(uintptr, uint64) bool { return false }

func root() (last, before uintptr) { return 0, 0 }

func callers(to *uintptr, n int) int { return runtime.Callers(3, unsafe.Slice(to, n)) }

// callerPC returns the return address into the function that called the function that
// calls callerPC.
func callerPC() uintptr {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	return pc[0]
}
