package writes

import (
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Info is the text of the answer to a statement that has written several rows.
type Info struct {
	Records, Duplicates uint64
	Load                bool // LOAD DATA
	Warnings            uint64
}

// String implements fmt.Stringer.
func (i Info) String() string {
	if i.Load {
		return fmt.Sprintf("Records: %d  Deleted: 0  Skipped: %d  Warnings: %d", i.Records, i.Duplicates, i.Warnings)
	}
	return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", i.Records, i.Duplicates, i.Warnings)
}

// tally is what a statement has done to rows.
type tally struct {
	records uint64 // rows that were to be written
	copied  uint64 // rows that were inserted, or made anew
	deleted uint64
	updated uint64 // rows that ON DUPLICATE KEY UPDATE has changed
	touched uint64 // those, and those that it has left as they were
}

// answering is rows of a write: one for each row that was written. Where the plan ends, it yields the answer OK instead, because
// go-mysql-server, which knows its own iterators alone, asks for an iterator that does so by [sql.MutableRowIter].
type answering struct {
	sql.RowIter
	answer func(ctx *sql.Context) types.OkResult
}

var _ sql.MutableRowIter = (*answering)(nil)

// written is an iterator of go-mysql-server that it answers OK for. It is never read.
var written = func() sql.RowIter {
	none := plan.NewDeleteFrom(plan.NewEmptyTableWithSchema(nil), nil, true)
	rows, err := rowexec.NewBuilder(nil, sql.EngineOverrides{}).Build(sql.NewEmptyContext(), none, nil)
	if err != nil {
		panic(err)
	}
	return rows
}()

// GetChildIter implements sql.MutableRowIter.
func (*answering) GetChildIter() sql.RowIter { return written }

// WithChildIter implements sql.MutableRowIter. The child is what answers OK for the iterator written.
func (a *answering) WithChildIter(sql.RowIter) sql.RowIter { return &answer{answering: a} }

// answer yields the answer OK alone, when all rows are written. Owned by one goroutine.
type answer struct {
	*answering
	done bool
}

// Next implements sql.RowIter. The rows are closed before the answer, because a file that is loaded is.
func (a *answer) Next(ctx *sql.Context) (sql.Row, error) {
	if a.done {
		return nil, io.EOF
	}
	a.done = true
	for {
		_, err := a.answering.Next(ctx)
		if _, ignored := err.(sql.IgnorableError); err == nil || ignored {
			continue
		}
		if closed := a.answering.Close(ctx); err == io.EOF {
			err = closed
		}
		if err != nil {
			return nil, err
		}
		ok := a.answer(ctx)
		ctx.GetLastQueryInfo().RowCount.Store(int64(ok.RowsAffected))
		return sql.NewRow(ok), nil
	}
}

// Close implements sql.RowIter.
func (a *answer) Close(ctx *sql.Context) error {
	if a.done {
		return nil
	}
	return a.answering.Close(ctx)
}

// Selected is the answer to CREATE TABLE ... SELECT that has inserted rows, or has found the table there, with OK.
func Selected(ctx *sql.Context, rows sql.RowIter) (sql.RowIter, error) {
	all, err := sql.RowIterToRows(ctx, rows)
	if err != nil {
		return nil, err
	}
	if len(all) == 1 && len(all[0]) > 0 {
		if _, ok := all[0][0].(types.OkResult); ok {
			return sql.RowsToRowIter(all...), nil
		}
	}
	n := uint64(len(all))
	ctx.GetLastQueryInfo().RowCount.Store(int64(n))
	return sql.RowsToRowIter(sql.NewRow(types.OkResult{RowsAffected: n, Info: Info{Records: n, Warnings: uint64(ctx.Session.WarningCount())}})), nil
}
