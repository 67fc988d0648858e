package vtable

import (
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/executor"
	"pfsd/engine/sqlvalue"
	"pfsd/tables"
)

// aggregate computes COUNT, SUM, AVG, MIN and MAX over all rows of a scan, without making rows of Go
// values. It returns the same single row as go-mysql-server. Owned by one goroutine.
type aggregate struct {
	scan  *Scan
	cells []aggregateCell // one for each output column
	done  bool
}

type aggregateCell struct {
	function aggregateFunction
	column   int // position among the scan's; -1: every row counts
	digits   int // fractional digits of a sum of integers
	count    int64
	total    sqlvalue.Total // of integers
	fraction float64        // of the others
	extreme  tables.Value
}

type aggregateFunction uint8

const (
	aggregateCount aggregateFunction = iota
	aggregateSum
	aggregateAvg
	aggregateMin
	aggregateMax
)

// NewAggregate returns the iterator for n, whose input is s; nil if an aggregate cannot compute n. It
// changes s only if it does not return nil.
func NewAggregate(ctx *sql.Context, n *plan.GroupBy, s *Scan) *aggregate {
	if len(n.GroupByExprs) != 0 {
		return nil
	}
	a := &aggregate{scan: s}
	var cols []int
	for _, e := range n.SelectDeps {
		function, argument, ok := aggregateOf(e)
		if !ok {
			return nil
		}
		cell := aggregateCell{function: function, column: -1}
		if t, ok := e.Type(ctx).(sql.DecimalType); ok {
			cell.digits = int(t.Scale())
		}
		switch argument := argument.(type) {
		case *expression.Star:
		case *expression.Literal:
			if function != aggregateCount || argument.Value() == nil {
				return nil
			}
		case *expression.GetField:
			if argument.Index() >= len(s.Cols) {
				return nil
			}
			col := s.Cols[argument.Index()]
			if k := s.Table.Def.Columns()[col].Kind; function != aggregateCount && (k.IsText() || isMoment(k)) {
				return nil
			}
			if cell.column = slices.Index(cols, col); cell.column < 0 {
				cell.column = len(cols)
				cols = append(cols, col)
			}
		default:
			return nil
		}
		a.cells = append(a.cells, cell)
	}
	s.Cols = cols
	return a
}

func aggregateOf(e sql.Expression) (function aggregateFunction, argument sql.Expression, ok bool) {
	switch e := e.(type) {
	case *aggregation.Count:
		return aggregateCount, e.Child, true
	case *executor.Sum:
		if e.Avg() {
			return aggregateAvg, e.Child, true
		}
		return aggregateSum, e.Child, true
	case *aggregation.Min:
		return aggregateMin, e.Child, true
	case *aggregation.Max:
		return aggregateMax, e.Child, true
	}
	return 0, nil, false
}

// Next implements sql.RowIter.
func (a *aggregate) Next(ctx *sql.Context) (sql.Row, error) {
	if a.done {
		return nil, io.EOF
	}
	a.done = true
	a.scan.Open(ctx)
	values := a.scan.Values
	for {
		ok, err := a.scan.Advance(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		for i := range a.cells {
			c := &a.cells[i]
			switch {
			case c.column < 0:
				c.count++
			case !values[c.column].IsNull():
				c.count++
				c.add(&values[c.column])
			}
		}
	}
	row := make(sql.Row, len(a.cells))
	for i := range a.cells {
		row[i] = a.result(&a.cells[i])
	}
	return row, nil
}

// add adds a value that is not NULL.
func (c *aggregateCell) add(v *tables.Value) {
	switch c.function {
	case aggregateSum, aggregateAvg:
		switch n := v.Bits(); {
		case v.IsDouble():
			c.fraction += v.Float()
		case v.IsSigned():
			c.total.AddSigned(int64(n))
		default:
			c.total.AddUnsigned(n)
		}
	case aggregateMin:
		if c.count == 1 || less(v, &c.extreme) {
			c.extreme = *v
		}
	case aggregateMax:
		if c.count == 1 || less(&c.extreme, v) {
			c.extreme = *v
		}
	}
}

// less compares two numbers of one column.
func less(a, b *tables.Value) bool {
	switch {
	case a.IsDouble():
		return a.Float() < b.Float()
	case a.IsSigned() || b.IsSigned():
		return int64(a.Bits()) < int64(b.Bits())
	}
	return a.Bits() < b.Bits()
}

// result returns the value of a cell.
func (a *aggregate) result(c *aggregateCell) any {
	switch {
	case c.function == aggregateCount:
		return c.count
	case c.count == 0:
		return nil
	case c.function == aggregateSum && a.scan.Kind(c.column).Type == tables.TypeDouble:
		return c.fraction
	case c.function == aggregateSum:
		return c.total.Decimal(c.digits)
	case c.function == aggregateAvg && a.scan.Kind(c.column).Type == tables.TypeDouble:
		return c.fraction / float64(c.count)
	case c.function == aggregateAvg:
		return c.total.Average(c.count, c.digits, c.digits)
	}
	return box(a.scan.Kind(c.column), c.extreme, a.scan.Zone)
}

// Close implements sql.RowIter.
func (a *aggregate) Close(*sql.Context) error { return nil }
