package plancache

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"pfsd/engine/usertables"
)

// simpleRows are the rows of a plan that was kept and has nothing to be closed but them: what rowexec.FinalizeIters adds to a plan goes through it five
// times for each execution, to find out what it is and what it has. Owned by one goroutine.
type simpleRows struct {
	sql.RowIter
	query bool // it is one
	rows  int64
}

var _ interface {
	GetIter() sql.RowIter
	WithChildIter(sql.RowIter) sql.RowIter
} = (*simpleRows)(nil)

// Finish has rows of the plan end as rowexec.FinalizeIters has it. The schema is that of a write, else nil.
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

// Close implements sql.RowIter. ROW_COUNT() and FOUND_ROWS() say then what they say after such a statement.
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

// GetIter is the iterator below.
func (k *simpleRows) GetIter() sql.RowIter { return k.RowIter }

// WithChildIter is k with another iterator below.
func (k *simpleRows) WithChildIter(rows sql.RowIter) sql.RowIter {
	k.RowIter = rows
	return k
}

// endsSimply tells whether plan n reads or writes users' tables alone, and has no part that has to be closed or disposed of.
func endsSimply(ctx *sql.Context, n sql.Node) bool {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		return usertables.Stored(n.Table) != nil
	case *plan.IndexedTableAccess:
		return usertables.Stored(n.Table) != nil
	case *plan.InsertInto:
		if !endsSimply(ctx, n.Source) { // which it disposes of
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
