package globals

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// statusVariables stops go-mysql-server from counting. The server counts itself.
//
// go-mysql-server: each session has some hundred status variables, 48 KiB, which even printing an
// alias copies. It counts a few of them, also in words that all sessions of the process share; the
// other variables keep their defaults. MySQL: each status variable is a number that counts.
type statusVariables struct {
	sql.StatusVariableRegistry
	making atomic.Int64 // calls of NewSession that are under way
}

var status *statusVariables

// NewSession calls make, which may create a session with its own variables. Safe for concurrent use.
func NewSession(make func()) {
	status.making.Add(1)
	defer status.making.Add(-1)
	make()
}

// noStatus are the status variables of every session.
var noStatus = map[string]sql.StatusVarValue{}

// NewSessionMap implements sql.StatusVariableRegistry.
func (s *statusVariables) NewSessionMap() map[string]sql.StatusVarValue {
	if Served() == nil {
		return s.StatusVariableRegistry.NewSessionMap()
	}
	return noStatus
}

// IncrementGlobal implements sql.StatusVariableRegistry.
func (s *statusVariables) IncrementGlobal(name string, n int) {
	if Served() == nil {
		s.StatusVariableRegistry.IncrementGlobal(name, n)
	}
}
