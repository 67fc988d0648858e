package engine

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/compat"
	"pfsd/tables"
)

// textRows writes a result to a client in the text protocol, past the protocol layer, which takes each value three times in its
// hands. Owned by the connection's goroutine.
type textRows struct {
	*answers
	flags  uint16 // of the result
	head   []byte // its columns, as packets; nil until they are known
	digits []int  // of each column's values behind the point
	zone   *time.Location
}

func newTextRows(a *answers, flags uint16) *textRows { return &textRows{answers: a, flags: flags} }

// begin begins the result.
func (t *textRows) begin(ctx *sql.Context, schema sql.Schema) error {
	if t.head == nil {
		t.head = columnPackets(fieldsOf(ctx, schema))
	}
	return t.columns(t.head, t.flags)
}

// row writes a row of the executor's, or keeps it to be written with the next ones; scratch is room for a value.
func (t *textRows) row(ctx *sql.Context, schema sql.Schema, row sql.Row, scratch []byte) error {
	t.packets.begin()
	for i, col := range schema {
		if row[i] == nil {
			t.buf = append(t.buf, textNull)
			continue
		}
		v, err := compat.Shown(ctx, col.Type, scratch, row[i])
		switch {
		case err != nil:
			return err
		case v.IsNull():
			t.buf = append(t.buf, textNull)
		default:
			t.buf = append(appendLength(t.buf, v.Len()), v.Raw()...)
		}
	}
	return sendError(t.packets.end())
}

// values writes a row of a table, or keeps it to be written with the next ones.
func (t *textRows) values(values []tables.Value) error {
	t.packets.begin()
	for i := range values {
		switch v := &values[i]; {
		case v.IsNull():
			t.buf = append(t.buf, textNull)
		case v.IsText():
			t.buf = appendText(t.buf, v.Str())
		default:
			// No number has as many digits as would need a longer length.
			at := len(t.buf)
			t.buf = appendPlain(append(t.buf, 0), *v, t.digits[i], t.zone)
			t.buf[at] = byte(len(t.buf) - at - 1)
		}
	}
	return t.packets.end()
}
