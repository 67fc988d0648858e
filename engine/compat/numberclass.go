package compat

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"
)

// calculation is an operand that has more digits than its type shows.
type calculation interface {
	result(ctx *sql.Context) NumberClass
	calculate(ctx *sql.Context, row sql.Row) (n Number, null bool, err error)
}

// classOf returns the class of a number before the number is calculated.
func classOf(ctx *sql.Context, e sql.Expression) NumberClass {
	switch e := e.(type) {
	case calculation:
		return e.result(ctx)
	case *expression.DistinctExpression:
		return classOf(ctx, e.Child)
	case *expression.Alias:
		return classOf(ctx, e.Child)
	case *expression.Literal:
		switch v := e.Value().(type) {
		case decimal.Decimal:
			fraction := max(0, int(-v.Exponent()))
			return NumberClass{Kind: exact, digits: max(len(v.Coefficient().String()), fraction), fraction: fraction}
		case []byte: // 0x10 is a number, too
			return NumberClass{unsigned: true, digits: 20}
		}
		c := typeClass(e.Typ)
		if c.Kind == integer && e.Typ != types.Boolean {
			if n, err := NumberOf(ctx, e.Typ, e.Value()); err == nil {
				c.digits = len(fmt.Sprint(n.Size))
				c.unsigned = e.Typ == types.Uint64
			}
		}
		return c
	}
	return typeClass(e.Type(ctx))
}

// typeClass is classOf for all numbers of a type.
func typeClass(t sql.Type) NumberClass {
	if sql.IsDecimalType(t) {
		d := t.(sql.DecimalType)
		return NumberClass{Kind: exact, digits: int(d.Precision()), fraction: int(d.Scale())}
	}
	if t == types.Boolean {
		return NumberClass{digits: 1}
	}
	digits, fraction, unsigned := 0, 0, false
	switch t.Type() {
	case querypb.Type_INT8:
		digits = 3
	case querypb.Type_UINT8:
		digits, unsigned = 3, true
	case querypb.Type_INT16:
		digits = 5
	case querypb.Type_UINT16:
		digits, unsigned = 5, true
	case querypb.Type_INT24:
		digits = 8
	case querypb.Type_UINT24:
		digits, unsigned = 8, true
	case querypb.Type_INT32:
		digits = 10
	case querypb.Type_UINT32:
		digits, unsigned = 10, true
	case querypb.Type_INT64:
		digits = 19
	case querypb.Type_UINT64:
		digits, unsigned = 20, true
	case querypb.Type_YEAR:
		digits, unsigned = 4, true
	case querypb.Type_BIT:
		if b, ok := t.(types.BitType); ok {
			digits, unsigned = int(b.NumberOfBits()), true
		}
	case querypb.Type_DATE:
		digits = 8
	case querypb.Type_TIME:
		digits = 7
	case querypb.Type_DATETIME, querypb.Type_TIMESTAMP:
		if d, ok := t.(sql.DatetimeType); ok {
			fraction = d.Precision()
		}
		digits = 14 + fraction
	}
	switch {
	case digits == 0:
		return NumberClass{Kind: Approximate}
	case fraction > 0:
		return NumberClass{Kind: exact, digits: digits, fraction: fraction}
	}
	return NumberClass{unsigned: unsigned, digits: digits}
}

// exactDigits returns the largest number of digits of an exact number, and how many of them are behind the point; false if the argument
// is summed as DOUBLE.
func exactDigits(ctx *sql.Context, e sql.Expression) (digits, fraction int, ok bool) {
	c := classOf(ctx, e)
	return c.digits, c.fraction, c.Kind != Approximate
}
