package plancache

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/usertables"
)

// simpleRows is the iterator of a kept plan of which only the rows have to be closed. It replaces
// rowexec.FinalizeIters, which goes through the plan five times for each execution to find out what
// the plan is and has. Owned by one goroutine.
type simpleRows struct {
	sql.RowIter
	query bool // the plan is a query
	rows  int64
}

var _ interface {
	GetIter() sql.RowIter
	WithChildIter(sql.RowIter) sql.RowIter
} = (*simpleRows)(nil)

// Finish adds to the rows of the plan what rowexec.FinalizeIters adds: what happens at their end.
// The schema is that of a write, else nil.
func (p *Plan) Finish(ctx *sql.Context, n sql.Node, rows sql.RowIter) (sql.RowIter, sql.Schema, error) {
	if !p.Simple {
		return rowexec.FinalizeIters(ctx, n, p.Flags, rows)
	}
	rows, schema := rowexec.AddAccumulatorIter(ctx, rows)
	rows, err := rowexec.AddTransactionCommittingIter(ctx, p.Flags, rows)
	if err != nil {
		return nil, nil, err
	}
	return &simpleRows{RowIter: rows, query: p.Query}, schema, nil
}

// Next implements sql.RowIter.
func (k *simpleRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := k.RowIter.Next(ctx)
	if err == nil {
		k.rows++
	}
	return row, err
}

// Close implements sql.RowIter. It sets ROW_COUNT() and FOUND_ROWS() as they are after such a
// statement.
func (k *simpleRows) Close(ctx *sql.Context) error {
	err := k.RowIter.Close(ctx)
	if k.query {
		last := ctx.GetLastQueryInfo()
		last.RowCount.Store(-1)
		last.FoundRows.Store(k.rows)
	}
	return err
}

// Passes implements charge.Passer.
func (k *simpleRows) Passes() sql.RowIter { return k.RowIter }

// GetIter returns the iterator below.
func (k *simpleRows) GetIter() sql.RowIter { return k.RowIter }

// WithChildIter returns k with another iterator below.
func (k *simpleRows) WithChildIter(rows sql.RowIter) sql.RowIter {
	k.RowIter = rows
	return k
}

// endsSimply tells whether plan n reads or writes only users' tables, and has no part that must be
// closed or disposed of.
func endsSimply(ctx *sql.Context, n sql.Node) bool {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		return usertables.Stored(n.Table) != nil
	case *plan.IndexedTableAccess:
		return usertables.Stored(n.Table) != nil
	case *plan.InsertInto:
		if !endsSimply(ctx, n.Source) { // the node disposes of its source
			return false
		}
	case *plan.TriggerExecutor:
		return false
	default:
		if _, is := n.(sql.Disposable); is {
			return false
		}
	}
	if e, is := n.(sql.Expressioner); is {
		for _, e := range e.Expressions() {
			if transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
				_, closes := e.(sql.Closer)
				_, disposes := e.(sql.Disposable)
				return closes || disposes
			}) {
				return false
			}
		}
	}
	for _, c := range n.Children() {
		if !endsSimply(ctx, c) {
			return false
		}
	}
	return true
}
