package compat

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// statusVariables hands out the status variables.
//
// go-mysql-server: a global status variable has the value that somebody has set it to, and
// most have none. MySQL: the value is worked out when it is asked for. Here SetStatus says
// how.
//
// go-mysql-server: printing an alias makes a session to print it with, which copies some
// hundred status variables that nobody reads; it is a fifth of the time of a COUNT(*).
// MySQL: prints it. Here only sessions made in NewSession get variables.
type statusVariables struct {
	sql.StatusVariableRegistry
	making atomic.Int64 // calls of NewSession that are under way
	live   atomic.Pointer[func() map[string]uint64]
}

var status *statusVariables

// NewSession calls make, in which a session with status variables of its own can be made.
// Safe for concurrent use.
func NewSession(make func()) {
	status.making.Add(1)
	defer status.making.Add(-1)
	make()
}

// NewSessionMap implements sql.StatusVariableRegistry.
func (s *statusVariables) NewSessionMap() map[string]sql.StatusVarValue {
	if s.making.Load() == 0 {
		return map[string]sql.StatusVarValue{}
	}
	return s.StatusVariableRegistry.NewSessionMap()
}

// SetStatus says how to work out the values of some global status variables. They are the
// process's: the last server that says so has its way. It must be called after NewEngine.
// Safe for concurrent use.
func SetStatus(live func() map[string]uint64) { status.live.Store(&live) }

// NewGlobalMap implements sql.StatusVariableRegistry.
func (s *statusVariables) NewGlobalMap() map[string]sql.StatusVarValue {
	all := s.StatusVariableRegistry.NewGlobalMap()
	if live := s.live.Load(); live != nil {
		for name, value := range (*live)() {
			if v, ok := all[name]; ok {
				_ = v.Set(value) // a copy of a number takes any number
			}
		}
	}
	return all
}
