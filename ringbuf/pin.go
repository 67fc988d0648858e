package ringbuf

import _ "unsafe" // for go:linkname

// Pin keeps the goroutine on its processor, which it returns, until Unpin: between them
// nothing else runs there, so what belongs to the processor has one writer. Nothing may
// block, allocate or grow the stack by much in between.
//
//go:linkname Pin runtime.procPin
//go:nosplit
func Pin() int

// Unpin ends Pin.
//
//go:linkname Unpin runtime.procUnpin
//go:nosplit
func Unpin()
