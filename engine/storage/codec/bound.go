package codec

import (
	"context"
	"math"
	"math/big"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"
)

// Place says where a value is relative to the values that a column can have.
type Place int8

const (
	// BelowAll: the value is less than all values of the column; there is no key.
	BelowAll Place = iota - 2
	// AboveAll: the value is greater than all values of the column; there is no key.
	AboveAll
	// At: the column can have the value, and the key is the key of this value.
	At
	// JustAbove: the value is between the value that the key belongs to and the next value that the
	// column can have.
	JustAbove
)

// Bound returns the key of a value that need not fit the column, for the end of a range: a text
// longer than the column, a number with more digits or out of the column's range, a value of
// another type.
func (c *Column) Bound(ctx context.Context, v any) (key []byte, place Place, err error) {
	if v == nil {
		return []byte{Null}, At, nil
	}
	key = make([]byte, 0, 32)
	switch c.kind {
	case kindInt, kindUint:
		return c.integerBound(ctx, key, v)
	case kindDecimal:
		d, err := number(ctx, c, v)
		if err != nil {
			return nil, At, err
		}
		shifted := d.Shift(c.scale)
		floor := shifted.Floor()
		units := floor.BigInt()
		if !c.fits(units) {
			return nil, beyond(units.Sign() > 0), nil
		}
		place = At
		if !floor.Equal(shifted) {
			place = JustAbove
		}
		return c.appendDecimal(append(key, NotNull), units), place, nil
	case kindText, kindBytes:
		key, err = c.AppendKey(ctx, key, v)
		return key, At, err
	}
	if t, ok := v.(time.Time); ok && c.kind == kindTime {
		day := t.Truncate(24 * time.Hour)
		if c.query == querypb.Type_DATE && !day.Equal(t) {
			t, place = day, JustAbove
		} else {
			place = At
		}
		return appendInt(append(key, NotNull), t.UnixMicro()), place, nil
	}
	return c.convertedBound(ctx, key, v)
}

// convertedBound does the same as Bound for a value that is converted to the column's type.
func (c *Column) convertedBound(ctx context.Context, key []byte, v any) ([]byte, Place, error) {
	out, in, err := c.typ.Convert(ctx, v)
	switch {
	case err != nil && !sql.ErrTruncatedIncorrect.Is(err):
		return nil, At, err
	case in == sql.Overflow:
		return nil, AboveAll, nil
	case in == sql.Underflow:
		return nil, BelowAll, nil
	}
	key, err = c.AppendKey(ctx, key, out)
	return key, At, err
}

func beyond(above bool) Place {
	if above {
		return AboveAll
	}
	return BelowAll
}

// integerBound does the same as Bound for a column of integers.
func (c *Column) integerBound(ctx context.Context, key []byte, v any) ([]byte, Place, error) {
	key = append(key, NotNull)
	signed := c.kind == kindInt
	if i, ok := asInteger(v); ok {
		switch {
		case signed:
			return appendInt(key, i), At, nil
		case i < 0:
			return nil, BelowAll, nil
		}
		key, err := c.AppendKey(ctx, key[:0], uint64(i))
		return key, At, err
	}
	if u, ok := asNatural(v); ok {
		switch {
		case !signed:
			key, err := c.AppendKey(ctx, key[:0], u)
			return key, At, err
		case u > math.MaxInt64:
			return nil, AboveAll, nil
		}
		return appendInt(key, int64(u)), At, nil
	}
	if d, ok := fraction(v); ok {
		floor := d.Floor()
		units := floor.BigInt()
		place := At
		if !floor.Equal(d) {
			place = JustAbove
		}
		switch {
		case signed && units.IsInt64():
			return appendInt(key, units.Int64()), place, nil
		case !signed && units.IsUint64():
			key, err := c.AppendKey(ctx, key[:0], units.Uint64())
			return key, place, err
		}
		return nil, beyond(units.Sign() > 0), nil
	}
	return c.convertedBound(ctx, key[:0], v)
}

// fraction returns a number that may have digits after the point. It returns false for values of
// other types.
func fraction(v any) (decimal.Decimal, bool) {
	switch x := v.(type) {
	case decimal.Decimal:
		return x, true
	case float64:
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return decimal.NewFromFloat(x), true
		}
	case float32:
		if f := float64(x); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return decimal.NewFromFloat32(x), true
		}
	}
	return decimal.Decimal{}, false
}

// number returns v as a decimal with all its digits.
func number(ctx context.Context, c *Column, v any) (decimal.Decimal, error) {
	if d, ok := fraction(v); ok {
		return d, nil
	}
	if i, ok := asInteger(v); ok {
		return decimal.NewFromInt(i), nil
	}
	if u, ok := asNatural(v); ok {
		return decimal.NewFromBigInt(new(big.Int).SetUint64(u), 0), nil
	}
	if s, ok := v.(string); ok {
		if d, err := decimal.NewFromString(s); err == nil {
			return d, nil
		}
	}
	return c.decimal(ctx, v)
}
