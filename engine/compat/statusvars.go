package compat

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// statusVariables hands out the status variables.
//
// go-mysql-server: printing an alias makes a session to print it with, which copies some
// hundred status variables that nobody reads; it is a fifth of the time of a COUNT(*).
// MySQL: prints it. Here only sessions made in NewSession get variables.
//
// go-mysql-server: a session has some hundred status variables of its own, 48 KiB, and counts
// a few. The others keep their defaults, as the global ones do that SHOW STATUS shows where a
// session has none. MySQL: a status variable is a number. Here a session lacks those.
type statusVariables struct {
	sql.StatusVariableRegistry
	ofSession map[string]sql.StatusVarValue // as a session begins with them
	making    atomic.Int64                  // calls of NewSession that are under way
}

var status *statusVariables

// counted are the status variables that go-mysql-server counts.
var counted = []string{"Com_delete", "Com_insert", "Com_select", "Com_update", "Questions", "Slow_queries"}

func newStatusVariables(all sql.StatusVariableRegistry) *statusVariables {
	ofSession := all.NewSessionMap()
	maps.DeleteFunc(ofSession, func(name string, v sql.StatusVarValue) bool {
		return v.Variable().GetScope() != sql.StatusVariableScope_Session && !slices.Contains(counted, name)
	})
	return &statusVariables{StatusVariableRegistry: all, ofSession: ofSession}
}

// NewSession calls make, in which a session with variables of its own can be made.
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
	own := make(map[string]sql.StatusVarValue, len(s.ofSession))
	for name, v := range s.ofSession {
		own[name] = v.Copy()
	}
	return own
}

// ShowStatus returns the rows of SHOW STATUS, given those that go-mysql-server makes; live
// are the values of some variables now.
//
// go-mysql-server: a status variable has the value that somebody has set it to, and most have
// none; all servers of a process share them, and some of MySQL's are not known. MySQL: the
// value is worked out when it is asked for.
func ShowStatus(ctx *sql.Context, rows sql.RowIter, live map[string]uint64) (sql.RowIter, error) {
	all, err := sql.RowIterToRows(ctx, rows)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r sql.Row) bool {
		_, ok := live[r[0].(string)]
		return ok
	})
	for name, value := range live {
		all = append(all, sql.Row{name, value})
	}
	slices.SortFunc(all, func(a, b sql.Row) int { return cmp.Compare(a[0].(string), b[0].(string)) })
	return sql.RowsToRowIter(all...), nil
}
