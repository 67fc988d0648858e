package codec

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"
)

// The first byte of a value's key.
const (
	// Null is the whole key of NULL, which sorts before all values.
	Null byte = 0
	// NotNull is the first byte of the key of a value.
	NotNull byte = 1
)

// AppendKey appends the key of v. Keys sort, byte by byte, as the server compares values, with NULL
// first. Equal values have the same key. No key is a prefix of another one.
func (c *Column) AppendKey(ctx context.Context, b []byte, v any) ([]byte, error) {
	if v == nil {
		return append(b, Null), nil
	}
	b = append(b, NotNull)
	switch c.kind {
	case kindInt:
		i, err := c.integer(ctx, v)
		return appendInt(b, i), err
	case kindUint:
		u, err := c.natural(ctx, v)
		return binary.BigEndian.AppendUint64(b, u), err
	case kindFloat:
		f, err := c.float(ctx, v)
		return appendFloat(b, f), err
	case kindDecimal:
		d, err := c.decimal(ctx, v)
		if err != nil {
			return nil, err
		}
		units := d.Shift(c.scale).Round(0).BigInt()
		if !c.fits(units) {
			return nil, fmt.Errorf("%s does not fit %s", d, c.typ)
		}
		return c.appendDecimal(b, units), nil
	case kindTime:
		t, err := c.time(ctx, v)
		return appendInt(b, t.UnixMicro()), err
	case kindSpan:
		s, err := c.span(ctx, v)
		return appendInt(b, s), err
	case kindText:
		s, err := c.text(ctx, v)
		return c.appendText(b, s), err
	case kindBytes:
		s, err := c.bytes(ctx, v)
		return appendEscaped(b, s), err
	}
	return nil, fmt.Errorf("no key of a value of type %s", c.typ)
}

// ReadKey reads the value from the key that b begins with, and returns the bytes after the key. ok
// is false if the key does not determine the value: that of a text that is compared by weights, and
// those of ENUM, SET and BIT.
func (c *Column) ReadKey(b []byte) (v any, rest []byte, ok bool) {
	if len(b) == 0 || b[0] == Null {
		return nil, b[min(1, len(b)):], len(b) > 0
	}
	b = b[1:]
	number := func() uint64 { return binary.BigEndian.Uint64(b) ^ 1<<63 }
	if len(b) < 8 && c.kind != kindDecimal && c.kind != kindText && c.kind != kindBytes {
		return nil, nil, false
	}
	switch c.kind {
	case kindInt:
		return int64(number()), b[8:], true
	case kindUint:
		if c.query == querypb.Type_ENUM || c.query == querypb.Type_SET || c.query == querypb.Type_BIT {
			return nil, nil, false
		}
		return binary.BigEndian.Uint64(b), b[8:], true
	case kindFloat:
		u := number()
		if u>>63 != 0 {
			u = ^binary.BigEndian.Uint64(b)
		}
		return math.Float64frombits(u), b[8:], true
	case kindTime:
		return time.UnixMicro(int64(number())).UTC(), b[8:], true
	case kindSpan:
		return types.Timespan(number()), b[8:], true
	case kindDecimal:
		if len(b) < c.width {
			return nil, nil, false
		}
		n := new(big.Int).SetBytes(b[:c.width])
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*c.width-1)))
		return decimal.NewFromBigInt(n, -c.scale), b[c.width:], true
	}
	if c.kind == kindText && c.weigh != nil || !c.Indexable() {
		return nil, nil, false
	}
	var s []byte
	for i := 0; i+1 < len(b); i++ {
		switch {
		case b[i] != 0:
			s = append(s, b[i])
			continue
		case b[i+1] == 0xff:
			s = append(s, 0)
			i++
			continue
		}
		if c.kind == kindText {
			return string(s), b[i+2:], true
		}
		return s, b[i+2:], true
	}
	return nil, nil, false
}

// InKey tells whether the key of a value determines the value as a row has it. That of a float does not: 0 and -0 have one key.
func (c *Column) InKey() bool {
	switch c.kind {
	case kindFloat, kindJSON, kindGeometry:
		return false
	case kindUint:
		return c.query != querypb.Type_ENUM && c.query != querypb.Type_SET && c.query != querypb.Type_BIT
	case kindText:
		return c.weigh == nil
	}
	return true
}

// KeyValue reads the value from the key that b begins with, as it is in a row, and returns the bytes after the key. Only for a column whose
// values are in their keys.
func (c *Column) KeyValue(b []byte) (v any, rest []byte, err error) {
	v, rest, ok := c.ReadKey(b)
	if !ok {
		return nil, nil, ErrCorrupt
	}
	switch n := v.(type) {
	case int64:
		switch c.query {
		case querypb.Type_INT8:
			return int8(n), rest, nil
		case querypb.Type_INT16, querypb.Type_YEAR:
			return int16(n), rest, nil
		case querypb.Type_INT24, querypb.Type_INT32:
			return int32(n), rest, nil
		}
	case uint64:
		switch c.query {
		case querypb.Type_UINT8:
			return uint8(n), rest, nil
		case querypb.Type_UINT16:
			return uint16(n), rest, nil
		case querypb.Type_UINT24, querypb.Type_UINT32:
			return uint32(n), rest, nil
		}
	}
	return v, rest, nil
}

// AppendPrefixKey does the same as AppendKey for the first n characters of a text, or the first n
// bytes of a binary value.
func (c *Column) AppendPrefixKey(ctx context.Context, b []byte, v any, n int) ([]byte, error) {
	if v == nil {
		return append(b, Null), nil
	}
	switch c.kind {
	case kindText:
		s, err := c.text(ctx, v)
		return c.appendText(append(b, NotNull), firstRunes(s, n)), err
	case kindBytes:
		s, err := c.bytes(ctx, v)
		return appendEscaped(append(b, NotNull), s[:min(n, len(s))]), err
	}
	return c.AppendKey(ctx, b, v)
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func appendInt(b []byte, i int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(i)^1<<63) }

func appendFloat(b []byte, f float64) []byte {
	if f == 0 {
		f = 0 // 0 and -0 are equal
	}
	u := math.Float64bits(f)
	if u>>63 != 0 {
		u = ^u
	} else {
		u |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(b, u)
}

// fits tells whether a number has a key. units is the number, counted in units of the column's last
// digit.
func (c *Column) fits(units *big.Int) bool { return units.BitLen() < 8*c.width }

// appendDecimal appends a number, counted in units of the column's last digit. It must fit the
// column's width.
func (c *Column) appendDecimal(b []byte, units *big.Int) []byte {
	n := new(big.Int).Lsh(big.NewInt(1), uint(8*c.width-1))
	n.Add(n, units)
	at := len(b)
	b = append(b, make([]byte, c.width)...)
	n.FillBytes(b[at:])
	return b
}

// appendEscaped appends bytes, escaped so that the end of the value sorts before all bytes.
func appendEscaped[S []byte | string](b []byte, s S) []byte {
	for i := range len(s) {
		if s[i] == 0 {
			b = append(b, 0, 0xff)
		} else {
			b = append(b, s[i])
		}
	}
	return append(b, 0, 1)
}

// The first byte of a character's weight. 0 is the end of the text, and sorts before all weights.
const (
	weight2   = 0x80
	weight4   = 0xc0
	weight5   = 0xe0
	malformed = 0xff
)

// appendText appends the weights of a text's characters. go-mysql-server's comparison refuses texts
// that are not UTF-8: here their bytes sort after all characters.
func (c *Column) appendText(b []byte, s string) []byte {
	if c.weigh == nil {
		return appendEscaped(b, s)
	}
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			b = append(b, malformed, s[0])
			s = s[1:]
			continue
		}
		s = s[n:]
		w := uint32(c.weigh(r)) + 1
		switch {
		case w < 0x80:
			b = append(b, byte(w))
		case w < 0x4000:
			b = append(b, weight2|byte(w>>8), byte(w))
		case w < 0x10000000:
			b = append(b, weight4|byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
		default:
			b = append(b, weight5, byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
		}
	}
	return append(b, 0)
}

// weightsVersions are the versions that WeightsVersion has computed.
var weightsVersions sync.Map // sql.CollationID -> uint64

// WeightsVersion returns a number for the weights of all characters in a collation. It differs if
// any weight differs. The first call for a collation takes some milliseconds.
func WeightsVersion(c sql.CollationID) uint64 {
	if v, ok := weightsVersions.Load(c); ok {
		return v.(uint64)
	}
	h := fnv.New64a()
	weigh := c.Sorter()
	var b [4]byte
	for r := rune(0); r < 0x20000; r++ {
		binary.LittleEndian.PutUint32(b[:], uint32(weigh(r)))
		_, _ = h.Write(b[:])
	}
	v := h.Sum64()
	weightsVersions.Store(c, v)
	return v
}

// converted returns v converted to the column's type.
func converted[T any](ctx context.Context, c *Column, v any) (T, error) {
	var zero T
	out, _, err := c.typ.Convert(ctx, v)
	if err != nil {
		return zero, err
	}
	t, ok, err := sql.Unwrap[T](ctx, out)
	if err == nil && !ok {
		err = fmt.Errorf("a value of type %s is a %T", c.typ, out)
	}
	return t, err
}

func asInteger(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case int32:
		return int64(x), true
	case int16:
		return int64(x), true
	case int8:
		return int64(x), true
	case int:
		return int64(x), true
	}
	return 0, false
}

func asNatural(v any) (uint64, bool) {
	switch x := v.(type) {
	case uint64:
		return x, true
	case uint32:
		return uint64(x), true
	case uint16:
		return uint64(x), true
	case uint8:
		return uint64(x), true
	case uint:
		return uint64(x), true
	}
	return 0, false
}

func (c *Column) integer(ctx context.Context, v any) (int64, error) {
	if i, ok := asInteger(v); ok {
		return i, nil
	}
	out, _, err := c.typ.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	if i, ok := asInteger(out); ok {
		return i, nil
	}
	return 0, fmt.Errorf("a value of type %s is a %T", c.typ, out)
}

func (c *Column) natural(ctx context.Context, v any) (uint64, error) {
	if u, ok := asNatural(v); ok {
		return u, nil
	}
	out, _, err := c.typ.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	if u, ok := asNatural(out); ok {
		return u, nil
	}
	return 0, fmt.Errorf("a value of type %s is a %T", c.typ, out)
}

func (c *Column) float(ctx context.Context, v any) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case float32:
		return float64(x), nil
	}
	out, _, err := types.Float64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	f, ok := out.(float64)
	if !ok {
		return 0, fmt.Errorf("a value of type %s is a %T", c.typ, out)
	}
	return f, nil
}

func (c *Column) decimal(ctx context.Context, v any) (decimal.Decimal, error) {
	if d, ok := v.(decimal.Decimal); ok {
		return d, nil
	}
	return converted[decimal.Decimal](ctx, c, v)
}

func (c *Column) time(ctx context.Context, v any) (time.Time, error) {
	if t, ok := v.(time.Time); ok {
		return t, nil
	}
	return converted[time.Time](ctx, c, v)
}

func (c *Column) span(ctx context.Context, v any) (int64, error) {
	if s, ok := v.(types.Timespan); ok {
		return int64(s), nil
	}
	s, err := converted[types.Timespan](ctx, c, v)
	return int64(s), err
}

func (c *Column) text(ctx context.Context, v any) (string, error) {
	switch s := v.(type) {
	case string:
		return s, nil
	case []byte:
		return string(s), nil
	}
	if s, ok, err := sql.Unwrap[string](ctx, v); ok || err != nil {
		return s, err
	}
	return converted[string](ctx, c, v)
}

func (c *Column) bytes(ctx context.Context, v any) ([]byte, error) {
	switch s := v.(type) {
	case []byte:
		return s, nil
	case string:
		return []byte(s), nil
	}
	if s, ok, err := sql.Unwrap[[]byte](ctx, v); ok || err != nil {
		return s, err
	}
	return converted[[]byte](ctx, c, v)
}
