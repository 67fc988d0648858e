package compat

import (
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// systemVariables hands out the system variables.
//
// go-mysql-server: printing an alias makes a session to print it with, which copies all system
// variables, 26 KiB; a statement prints some, and this is two thirds of what a short one
// allocates. MySQL: prints it. Here only sessions made in NewSession get variables of their
// own; the others, in which nobody sets any, have theirs in common.
type systemVariables struct {
	sql.SystemVariableRegistry
	common atomic.Pointer[map[string]sql.SystemVarValue]

	mu      sync.Mutex // held by who sets common
	changes uint64     // guarded by mu
}

// NewSessionMap implements sql.SystemVariableRegistry.
func (s *systemVariables) NewSessionMap() map[string]sql.SystemVarValue {
	if status.making.Load() > 0 {
		return s.SystemVariableRegistry.NewSessionMap()
	}
	if common := s.common.Load(); common != nil {
		return *common
	}
	s.mu.Lock()
	changes := s.changes
	s.mu.Unlock()
	common := s.SystemVariableRegistry.NewSessionMap()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes == changes {
		s.common.Store(&common)
	}
	return common
}

// changed is called after a change of the variables.
func (s *systemVariables) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	s.common.Store(nil)
}

// AddSystemVariables implements sql.SystemVariableRegistry.
func (s *systemVariables) AddSystemVariables(v []sql.SystemVariable) {
	defer s.changed()
	s.SystemVariableRegistry.AddSystemVariables(v)
}

// AssignValues implements sql.SystemVariableRegistry.
func (s *systemVariables) AssignValues(values map[string]any) error {
	defer s.changed()
	return s.SystemVariableRegistry.AssignValues(values)
}

// SetGlobal implements sql.SystemVariableRegistry.
func (s *systemVariables) SetGlobal(ctx *sql.Context, name string, value any) error {
	defer s.changed()
	return s.SystemVariableRegistry.SetGlobal(ctx, name, value)
}
