package executor

import (
	"io"
	"slices"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// NewSort returns the rows of child in the order of fields.
func NewSort(ctx *sql.Context, fields sql.SortFields, child sql.RowIter) sql.RowIter {
	hold := charge.HoldOf(ctx, charge.Sort)
	s := &rowSort{RowIter: child, hold: hold, sorter: newSorter(ctx, fields, hold)}
	if charge.ReuseRows(child) {
		s.copies = new(charge.RowCopies)
	}
	return s
}

// rowSort is an iterator, owned by one goroutine.
type rowSort struct {
	sql.RowIter
	sorter *sorter
	rows   []sql.Row
	order  []int // positions of the rows that remain; nil until all rows have been read
	hold   *budget.Hold
	room   *sortRoom         // memory for rows and the sorter
	copies *charge.RowCopies // nil if the rows need not be copied
}

// sortRoom is the memory that a sort needs in addition to its rows. It serves one sort after the
// other.
type sortRoom struct {
	rows  []sql.Row
	keys  []any
	order []int
}

// sortRoomMax is the largest number of rows, and of keys, in a sortRoom that is used again.
const sortRoomMax = 1024

var sortRooms = sync.Pool{New: func() any { return new(sortRoom) }}

// Next implements sql.RowIter.
func (s *rowSort) Next(ctx *sql.Context) (sql.Row, error) {
	if s.order == nil {
		if err := s.sort(ctx); err != nil {
			return nil, err
		}
	}
	if len(s.order) == 0 {
		return nil, io.EOF
	}
	row := s.rows[s.order[0]]
	s.order = s.order[1:]
	return row, nil
}

func (s *rowSort) sort(ctx *sql.Context) error {
	s.room = sortRooms.Get().(*sortRoom)
	s.rows, s.sorter.keys, s.sorter.order = s.room.rows[:0], s.room.keys[:0], s.room.order
	for {
		row, err := s.RowIter.Next(ctx)
		if err == io.EOF {
			break
		}
		if err == nil {
			if s.copies != nil {
				row = s.copies.Copy(row)
			}
			err = s.sorter.add(ctx, row)
		}
		if err != nil {
			return err
		}
		s.rows = append(s.rows, row)
	}
	var err error
	s.room.rows, s.room.keys = s.rows, s.sorter.keys
	s.order, err = s.sorter.sorted(ctx)
	clear(s.room.keys)
	s.room.order = s.order
	return err
}

// Close implements sql.RowIter.
func (s *rowSort) Close(ctx *sql.Context) error {
	if room := s.room; room != nil {
		s.room = nil
		if room.rows = s.rows; s.sorter.keys != nil { // not all rows have been returned
			room.keys = s.sorter.keys
		}
		clear(room.rows)
		clear(room.keys)
		if max(cap(room.rows), cap(room.keys)) <= sortRoomMax {
			sortRooms.Put(room)
		}
	}
	s.rows, s.order, s.sorter = nil, []int{}, nil
	s.hold.Drop()
	return s.RowIter.Close(ctx)
}

// sorter finds the order of rows. Equal rows stay in the order in which they are added. Owned by
// one goroutine.
//
// go-mysql-server's expression.Sorter evaluates the sort keys at each comparison of two rows, and
// cannot be stopped.
type sorter struct {
	by []sortKey
	// keys are the sort keys of all rows; those of one row are next to each other.
	keys    []any
	order   []int // memory for the result
	rows    int
	hold    *budget.Hold
	charged int64 // bytes, for keys
	work    uint  // number of rows added and of comparisons
	err     error // the first error of a comparison
}

// sortKey is one of the expressions that rows are sorted by.
type sortKey struct {
	sql.Expression
	compare                valueOrder
	column                 bool // it is a column, whose value need not be calculated
	descending, nullsFirst bool
}

// newSorter returns a sorter for rows that are sorted by these fields. Its memory is charged to
// hold, which may be nil.
func newSorter(ctx *sql.Context, fields sql.SortFields, hold *budget.Hold) *sorter {
	s := &sorter{by: make([]sortKey, len(fields)), hold: hold}
	for i, f := range fields {
		s.by[i] = sortKey{f.Column, orderOf(f.Column.Type(ctx)), isColumn(f.Column), f.Order == sql.Descending, f.NullOrdering == sql.NullsFirst}
	}
	return s
}

// isColumn tells whether e is a column, perhaps with a collation.
func isColumn(e sql.Expression) bool {
	if c, ok := e.(*collations.Collated); ok {
		e = c.Child
	}
	_, ok := e.(*expression.GetField)
	return ok
}

const (
	// keyBytes is the size of a key without the memory that it refers to. orderBytes is the size of
	// a position in the order.
	keyBytes, orderBytes = 16, 8
	// sortPace is the number of rows and comparisons between two checks whether the statement has
	// been killed.
	sortPace = 256
)

// pace counts a piece of work. It returns an error if the statement must end.
func (s *sorter) pace(ctx *sql.Context) error {
	if s.work++; s.work%sortPace != 0 {
		return nil
	}
	return sqlvalue.Pace(ctx, sortPace)
}

// add adds a row.
func (s *sorter) add(ctx *sql.Context, row sql.Row) error {
	if err := s.pace(ctx); err != nil {
		return err
	}
	bytes := int64(keyBytes * len(s.by))
	for i := range s.by {
		key, err := s.by[i].Eval(ctx, row)
		if err != nil {
			return sql.ErrUnableSort.Wrap(err)
		}
		if !s.by[i].column {
			bytes += charge.Size(key)
		}
		s.keys = append(s.keys, key)
	}
	s.rows++
	s.charged += bytes
	return s.hold.Charge(orderBytes + bytes)
}

// sorted returns the positions of the rows, counted in the order in which they were added, in
// sorted order.
func (s *sorter) sorted(ctx *sql.Context) ([]int, error) {
	order := slices.Grow(s.order[:0], s.rows)[:s.rows]
	if order == nil {
		order = []int{}
	}
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return s.compare(ctx, a, b) })
	s.keys = nil
	s.hold.Discharge(s.charged)
	return order, s.err
}

// compare compares the rows at two positions. After an error the result means nothing.
func (s *sorter) compare(ctx *sql.Context, a, b int) int {
	if s.err == nil {
		s.err = s.pace(ctx)
	}
	for i := range s.by {
		if s.err != nil {
			break
		}
		k, x, y := &s.by[i], s.keys[a*len(s.by)+i], s.keys[b*len(s.by)+i]
		if k.descending {
			x, y = y, x
		}
		n := 0
		switch {
		case x == nil && y == nil:
		case x == nil || y == nil:
			if n = 1; (x == nil) == k.nullsFirst {
				n = -1
			}
		default:
			n, s.err = k.compare(ctx, x, y)
		}
		if n != 0 {
			return n
		}
	}
	return a - b
}
