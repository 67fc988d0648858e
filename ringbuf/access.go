package ringbuf

import (
	"sync/atomic"
	"unsafe"
)

// The words of the buffers are loaded and stored in place, 64 bits at a time, which 32-bit
// platforms can do only at some addresses: this does not compile there.
const _ = ^uintptr(0)>>63 - 1

// Load reads a word that Store or Publish writes.
func Load(p *uint64) uint64 { return atomic.LoadUint64(p) }

// words is how many 64-bit words an E has.
func words[E any]() uintptr {
	var e E
	return unsafe.Sizeof(e) / 8
}

// word is the i-th 64-bit word of e.
func word[E any](e *E, i uintptr) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(e), i*8))
}

// copyOut copies a slot that its writer may be storing to.
func copyOut[E any](dst, slot *E) {
	for i := range words[E]() {
		*word(dst, i) = Load(word(slot, i))
	}
}
