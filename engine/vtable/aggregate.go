package vtable

import (
	"io"
	"slices"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/executor"
	"pfsd/engine/sqlvalue"
	"pfsd/tables"
)

// aggregate computes COUNT, SUM, AVG, MIN and MAX of the rows of a scan, all together or by groups, without making rows of Go
// values. It returns the same rows as go-mysql-server. Owned by one goroutine.
type aggregate struct {
	scan   *Scan
	cells  []aggregateCell // one for each output column, before any row
	groups *rowGroups      // nil without GROUP BY
	hold   *budget.Hold
	found  []aggregateCell // of each group, one after another
	// different has the values of COUNT(DISTINCT).
	different map[differentValue]struct{}
	done      bool
	next      int // the group whose row is next
}

// differentValue is a value that COUNT(DISTINCT) has counted: where among the cells, and which.
type differentValue struct {
	cell int
	bits uint64
}

// differentBytes is about how many bytes one of them takes.
const differentBytes = 48

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
	aggregateDistinct // COUNT(DISTINCT)
	aggregateFirst
)

// NewAggregate returns the iterator for n, whose input is s; nil if an aggregate cannot compute n. It
// changes s only if it does not return nil.
func NewAggregate(ctx *sql.Context, n *plan.GroupBy, s *Scan) *aggregate {
	if len(n.SelectDeps) == 0 || executor.IsRollup(n) {
		return nil
	}
	a := &aggregate{scan: s}
	var cols []int
	place := func(col int) int {
		i := slices.Index(cols, col)
		if i < 0 {
			i = len(cols)
			cols = append(cols, col)
		}
		return i
	}
	if len(n.GroupByExprs) > 0 {
		if a.groups = newRowGroups(ctx, n, s, place); a.groups == nil {
			return nil
		}
	}
	for _, e := range n.SelectDeps {
		cell, col, ok := s.aggregateCell(ctx, e)
		if !ok || cell.function == aggregateFirst && a.groups == nil {
			return nil
		}
		if cell.column >= 0 {
			cell.column = place(col)
		}
		if cell.function == aggregateDistinct {
			a.different = map[differentValue]struct{}{}
		}
		a.cells = append(a.cells, cell)
	}
	if a.groups != nil || a.different != nil {
		a.hold = charge.HoldOf(ctx, charge.Groups)
	}
	if a.groups != nil {
		a.groups.open(ctx, n, a.hold)
	}
	s.Cols = cols
	return a
}

// aggregateCell returns the cell for an output column, and the column of the table that it reads if it reads one.
func (s *Scan) aggregateCell(ctx *sql.Context, e sql.Expression) (cell aggregateCell, col int, ok bool) {
	column := func(e sql.Expression) bool {
		f, ok := e.(*expression.GetField)
		if ok = ok && f.Index() < len(s.Cols); ok {
			col = s.Cols[f.Index()]
		}
		return ok
	}
	if column(e) {
		return aggregateCell{function: aggregateFirst}, col, true
	}
	function, argument, ok := aggregateOf(e)
	if !ok {
		return cell, 0, false
	}
	cell = aggregateCell{function: function, column: -1}
	if t, ok := e.Type(ctx).(sql.DecimalType); ok {
		cell.digits = int(t.Scale())
	}
	switch argument := argument.(type) {
	case *expression.Star:
		return cell, 0, true
	case *expression.Literal:
		return cell, 0, function == aggregateCount && argument.Value() != nil
	}
	if !column(argument) {
		return cell, 0, false
	}
	cell.column = 0
	k := s.kindOf(col)
	switch function {
	case aggregateCount:
		return cell, col, true
	case aggregateDistinct:
		return cell, col, !k.IsText() && k.Type != tables.TypeDouble // texts are equal by their collation, and 0 is -0
	case aggregateMin, aggregateMax:
		return cell, col, !k.IsText()
	}
	return cell, col, !k.IsText() && !isMoment(*k)
}

func aggregateOf(e sql.Expression) (function aggregateFunction, argument sql.Expression, ok bool) {
	switch e := e.(type) {
	case *aggregation.Count:
		return aggregateCount, e.Child, true
	case *aggregation.CountDistinct:
		if arguments := e.Children(); len(arguments) == 1 {
			return aggregateDistinct, arguments[0], true
		}
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
	if !a.done {
		a.done = true
		if err := a.readAll(ctx); err != nil {
			return nil, err
		}
	}
	if a.next*len(a.cells) == len(a.found) {
		return nil, io.EOF
	}
	cells := a.found[a.next*len(a.cells):][:len(a.cells)]
	row := make(sql.Row, len(cells))
	for i := range cells {
		row[i] = a.result(&cells[i])
	}
	a.next++
	return row, nil
}

func (a *aggregate) readAll(ctx *sql.Context) error {
	a.scan.Open(ctx)
	values := a.scan.Values
	if a.groups == nil {
		a.found = slices.Clone(a.cells)
	}
	for {
		ok, err := a.scan.Advance(ctx)
		if !ok || err != nil {
			return err
		}
		first := 0 // the first cell of the row's group
		if a.groups != nil {
			n, known, err := a.groups.find(ctx, values)
			if err == nil && !known {
				err = a.add(values)
			}
			if err != nil {
				return err
			}
			first = n * len(a.cells)
		}
		for i := range a.cells {
			c := &a.found[first+i]
			switch {
			case c.function == aggregateFirst:
			case c.column < 0:
				c.count++
			case values[c.column].IsNull():
			case c.function == aggregateDistinct:
				if err := a.addDifferent(first+i, values[c.column].Bits()); err != nil {
					return err
				}
			default:
				c.count++
				c.add(&values[c.column])
			}
		}
	}
}

// add adds the group of a row that is its first.
func (a *aggregate) add(values []tables.Value) error {
	bytes := 2 * len(a.cells) * int(unsafe.Sizeof(aggregateCell{})) // twice, as the list grows so
	first := len(a.found)
	a.found = append(a.found, a.cells...)
	for i := range a.cells {
		if c := &a.found[first+i]; c.function == aggregateFirst {
			c.extreme = values[c.column].Clone()
			bytes += len(c.extreme.Str())
		}
	}
	return a.hold.Charge(int64(bytes))
}

// addDifferent counts a value in a cell if it is new.
func (a *aggregate) addDifferent(cell int, bits uint64) error {
	v := differentValue{cell, bits}
	if _, known := a.different[v]; known {
		return nil
	}
	a.different[v] = struct{}{}
	a.found[cell].count++
	return a.hold.Charge(differentBytes)
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

// less compares two numbers or moments of one column.
func less(a, b *tables.Value) bool {
	switch {
	case a.IsDouble():
		return a.Float() < b.Float()
	case a.IsSigned() || b.IsSigned() || a.IsTime():
		return int64(a.Bits()) < int64(b.Bits())
	}
	return a.Bits() < b.Bits()
}

// result returns the value of a cell.
func (a *aggregate) result(c *aggregateCell) any {
	switch {
	case c.function == aggregateCount || c.function == aggregateDistinct:
		return c.count
	case c.function == aggregateFirst:
		return box(a.scan.Kind(c.column), c.extreme, a.scan.Zone)
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
func (a *aggregate) Close(*sql.Context) error {
	a.hold.Drop()
	return nil
}
