package engine

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/explain/gmsplan"
	"pfsd/engine/vtable"
)

// asking counts what reading a table asks of the storage, in the terms of MySQL's Handler_read_*.
// Owned by one goroutine.
type asking struct {
	sql.RowIter
	work *work
	vtable.Requests
	asked bool
	done  bool
}

// tableRowWork is how much work the row of a table is: there can be many rows of a join for one.
const tableRowWork = 16

// Next implements sql.RowIter.
func (a *asking) Next(ctx *sql.Context) (sql.Row, error) {
	if err := a.work.processor.Row(tableRowWork); err != nil {
		return nil, err
	}
	row, err := a.RowIter.Next(ctx)
	if err == nil || err == io.EOF && !a.done {
		a.done = err == io.EOF
		a.Count(&a.work.statement.Counts, &a.asked, 1)
	}
	return row, err
}

// asksOf is how the rows are asked for that n, which reads a table, finds.
func asksOf(ctx *sql.Context, n sql.Node) vtable.Requests {
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
	return lookupAsks(ctx, i, l)
}

// lookupAsks is asksOf of what l looks up.
func lookupAsks(ctx *sql.Context, n *plan.IndexedTableAccess, l sql.IndexLookup) vtable.Requests {
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
