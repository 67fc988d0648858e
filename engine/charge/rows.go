package charge

import (
	"container/heap"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/instr"
)

// Account is what a context's process list implements if its statements have an account, and Memory are the
// instruments of what these keep.
type Account interface {
	Budget() *budget.Statement
	Memory() *Memory
}

// Memory are the instruments of what statements keep, nil where nobody wants to know. Safe for concurrent use.
type Memory struct {
	Sort    *instr.MemoryClass // rows to be sorted
	Join    *instr.MemoryClass // rows of the inner side of a join, by hash
	Groups  *instr.MemoryClass // groups, and rows that are told apart
	Kept    *instr.MemoryClass // rows that are kept to be read again, and what window functions are worked out on
	JSON    *instr.MemoryClass // JSON documents
	Written *instr.MemoryClass // rows that a statement writes, until they are in their table
	Schema  *instr.MemoryClass // rows of information_schema
	Text    *instr.MemoryClass // large values of a row that is being made
}

// noMemory is where nobody wants to know.
var noMemory = &Memory{}

// Of is the account of the statement of ctx, nil if it has none, and the instruments, which are never nil.
func Of(ctx *sql.Context) (*budget.Statement, *Memory) {
	if a, ok := ctx.ProcessList.(Account); ok {
		return a.Budget(), a.Memory()
	}
	return nil, noMemory
}

// HoldOf returns a new hold of the statement of ctx, nil if it has no account. class chooses the instrument.
func HoldOf(ctx *sql.Context, class func(*Memory) *instr.MemoryClass) *budget.Hold {
	s, m := Of(ctx)
	if s == nil {
		return nil
	}
	return s.NewHold(class(m))
}

// Instruments of holds.
func Sort(m *Memory) *instr.MemoryClass    { return m.Sort }
func Join(m *Memory) *instr.MemoryClass    { return m.Join }
func Groups(m *Memory) *instr.MemoryClass  { return m.Groups }
func Kept(m *Memory) *instr.MemoryClass    { return m.Kept }
func JSON(m *Memory) *instr.MemoryClass    { return m.JSON }
func Written(m *Memory) *instr.MemoryClass { return m.Written }
func Schema(m *Memory) *instr.MemoryClass  { return m.Schema }
func Text(m *Memory) *instr.MemoryClass    { return m.Text }

// NewRows returns rows, each of which is charged to hold, with extra bytes for what keeps it, as it comes.
// If lasting is not set hold is dropped when the rows are closed.
func NewRows(rows sql.RowIter, hold *budget.Hold, extra int64, lasting bool) sql.RowIter {
	if hold == nil {
		return rows
	}
	return &metered{RowIter: rows, hold: hold, extra: extra, lasting: lasting}
}

// metered is an iterator, owned by one goroutine.
type metered struct {
	sql.RowIter
	hold    *budget.Hold
	sizes   RowSizes
	extra   int64 // bytes
	lasting bool
}

// Next implements sql.RowIter.
func (m *metered) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := m.RowIter.Next(ctx)
	if err == nil {
		err = m.hold.Charge(m.sizes.Add(row) + m.extra)
	}
	return row, err
}

// Close implements sql.RowIter.
func (m *metered) Close(ctx *sql.Context) error {
	m.sizes = RowSizes{}
	if !m.lasting {
		m.hold.Drop()
	}
	return m.RowIter.Close(ctx)
}

// NewEntries returns rows, for each of which something of so many bytes is kept. However often the rows are read, what was
// charged for one pass over them is not charged again.
func NewEntries(rows sql.RowIter, hold *budget.Hold, bytes int64) sql.RowIter {
	if hold == nil {
		return rows
	}
	return &entries{RowIter: rows, hold: hold, bytes: bytes}
}

type entries struct {
	sql.RowIter
	hold        *budget.Hold
	bytes, seen int64
}

// Next implements sql.RowIter.
func (e *entries) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := e.RowIter.Next(ctx)
	if err == nil {
		e.seen += e.bytes
		err = e.hold.ChargeTo(e.seen)
	}
	return row, err
}

// NewTop returns rows, of which no more than n are kept at a time: the n that take most are charged to hold.
func NewTop(rows sql.RowIter, hold *budget.Hold, n, extra int64) sql.RowIter {
	if hold == nil {
		return rows
	}
	return &top{RowIter: rows, hold: hold, n: n, extra: extra}
}

type top struct {
	sql.RowIter
	hold     *budget.Hold
	sizes    sizes // of the rows that count, the smallest one first
	n, extra int64
}

// Next implements sql.RowIter.
func (t *top) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := t.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	size := RowSize(row) + t.extra
	switch {
	case int64(len(t.sizes)) < t.n:
		heap.Push(&t.sizes, size)
		return row, t.hold.Charge(size)
	case t.n > 0 && size > t.sizes[0]:
		more := size - t.sizes[0]
		t.sizes[0] = size
		heap.Fix(&t.sizes, 0)
		return row, t.hold.Charge(more)
	}
	return row, nil
}

// Close implements sql.RowIter.
func (t *top) Close(ctx *sql.Context) error {
	t.sizes = nil
	t.hold.Drop()
	return t.RowIter.Close(ctx)
}

// sizes is a heap.
type sizes []int64

func (s sizes) Len() int           { return len(s) }
func (s sizes) Less(i, j int) bool { return s[i] < s[j] }
func (s sizes) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sizes) Push(v any)        { *s = append(*s, v.(int64)) }
func (s *sizes) Pop() any          { n := len(*s) - 1; v := (*s)[n]; *s = (*s)[:n]; return v }

// NewRuns returns rows that come in an order, of which those with the same values in columns are kept together, until
// others come.
func NewRuns(rows sql.RowIter, hold *budget.Hold, columns []int) sql.RowIter {
	if hold == nil {
		return rows
	}
	return &runs{RowIter: rows, hold: hold, columns: columns}
}

type runs struct {
	sql.RowIter
	hold    *budget.Hold
	columns []int
	last    sql.Row
}

// Next implements sql.RowIter.
func (r *runs) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	for _, c := range r.columns {
		if r.last == nil || c >= len(row) || !same(row[c], r.last[c]) {
			r.hold.Discharge(r.hold.Used())
			break
		}
	}
	r.last = row
	return row, r.hold.Charge(RowSize(row))
}

// Close implements sql.RowIter.
func (r *runs) Close(ctx *sql.Context) error {
	r.last = nil
	r.hold.Drop()
	return r.RowIter.Close(ctx)
}

// same tells whether two values are the same, as far as they can be compared at once.
func same(a, b any) bool {
	switch a := a.(type) {
	case []byte:
		b, ok := b.([]byte)
		return ok && string(a) == string(b)
	case string, int64, uint64, int32, uint32, int16, uint16, int8, uint8, float64, nil:
		return a == b
	}
	return true // nobody knows: what is kept must not be forgotten
}
