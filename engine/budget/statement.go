package budget

import "pfsd/instr"

// Statement is the account of the statement that a connection runs. Owned by the connection's goroutine.
type Statement struct {
	connection *Connection
	limit      int64 // bytes
	used       int64 // bytes
	peak       int64 // bytes, the most that were used at a time
	whole      Part
	part       *Part // the current one
}

// Part has the holds of a statement, or of a step of the stored programs that it runs, which may be many and keep nothing. Owned by the
// connection's goroutine.
type Part struct {
	statement *Statement
	outer     *Part // nil for the statement itself
	holds     list
	keyed     map[any]*Hold
	scope     *Scope // the current one; nil is the part itself
	scopes    map[any]*Scope
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
	s.Part()
	s.whole.End()
	s.part = &s.whole
}

// Part returns the current part.
func (s *Statement) Part() *Part {
	if s.part == nil {
		s.whole.statement, s.part = s, &s.whole
	}
	return s.part
}

// BeginPart makes a part inside of the current one the current one, until [Part.End].
func (s *Statement) BeginPart() *Part {
	s.part = &Part{statement: s, outer: s.Part()}
	return s.part
}

// End frees all that the part uses, and the parts inside of it, and makes the one that it is inside of the current one. It does nothing if
// the part has ended.
func (p *Part) End() {
	s := p.statement
	inside := s.part
	for inside != nil && inside != p {
		inside = inside.outer
	}
	if inside == nil {
		return
	}
	for s.part != p.outer {
		s.part.release()
		s.part = s.part.outer
	}
}

// release frees all that the part uses.
func (p *Part) release() {
	p.holds.drop()
	for key, scope := range p.scopes {
		scope.Release()
		delete(p.scopes, key)
	}
	p.keyed, p.scope = nil, nil
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

// NewHold returns a hold for a buffer; class is its instrument, which may be nil. It belongs to the current scope of the current part.
func (s *Statement) NewHold(class *instr.MemoryClass) *Hold { return s.Part().NewHold(class) }

// NewHold returns a hold for a buffer that lasts at most as long as the part; class is its instrument, which may be nil. It belongs to the
// part's current scope.
func (p *Part) NewHold(class *instr.MemoryClass) *Hold {
	h := &Hold{connection: p.statement.connection, statement: p.statement, class: class}
	to := &p.holds
	if p.scope != nil {
		to = &p.scope.holds
	}
	to.add(h)
	return h
}

// KeyedHold returns an empty hold for a buffer that outlives the iterator that fills it. What was charged for
// an earlier buffer with the same key is freed: the new one replaces it. It belongs to the current scope, and
// keys are unique in a scope.
func (s *Statement) KeyedHold(key any, class *instr.MemoryClass) *Hold {
	p := s.Part()
	if p.scope != nil {
		return p.keyedHold(&p.scope.keyed, key, class)
	}
	return p.keyedHold(&p.keyed, key, class)
}

// KeyedHoldToEnd is KeyedHold for a buffer that outlives the current scope, too. It is freed when the part ends.
func (s *Statement) KeyedHoldToEnd(key any, class *instr.MemoryClass) *Hold {
	p := s.Part()
	scope := p.scope
	p.scope = nil
	h := p.keyedHold(&p.keyed, key, class)
	p.scope = scope
	return h
}

// LastingHold is the hold of a buffer that grows until the part ends; keys are those of KeyedHoldToEnd.
func (s *Statement) LastingHold(key any, class *instr.MemoryClass) *Hold {
	if h := s.Part().keyed[key]; h != nil {
		return h
	}
	return s.KeyedHoldToEnd(key, class)
}

func (p *Part) keyedHold(kept *map[any]*Hold, key any, class *instr.MemoryClass) *Hold {
	h := (*kept)[key]
	if h == nil {
		h = p.NewHold(class)
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

// Scope has the holds of what a part does repeatedly, as a subquery is for each row. Owned by the connection's goroutine.
type Scope struct {
	part  *Part
	holds list
	keyed map[any]*Hold
}

// Scope returns the scope of the current part with a key, and makes it if there is none.
func (s *Statement) Scope(key any) *Scope {
	p := s.Part()
	c := p.scopes[key]
	if c == nil {
		c = &Scope{part: p}
		if p.scopes == nil {
			p.scopes = map[any]*Scope{}
		}
		p.scopes[key] = c
	}
	return c
}

// Enter makes the scope the current one of its part: new holds belong to it. It returns the one before, for Leave.
func (c *Scope) Enter() (before *Scope) {
	before = c.part.scope
	c.part.scope = c
	return before
}

// Leave makes before, which Enter returned, the current scope again.
func (c *Scope) Leave(before *Scope) { c.part.scope = before }

// Release frees what the scope uses.
func (c *Scope) Release() {
	c.holds.drop()
	c.keyed = nil
}
