package sysvar

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/dolthub/go-mysql-server/sql"
)

// stateNumbers counts the states of variables that there have been, so that each has a number of its own.
var stateNumbers atomic.Uint64

// sharedValues are the values of all system variables that some sessions have. They do not change: two sessions have the same values
// if, and only if, they have the same sharedValues.
type sharedValues struct {
	of     map[string]sql.SystemVarValue
	number uint64        // which no others have
	begun  *globalValues // which they come from
}

// sessionStates knows the values that sessions have, so that sessions with the same ones need one map: that is all sessions of a program,
// which set the same after they have logged in. Safe for concurrent use.
type sessionStates struct {
	mu     sync.Mutex
	states map[string]weak.Pointer[sharedValues] // guarded by mu
}

// of are the values of a session that began with begun and has set own.
func (s *sessionStates) of(begun *globalValues, own map[string]any) *sharedValues {
	var key strings.Builder
	fmt.Fprintf(&key, "%p", begun)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		fmt.Fprintf(&key, "\x00%s\x00%T\x00%q", name, own[name], fmt.Sprint(own[name]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.states[key.String()].Value(); v != nil && v.begun == begun {
		return v
	}
	v := &sharedValues{number: stateNumbers.Add(1), of: begun.of, begun: begun}
	if len(own) > 0 {
		v.of = maps.Clone(begun.of)
		for name, value := range own {
			v.of[name] = sql.SystemVarValue{Var: begun.of[name].Var, Val: value}
		}
	}
	if s.states == nil {
		s.states = map[string]weak.Pointer[sharedValues]{}
	}
	s.states[key.String()] = weak.Make(v)
	runtime.AddCleanup(v, s.forget, key.String())
	return v
}

// forget forgets values that no session has any more.
func (s *sessionStates) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.states[key].Value() == nil {
		delete(s.states, key)
	}
}

// StateNumber is that of the values that the session has: sessions have the same values if, and only if, their numbers are the same. The
// session itself calls it.
func (s *Session) StateNumber() uint64 { return s.shared.number }

// StateNumber is that of the global values, which no others have.
func (s *Server) StateNumber() uint64 { return s.values.Load().number }
