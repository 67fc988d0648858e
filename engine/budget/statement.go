package budget

import "pfsd/instr"

// Statement is the account of the statement that a connection runs. Owned by the connection's goroutine.
type Statement struct {
	connection *Connection
	limit      int64 // bytes
	used       int64 // bytes
	peak       int64 // bytes, the most that were used at a time
	holds      list
	keyed      map[any]*Hold
	scope      *Scope // the current one; nil is the statement itself
	scopes     map[any]*Scope
}

// Begin opens the account of a statement with a limit, bytes. It frees what an earlier statement left.
func (c *Connection) Begin(limit int64) *Statement {
	s := &c.statement
	s.End()
	s.limit, s.peak = limit, 0
	return s
}

// Statement returns the account of the current statement.
func (c *Connection) Statement() *Statement { return &c.statement }

// End frees all that the statement uses. Its holds are empty then.
func (s *Statement) End() {
	for s.holds.first != nil {
		s.holds.first.Drop()
	}
	for key, scope := range s.scopes {
		scope.Release()
		delete(s.scopes, key)
	}
	s.keyed, s.scope = nil, nil
}

// Used returns how many bytes the statement uses, including what its holds have reserved.
func (s *Statement) Used() int64 { return s.used }

// Mark is the memory that a statement used when a part of it began, and its peak until then.
type Mark struct{ used, peak int64 }

// Mark begins a part of the statement, such as a step of a stored program.
func (s *Statement) Mark() Mark {
	m := Mark{s.used, s.peak}
	s.peak = s.used
	return m
}

// PeakSince ends the part that m began, and returns the most bytes that it used at a time.
func (s *Statement) PeakSince(m Mark) int64 {
	most := s.peak - m.used
	s.peak = max(s.peak, m.peak)
	return most
}

// NewHold returns a hold for a buffer; class is its instrument, which may be nil. It belongs to the current scope.
func (s *Statement) NewHold(class *instr.MemoryClass) *Hold {
	h := &Hold{connection: s.connection, statement: s, class: class}
	to := &s.holds
	if s.scope != nil {
		to = &s.scope.holds
	}
	to.add(h)
	return h
}

// KeyedHold returns an empty hold for a buffer that outlives the iterator that fills it. What was charged for
// an earlier buffer with the same key is freed: the new one replaces it. It belongs to the current scope, and
// keys are unique in a scope.
func (s *Statement) KeyedHold(key any, class *instr.MemoryClass) *Hold {
	if s.scope != nil {
		return s.keyedHold(&s.scope.keyed, key, class)
	}
	return s.keyedHold(&s.keyed, key, class)
}

// KeyedHoldToEnd is KeyedHold for a buffer that outlives the current scope, too.
func (s *Statement) KeyedHoldToEnd(key any, class *instr.MemoryClass) *Hold {
	scope := s.scope
	s.scope = nil
	h := s.keyedHold(&s.keyed, key, class)
	s.scope = scope
	return h
}

// LastingHold is the hold of a buffer that grows until the statement ends; keys are those of KeyedHoldToEnd.
func (s *Statement) LastingHold(key any, class *instr.MemoryClass) *Hold {
	if h := s.keyed[key]; h != nil {
		return h
	}
	return s.KeyedHoldToEnd(key, class)
}

func (s *Statement) keyedHold(kept *map[any]*Hold, key any, class *instr.MemoryClass) *Hold {
	h := (*kept)[key]
	if h == nil {
		h = s.NewHold(class)
		if *kept == nil {
			*kept = map[any]*Hold{}
		}
		(*kept)[key] = h
	}
	h.Release()
	return h
}

// charge adds n bytes.
func (s *Statement) charge(n int64) error {
	if n > s.limit-s.used {
		if s.connection.server == nil {
			return nil
		}
		return s.connection.server.refuse(QueryLimit, s.limit, s.used, n)
	}
	if err := s.connection.charge(n); err != nil {
		return err
	}
	s.used += n
	s.peak = max(s.peak, s.used)
	return nil
}

func (s *Statement) release(n int64) {
	s.used -= n
	s.connection.release(n)
}

// Scope has the holds of one part of a statement that runs repeatedly, as a subquery does for each row.
// Owned by the connection's goroutine.
type Scope struct {
	statement *Statement
	holds     list
	keyed     map[any]*Hold
}

// Scope returns the scope of the statement with a key, and makes it if there is none.
func (s *Statement) Scope(key any) *Scope {
	c := s.scopes[key]
	if c == nil {
		c = &Scope{statement: s}
		if s.scopes == nil {
			s.scopes = map[any]*Scope{}
		}
		s.scopes[key] = c
	}
	return c
}

// Enter makes the scope the current one: new holds belong to it. It returns the one before, for Leave.
func (c *Scope) Enter() (before *Scope) {
	before = c.statement.scope
	c.statement.scope = c
	return before
}

// Leave makes before, which Enter returned, the current scope again.
func (c *Scope) Leave(before *Scope) { c.statement.scope = before }

// Release frees what the scope uses.
func (c *Scope) Release() {
	for c.holds.first != nil {
		c.holds.first.Drop()
	}
	c.keyed = nil
}
