package compat

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// statusVariables keeps go-mysql-server from counting.
//
// go-mysql-server: a session has some hundred status variables of its own, 48 KiB, copied even to
// print an alias, and counts a few; all sessions of a process count these in common words, too,
// and the others keep their defaults. MySQL: a status variable is a number, and counts. Here the
// server counts them itself, and shows its own: sessions have none, and nothing is counted twice.
type statusVariables struct {
	sql.StatusVariableRegistry
	making atomic.Int64 // calls of NewSession that are under way
}

var status *statusVariables

// NewSession calls make, in which a session with variables of its own can be made.
// Safe for concurrent use.
func NewSession(make func()) {
	status.making.Add(1)
	defer status.making.Add(-1)
	make()
}

// noStatus are the status variables of every session.
var noStatus = map[string]sql.StatusVarValue{}

// NewSessionMap implements sql.StatusVariableRegistry.
func (s *statusVariables) NewSessionMap() map[string]sql.StatusVarValue {
	if served() == nil {
		return s.StatusVariableRegistry.NewSessionMap()
	}
	return noStatus
}

// IncrementGlobal implements sql.StatusVariableRegistry.
func (s *statusVariables) IncrementGlobal(name string, n int) {
	if served() == nil {
		s.StatusVariableRegistry.IncrementGlobal(name, n)
	}
}
