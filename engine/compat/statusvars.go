package compat

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// statusVariables hands out the status variables.
//
// go-mysql-server: printing an alias makes a session to print it with, which copies some
// hundred status variables that nobody reads; it is a fifth of the time of a COUNT(*).
// MySQL: prints it. Here only sessions made in NewSession get variables.
type statusVariables struct {
	sql.StatusVariableRegistry
	making atomic.Int64 // calls of NewSession that are under way
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
