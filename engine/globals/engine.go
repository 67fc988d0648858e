package globals

import (
	"sync"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/variables"
)

var initStatus sync.Once

// NewEngine returns go-mysql-server's engine with the analyzer a.
//
// go-mysql-server: each call of sqle.New sets the status variables of the whole process to zero,
// also those of other servers. MySQL: a server sets up its own once. NewEngine sets up the
// variables of the process only once.
func NewEngine(a *analyzer.Analyzer, processes sql.ProcessList) *sqle.Engine {
	initStatus.Do(func() {
		variables.InitStatusVariables()
		status = &statusVariables{StatusVariableRegistry: sql.StatusVariables}
		sql.StatusVariables = status
		sql.SystemVariables = &systemVariables{SystemVariableRegistry: sql.SystemVariables}
	})
	locks := sql.NewLockSubsystem()
	ctx := sql.NewEmptyContext()
	a.Catalog.RegisterFunction(ctx, sql.FunctionN{Name: "version", Fn: function.NewVersion("")})
	a.Catalog.RegisterFunction(ctx, function.GetLockingFuncs(ctx, locks)...)
	e := &sqle.Engine{
		Analyzer:          a,
		ProcessList:       processes,
		LS:                locks,
		BackgroundThreads: sql.NewBackgroundThreads(),
		Parser:            sql.GetParser(a.Overrides),
	}
	a.Runner = e
	a.ExecBuilder.Runner = e
	return e
}
