package instr

import (
	"cmp"
	"runtime"
	"slices"
	"unsafe"

	"pfsd/ringbuf"
)

// eventRing is the records of the events that were last added, as many as its size. The zero
// eventRing has no room.
type eventRing[R any] struct {
	size   int
	n      int   // how many have been added
	floor  int   // how many of them, counted from the first, are hidden
	shift  uint8 // log2 of how many events a block has
	blocks [][]R // made when they are needed
	memory *sharedMemory
}

// eventBlock is how many events are allocated together in a ring that has room for more.
// In a smaller one they are fewer: most threads end few events.
const (
	eventBlock      = 1 << eventBlockShift
	eventBlockShift = 6
	smallBlockShift = 1
)

// resize sets the ring's size; if that changes, the ring is emptied.
func (g *eventRing[R]) resize(size int) {
	if size == g.size {
		return
	}
	g.release()
	shift := uint8(smallBlockShift)
	if size > eventBlock {
		shift = eventBlockShift
	}
	*g = eventRing[R]{size: size, shift: shift, memory: g.memory}
	if size > 0 {
		g.blocks = make([][]R, (size+1<<shift-1)>>shift)
		g.memory.grow(0, listBytes(g.blocks))
	}
}

// release gives up the ring's memory; what is in it is lost.
func (g *eventRing[R]) release() {
	g.releaseBlocks()
	if g.blocks != nil {
		g.memory.shrink(0, listBytes(g.blocks))
	}
	g.blocks = nil
}

// releaseBlocks gives up only the blocks, which can be made again.
func (g *eventRing[R]) releaseBlocks() {
	for i, b := range g.blocks {
		if b != nil {
			g.memory.shrink(cap(b), listBytes(b))
			g.blocks[i] = nil
		}
	}
}

// at is the place of the event that was added after n others.
func (g *eventRing[R]) at(n int) *R {
	i := n % g.size
	block := i >> g.shift
	b := &g.blocks[block]
	if *b == nil {
		*b = make([]R, min(1<<g.shift, g.size-block<<g.shift))
		g.memory.grow(cap(*b), listBytes(*b))
	}
	return &(*b)[i-block<<g.shift]
}

func (g *eventRing[R]) add(e *R) {
	if g.size > 0 {
		*g.at(g.n) = *e
		g.n++
	}
}

// begin is the number of the oldest event that there is.
func (g *eventRing[R]) begin() int { return max(g.floor, g.n-g.size) }

// appendRecords appends the events whose records are in a ring, oldest first.
func appendRecords[R, E any](to []E, g *eventRing[R], event func(*R) E) []E {
	for n := g.begin(); n < g.n; n++ {
		to = append(to, event(g.at(n)))
	}
	return to
}

// clear empties the ring.
func (g *eventRing[R]) clear() {
	var none R
	for n := max(0, g.n-g.size); n < g.n; n++ {
		*g.at(n) = none
	}
	g.n, g.floor = 0, 0
}

// longHistory is the events of a family that ended last, of all threads. Each thread adds to
// one of the shards, which has room for all.
type longHistory[R any] struct {
	size   int
	memory *sharedMemory
	shards []longShard[R]
}

type longShard[R any] struct {
	mu   ringbuf.Latch
	ring eventRing[longEntry[R]]
	_    [64]byte // the next one's cache line
}

// longEntry is a record of an event, and when that ended, nanoseconds.
type longEntry[R any] struct {
	stamp  uint64
	record R
}

// maxLongShards is how many shards a long history has at most.
const maxLongShards = 8

// newLongHistory returns a long history of size events. late is how many of the events added to a
// shard may be older than events that are in it already; there is additional room for them, so that
// they do not overwrite newer ones.
func newLongHistory[R any](size, late int, memory *sharedMemory) *longHistory[R] {
	h := &longHistory[R]{size: size, memory: memory, shards: make([]longShard[R], min(runtime.GOMAXPROCS(0), maxLongShards))}
	memory.grow(0, h.bytes())
	if size > 0 {
		size += late
	}
	for i := range h.shards {
		h.shards[i].ring.memory = memory
		h.shards[i].ring.resize(size)
	}
	return h
}

// bytes is how many bytes the history takes without its rings.
func (h *longHistory[R]) bytes() int { return int(unsafe.Sizeof(*h)) + listBytes(h.shards) }

// release gives up the history's memory. A thread that still refers to the history adds nothing to
// it any more.
func (h *longHistory[R]) release() {
	if h == nil {
		return
	}
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		s.ring.resize(0)
		s.mu.Unlock()
	}
	h.memory.shrink(0, h.bytes())
}

// add adds records of a thread.
func (h *longHistory[R]) add(thread uint64, entries ...longEntry[R]) {
	if h.size == 0 {
		return
	}
	s := &h.shards[thread%uint64(len(h.shards))]
	s.mu.Lock()
	for i := range entries {
		s.ring.add(&entries[i])
	}
	s.mu.Unlock()
}

// allRecords returns the events that the history has when it begins, oldest first, except those
// that are overwritten before they are copied. It never holds a lock for longer than it takes to
// copy a few.
func allRecords[R, E any](h *longHistory[R], event func(*R) E) []E {
	var entries []longEntry[R]
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		n, end := s.ring.begin(), s.ring.n
		for ; n < min(end, s.ring.n); n = max(n, s.ring.begin()) {
			for stop := min(n+eventBlock, end); n < stop; n++ {
				entries = append(entries, *s.ring.at(n))
			}
			s.mu.Unlock()
			s.mu.Lock()
		}
		s.mu.Unlock()
	}
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(entries[a].stamp, entries[b].stamp) })
	order = order[max(0, len(order)-h.size):]
	events := make([]E, len(order))
	for i, n := range order {
		events[i] = event(&entries[n].record)
	}
	return events
}

// truncate hides the events that were added so far.
func (h *longHistory[R]) truncate() {
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		s.ring.floor = s.ring.n
		s.ring.releaseBlocks()
		s.mu.Unlock()
	}
}
