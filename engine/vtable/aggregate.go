package vtable

import (
	"io"
	"slices"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/executor"
	"pfsd/engine/sqlvalue"
	"pfsd/tables"
)

// aggregate computes COUNT, SUM, AVG, MIN and MAX of the rows of a scan, all together or by some of its columns, without making rows of Go
// values. It returns the same rows as go-mysql-server. Owned by one goroutine.
type aggregate struct {
	scan   *Scan
	cells  []aggregateCell // one for each output column, before any row
	by     []int           // columns of the groups: positions among the scan's
	groups *executor.Groups
	found  []aggregateCell // of each group, one after another
	// known has the groups by the bytes of their keys, of which several can belong to one group: letters in upper and lower case.
	known   map[string]int
	scratch []byte // the bytes of the last key that was not among the recent ones
	// recent are the last keys and their groups, each in the one place where its values would be.
	recent       []tables.Value
	recentGroups []int // a group's number plus 1; 0 is a free place
	done         bool
	next         int // the group whose row is next
}

// maxKnown is how many keys an aggregate knows by their bytes, and recentKeys how many by their place, none of them longer than
// recentBytes.
const (
	maxKnown    = 1 << 14
	recentBits  = 8
	recentKeys  = 1 << recentBits
	recentBytes = 512
)

type aggregateCell struct {
	function aggregateFunction
	column   int // position among the scan's; -1: every row counts
	key      int // of aggregateKey: position among the columns of the groups
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
	aggregateKey
)

// NewAggregate returns the iterator for n, whose input is s; nil if an aggregate cannot compute n. It
// changes s only if it does not return nil.
func NewAggregate(ctx *sql.Context, n *plan.GroupBy, s *Scan) *aggregate {
	if len(n.SelectDeps) == 0 {
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
	for _, e := range n.GroupByExprs {
		f, ok := e.(*expression.GetField)
		if !ok || f.Index() >= len(s.Cols) {
			return nil
		}
		a.by = append(a.by, place(s.Cols[f.Index()]))
	}
	for _, e := range n.SelectDeps {
		cell, col, ok := s.aggregateCell(ctx, e)
		if !ok {
			return nil
		}
		switch {
		case cell.function == aggregateKey:
			if cell.key = slices.Index(a.by, slices.Index(cols, col)); cell.key < 0 {
				return nil
			}
		case cell.column >= 0:
			cell.column = place(col)
		}
		a.cells = append(a.cells, cell)
	}
	if len(a.by) > 0 {
		a.groups, a.known = executor.NewGroups(ctx, n), map[string]int{}
		a.recent, a.recentGroups = make([]tables.Value, recentKeys*len(a.by)), make([]int, recentKeys)
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
		return aggregateCell{function: aggregateKey}, col, true
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
	return cell, col, function == aggregateCount || !k.IsText() && (!isMoment(*k) || function == aggregateMin || function == aggregateMax)
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
		if c := &cells[i]; c.function == aggregateKey {
			row[i] = a.groups.Key(a.next)[c.key]
		} else {
			row[i] = a.result(c)
		}
	}
	a.next++
	return row, nil
}

func (a *aggregate) readAll(ctx *sql.Context) error {
	a.scan.Open(ctx)
	values := a.scan.Values
	if len(a.by) == 0 {
		a.found = slices.Clone(a.cells)
	}
	for {
		ok, err := a.scan.Advance(ctx)
		if !ok || err != nil {
			return err
		}
		cells := a.found
		if len(a.by) > 0 {
			n, err := a.group(ctx, values)
			if err != nil {
				return err
			}
			cells = a.found[n*len(a.cells):][:len(a.cells)]
		}
		for i := range cells {
			c := &cells[i]
			switch {
			case c.function == aggregateKey:
			case c.column < 0:
				c.count++
			case !values[c.column].IsNull():
				c.count++
				c.add(&values[c.column])
			}
		}
	}
}

// group returns the number of the group of a row, which it adds if need be.
func (a *aggregate) group(ctx *sql.Context, values []tables.Value) (int, error) {
	place := uint64(0)
	for _, col := range a.by {
		place = (place ^ values[col].Place()) * 0x9E3779B97F4A7C15
	}
	place >>= 64 - recentBits
	recent := a.recent[int(place)*len(a.by):][:len(a.by)]
	if n := a.recentGroups[place]; n > 0 {
		same := true
		for i, col := range a.by {
			same = same && recent[i] == values[col]
		}
		if same {
			return n - 1, nil
		}
	}
	n, err := a.groupByBytes(ctx, values)
	if err != nil {
		return 0, err
	}
	if len(a.scratch) <= recentBytes {
		for i, col := range a.by {
			recent[i] = values[col].Clone()
		}
		a.recentGroups[place] = n + 1
	}
	return n, nil
}

// groupByBytes does the same as group for a row whose key is not among the recent ones.
func (a *aggregate) groupByBytes(ctx *sql.Context, values []tables.Value) (int, error) {
	bytes := a.scratch[:0]
	for _, col := range a.by {
		bytes = values[col].AppendExact(bytes)
	}
	a.scratch = bytes
	if n, ok := a.known[string(bytes)]; ok {
		return n, nil
	}
	key := make(sql.Row, len(a.by))
	for i, col := range a.by {
		key[i] = box(a.scan.Kind(col), values[col], a.scan.Zone)
	}
	n, known, err := a.groups.Find(ctx, key)
	if err != nil {
		return 0, err
	}
	if !known {
		if err := a.groups.Charge(int64(2 * len(a.cells) * int(unsafe.Sizeof(aggregateCell{})))); err != nil { // twice, as the list grows so
			return 0, err
		}
		a.found = append(a.found, a.cells...)
	}
	if len(a.known) < maxKnown {
		if err := a.groups.Charge(int64(len(bytes)) + 64); err != nil {
			return 0, err
		}
		a.known[string(bytes)] = n
	}
	return n, nil
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
func (a *aggregate) Close(*sql.Context) error {
	if a.groups != nil {
		a.groups.Drop()
	}
	return nil
}
