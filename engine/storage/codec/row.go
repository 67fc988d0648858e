package codec

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"pfsd/engine/charge"
	"pfsd/engine/sqlvalue"
)

// ErrCorrupt says that bytes are not a row of the columns.
var ErrCorrupt = errors.New("codec: corrupt row")

// AppendRow appends a row: the number of its columns, a bit for each that is NULL, and the values of the others.
// A column for which omit is true is written as NULL; omit may be nil.
func AppendRow(ctx context.Context, b []byte, columns []Column, row sql.Row, omit []bool) ([]byte, error) {
	if len(row) != len(columns) {
		return nil, fmt.Errorf("a row of %d values for %d columns", len(row), len(columns))
	}
	b = binary.AppendUvarint(b, uint64(len(columns)))
	nulls := len(b)
	for range (len(columns) + 7) / 8 {
		b = append(b, 0)
	}
	var err error
	for i := range columns {
		if row[i] == nil || omit != nil && omit[i] {
			b[nulls+i/8] |= 1 << (i % 8)
			continue
		}
		if b, err = columns[i].append(ctx, b, row[i]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ReadRow reads a row. want has the place of each column in the result, negative for columns that
// are not wanted; width is the length of the result. If want is nil, all columns are wanted. If a
// row has fewer columns than the table, it was written before the others were added: they are NULL.
// The result does not refer to b. Errors: ErrCorrupt.
func ReadRow(b []byte, columns []Column, want []int, width int) (sql.Row, error) {
	n, at := binary.Uvarint(b)
	bitmap := (int(n) + 7) / 8
	if at <= 0 || n > uint64(len(columns)) || len(b) < at+bitmap {
		return nil, ErrCorrupt
	}
	nulls, b := b[at:at+bitmap], b[at+bitmap:]
	row := make(sql.Row, width)
	return row, readRow(row, nil, nulls, int(n), b, columns, want)
}

// ReadRowInto does the same as ReadRow, but fills row, which has the width. Texts go to the same
// places in texts. They refer to b, and the row refers to texts.
func ReadRowInto(row sql.Row, texts []string, b []byte, columns []Column, want []int) error {
	n, at := binary.Uvarint(b)
	bitmap := (int(n) + 7) / 8
	if at <= 0 || n > uint64(len(columns)) || len(b) < at+bitmap {
		return ErrCorrupt
	}
	clear(row)
	return readRow(row, texts, b[at:at+bitmap], int(n), b[at+bitmap:], columns, want)
}

// readRow reads the n columns of a row whose values are in b.
func readRow(row sql.Row, texts []string, nulls []byte, n int, b []byte, columns []Column, want []int) error {
	left := len(row)
	for i := range n {
		place := i
		if want != nil {
			place = want[i]
		}
		if place >= 0 {
			left--
		}
		if nulls[i/8]&(1<<(i%8)) != 0 {
			continue
		}
		c := &columns[i]
		if place < 0 {
			if left == 0 {
				break
			}
			size, ok := c.size(b)
			if !ok {
				return ErrCorrupt
			}
			b = b[size:]
			continue
		}
		if texts != nil && c.kind == kindText {
			size, ok := c.size(b)
			if !ok {
				return ErrCorrupt
			}
			_, head := binary.Uvarint(b)
			texts[place] = unsafe.String(unsafe.SliceData(b[head:size]), size-head)
			row[place] = charge.TextAt(&texts[place])
			b = b[size:]
			continue
		}
		v, size, err := c.read(b)
		if err != nil {
			return err
		}
		row[place] = v
		b = b[size:]
	}
	return nil
}

// append appends a value that is not NULL.
func (c *Column) append(ctx context.Context, b []byte, v any) ([]byte, error) {
	switch c.kind {
	case kindInt:
		i, err := c.integer(ctx, v)
		return binary.AppendVarint(b, i), err
	case kindUint:
		u, err := c.natural(ctx, v)
		return binary.AppendUvarint(b, u), err
	case kindFloat:
		f, err := c.float(ctx, v)
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(f)), err
	case kindDecimal:
		d, err := c.decimal(ctx, v)
		if err != nil {
			return nil, err
		}
		return appendUnits(b, d.Shift(c.scale).Round(0).BigInt()), nil
	case kindTime:
		t, err := c.time(ctx, v)
		return binary.AppendVarint(b, t.UnixMicro()), err
	case kindSpan:
		s, err := c.span(ctx, v)
		return binary.AppendVarint(b, s), err
	case kindText:
		s, err := c.text(ctx, v)
		return append(binary.AppendUvarint(b, uint64(len(s))), s...), err
	case kindJSON:
		s, err := c.document(ctx, v)
		return appendBytes(b, s), err
	case kindGeometry:
		g, ok, err := sql.Unwrap[types.GeometryValue](ctx, v)
		if err == nil && !ok {
			g, err = converted[types.GeometryValue](ctx, c, v)
		}
		if err != nil {
			return nil, err
		}
		return appendBytes(b, g.Serialize()), nil
	}
	s, err := c.bytes(ctx, v)
	return appendBytes(b, s), err
}

// document returns a JSON document as text. It returns an error if the document is too deep.
func (c *Column) document(ctx context.Context, v any) ([]byte, error) {
	j, ok := v.(sql.JSONWrapper)
	if !ok {
		out, err := sqlvalue.ConvertJSON(sql.NewContext(ctx), v)
		if err != nil {
			return nil, err
		}
		if j, ok = out.(sql.JSONWrapper); !ok {
			return nil, fmt.Errorf("a value of type %s is a %T", c.typ, out)
		}
	}
	text, err := types.JsonToMySqlBytes(ctx, j)
	if err == nil && sqlvalue.TextDepth(text) > sqlvalue.MaxDocumentDepth {
		err = sqlvalue.ErrTooDeep()
	}
	return text, err
}

func appendBytes(b, s []byte) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }

// appendUnits appends a decimal, counted in units of its last digit: the number of bytes, then
// these bytes, with the sign in the first bit of the first one.
func appendUnits(b []byte, units *big.Int) []byte {
	if units.IsInt64() {
		i := units.Int64()
		n := 1
		for n < 8 && i>>(8*n-1) != i>>63 {
			n++
		}
		b = append(b, byte(n))
		for k := n - 1; k >= 0; k-- {
			b = append(b, byte(i>>(8*k)))
		}
		return b
	}
	n := units.BitLen()/8 + 1
	if units.Sign() < 0 {
		units = new(big.Int).Add(units, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	b = append(b, byte(n))
	at := len(b)
	b = append(b, make([]byte, n)...)
	units.FillBytes(b[at:])
	return b
}

// size returns how many bytes the value at the start of b takes.
func (c *Column) size(b []byte) (int, bool) {
	switch c.kind {
	case kindInt, kindUint, kindTime, kindSpan:
		_, n := binary.Uvarint(b)
		return n, n > 0
	case kindFloat:
		return 8, len(b) >= 8
	case kindDecimal:
		if len(b) == 0 {
			return 0, false
		}
		n := 1 + int(b[0])
		return n, len(b) >= n
	}
	l, n := binary.Uvarint(b)
	if n <= 0 || l > uint64(len(b)-n) {
		return 0, false
	}
	return n + int(l), true
}

// read reads a value and returns how many bytes it took.
func (c *Column) read(b []byte) (any, int, error) {
	size, ok := c.size(b)
	if !ok {
		return nil, 0, ErrCorrupt
	}
	switch c.kind {
	case kindInt:
		i, _ := binary.Varint(b)
		switch c.query {
		case querypb.Type_INT8:
			return int8(i), size, nil
		case querypb.Type_INT16, querypb.Type_YEAR:
			return int16(i), size, nil
		case querypb.Type_INT24, querypb.Type_INT32:
			return int32(i), size, nil
		}
		return i, size, nil
	case kindUint:
		u, _ := binary.Uvarint(b)
		switch c.query {
		case querypb.Type_UINT8:
			return uint8(u), size, nil
		case querypb.Type_UINT16, querypb.Type_ENUM:
			return uint16(u), size, nil
		case querypb.Type_UINT24, querypb.Type_UINT32:
			return uint32(u), size, nil
		}
		return u, size, nil
	case kindFloat:
		f := math.Float64frombits(binary.LittleEndian.Uint64(b))
		if c.query == querypb.Type_FLOAT32 {
			return float32(f), size, nil
		}
		return f, size, nil
	case kindTime:
		i, _ := binary.Varint(b)
		return time.UnixMicro(i).UTC(), size, nil
	case kindSpan:
		i, _ := binary.Varint(b)
		return types.Timespan(i), size, nil
	case kindDecimal:
		return c.readDecimal(b[1:size]), size, nil
	}
	_, n := binary.Uvarint(b)
	s := b[n:size]
	switch c.kind {
	case kindText:
		return string(s), size, nil
	case kindJSON:
		return sqlvalue.StoredDocument(append([]byte(nil), s...)), size, nil
	case kindGeometry:
		g, ok := sqlvalue.ReadGeometry(s)
		if !ok {
			return nil, 0, ErrCorrupt
		}
		return g, size, nil
	}
	return append(make([]byte, 0, len(s)), s...), size, nil
}

func (c *Column) readDecimal(units []byte) decimal.Decimal {
	if len(units) <= 8 {
		var i int64
		if len(units) > 0 && units[0]&0x80 != 0 {
			i = -1
		}
		for _, u := range units {
			i = i<<8 | int64(u)
		}
		return decimal.New(i, -c.scale)
	}
	n := new(big.Int).SetBytes(units)
	if units[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(units))))
	}
	return decimal.NewFromBigInt(n, -c.scale)
}
