package ringbuf

import _ "unsafe" // for go:linkname

// Pin keeps the goroutine on its processor until Unpin, and returns the processor's number. In
// between nothing else runs on the processor, so what belongs to it has one writer. In between the
// goroutine must not block, allocate or grow its stack by much.
//
//go:linkname Pin runtime.procPin
//go:nosplit
func Pin() int

// Unpin ends Pin.
//
//go:linkname Unpin runtime.procUnpin
//go:nosplit
func Unpin()
