package ringbuf

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Long keeps the last events of all threads, in a ring for each processor. E must hold nothing but
// 64-bit words; one of them, the stamp, grows from event to event and orders the events of all
// rings.
type Long[E any] struct {
	rings   PerP[paddedRing[E]]
	size    int
	stamp   uintptr
	newRing func() *paddedRing[E]
	lapped  atomic.Uint64
}

// paddedRing keeps the positions of two processors off each other's cache lines.
type paddedRing[E any] struct {
	_ [128]byte
	Ring[E]
	_ [128]byte
}

// NewLong returns a history of the last size events, whose word at index stamp is the stamp.
func NewLong[E any](size int, stamp int) *Long[E] {
	return &Long[E]{size: size, stamp: uintptr(stamp), newRing: func() *paddedRing[E] {
		return &paddedRing[E]{Ring: NewRing[E](size)}
	}}
}

// Size is how many events the history shows at the most.
func (l *Long[E]) Size() int { return l.size }

// Memory is how many slots the history has, and how many bytes it takes. Safe for concurrent use.
func (l *Long[E]) Memory() (slots, bytes int) {
	all := l.rings.All()
	bytes = int(unsafe.Sizeof(*l))
	if all != nil {
		bytes += int(unsafe.Sizeof(all)) + cap(all)*int(unsafe.Sizeof(uintptr(0)))
	}
	for _, r := range all {
		if r != nil {
			n, b := r.Ring.Memory()
			slots += n
			bytes += int(unsafe.Sizeof(*r)) + b
		}
	}
	return slots, bytes
}

// Append adds an event. If the goroutine was interrupted after it had taken the stamp, its ring may
// contain later events: then the stamp in e is raised to that of the last event, so that a ring's
// stamps never fall. Safe for concurrent use.
func (l *Long[E]) Append(e *E) {
	l.appendTo(l.rings.Pin(l.newRing), e)
	Unpin()
}

// appendTo adds an event to one of the rings. Owned by its writer.
func (l *Long[E]) appendTo(r *paddedRing[E], e *E) {
	if stamp := word(e, l.stamp); *stamp < r.lastWord(l.stamp) {
		*stamp = r.lastWord(l.stamp)
	}
	r.Append(e)
}

// Pin pins the goroutine to its processor until Unpin. It returns the ring to Claim from and to
// Commit to, which belongs to the goroutine until then, and the stamp that an event with the given
// stamp must have there: see Append.
func (l *Long[E]) Pin(stamp uint64) (*Ring[E], uint64) {
	r := l.rings.Pin(l.newRing)
	return &r.Ring, max(stamp, r.lastWord(l.stamp))
}

// Truncate hides every event appended so far. Safe for concurrent use.
func (l *Long[E]) Truncate() {
	for _, r := range l.rings.All() {
		if r != nil {
			r.Truncate()
		}
	}
}

// Lapped is how many events readers have skipped because a writer was overwriting them.
func (l *Long[E]) Lapped() uint64 { return l.lapped.Load() }

// Cursor reads the events that the history has when the cursor is made, oldest first, except those
// that are overwritten before the cursor copies them. Owned by one goroutine.
func (l *Long[E]) Cursor() *Cursor[E] {
	c := &Cursor[E]{long: l}
	for _, r := range l.rings.All() {
		if r == nil {
			continue
		}
		if first, end := r.Range(); first < end {
			c.rings = append(c.rings, ringCursor[E]{ring: &r.Ring, next: first, end: end})
		}
	}
	c.skipToNewest()
	return c
}

// Cursor is a scan of a Long.
type Cursor[E any] struct {
	long  *Long[E]
	rings []ringCursor[E]
}

// ringCursor reads one ring; it copies some events in advance.
type ringCursor[E any] struct {
	ring      *Ring[E]
	next, end uint64 // positions still to be copied
	ahead     []E    // copied in advance, in order
	i         int
}

const aheadEvents = 128

// skipToNewest moves the beginnings of the rings forward, so that together they have the newest
// size events. It goes backwards from the ends, each time in the ring that has the newest event.
func (c *Cursor[E]) skipToNewest() {
	total := uint64(0)
	for i := range c.rings {
		total += c.rings[i].end - c.rings[i].next
	}
	if total <= uint64(c.long.size) {
		return
	}
	starts := make([]uint64, len(c.rings))
	stamps := make([]uint64, len(c.rings))
	look := func(i int) {
		r := &c.rings[i]
		if starts[i] == r.next {
			stamps[i] = 0
			return
		}
		v, ok := r.ring.readWord(starts[i]-1, c.long.stamp)
		if !ok {
			// This event is overwritten already, and so are all older ones.
			r.next = starts[i]
			v = 0
		}
		stamps[i] = v
	}
	for i := range c.rings {
		starts[i] = c.rings[i].end
		look(i)
	}
	for range c.long.size {
		newest := 0
		for i, s := range stamps {
			if s > stamps[newest] || starts[newest] == c.rings[newest].next {
				newest = i
			}
		}
		if starts[newest] == c.rings[newest].next {
			break
		}
		starts[newest]--
		look(newest)
	}
	for i := range c.rings {
		c.rings[i].next = starts[i]
	}
}

// Next fills buf with the next events and returns how many they are, 0 at the end.
func (c *Cursor[E]) Next(buf []E) int {
	for n := range buf {
		oldest, stamp := -1, uint64(math.MaxUint64)
		for i := range c.rings {
			e := c.rings[i].peek(c.long)
			if e == nil {
				continue
			}
			if s := *word(e, c.long.stamp); s < stamp || oldest < 0 {
				oldest, stamp = i, s
			}
		}
		if oldest < 0 {
			return n
		}
		r := &c.rings[oldest]
		buf[n] = r.ahead[r.i]
		r.i++
	}
	return len(buf)
}

// peek returns the ring's next event, nil at its end.
func (r *ringCursor[E]) peek(l *Long[E]) *E {
	for r.i == len(r.ahead) {
		if r.next == r.end {
			return nil
		}
		if r.ahead == nil {
			r.ahead = make([]E, 0, aheadEvents)
		}
		r.ahead, r.i = r.ahead[:0], 0
		for r.next < r.end && len(r.ahead) < cap(r.ahead) {
			n := len(r.ahead)
			r.ahead = r.ahead[:n+1]
			if !r.ring.Read(r.next, &r.ahead[n]) {
				r.ahead = r.ahead[:n]
				l.lapped.Add(1)
			}
			r.next++
		}
	}
	return &r.ahead[r.i]
}
