package sqlvalue

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
)

// decimalTarget is a DECIMAL as the target of conversions. Safe for concurrent use.
//
// go-mysql-server: calculates all digits of a text such as '1e999999999', which takes minutes.
// MySQL: such a number is out of range. A number with a large negative exponent is 0.
type decimalTarget struct{ types.DecimalType_ }

// Convert implements sql.Type.
func (t decimalTarget) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	return t.DecimalType_.Convert(ctx, boundedNumber(v))
}

// ConvertNoBoundsCheck implements sql.DecimalType.
func (t decimalTarget) ConvertNoBoundsCheck(v any) (decimal.Decimal, error) {
	return t.DecimalType_.ConvertNoBoundsCheck(boundedNumber(v))
}

// ConvertToNullDecimal implements sql.DecimalType.
func (t decimalTarget) ConvertToNullDecimal(v any) (decimal.NullDecimal, error) {
	return t.DecimalType_.ConvertToNullDecimal(boundedNumber(v))
}

// Compare implements sql.Type.
func (t decimalTarget) Compare(ctx context.Context, a, b any) (int, error) {
	return t.DecimalType_.Compare(ctx, boundedNumber(a), boundedNumber(b))
}

// SQL implements sql.Type.
func (t decimalTarget) SQL(ctx *sql.Context, to []byte, v any) (sqltypes.Value, error) {
	return t.DecimalType_.SQL(ctx, to, boundedNumber(v))
}

// Equals implements sql.Type.
func (t decimalTarget) Equals(o sql.Type) bool { return t.DecimalType_.Equals(PlainDecimal(o)) }

// boundedNumber returns v. A JSON document becomes its value. A text becomes the number at its
// beginning, with the rest of the text if there is any. A number out of the range of DECIMAL
// becomes a short number that is out of range too.
func boundedNumber(v any) any {
	switch v := v.(type) {
	case string:
		d, whole := LeadingDecimal(v)
		if whole {
			return d
		}
		text := strings.TrimLeft(v, Blanks)
		rest := text[NumberLength(text):]
		return d.String() + " " + rest // the blank keeps d and rest from making another number
	case []byte:
		return boundedNumber(string(v))
	case types.JSONDocument:
		return boundedNumber(v.Val)
	}
	return v
}

// Target returns the type that converts values to t. For a DECIMAL, this is a type that converts
// numbers with large exponents in little time, and for a spatial type a [Spatial]; for any other
// type, it is t.
func Target(t sql.Type) sql.Type {
	if d, ok := t.(types.DecimalType_); ok {
		return decimalTarget{d}
	}
	return ReadsSafely(t)
}

// PlainDecimal returns the type from which [Target] made t.
func PlainDecimal(t sql.Type) sql.Type {
	if target, ok := t.(decimalTarget); ok {
		return target.DecimalType_
	}
	return t
}
