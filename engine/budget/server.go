package budget

import (
	"math"
	"sync/atomic"
)

// NoLimit is the limit of an account without a limit, bytes.
const NoLimit = math.MaxInt64

// Server is the account of all connections together. Safe for concurrent use.
type Server struct {
	limit, used atomic.Int64 // bytes
	refusal     atomic.Pointer[func(*LimitError)]
}

// NewServer returns an account with a limit, bytes.
func NewServer(limit int64) *Server {
	s := &Server{}
	s.limit.Store(limit)
	return s
}

// SetLimit sets the limit, bytes. If more is in use already, that stays, and further charges fail. Safe for concurrent use.
func (s *Server) SetLimit(limit int64) { s.limit.Store(limit) }

// Used returns how many bytes connections have reserved. Safe for concurrent use.
func (s *Server) Used() int64 { return s.used.Load() }

// OnRefusal sets a function that is called for each charge that exceeds a limit, on the goroutine of the charge and before it frees
// memory; nil removes it. Safe for concurrent use.
func (s *Server) OnRefusal(fn func(*LimitError)) {
	if fn == nil {
		s.refusal.Store(nil)
		return
	}
	s.refusal.Store(&fn)
}

// refuse returns the error of a charge of n bytes that exceeds a limit.
func (s *Server) refuse(name string, limit, used, n int64) error {
	e := &LimitError{name, limit, used, n}
	if fn := s.refusal.Load(); fn != nil {
		(*fn)(e)
	}
	return e
}

// take reserves n bytes, and reports false if they exceed the limit.
func (s *Server) take(n int64) bool {
	if s.used.Add(n) <= s.limit.Load() {
		return true
	}
	s.used.Add(-n)
	return false
}

func (s *Server) give(n int64) { s.used.Add(-n) }
