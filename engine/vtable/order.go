package vtable

import (
	"slices"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/tables"
)

// ordering is the order of a scan, and how many rows it keeps. Owned by one goroutine.
type ordering struct {
	by    []orderBy
	keep  int64
	table bool // the table has the rows in this order
}

type orderBy struct {
	col        int // position in the declaration
	place      int // position among the columns that the cursor reads
	descending bool
}

// SortBy makes a scan that is not open yet return its first keep rows in an order. It reports false, and changes nothing, if it
// cannot: it compares numbers and times, but not texts, which have collations.
func (s *Scan) SortBy(ctx *sql.Context, fields sql.SortFields, keep int64) bool {
	if s.order != nil {
		return false
	}
	o := &ordering{keep: keep, table: s.inOrder(fields)}
	for _, f := range fields {
		column, ok := f.Column.(*expression.GetField)
		if !ok || column.Index() >= len(s.Cols) || f.NullOrdering != sql.NullsFirst {
			return false
		}
		col := s.Cols[column.Index()]
		if s.kindOf(col).IsText() {
			return false
		}
		o.by = append(o.by, orderBy{col: col, descending: f.Order == sql.Descending})
	}
	s.order = o
	return true
}

// inOrder reports whether the table returns its rows in this order.
func (s *Scan) inOrder(fields sql.SortFields) bool {
	has := s.Table.Def.Order()
	if has == nil || len(fields) != 1 || (fields[0].Order == sql.Descending) != has.Descending {
		return false
	}
	column, ok := fields[0].Column.(*expression.GetField)
	return ok && column.Index() < len(s.Cols) && s.Table.Def.Columns()[s.Cols[column.Index()]].Name == has.Column
}

// sortedRows are the rows of a scan that sorts. The sort keys of all rows are in one slice. The
// values of rows, which are many, are in blocks, because a slice that grows would copy them again
// and again. If the scan keeps only some of the rows, rows is a heap while rows are read, with the
// last row of the order on top. Owned by one goroutine.
type sortedRows struct {
	by     []orderBy
	width  int // number of values of a row
	keys   []tables.Value
	values [][]tables.Value // of blockRows rows each
	number []uint64         // for each row, its number in the order of the scan
	rows   []int            // the rows in the order, or as a heap
	heap   bool
	read   int // rows returned so far
	hold   *budget.Hold
}

// blockRows is how many rows a block has.
const blockRows = 16

// charge charges a row that has been added.
func (r *sortedRows) charge(row int) error {
	bytes := int64(len(r.by)+r.width)*valueBytes + 16
	return r.hold.Charge(bytes + bytes/4 + r.texts(row)) // slices have spare capacity
}

// valueBytes is the size of a value without its text.
const valueBytes = int64(unsafe.Sizeof(tables.Value{}))

// texts returns the bytes of the texts of a row.
func (r *sortedRows) texts(row int) (bytes int64) {
	values := r.row(row)
	for i := range values {
		if values[i].IsText() {
			bytes += int64(len(values[i].Str()))
		}
	}
	return bytes
}

// sort reads all rows of the scan.
func (s *Scan) sort(ctx *sql.Context) error {
	if s.statement != nil {
		defer s.statement.Sorts()()
	}
	r := &sortedRows{by: s.order.by, width: len(s.places), hold: charge.HoldOf(ctx, charge.Sort)}
	s.sorted = r
	key := make([]tables.Value, len(r.by))
	for found := uint64(0); ; found++ {
		ok, err := s.find(ctx)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		for i := range r.by {
			key[i] = s.cursor.Value(r.by[i].place)
		}
		if int64(len(r.rows)) < s.order.keep {
			at := len(r.rows)
			r.keys = append(r.keys, key...)
			if at%blockRows == 0 {
				r.values = append(r.values, make([]tables.Value, min(s.order.keep, blockRows)*int64(r.width)))
			}
			s.copyRow(r.row(at))
			r.number, r.rows = append(r.number, found), append(r.rows, at)
			if err := r.charge(at); err != nil {
				return err
			}
			continue
		}
		if len(r.rows) == 0 {
			continue // LIMIT 0
		}
		if !r.heap {
			r.heap = true
			for i := len(r.rows)/2 - 1; i >= 0; i-- {
				r.siftDown(i)
			}
		}
		// The sort is stable.
		if last := r.rows[0]; r.compareKeys(key, r.key(last)) < 0 {
			copy(r.key(last), key)
			before := r.texts(last)
			s.copyRow(r.row(last))
			r.hold.Discharge(before)
			if err := r.hold.Charge(r.texts(last)); err != nil {
				return err
			}
			r.number[last] = found
			r.siftDown(0)
		}
	}
	slices.SortFunc(r.rows, r.compare)
	return nil
}

func (r *sortedRows) key(row int) []tables.Value { return r.keys[row*len(r.by) : (row+1)*len(r.by)] }
func (r *sortedRows) row(row int) []tables.Value {
	return r.values[row/blockRows][row%blockRows*r.width:][:r.width]
}

// compare is negative if row a comes before row b.
func (r *sortedRows) compare(a, b int) int {
	if c := r.compareKeys(r.key(a), r.key(b)); c != 0 {
		return c
	}
	if r.number[a] < r.number[b] {
		return -1
	}
	return 1
}

// compareKeys is negative if a row with key a comes before a row with key b, and 0 if the keys are
// equal. NULL is less than any value.
func (r *sortedRows) compareKeys(a, b []tables.Value) int {
	for i := range r.by {
		c := 0
		switch x, y := &a[i], &b[i]; {
		case x.IsNull() && y.IsNull():
		case x.IsNull():
			c = -1
		case y.IsNull():
			c = 1
		default:
			c = order(x, y)
		}
		if r.by[i].descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// siftDown restores the heap below a position.
func (r *sortedRows) siftDown(at int) {
	for {
		child := 2*at + 1
		if child >= len(r.rows) {
			return
		}
		if right := child + 1; right < len(r.rows) && r.compare(r.rows[right], r.rows[child]) > 0 {
			child = right
		}
		if r.compare(r.rows[child], r.rows[at]) < 0 {
			return
		}
		r.rows[at], r.rows[child] = r.rows[child], r.rows[at]
		at = child
	}
}

// next returns the next row in dst, and reports whether there is one.
func (r *sortedRows) next(dst []tables.Value) bool {
	if r.read == len(r.rows) {
		return false
	}
	copy(dst, r.row(r.rows[r.read]))
	r.read++
	return true
}
