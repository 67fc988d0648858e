package sysvar

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/dolthub/go-mysql-server/sql"
)

// stateNumbers is the last number given to a state of variables; numbers are unique.
var stateNumbers atomic.Uint64

// sharedValues are the values of all system variables of some sessions. They are immutable: two sessions have the same values if, and
// only if, they have the same sharedValues.
type sharedValues struct {
	values map[string]sql.SystemVarValue
	number uint64        // unique
	begun  *globalValues // the global values that they are based on
}

// sessionStates has the values of all sessions. Sessions with the same values share one map, as do most sessions of a client program,
// which set the same variables after login. Safe for concurrent use.
type sessionStates struct {
	mu     sync.Mutex
	states map[stateKey]weak.Pointer[sharedValues] // guarded by mu
}

// stateKey is a digest of values, as their texts may be long. Nobody can make two values with the same one.
type stateKey [sha256.Size]byte

// keyOf returns the key of the values of a session that began with begun and changed own.
func keyOf(begun *globalValues, own map[string]any) (k stateKey) {
	h := sha256.New()
	fmt.Fprintf(h, "%p", begun)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if text, ok := own[name].(string); ok {
			fmt.Fprintf(h, "\x00%s\x00%d\x00", name, len(text))
			_, _ = io.WriteString(h, text)
		} else {
			fmt.Fprintf(h, "\x00%s\x00%T\x00%v", name, own[name], own[name])
		}
	}
	h.Sum(k[:0])
	return k
}

// valuesFor returns the values of a session that began with begun and changed own.
func (s *sessionStates) valuesFor(begun *globalValues, own map[string]any) *sharedValues {
	key := keyOf(begun, own)
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.states[key].Value(); v != nil && v.begun == begun {
		return v
	}
	v := &sharedValues{number: stateNumbers.Add(1), values: begun.values, begun: begun}
	if len(own) > 0 {
		v.values = maps.Clone(begun.values)
		for name, value := range own {
			v.values[name] = sql.SystemVarValue{Var: begun.values[name].Var, Val: value}
		}
	}
	if s.states == nil {
		s.states = map[stateKey]weak.Pointer[sharedValues]{}
	}
	s.states[key] = weak.Make(v)
	runtime.AddCleanup(v, s.forget, key)
	return v
}

// forget removes values that no session has any more.
func (s *sessionStates) forget(key stateKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.states[key].Value() == nil {
		delete(s.states, key)
	}
}

// StateNumber identifies the session's values: sessions have the same values if, and only if, they have the same number. Called by the
// session itself.
func (s *Session) StateNumber() uint64 { return s.shared.number }

// StateNumber identifies the global values.
func (s *Server) StateNumber() uint64 { return s.values.Load().number }

// StateNumber identifies the values of the session of ctx, as [Session.StateNumber] does; 0 if it is not a client's.
func StateNumber(ctx *sql.Context) uint64 {
	if s := sessionOf(ctx); s != nil {
		return s.shared.number
	}
	return 0
}
