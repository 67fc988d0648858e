package charge

import (
	"container/heap"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/instr"
)

// Account is implemented by the ProcessList of a context whose statements have an account: Budget returns the account,
// Memory the instruments.
type Account interface {
	Budget() *budget.Statement
	Memory() *Memory
}

// Memory has the instruments of the memory of statements; nil ones count nothing. Safe for concurrent use.
type Memory struct {
	Sort    *instr.MemoryClass // rows to be sorted
	Join    *instr.MemoryClass // rows of the inner side of a join, by hash
	Groups  *instr.MemoryClass // groups, and distinct rows
	Cached  *instr.MemoryClass // rows that are read again, and the input of window functions
	JSON    *instr.MemoryClass // JSON documents
	Written *instr.MemoryClass // rows that a statement writes, until they are in the table
	Schema  *instr.MemoryClass // rows of information_schema
	Text    *instr.MemoryClass // large values of a row while it is made
	Tree    *instr.MemoryClass // syntax trees
}

// noMemory has no instruments.
var noMemory = &Memory{}

// accountOf returns the account of the statement of ctx, nil if it has none, and the instruments, which are never nil.
func accountOf(ctx *sql.Context) (*budget.Statement, *Memory) {
	if a, ok := ctx.ProcessList.(Account); ok {
		return a.Budget(), a.Memory()
	}
	return nil, noMemory
}

// HoldOf returns a new hold of the statement of ctx, nil if it has no account. class selects the instrument.
func HoldOf(ctx *sql.Context, class func(*Memory) *instr.MemoryClass) *budget.Hold {
	s, m := accountOf(ctx)
	if s == nil {
		return nil
	}
	return s.NewHold(class(m))
}

// PartOf returns the current part of the account of the statement of ctx, nil if it has none: what is kept beyond a step of a stored program
// belongs to the part that the program runs in.
func PartOf(ctx *sql.Context) *budget.Part {
	s, _ := accountOf(ctx)
	if s == nil {
		return nil
	}
	return s.Part()
}

// HoldIn is HoldOf for a part.
func HoldIn(ctx *sql.Context, p *budget.Part, class func(*Memory) *instr.MemoryClass) *budget.Hold {
	if p == nil {
		return nil
	}
	_, m := accountOf(ctx)
	return p.NewHold(class(m))
}

// Instruments of holds.
func Sort(m *Memory) *instr.MemoryClass    { return m.Sort }
func Groups(m *Memory) *instr.MemoryClass  { return m.Groups }
func Cached(m *Memory) *instr.MemoryClass  { return m.Cached }
func Trees(m *Memory) *instr.MemoryClass   { return m.Tree }
func Written(m *Memory) *instr.MemoryClass { return m.Written }
func text(m *Memory) *instr.MemoryClass    { return m.Text }

// NewRows returns an iterator that charges each row to hold, with extra bytes for the structure that keeps it.
// Closing it drops hold, unless lasting is set.
func NewRows(rows sql.RowIter, hold *budget.Hold, extra int64, lasting bool) sql.RowIter {
	if hold == nil {
		return rows
	}
	return &chargedRows{RowIter: rows, hold: hold, extra: extra, lasting: lasting}
}

// chargedRows is an iterator, owned by one goroutine.
type chargedRows struct {
	sql.RowIter
	hold    *budget.Hold
	sizes   RowSizes
	extra   int64 // bytes
	lasting bool
}

// Next implements sql.RowIter.
func (m *chargedRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := m.RowIter.Next(ctx)
	if err == nil {
		err = m.hold.Charge(m.sizes.Add(row) + m.extra)
	}
	return row, err
}

// Close implements sql.RowIter.
func (m *chargedRows) Close(ctx *sql.Context) error {
	m.sizes = RowSizes{}
	if !m.lasting {
		m.hold.Drop()
	}
	return m.RowIter.Close(ctx)
}

// NewEntries returns an iterator that charges a fixed number of bytes for each row. Where the rows are read repeatedly,
// only a pass that is longer than all before it charges more.
func NewEntries(rows sql.RowIter, hold *budget.Hold, bytes int64) sql.RowIter {
	if hold == nil {
		return rows
	}
	return &entryRows{RowIter: rows, hold: hold, bytes: bytes}
}

type entryRows struct {
	sql.RowIter
	hold        *budget.Hold
	bytes, seen int64
}

// Next implements sql.RowIter.
func (e *entryRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := e.RowIter.Next(ctx)
	if err == nil {
		e.seen += e.bytes
		err = e.hold.ChargeTo(e.seen)
	}
	return row, err
}

// NewTop returns an iterator for a reader that keeps n rows at a time: the n largest rows are charged to hold.
func NewTop(rows sql.RowIter, hold *budget.Hold, n, extra int64) sql.RowIter {
	if hold == nil {
		return rows
	}
	return &topRows{RowIter: rows, hold: hold, n: n, extra: extra}
}

type topRows struct {
	sql.RowIter
	hold     *budget.Hold
	sizes    sizes // of the rows that count, the smallest one first
	n, extra int64
}

// Next implements sql.RowIter.
func (t *topRows) Next(ctx *sql.Context) (sql.Row, error) {
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
func (t *topRows) Close(ctx *sql.Context) error {
	t.sizes = nil
	t.hold.Drop()
	return t.RowIter.Close(ctx)
}

// sizes is a min-heap.
type sizes []int64

func (s sizes) Len() int           { return len(s) }
func (s sizes) Less(i, j int) bool { return s[i] < s[j] }
func (s sizes) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sizes) Push(v any)        { *s = append(*s, v.(int64)) }
func (s *sizes) Pop() any          { n := len(*s) - 1; v := (*s)[n]; *s = (*s)[:n]; return v }

// NewRuns returns an iterator over sorted rows for a reader that keeps those with the same values in columns, until others
// come.
func NewRuns(rows sql.RowIter, hold *budget.Hold, columns []int) sql.RowIter {
	if hold == nil {
		return rows
	}
	return &runRows{RowIter: rows, hold: hold, columns: columns}
}

type runRows struct {
	sql.RowIter
	hold    *budget.Hold
	columns []int
	last    sql.Row
}

// Next implements sql.RowIter.
func (r *runRows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := r.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	for _, c := range r.columns {
		if r.last == nil || c >= len(row) || !sameValue(row[c], r.last[c]) {
			r.hold.Discharge(r.hold.Used())
			break
		}
	}
	r.last = row
	return row, r.hold.Charge(RowSize(row))
}

// Close implements sql.RowIter.
func (r *runRows) Close(ctx *sql.Context) error {
	r.last = nil
	r.hold.Drop()
	return r.RowIter.Close(ctx)
}

// sameValue reports whether two values are the same, or of types that it does not compare.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case []byte:
		b, ok := b.([]byte)
		return ok && string(a) == string(b)
	case string, int64, uint64, int32, uint32, int16, uint16, int8, uint8, float64, nil:
		return a == b
	}
	return true // not known: the rows may still be kept
}
