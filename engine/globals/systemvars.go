package globals

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// Variables are the system variables of a server. Safe for concurrent use.
type Variables interface {
	// Get returns the variable with a name in any letter case, and its global value.
	Get(name string) (v sql.SystemVariable, value any, ok bool)
	// Set gives the variable a global value.
	Set(ctx *sql.Context, name string, value any) error
	// Session returns the variables that a session begins with, by name. The map does not change: a
	// session that sets a variable calls OwnSessionValues before.
	Session() map[string]sql.SystemVarValue
}

// systemVariables returns the system variables of the server that the calling goroutine works for,
// see ServeVariables.
//
// go-mysql-server: the process has one set of system variables, with Dolt's and MariaDB's among
// them, and checks few values. MySQL: each server has its own.
//
// go-mysql-server: printing an alias creates a session, which copies all system variables. A
// statement prints some aliases; for a short statement, this is two thirds of what it allocates.
// MySQL: prints the alias. Here all sessions begin with the same map, see SessionValues.
type systemVariables struct{ sql.SystemVariableRegistry }

var servedVariables atomic.Pointer[func() Variables]

// ServeVariables makes go-mysql-server use the variables that current returns. The goroutine that
// reads a variable calls current. ServeVariables applies to the whole process. Safe for concurrent
// use.
func ServeVariables(current func() Variables) { servedVariables.Store(&current) }

// Served returns the variables of the goroutine's server, nil if there is none.
func Served() Variables {
	if current := servedVariables.Load(); current != nil {
		return (*current)()
	}
	return nil
}

// NewSessionMap implements sql.SystemVariableRegistry.
func (s *systemVariables) NewSessionMap() map[string]sql.SystemVarValue {
	v := Served()
	if v == nil {
		return s.SystemVariableRegistry.NewSessionMap()
	}
	all := v.Session()
	if sharesValues || status.making.Load() == 0 {
		return all
	}
	return copyOf(all)
}

// GetGlobal implements sql.SystemVariableRegistry.
func (s *systemVariables) GetGlobal(name string) (sql.SystemVariable, any, bool) {
	if v := Served(); v != nil {
		return v.Get(name)
	}
	return s.SystemVariableRegistry.GetGlobal(name)
}

// SetGlobal implements sql.SystemVariableRegistry.
func (s *systemVariables) SetGlobal(ctx *sql.Context, name string, value any) error {
	if v := Served(); v != nil {
		return v.Set(ctx, name, value)
	}
	return s.SystemVariableRegistry.SetGlobal(ctx, name, value)
}

// GetAllGlobalVariables implements sql.SystemVariableRegistry.
func (s *systemVariables) GetAllGlobalVariables() map[string]any {
	v := Served()
	if v == nil {
		return s.SystemVariableRegistry.GetAllGlobalVariables()
	}
	all := map[string]any{}
	for name, value := range v.Session() {
		all[name] = value.Val
	}
	return all
}
