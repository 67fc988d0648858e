package wire

import (
	"container/list"
	"sync"
)

// HalfOpen are the connections whose clients have not signed in. Their number has its own limit, so that nobody who opens many of them keeps
// others out: beyond the limit, the oldest connection of the address that has the most is closed. Safe for concurrent use.
type HalfOpen struct {
	mu     sync.Mutex
	max    int
	oldest *list.List              // of *wire; guarded by mu
	at     map[*Conn]*list.Element // guarded by mu
}

// halfOpenMax is how many connections there can be whose clients have not signed in.
const halfOpenMax = 100

func newHalfOpen(max int) *HalfOpen {
	return &HalfOpen{max: max, oldest: list.New(), at: map[*Conn]*list.Element{}}
}

// add adds a connection. It returns one to close in its place, nil if there is room.
func (h *HalfOpen) add(w *Conn) (tooMany *Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.at) >= h.max {
		tooMany = h.dearest()
		h.drop(tooMany)
	}
	h.at[w] = h.oldest.PushBack(w)
	return tooMany
}

// dearest returns the oldest connection of the address that has the most. The caller holds the lock.
func (h *HalfOpen) dearest() *Conn {
	counts, most := map[string]int{}, 0
	for e := h.oldest.Front(); e != nil; e = e.Next() {
		from := e.Value.(*Conn).from
		counts[from]++
		most = max(most, counts[from])
	}
	for e := h.oldest.Front(); ; e = e.Next() {
		if w := e.Value.(*Conn); counts[w.from] == most {
			return w
		}
	}
}

// Remove removes a connection whose client has signed in, or that has ended. It reports false if it has been removed before.
func (h *HalfOpen) Remove(w *Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.drop(w)
}

// drop removes a connection. The caller holds the lock.
func (h *HalfOpen) drop(w *Conn) bool {
	e, there := h.at[w]
	if there {
		h.oldest.Remove(e)
		delete(h.at, w)
	}
	return there
}

// Half are the connections of the same address whose clients have not signed in.
func (w *Conn) Half() *HalfOpen {
	if w.Admin {
		return w.adminOpens
	}
	return w.opens
}
