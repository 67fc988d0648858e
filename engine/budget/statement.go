package budget

import "pfsd/instr"

// Statement is the account of the statement that a connection carries out. Owned by the connection's goroutine.
type Statement struct {
	connection *Connection
	limit      int64 // bytes
	used       int64 // bytes
	most       int64 // bytes
	holds      list
	kept       map[any]*Hold
	scope      *Scope // that runs; nil is the statement itself
	scopes     map[any]*Scope
}

// Begin starts the account of a statement with a limit, bytes. What there was of one before is given back.
func (c *Connection) Begin(limit int64) *Statement {
	s := &c.statement
	s.End()
	s.limit, s.most = limit, 0
	return s
}

// Statement is the account of the statement that runs.
func (c *Connection) Statement() *Statement { return &c.statement }

// End gives back all that the statement keeps. Holds of it keep nothing then.
func (s *Statement) End() {
	for s.holds.first != nil {
		s.holds.first.Drop()
	}
	for key, scope := range s.scopes {
		scope.Release()
		delete(s.scopes, key)
	}
	s.kept, s.scope = nil, nil
}

// Used is how many bytes the statement keeps, those included that its holds have taken in advance.
func (s *Statement) Used() int64 { return s.used }

// Mark is what a statement had in use when a part of it began, and at the most before.
type Mark struct{ used, most int64 }

// Mark begins a part of the statement, such as a step of a stored program.
func (s *Statement) Mark() Mark {
	m := Mark{s.used, s.most}
	s.most = s.used
	return m
}

// Since ends the part that m began, and returns how many bytes it has had in use at the most.
func (s *Statement) Since(m Mark) int64 {
	most := s.most - m.used
	s.most = max(s.most, m.most)
	return most
}

// NewHold returns what a buffer keeps, of an instrument, which may be nil. It is part of the scope that runs.
func (s *Statement) NewHold(class *instr.MemoryClass) *Hold {
	h := &Hold{connection: s.connection, statement: s, class: class}
	to := &s.holds
	if s.scope != nil {
		to = &s.scope.holds
	}
	to.add(h)
	return h
}

// Keep returns the hold of a buffer that outlives the iterator that fills it, empty: what was charged for an
// earlier one with the same key is given back, as the new one takes its place. It is part of the scope
// that runs, in which keys are its own.
func (s *Statement) Keep(key any, class *instr.MemoryClass) *Hold {
	if s.scope != nil {
		return s.keep(&s.scope.kept, key, class)
	}
	return s.keep(&s.kept, key, class)
}

// KeepToEnd is Keep of what outlives the scope that runs, too.
func (s *Statement) KeepToEnd(key any, class *instr.MemoryClass) *Hold {
	scope := s.scope
	s.scope = nil
	h := s.keep(&s.kept, key, class)
	s.scope = scope
	return h
}

func (s *Statement) keep(kept *map[any]*Hold, key any, class *instr.MemoryClass) *Hold {
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

// charge takes n bytes.
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
	s.most = max(s.most, s.used)
	return nil
}

func (s *Statement) release(n int64) {
	s.used -= n
	s.connection.release(n)
}

// Scope is what one part of a statement keeps that is carried out again and again, as a subquery is for
// each row. Owned by the connection's goroutine.
type Scope struct {
	statement *Statement
	holds     list
	kept      map[any]*Hold
}

// Scope returns the scope of the statement with a key, made if need be.
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

// Enter has the scope run: holds that are made from now on are its own. It returns what ran before, to
// which Leave goes back.
func (c *Scope) Enter() (before *Scope) {
	before = c.statement.scope
	c.statement.scope = c
	return before
}

// Leave has before, which Enter has returned, run again.
func (c *Scope) Leave(before *Scope) { c.statement.scope = before }

// Release gives back what the scope keeps.
func (c *Scope) Release() {
	for c.holds.first != nil {
		c.holds.first.Drop()
	}
	c.kept = nil
}
