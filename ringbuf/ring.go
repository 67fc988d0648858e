package ringbuf

import (
	"math/bits"
	"sync/atomic"
)

// Ring keeps the last events of one writer. E must hold nothing but 64-bit words. The
// zero Ring keeps none.
type Ring[E any] struct {
	// position is how many events were ever appended. Only the writer writes it, after the slot:
	// that publishes the slot.
	position uint64
	// The length of slots is a power of 2, and at least size + 1.
	slots []E
	size  uint64
	// floor is the first position that is not hidden. Truncate and Reset raise it; it never falls.
	floor atomic.Uint64
}

// NewRing returns a ring that shows the last size events.
func NewRing[E any](size int) Ring[E] {
	size = max(size, 0)
	return Ring[E]{slots: make([]E, 1<<bits.Len(uint(size))), size: uint64(size)}
}

// Init makes a zero Ring show the last size events. Owned by one goroutine, the writer, which calls
// it before its first event; readers use the slots only after position has become 1.
func (r *Ring[E]) Init(size int) {
	made := NewRing[E](size)
	r.slots, r.size = made.slots, made.size
}

// Made reports whether NewRing or Init has made the ring. Owned by one goroutine, the writer.
func (r *Ring[E]) Made() bool { return len(r.slots) != 0 }

// Claim returns the slot of the next event, for the writer to fill with Store, word by word, before
// it calls Commit. This saves a copy, and on amd64 a wait: a processor that loads two words at
// once, which were stored one by one, waits until both have reached the cache. The ring must have
// been made by NewRing or Init. Owned by one goroutine, the writer.
func (r *Ring[E]) Claim() *E { return &r.slots[r.position&uint64(len(r.slots)-1)] }

// Commit publishes the event in the claimed slot. Owned by one goroutine, the writer.
func (r *Ring[E]) Commit() { Publish(&r.position, r.position+1) }

// Append adds an event. Owned by one goroutine, the writer.
func (r *Ring[E]) Append(e *E) {
	n := Load(&r.position)
	if len(r.slots) != 0 {
		copyIn(&r.slots[n&uint64(len(r.slots)-1)], e)
	}
	Publish(&r.position, n+1)
}

// Size is how many events the ring shows at the most.
func (r *Ring[E]) Size() int { return int(r.size) }

// Memory is how many slots the ring has, and how many bytes they take. Safe for concurrent use.
func (r *Ring[E]) Memory() (slots, bytes int) {
	return len(r.slots), len(r.slots) * int(words[E]()) * 8
}

// Range returns the positions of the events that can be read now: from first, oldest, up
// to but without end. Safe for concurrent use.
func (r *Ring[E]) Range() (first, end uint64) {
	end = Load(&r.position)
	if end == 0 {
		return 0, 0 // the writer may be making the ring
	}
	return max(end-min(end, r.size), min(end, r.floor.Load())), end
}

// Read copies the event at position n, which Range has returned, and reports whether it
// was still there. Safe for concurrent use.
func (r *Ring[E]) Read(n uint64, out *E) bool {
	copyOut(out, &r.slots[n&uint64(len(r.slots)-1)])
	return n+uint64(len(r.slots)) > Load(&r.position)
}

// readWord copies one word of the event at position n, as Read does with all.
func (r *Ring[E]) readWord(n uint64, i uintptr) (v uint64, ok bool) {
	v = Load(word(&r.slots[n&uint64(len(r.slots)-1)], i))
	return v, n+uint64(len(r.slots)) > Load(&r.position)
}

// lastWord is one word of the last event appended, 0 if there is none. Owned by the writer.
func (r *Ring[E]) lastWord(i uintptr) uint64 {
	if len(r.slots) == 0 {
		return 0
	}
	return Load(word(&r.slots[(Load(&r.position)-1)&uint64(len(r.slots)-1)], i))
}

// Truncate hides every event appended so far, for good: it never shows again what another Truncate
// or Reset hides at the same time. Safe for concurrent use.
func (r *Ring[E]) Truncate() {
	for {
		floor := r.floor.Load()
		n := Load(&r.position)
		if n <= floor || r.floor.CompareAndSwap(floor, n) {
			return
		}
	}
}

// Reset empties the ring for its next writer. Owned by the writer. A reader that is reading the
// ring meanwhile must find out by other means that it has another writer now.
func (r *Ring[E]) Reset() { r.floor.Store(Load(&r.position)) }
