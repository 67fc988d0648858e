package charge

import (
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
)

// Reuser is implemented by iterators that can give all rows in the same memory.
type Reuser interface {
	// ReuseRows has a row and the texts in it be valid until the next call of Next or Close.
	ReuseRows()
}

// Passer is implemented by iterators that hand on the rows of another one and keep nothing of them.
type Passer interface{ Passes() sql.RowIter }

// ReuseRows has the rows of an iterator be in the same memory, where that can be done, and tells whether they are: a row and the texts in it are then valid
// until the next call of Next or Close. Who calls it keeps nothing of the rows but numbers, or copies them.
func ReuseRows(rows sql.RowIter) bool {
	for {
		switch it := rows.(type) {
		case Reuser:
			it.ReuseRows()
			return true
		case Passer:
			rows = it.Passes()
		case *rowexec.TransactionCommittingIter:
			rows = it.GetIter()
		case *iters.LimitIter:
			rows = it.ChildIter
		default:
			return false
		}
	}
}

// Passes implements Passer.
func (m *chargedRows) Passes() sql.RowIter { return m.RowIter }

// TextAt is the text at p as a value. To make one takes no memory; it is valid as long as p refers to the same text.
func TextAt(p *string) any {
	var v any = ""
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(p) // behind the type
	return v
}

// RowCopies copies rows that are going to be kept together: they share pieces of memory. The zero value is ready to use. Owned by one goroutine.
type RowCopies struct {
	values []any
	texts  []string
	bytes  []byte
	rows   int // in the last piece
}

// The sizes of pieces: of the first and the largest of values in rows, and of bytes.
const (
	firstRows, mostRows   = 4, 64
	firstBytes, mostBytes = 512, 4 << 10
)

// Copy copies a row.
func (c *RowCopies) Copy(row sql.Row) sql.Row {
	n := len(row)
	if len(c.values) < n {
		c.rows = min(max(2*c.rows, firstRows), mostRows)
		c.values, c.texts = make([]any, c.rows*n), make([]string, c.rows*n)
	}
	out, texts := sql.Row(c.values[:n:n]), c.texts[:n]
	c.values, c.texts = c.values[n:], c.texts[n:]
	for i, v := range row {
		text, ok := v.(string)
		if !ok {
			out[i] = v
			continue
		}
		if len(text) > cap(c.bytes)-len(c.bytes) {
			c.bytes = make([]byte, 0, max(min(max(2*cap(c.bytes), firstBytes), mostBytes), len(text)))
		}
		at := len(c.bytes)
		c.bytes = append(c.bytes, text...)
		texts[i] = unsafe.String(unsafe.SliceData(c.bytes[at:]), len(text))
		out[i] = TextAt(&texts[i])
	}
	return out
}
