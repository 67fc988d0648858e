package sqlexpr

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"pfsd/engine/sqlvalue"
)

// Calculation is an operand whose value can have more digits than its type.
type Calculation interface {
	Result(ctx *sql.Context) sqlvalue.NumberClass
	Calculate(ctx *sql.Context, row sql.Row) (n sqlvalue.Number, null bool, err error)
}

// classOf returns the class of the number e, without evaluating e.
func classOf(ctx *sql.Context, e sql.Expression) sqlvalue.NumberClass {
	switch e := e.(type) {
	case Calculation:
		return e.Result(ctx)
	case *expression.DistinctExpression:
		return classOf(ctx, e.Child)
	case *expression.Alias:
		return classOf(ctx, e.Child)
	case *expression.Literal:
		switch v := e.Value().(type) {
		case decimal.Decimal:
			fraction := max(0, int(-v.Exponent()))
			return sqlvalue.NumberClass{Kind: sqlvalue.Exact, Digits: max(len(v.Coefficient().String()), fraction), Fraction: fraction}
		case []byte: // such as 0x10, which is a number too
			return sqlvalue.NumberClass{Unsigned: true, Digits: 20}
		}
		c := typeClass(e.Typ)
		if c.Kind == sqlvalue.Integer && e.Typ != types.Boolean {
			if n, err := sqlvalue.NumberOf(ctx, e.Typ, e.Value()); err == nil {
				c.Digits = len(fmt.Sprint(n.Size))
				c.Unsigned = e.Typ == types.Uint64
			}
		}
		return c
	}
	return typeClass(e.Type(ctx))
}

// typeClass returns the class of the numbers of a type.
func typeClass(t sql.Type) sqlvalue.NumberClass {
	if sql.IsDecimalType(t) {
		d := t.(sql.DecimalType)
		return sqlvalue.NumberClass{Kind: sqlvalue.Exact, Digits: int(d.Precision()), Fraction: int(d.Scale())}
	}
	if t == types.Boolean {
		return sqlvalue.NumberClass{Digits: 1}
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
		digits, fraction = 7, fractionOf(t)
		digits += fraction
	case querypb.Type_DATETIME, querypb.Type_TIMESTAMP:
		if d, ok := t.(sql.DatetimeType); ok {
			fraction = d.Precision()
		}
		digits = 14 + fraction
	}
	switch {
	case digits == 0:
		return sqlvalue.NumberClass{Kind: sqlvalue.Approximate}
	case fraction > 0:
		return sqlvalue.NumberClass{Kind: sqlvalue.Exact, Digits: digits, Fraction: fraction}
	}
	return sqlvalue.NumberClass{Unsigned: unsigned, Digits: digits}
}

// ExactDigits returns how many digits the exact number e has at the most, and how many of them are
// behind the point. It returns false if e is a DOUBLE in calculations.
func ExactDigits(ctx *sql.Context, e sql.Expression) (digits, fraction int, ok bool) {
	c := classOf(ctx, e)
	return c.Digits, c.Fraction, c.Kind != sqlvalue.Approximate
}
