package results

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/sqlvalue"
	"pfsd/engine/vtable"
	"pfsd/engine/wire"
	"pfsd/tables"
)

// Rows writes a result to a client past the protocol layer, which takes each value three times in its hands. Owned by the
// connection's goroutine.
type Rows struct {
	*Writer
	flags uint16 // of the result
	Head  []byte // its columns, as packets; nil until they are known
	cols  []column
	nulls int            // where the bits of a row's columns that are NULL begin, in the binary protocol
	zone  *time.Location // of a scan's timestamps
}

// column is how the values of a column are written.
type column struct {
	typ  sql.Type
	kind querypb.Type // that the client is told
	size int          // of an integer in the binary protocol, bytes; 0 if it is none
	// text tells that texts go to the client as they are, and integer that integers do, if they lie between min and max.
	text, integer bool
	min           int64
	max           uint64
	digits        int // of a scan's values behind the point
}

// newRows returns a result of the writer, with these status flags. Nothing is written before BeginRows.
func newRows(w *Writer, flags uint16) *Rows {
	return &Rows{Writer: w, flags: flags}
}

// BeginRows begins the result with its columns. Errors: those of sendError, as of all that writes.
func (r *Rows) BeginRows(ctx *sql.Context, schema sql.Schema) error {
	results := ctx.GetCharacterSetResults()
	r.cols = make([]column, len(schema))
	for i, c := range schema {
		r.cols[i] = newColumn(c.Type, results)
	}
	if r.Head == nil {
		r.Head = wire.ColumnPackets(FieldsOf(ctx, schema))
	}
	return sendError(r.columns(r.Head, r.flags))
}

// newColumn is how values of a type are written for a client that wants texts in a character set.
func newColumn(t sql.Type, results sql.CharacterSetID) column {
	c := column{typ: t, kind: fieldType(t)}
	c.size = binarySizes[c.kind]
	switch t := t.(type) {
	case types.NumberTypeImpl_:
		if c.integer = c.size > 0; c.integer {
			c.min, c.max = integerRange(c.kind)
		}
	case types.StringType:
		if results == sql.CharacterSet_Unspecified || results == sql.CharacterSet_binary {
			results = t.CharacterSet()
		}
		c.text = types.IsTextOnly(t) && results == sql.CharacterSet_utf8mb4 // as texts are in memory
	}
	return c
}

// integerRange is the range of the integers of a type.
func integerRange(kind querypb.Type) (low int64, high uint64) {
	bits := 8 * binarySizes[kind]
	if kind == querypb.Type_INT24 || kind == querypb.Type_UINT24 {
		bits = 24
	}
	if sqltypes.IsUnsigned(kind) {
		return 0, math.MaxUint64 >> (64 - bits)
	}
	return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)
}

// startRow begins the packet of a row.
func (r *Rows) startRow() {
	r.Packets.Begin()
	if !r.Binary {
		return
	}
	r.Buf = append(r.Buf, 0)
	r.nulls = len(r.Buf)
	for range (len(r.cols) + nullBits + 7) / 8 {
		r.Buf = append(r.Buf, 0)
	}
}

// nullBits are the bits before those of the columns that are NULL.
const nullBits = 2

// null appends a value of column i that is NULL.
func (r *Rows) null(i int) {
	if r.Binary {
		r.Buf[r.nulls+(i+nullBits)/8] |= 1 << ((i + nullBits) % 8)
	} else {
		r.Buf = append(r.Buf, wire.TextNull)
	}
}

// Row writes a row of the executor's, or keeps it to be written with the next ones; scratch is room for a value.
func (r *Rows) Row(ctx *sql.Context, row sql.Row, scratch []byte) error {
	r.startRow()
	for i := range r.cols {
		c := &r.cols[i]
		if r.plain(c, row[i]) {
			continue
		}
		v := sqltypes.NULL
		var err error
		switch {
		case row[i] == nil:
		case r.Binary:
			v, err = sqlvalue.Sent(ctx, c.typ, scratch, row[i])
		default:
			v, err = sqlvalue.Shown(ctx, c.typ, scratch, row[i])
		}
		switch {
		case err != nil:
			return err
		case v.IsNull():
			r.null(i)
		case r.Binary:
			if r.Buf, err = appendBinary(r.Buf, c.kind, v.ToString()); err != nil {
				return err
			}
		default:
			r.Buf = append(wire.AppendLength(r.Buf, v.Len()), v.Raw()...)
		}
	}
	return sendError(r.Packets.End())
}

// plain appends a value that goes to the client as it is, and reports false for others.
func (r *Rows) plain(c *column, v any) bool {
	switch v := v.(type) {
	case string:
		if c.text {
			r.Buf = wire.AppendText(r.Buf, v)
		}
		return c.text
	case int8:
		return r.signed(c, int64(v))
	case int16:
		return r.signed(c, int64(v))
	case int32:
		return r.signed(c, int64(v))
	case int64:
		return r.signed(c, v)
	case uint8:
		return r.unsigned(c, uint64(v))
	case uint16:
		return r.unsigned(c, uint64(v))
	case uint32:
		return r.unsigned(c, uint64(v))
	case uint64:
		return r.unsigned(c, v)
	}
	return false
}

func (r *Rows) signed(c *column, v int64) bool {
	if !c.integer || v < c.min || v >= 0 && uint64(v) > c.max {
		return false
	}
	if r.Binary {
		r.Buf = appendInteger(r.Buf, uint64(v), c.size)
		return true
	}
	at := len(r.Buf) // no number has as many digits as would need a longer length
	r.Buf = strconv.AppendInt(append(r.Buf, 0), v, 10)
	r.Buf[at] = byte(len(r.Buf) - at - 1)
	return true
}

func (r *Rows) unsigned(c *column, v uint64) bool {
	if !c.integer || v > c.max {
		return false
	}
	if r.Binary {
		r.Buf = appendInteger(r.Buf, v, c.size)
		return true
	}
	at := len(r.Buf)
	r.Buf = strconv.AppendUint(append(r.Buf, 0), v, 10)
	r.Buf[at] = byte(len(r.Buf) - at - 1)
	return true
}

// appendInteger appends the low bytes of an integer.
func appendInteger(to []byte, v uint64, size int) []byte {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], v)
	return append(to, all[:size]...)
}

// BeginScan has the rows of a scan written, of which these are the columns.
func (r *Rows) BeginScan(s *vtable.Scan) {
	r.zone = s.Zone
	for i := range r.cols {
		r.cols[i].digits = fraction(s.Kind(i))
	}
}

// Values writes a row of a table, or keeps it to be written with the next ones; scratch is room for a value.
func (r *Rows) Values(values []tables.Value, scratch []byte) (err error) {
	r.startRow()
	for i := range values {
		switch v, c := &values[i], &r.cols[i]; {
		case v.IsNull():
			r.null(i)
		case v.IsText():
			r.Buf = wire.AppendText(r.Buf, v.Str())
		case !r.Binary:
			at := len(r.Buf)
			r.Buf = appendPlain(append(r.Buf, 0), *v, c.digits, r.zone)
			r.Buf[at] = byte(len(r.Buf) - at - 1)
		case c.size > 0 && !v.IsDouble() && !v.IsTime():
			r.Buf = appendInteger(r.Buf, v.Bits(), c.size)
		default:
			if r.Buf, err = appendBinary(r.Buf, c.kind, string(appendPlain(scratch[:0], *v, c.digits, r.zone))); err != nil {
				return err
			}
		}
	}
	return sendError(r.Packets.End())
}
