package engine

import (
	"container/list"
	"sync"
)

// halfOpen are the connections whose clients have not signed in. They have a bound of their own, so that
// whoever opens many of them keeps nobody out: where there is one too many, the oldest of the address that
// has the most is closed. Safe for concurrent use.
type halfOpen struct {
	mu     sync.Mutex
	max    int
	oldest *list.List              // of *wire; guarded by mu
	at     map[*wire]*list.Element // guarded by mu
}

// halfOpenMax is how many connections there can be whose clients have not signed in.
const halfOpenMax = 100

func newHalfOpen(max int) *halfOpen {
	return &halfOpen{max: max, oldest: list.New(), at: map[*wire]*list.Element{}}
}

// add adds a connection. It returns the one that has to make room for it, nil if there is room.
func (h *halfOpen) add(w *wire) (tooMany *wire) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.at) >= h.max {
		tooMany = h.dearest()
		h.drop(tooMany)
	}
	h.at[w] = h.oldest.PushBack(w)
	return tooMany
}

// dearest is the oldest connection of the address that has the most. The caller holds the lock.
func (h *halfOpen) dearest() *wire {
	counts, most := map[string]int{}, 0
	for e := h.oldest.Front(); e != nil; e = e.Next() {
		from := e.Value.(*wire).from
		counts[from]++
		most = max(most, counts[from])
	}
	for e := h.oldest.Front(); ; e = e.Next() {
		if w := e.Value.(*wire); counts[w.from] == most {
			return w
		}
	}
}

// remove takes out a connection whose client has signed in, or that has ended. It reports false if it is
// not there any more.
func (h *halfOpen) remove(w *wire) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.drop(w)
}

// drop takes out a connection. The caller holds the lock.
func (h *halfOpen) drop(w *wire) bool {
	e, there := h.at[w]
	if there {
		h.oldest.Remove(e)
		delete(h.at, w)
	}
	return there
}
