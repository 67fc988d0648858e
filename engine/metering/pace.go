package metering

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/processor"
)

// paced is an iterator at each of whose rows the statement can be held back. Owned by one goroutine.
type paced struct {
	sql.RowIter
	use *processor.Meter
	n   uint // how much work a row is
}

// Pace has a statement be held back at the rows of an iterator, where there is a limit of what it may take of the processors; use is nil
// where there is none.
func Pace(rows sql.RowIter, use *processor.Meter) sql.RowIter {
	if use == nil || rows == nil {
		return rows
	}
	return &paced{rows, use, 1}
}

// Passes implements charge.Passer.
func (p *paced) Passes() sql.RowIter { return p.RowIter }

// Next implements sql.RowIter.
func (p *paced) Next(ctx *sql.Context) (sql.Row, error) {
	if err := p.use.Row(p.n); err != nil {
		return nil, err
	}
	return p.RowIter.Next(ctx)
}
