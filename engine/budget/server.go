package budget

import (
	"math"
	"sync/atomic"
)

// NoLimit is the limit of an account that has none, bytes.
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

// SetLimit changes the limit, bytes. What is beyond it already stays; nothing comes to it. Safe for concurrent use.
func (s *Server) SetLimit(limit int64) { s.limit.Store(limit) }

// Used is how many bytes connections have taken, those included that they have taken in advance. Safe
// for concurrent use.
func (s *Server) Used() int64 { return s.used.Load() }

// OnRefusal has fn called when a charge is beyond a limit, on the goroutine that is refused and before it frees what it keeps;
// nil ends that. Safe for concurrent use.
func (s *Server) OnRefusal(fn func(*LimitError)) {
	if fn == nil {
		s.refusal.Store(nil)
		return
	}
	s.refusal.Store(&fn)
}

// refuse is the error of a charge of n bytes beyond a limit.
func (s *Server) refuse(name string, limit, used, n int64) error {
	e := &LimitError{name, limit, used, n}
	if fn := s.refusal.Load(); fn != nil {
		(*fn)(e)
	}
	return e
}

// take takes n bytes, and reports false if there are not as many.
func (s *Server) take(n int64) bool {
	if s.used.Add(n) <= s.limit.Load() {
		return true
	}
	s.used.Add(-n)
	return false
}

func (s *Server) give(n int64) { s.used.Add(-n) }
