package instr

import "sync"

// session is what the tables show of a thread besides its events: the statements that it has
// prepared, its user variables, and its client's attributes. The owner makes it for the first of
// these; it ends with the thread.
//
// mu guards all of it. The owner holds it for each change, readers while they copy.
type session struct {
	mu        sync.Mutex
	prepared  []*PreparedStatement // in the order of their ids
	variables []userVariable       // in the order of their keys
	attrs     []ConnectAttr
}

// ensureSession returns the thread's session, made if need be; nil if the thread is nil, lost or
// has ended. Owned by the thread.
func (t *Thread) ensureSession() *session {
	if t == nil || t.ID() == 0 {
		return nil
	}
	s := t.session.Load()
	if s == nil {
		s = new(session)
		t.session.Store(s)
	}
	return s
}

// closeSession forgets the session: the thread ends.
func (t *Thread) closeSession() {
	s := t.session.Swap(nil)
	if s == nil {
		return
	}
	s.mu.Lock()
	prepared := s.prepared
	s.prepared = nil
	s.mu.Unlock()
	for _, p := range prepared {
		p.released()
	}
}

// readSession appends to the slice what read appends of the thread's session. It appends nothing if
// the thread has no session, or ends while it is read.
func readSession[E any](t *Thread, to []E, read func(s *session, to []E) []E) []E {
	id := t.ID()
	s := t.session.Load()
	if id == 0 || s == nil {
		return to
	}
	before := len(to)
	s.mu.Lock()
	to = read(s, to)
	s.mu.Unlock()
	if t.ID() != id {
		return to[:before]
	}
	return to
}
