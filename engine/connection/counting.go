package connection

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/status"
)

// Kinds of commands of the protocol, by which their counters Com_KIND are known.
const (
	comStmtPrepared = status.StmtPrepare
	comStmtExecuted = status.StmtExecute
	comStmtClosed   = status.StmtClose
)

// countRequests counts what the statement that runs asks of the storage.
func (w *Work) countRequests(what int, n uint64) {
	if w != nil {
		w.Current.Add(what, n)
	}
}

// countCommand counts a statement of a kind, or a command of the protocol.
func (w *Work) countCommand(kind string) { w.status.Command(w.Thread, kind) }

// sumUp adds what the statement that ends has counted to the status variables.
func (w *Work) sumUp() {
	o := &w.Current
	w.status.Requests(w.Thread, &o.Handler)
	if !o.scans.None() || o.Sorted > 0 {
		w.status.Statement(w.Thread, &o.result.Counters)
	}
}

// noteDuration notes how long the command has taken.
func (w *Work) noteDuration(ctx *sql.Context, d time.Duration) {
	if w.slow.unknown {
		w.slow.unknown, w.slow.from, w.slow.examined = false, longQueryTime(ctx), 0
		if v, err := ctx.GetSessionVariable(ctx, "min_examined_row_limit"); err == nil {
			w.slow.examined, _ = v.(uint64)
		}
	}
	if d > w.slow.from {
		w.status.SlowQueries.AddTo(w.Thread, 1)
	}
}

// longQueryTime is how long a statement may take that is not slow.
func longQueryTime(ctx *sql.Context) time.Duration {
	const most = 365 * 24 * 60 * 60 // MySQL's
	if v, err := ctx.GetSessionVariable(ctx, "long_query_time"); err == nil {
		if seconds, ok := v.(float64); ok {
			return time.Duration(max(0, min(seconds, most)) * float64(time.Second))
		}
	}
	return most * time.Second
}
