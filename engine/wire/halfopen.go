package wire

import (
	"container/list"
	"sync"
)

// HalfOpen are the connections whose clients have not signed in. They have a limit of their own, so
// that nobody keeps others out by opening many of them: beyond the limit, the oldest connection of
// the address with the most connections is closed. Safe for concurrent use.
type HalfOpen struct {
	mu     sync.Mutex
	max    int
	oldest *list.List              // of *Conn; guarded by mu
	at     map[*Conn]*list.Element // guarded by mu
}

// halfOpenMax is the largest number of connections whose clients have not signed in.
const halfOpenMax = 100

func newHalfOpen(max int) *HalfOpen {
	return &HalfOpen{max: max, oldest: list.New(), at: map[*Conn]*list.Element{}}
}

// add adds a connection. If there is no room, it returns another one for the caller to close, else
// nil.
func (h *HalfOpen) add(w *Conn) (tooMany *Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.at) >= h.max {
		tooMany = h.victim()
		h.drop(tooMany)
	}
	h.at[w] = h.oldest.PushBack(w)
	return tooMany
}

// victim returns the oldest connection of the address that has the most. The caller holds the lock.
func (h *HalfOpen) victim() *Conn {
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

// Remove removes a connection whose client has signed in, or that has ended. It reports false if
// the connection was not there.
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

// Half returns the connections of this kind, over the administrators' address or not, whose clients
// have not signed in.
func (w *Conn) Half() *HalfOpen {
	if w.Admin {
		return w.adminOpens
	}
	return w.opens
}
