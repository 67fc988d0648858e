package sysvar

import (
	"maps"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
)

// A Session has the values of the variables of a session, for others to read. Safe
// for concurrent use; only the session itself sets.
type Session struct {
	begun            *globalValues // as they were when the session began
	MaxExecutionTime time.Duration // the variable; the session itself reads it
	Memory           budget.Limits // the session itself reads it
	mu               sync.Mutex
	own              map[string]any // guarded by mu; what it has set, nil if nothing
	// setting tells that the session has a map of its own to set a variable in; the session itself reads and sets it.
	setting bool
	// shared are all values, and the states of all sessions; the session itself reads and sets them.
	shared *sharedValues
	states *sessionStates
}

// NewSession makes the variables of a session that begins.
func (s *Server) NewSession() *Session {
	own := &Session{begun: s.values.Load(), states: &s.states}
	own.shared = s.states.of(own.begun, nil)
	for _, name := range []string{maxExecutionTime, budget.QueryLimit, budget.ConnectionLimit, budget.ChunkSize} {
		own.limit(name, own.begun.of[name].Val)
	}
	return own
}

const maxExecutionTime = "max_execution_time"

// limit keeps what each statement asks for.
func (s *Session) limit(name string, value any) {
	if n, ok := value.(uint64); ok && name == maxExecutionTime {
		s.MaxExecutionTime = time.Duration(n) * time.Millisecond
	}
	s.Memory.Set(name, value)
}

// set notes what the session has set. It returns the values of all its variables, which do not change.
func (s *Session) set(name string, value any) map[string]sql.SystemVarValue {
	s.limit(name, value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if begun, ok := s.begun.of[name]; ok && begun.Val == value {
		delete(s.own, name)
	} else {
		if s.own == nil {
			s.own = map[string]any{}
		}
		s.own[name] = value
	}
	s.shared = s.states.of(s.begun, s.own)
	return s.shared.of
}

// Get is the value of one of them.
func (s *Session) Get(name string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value, ok := s.own[name]; ok {
		return value
	}
	return s.begun.of[name].Val
}

// all are the values by name, of global variables, too.
func (s *Session) all() func(name string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := maps.Clone(s.own)
	return func(name string) any {
		if value, ok := own[name]; ok {
			return value
		}
		return s.begun.of[name].Val
	}
}
