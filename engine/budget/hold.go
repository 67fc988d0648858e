package budget

import "pfsd/instr"

// A hold takes from its account first pieces of minPiece bytes, then as much as it has already, but no
// more than maxPiece at a time.
const (
	minPiece = 1 << 10
	maxPiece = 512 << 10
)

// Hold is what one buffer keeps. Owned by the connection's goroutine. A nil Hold counts nothing.
type Hold struct {
	connection     *Connection
	statement      *Statement // nil if the connection itself keeps it
	class          *instr.MemoryClass
	used           int64 // bytes
	taken          int64 // from the account, bytes; never less than used, unless a charge was refused
	pieces         int   // in which it was taken
	previous, next *Hold
	in             *list // nil once it is dropped
}

// Charge says that n bytes more are kept. The error is that a limit does not allow it, and a *LimitError.
func (h *Hold) Charge(n int64) error {
	if h == nil {
		return nil
	}
	if n <= h.taken-h.used {
		h.used += n
		return nil
	}
	return h.grow(n)
}

// ChargeTo says that n bytes are kept in all, if they are more than before.
func (h *Hold) ChargeTo(n int64) error {
	if h == nil || n <= h.used {
		return nil
	}
	return h.Charge(n - h.used)
}

// Used is how many bytes are kept.
func (h *Hold) Used() int64 {
	if h == nil {
		return 0
	}
	return h.used
}

// grow is Charge of more than there is left.
func (h *Hold) grow(n int64) error {
	if h.in == nil { // its statement has ended
		return nil
	}
	need := n - (h.taken - h.used)
	if ahead := min(max(h.taken, minPiece), maxPiece); ahead > need && h.connection.allows(h.statement, ahead) {
		need = ahead
	}
	if err := h.charge(need); err != nil {
		return err
	}
	h.taken += need
	h.used += n
	h.pieces++
	h.connection.thread.Alloc(h.class, int(need))
	return nil
}

func (h *Hold) charge(n int64) error {
	if h.statement != nil {
		return h.statement.charge(n)
	}
	return h.connection.charge(n)
}

// Discharge says that n bytes are not kept any more. They stay with the hold for what comes next.
func (h *Hold) Discharge(n int64) {
	if h != nil {
		h.used -= min(n, h.used)
	}
}

// Release gives everything back; the hold can be charged again.
func (h *Hold) Release() {
	if h == nil || h.taken == 0 {
		return
	}
	if h.statement != nil {
		h.statement.release(h.taken)
	} else {
		h.connection.release(h.taken)
	}
	for ; h.pieces > 1; h.pieces-- { // each piece was counted
		h.connection.thread.Free(h.class, 0)
	}
	h.connection.thread.Free(h.class, int(h.taken))
	h.used, h.taken, h.pieces = 0, 0, 0
}

// Drop is Release of a hold that is not charged again.
func (h *Hold) Drop() {
	if h == nil || h.in == nil {
		return
	}
	h.Release()
	h.in.remove(h)
}

// list is a list of holds. The zero list is empty.
type list struct{ first *Hold }

func (l *list) add(h *Hold) {
	h.in, h.next = l, l.first
	if l.first != nil {
		l.first.previous = h
	}
	l.first = h
}

func (l *list) remove(h *Hold) {
	if h.previous != nil {
		h.previous.next = h.next
	} else {
		l.first = h.next
	}
	if h.next != nil {
		h.next.previous = h.previous
	}
	h.in, h.previous, h.next = nil, nil, nil
}
