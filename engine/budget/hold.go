package budget

import "pfsd/instr"

// A hold reserves memory from its account in pieces: first minPiece bytes, then as much as it has already,
// but no more than maxPiece at a time.
const (
	minPiece = 1 << 10
	maxPiece = 512 << 10
)

// Hold counts the memory of one buffer. Owned by the connection's goroutine. A nil Hold counts nothing.
type Hold struct {
	connection     *Connection
	statement      *Statement // nil if the buffer belongs to the connection itself
	class          *instr.MemoryClass
	used           int64 // bytes
	taken          int64 // reserved from the account, bytes; never less than used, unless a charge was refused
	pieces         int   // in which it was reserved
	previous, next *Hold
	list           *list // nil once it is dropped
}

// Charge adds n bytes. If they exceed a limit, the error is a *LimitError.
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

// ChargeTo raises the total to n bytes, if it is less.
func (h *Hold) ChargeTo(n int64) error {
	if h == nil || n <= h.used {
		return nil
	}
	return h.Charge(n - h.used)
}

// Used returns how many bytes are charged.
func (h *Hold) Used() int64 {
	if h == nil {
		return 0
	}
	return h.used
}

// grow is Charge of more than is reserved.
func (h *Hold) grow(n int64) error {
	if h.list == nil { // its statement has ended
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

// Discharge subtracts n bytes. A piece of them stays reserved for the hold's next charges.
func (h *Hold) Discharge(n int64) {
	if h == nil {
		return
	}
	h.used -= min(n, h.used)
	if spare := h.taken - h.used - maxPiece; spare > 0 {
		h.giveBack(spare)
		h.connection.thread.Free(h.class, int(h.taken)) // together these are no piece more and none less
		h.taken -= spare
		h.connection.thread.Alloc(h.class, int(h.taken))
	}
}

// giveBack gives n bytes back to the account.
func (h *Hold) giveBack(n int64) {
	if h.statement != nil {
		h.statement.release(n)
	} else {
		h.connection.release(n)
	}
}

// Release frees everything; the hold can be charged again.
func (h *Hold) Release() {
	if h == nil || h.taken == 0 {
		return
	}
	h.giveBack(h.taken)
	for ; h.pieces > 1; h.pieces-- { // each piece was counted
		h.connection.thread.Free(h.class, 0)
	}
	h.connection.thread.Free(h.class, int(h.taken))
	h.used, h.taken, h.pieces = 0, 0, 0
}

// Drop is Release of a hold that will not be charged again.
func (h *Hold) Drop() {
	if h == nil || h.list == nil {
		return
	}
	h.Release()
	h.list.remove(h)
}

// list is a list of holds. The zero list is empty.
type list struct{ first *Hold }

func (l *list) add(h *Hold) {
	h.list, h.next = l, l.first
	if l.first != nil {
		l.first.previous = h
	}
	l.first = h
}

// drop drops all of them.
func (l *list) drop() {
	for l.first != nil {
		l.first.Drop()
	}
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
	h.list, h.previous, h.next = nil, nil, nil
}
