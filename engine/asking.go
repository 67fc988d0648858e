package engine

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// asking counts what reading a table asks of the storage, in the terms of MySQL's Handler_read_*.
// Owned by one goroutine.
type asking struct {
	sql.RowIter
	work *work
	asks
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
		a.count(&a.work.statement.storageCounts, &a.asked, 1)
	}
	return row, err
}

// asksOf is how the rows are asked for that n, which reads a table, finds.
func asksOf(ctx *sql.Context, n sql.Node) asks {
	i, ok := n.(*plan.IndexedTableAccess)
	if !ok {
		return wholeTable
	}
	if values := len(i.Expressions()); values > 0 {
		return asks{readKey, 1, readNext, i.Index().IsUnique() && values == len(i.Index().Expressions())}
	}
	l, inRange, err := i.GetLookup(ctx, nil)
	if err != nil || !inRange {
		return asks{readKey, 1, readNext, false}
	}
	return lookupAsks(ctx, i, l)
}

// lookupAsks is asksOf of what l looks up.
func lookupAsks(ctx *sql.Context, n *plan.IndexedTableAccess, l sql.IndexLookup) asks {
	if t, ok := sql.GetUnderlyingTable(n.Table).(*table); ok {
		if keys, ok := t.keys(l); ok {
			return asks{readKey, 1, readNext, l.Index.IsUnique() && len(keys[0]) == len(l.Index.Expressions())}
		}
		return wholeTable
	}
	next := readNext
	if l.IsReverse {
		next = readPrev
	}
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if !ok {
		return asks{readKey, 1, next, false}
	}
	if readingOf(ctx, n) == readWhole {
		first := readFirst
		if l.IsReverse {
			first = readLast
		}
		return asks{first, 1, next, false}
	}
	single := l.Index.IsUnique()
	for _, r := range ranges {
		single = single && len(r) == len(l.Index.Expressions())
		for _, col := range r {
			_, one := point(col)
			single = single && one
		}
	}
	return asks{readKey, uint64(len(ranges)), next, single}
}
