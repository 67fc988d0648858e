package instr

import (
	"cmp"
	"runtime"
	"slices"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// eventRing is the events that were last added, as many as its size. The zero eventRing has
// no room.
type eventRing[E any] struct {
	size   int
	n      int   // how many have been added
	floor  int   // how many of them are no more to be seen
	shift  uint8 // log2 of how many events a block has
	blocks [][]E // made when they are needed
}

// eventBlock is how many events are allocated together in a ring that has room for more.
// In a smaller one they are fewer: most threads end few events.
const (
	eventBlock      = 1 << eventBlockShift
	eventBlockShift = 6
	smallBlockShift = 1
)

// resize empties a ring whose size is another one.
func (g *eventRing[E]) resize(size int) {
	if size == g.size {
		return
	}
	shift := uint8(smallBlockShift)
	if size > eventBlock {
		shift = eventBlockShift
	}
	*g = eventRing[E]{size: size, shift: shift, blocks: make([][]E, (size+1<<shift-1)>>shift)}
}

// at is the place of the event that was added after n others.
func (g *eventRing[E]) at(n int) *E {
	i := n % g.size
	block := i >> g.shift
	b := &g.blocks[block]
	if *b == nil {
		*b = make([]E, min(1<<g.shift, g.size-block<<g.shift))
	}
	return &(*b)[i-block<<g.shift]
}

func (g *eventRing[E]) add(e *E) {
	if g.size > 0 {
		*g.at(g.n) = *e
		g.n++
	}
}

// begin is the number of the oldest event that there is.
func (g *eventRing[E]) begin() int { return max(g.floor, g.n-g.size) }

// appendTo appends the events, oldest first.
func (g *eventRing[E]) appendTo(to []E) []E {
	for n := g.begin(); n < g.n; n++ {
		to = append(to, *g.at(n))
	}
	return to
}

// clear empties the ring.
func (g *eventRing[E]) clear() {
	var none E
	for n := max(0, g.n-g.size); n < g.n; n++ {
		*g.at(n) = none
	}
	g.n, g.floor = 0, 0
}

// longHistory is the events of a family that ended last, of all threads. Each thread adds to
// one of the shards, which has room for all.
type longHistory[E any] struct {
	size   int
	shards []longShard[E]
}

type longShard[E any] struct {
	mu   ringbuf.Latch
	ring eventRing[longEntry[E]]
	_    [64]byte // the next one's cache line
}

// longEntry is an event, and when it was added, in cycles.
type longEntry[E any] struct {
	stamp uint64
	event E
}

// maxLongShards is how many shards a long history has at most.
const maxLongShards = 8

func newLongHistory[E any](size int) *longHistory[E] {
	h := &longHistory[E]{size: size, shards: make([]longShard[E], min(runtime.GOMAXPROCS(0), maxLongShards))}
	for i := range h.shards {
		h.shards[i].ring.resize(size)
	}
	return h
}

// add adds an event of a thread.
func (h *longHistory[E]) add(thread uint64, e *E) {
	if h.size == 0 {
		return
	}
	s := h.shard(thread)
	s.mu.Lock()
	entry := s.ring.at(s.ring.n)
	entry.stamp, entry.event = timers.ReadCycle(), *e
	s.ring.n++
	s.mu.Unlock()
}

// addAll adds events of a thread that have been stamped.
func (h *longHistory[E]) addAll(thread uint64, entries []longEntry[E]) {
	if h.size == 0 {
		return
	}
	s := h.shard(thread)
	s.mu.Lock()
	for i := range entries {
		s.ring.add(&entries[i])
	}
	s.mu.Unlock()
}

func (h *longHistory[E]) shard(thread uint64) *longShard[E] {
	return &h.shards[thread%uint64(len(h.shards))]
}

// all returns the events that there are as it begins, as far as they are not overwritten
// before their turn, the oldest first. It holds no lock for longer than it takes to copy a few.
func (h *longHistory[E]) all() []E {
	var entries []longEntry[E]
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		n, end := s.ring.begin(), s.ring.n
		for ; n < end; n = max(n, s.ring.begin()) {
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
		events[i] = entries[n].event
	}
	return events
}

// truncate hides the events so far.
func (h *longHistory[E]) truncate() {
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		s.ring.floor = s.ring.n
		clear(s.ring.blocks)
		s.mu.Unlock()
	}
}
