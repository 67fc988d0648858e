package connection

import (
	"time"

	"pfsd/engine/mysqlerr"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// limitExecutionTime lets a SELECT run for as long as max_execution_time says; done is to be called when it
// has ended.
func (w *Work) limitExecutionTime(s ast.Statement) (done func()) {
	if w.Variables == nil || w.Variables.MaxExecutionTime == 0 {
		return func() {}
	}
	switch s.(type) {
	case *ast.Select, *ast.SetOp, *ast.ParenSelect:
	default:
		return func() {}
	}
	w.status.TimeSet.AddTo(w.Thread, 1)
	cancel := w.cancel
	timer := time.AfterFunc(w.Variables.MaxExecutionTime, func() { cancel(mysqlerr.QueryTimeout) })
	return func() { timer.Stop() }
}
