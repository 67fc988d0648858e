package tableuse

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/processor"
	"pfsd/engine/vtable"
)

// requesting counts what reading a table asks of the storage, in the terms of MySQL's Handler_read_*.
// Owned by one goroutine.
type requesting struct {
	sql.RowIter
	use    *processor.Meter
	counts *vtable.Counts
	vtable.Requests
	asked bool
	done  bool
}

// Requesting returns the rows that n, which reads a table, finds: what is asked for goes to counts, and use holds the statement back.
func Requesting(ctx *sql.Context, n sql.Node, rows sql.RowIter, use *processor.Meter, counts *vtable.Counts) sql.RowIter {
	return &requesting{RowIter: rows, use: use, counts: counts, Requests: RequestsOf(ctx, n)}
}

// tableRowWork is how much work the row of a table is: there can be many rows of a join for one.
const tableRowWork = 16

// Next implements sql.RowIter.
func (a *requesting) Next(ctx *sql.Context) (sql.Row, error) {
	if err := a.use.Row(tableRowWork); err != nil {
		return nil, err
	}
	row, err := a.RowIter.Next(ctx)
	if err == nil || err == io.EOF && !a.done {
		a.done = err == io.EOF
		a.Count(a.counts, &a.asked, 1)
	}
	return row, err
}

// Passes implements charge.Passer.
func (a *requesting) Passes() sql.RowIter { return a.RowIter }

// RequestsOf is how the rows are asked for that n, which reads a table, finds.
func RequestsOf(ctx *sql.Context, n sql.Node) vtable.Requests {
	i, ok := n.(*plan.IndexedTableAccess)
	if !ok {
		return vtable.WholeTable
	}
	if values := len(i.Expressions()); values > 0 {
		return vtable.Requests{First: vtable.ReadKey, Times: 1, Next: vtable.ReadNext, Single: i.Index().IsUnique() && values == len(i.Index().Expressions())}
	}
	l, inRange, err := i.GetLookup(ctx, nil)
	if err != nil || !inRange {
		return vtable.Requests{First: vtable.ReadKey, Times: 1, Next: vtable.ReadNext}
	}
	return RequestsOfLookup(ctx, i, l)
}

// RequestsOfLookup is RequestsOf of what l looks up.
func RequestsOfLookup(ctx *sql.Context, n *plan.IndexedTableAccess, l sql.IndexLookup) vtable.Requests {
	if t, ok := sql.GetUnderlyingTable(n.Table).(*vtable.Table); ok {
		if keys, ok := t.Keys(l); ok {
			return vtable.Requests{First: vtable.ReadKey, Times: 1, Next: vtable.ReadNext, Single: l.Index.IsUnique() && len(keys[0]) == len(l.Index.Expressions())}
		}
		return vtable.WholeTable
	}
	next := vtable.ReadNext
	if l.IsReverse {
		next = vtable.ReadPrev
	}
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if !ok {
		return vtable.Requests{First: vtable.ReadKey, Times: 1, Next: next}
	}
	if gmsplan.AccessOf(ctx, n) == gmsplan.FullScan {
		first := vtable.ReadFirst
		if l.IsReverse {
			first = vtable.ReadLast
		}
		return vtable.Requests{First: first, Times: 1, Next: next}
	}
	single := l.Index.IsUnique()
	for _, r := range ranges {
		single = single && len(r) == len(l.Index.Expressions())
		for _, col := range r {
			_, one := vtable.Point(col)
			single = single && one
		}
	}
	return vtable.Requests{First: vtable.ReadKey, Times: uint64(len(ranges)), Next: next, Single: single}
}
