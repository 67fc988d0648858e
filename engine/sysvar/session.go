package sysvar

import (
	"maps"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/globals"
)

// A Session has the values of the variables of a session. Other goroutines may read it; only the session's own
// goroutine sets values.
type Session struct {
	begun            *globalValues // the global values when the session began
	MaxExecutionTime time.Duration // max_execution_time; read by the session itself
	Memory           budget.Limits // read by the session itself
	mu               sync.Mutex
	changed          map[string]any // guarded by mu; the values that the session has set, nil if there are none
	// setting is true while the session sets a variable, in a map of its own. Used by the session itself.
	setting bool
	// shared has all values of the session; sessions with the same values share it. states has the
	// shared values of all sessions. Used by the session itself.
	shared *sharedValues
	states *sessionStates
}

// NewSession returns the variables of a new session.
func (s *Server) NewSession() *Session {
	own := &Session{begun: s.values.Load(), states: &s.states}
	own.shared = s.states.valuesFor(own.begun, nil)
	for _, name := range []string{maxExecutionTime, budget.QueryLimit, budget.ConnectionLimit, budget.ChunkSize} {
		own.limit(name, own.begun.values[name].Val)
	}
	return own
}

const maxExecutionTime = "max_execution_time"

// limit copies a variable that each statement needs into a field.
func (s *Session) limit(name string, value any) {
	if n, ok := value.(uint64); ok && name == maxExecutionTime {
		s.MaxExecutionTime = time.Duration(n) * time.Millisecond
	}
	s.Memory.Set(name, value)
}

// set sets a value. It returns the values of all variables of the session, a map that is immutable.
func (s *Session) set(name string, value any) map[string]sql.SystemVarValue {
	s.limit(name, value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if begun, ok := s.begun.values[name]; ok && begun.Val == value {
		delete(s.changed, name)
	} else {
		if s.changed == nil {
			s.changed = map[string]any{}
		}
		s.changed[name] = value
	}
	s.shared = s.states.valuesFor(s.begun, s.changed)
	return s.shared.values
}

// Begin sets the value of a variable with which the session begins, if that is not the global value. of
// is go-mysql-server's session.
func (s *Session) Begin(of sql.Session, name string, value any) {
	if values := s.set(name, value); globals.SessionValues(of) != nil {
		globals.SetSessionValues(of, values)
	}
}

// Get returns the session's value of a variable.
func (s *Session) Get(name string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value, ok := s.changed[name]; ok {
		return value
	}
	return s.begun.values[name].Val
}

// all returns a function that returns values by name, also of global variables.
func (s *Session) all() func(name string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := maps.Clone(s.changed)
	return func(name string) any {
		if value, ok := own[name]; ok {
			return value
		}
		return s.begun.values[name].Val
	}
}
