package compat

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// numberKind is what MySQL calculates a number as. Of two kinds the later one wins.
type numberKind uint8

const (
	integer     numberKind = iota // BIGINT or BIGINT UNSIGNED
	exact                         // DECIMAL
	approximate                   // DOUBLE
)

// number is a number of one of the kinds.
type number struct {
	kind     numberKind
	negative bool
	size     uint64 // of an integer, without its sign
	decimal  decimal.Decimal
	double   float64
}

func signedNumber(n int64) number {
	if n < 0 {
		return number{negative: true, size: -uint64(n)}
	}
	return number{size: uint64(n)}
}

func unsignedNumber(n uint64) number { return number{size: n} }

func decimalNumber(d decimal.Decimal) number { return number{kind: exact, decimal: d} }

func doubleNumber(f float64) number { return number{kind: approximate, double: f} }

// numberOf is a value of a type as MySQL calculates with it: texts by the number that they begin
// with, with a warning if more follows; ENUM and SET by their numbers; times by their digits.
func numberOf(ctx *sql.Context, t sql.Type, v any) (number, error) {
	switch n := v.(type) {
	case bool:
		if n {
			return unsignedNumber(1), nil
		}
		return number{}, nil
	case int8:
		return signedNumber(int64(n)), nil
	case int16:
		return signedNumber(int64(n)), nil
	case int32:
		return signedNumber(int64(n)), nil
	case int64:
		return signedNumber(n), nil
	case int:
		return signedNumber(int64(n)), nil
	case uint8:
		return unsignedNumber(uint64(n)), nil
	case uint16:
		return unsignedNumber(uint64(n)), nil
	case uint32:
		return unsignedNumber(uint64(n)), nil
	case uint64:
		return unsignedNumber(n), nil
	case uint:
		return unsignedNumber(uint64(n)), nil
	case float32:
		return doubleNumber(float64(n)), nil
	case float64:
		return doubleNumber(n), nil
	case decimal.Decimal:
		return decimalNumber(n), nil
	case time.Time:
		if t == types.Date {
			return decimalNumber(timeNumber(n).Shift(-timeDigits)).integral(), nil
		}
		return decimalNumber(timeNumber(n)).integral(), nil
	case types.Timespan:
		return decimalNumber(timespanNumber(n)).integral(), nil
	}
	f, err := doubleOf(ctx, t, v)
	return doubleNumber(f), err
}

// compare is -1 if n is less than o, 1 if it is greater: as DOUBLE if one of them is one, else exactly.
func (n number) compare(o number) int {
	switch {
	case n.kind == approximate || o.kind == approximate:
		return cmp.Compare(n.float(), o.float())
	case n.kind == exact || o.kind == exact:
		return n.exactly().Cmp(o.exactly())
	}
	if a, b := n.negative && n.size > 0, o.negative && o.size > 0; a != b {
		if a {
			return -1
		}
		return 1
	} else if a {
		n, o = o, n
	}
	return cmp.Compare(n.size, o.size)
}

// integral is n as an integer if it is one and small enough, else n.
func (n number) integral() number {
	if n.kind == exact && n.decimal.IsInteger() {
		if i, ok := n.rounded(); ok {
			return i
		}
	}
	return n
}

// rounded is n as an integer, halves away from zero; false if it is beyond 2^64.
func (n number) rounded() (number, bool) {
	switch n.kind {
	case exact:
		i := n.decimal.Round(0).BigInt()
		negative := i.Sign() < 0
		if negative {
			i.Neg(i)
		}
		return number{negative: negative, size: i.Uint64()}, i.IsUint64()
	case approximate:
		f := math.Round(n.double)
		if math.Abs(f) >= 1<<64 || math.IsNaN(f) {
			return number{negative: f < 0, size: math.MaxUint64}, false
		}
		return number{negative: f < 0, size: uint64(math.Abs(f))}, true
	}
	return n, true
}

// bits are the 64 bits of the integer nearest to n, a negative one in two's complement.
func (n number) bits() uint64 {
	i, ok := n.rounded()
	switch {
	case !ok && !i.negative:
		return math.MaxUint64
	case i.negative && (!ok || i.size > 1<<63):
		return 1 << 63
	case i.negative:
		return -i.size
	}
	return i.size
}

// exactly is n as a DECIMAL.
func (n number) exactly() decimal.Decimal {
	switch {
	case n.kind == exact:
		return n.decimal
	case n.kind == approximate:
		if math.IsInf(n.double, 0) || math.IsNaN(n.double) {
			return decimal.Decimal{}
		}
		return decimal.NewFromFloat(n.double)
	case n.negative:
		return decimal.NewFromUint64(n.size).Neg()
	}
	return decimal.NewFromUint64(n.size)
}

// float is n as a DOUBLE.
func (n number) float() float64 {
	switch {
	case n.kind == approximate:
		return n.double
	case n.kind == exact:
		f, _ := n.decimal.Float64()
		return f
	case n.negative:
		return -float64(n.size)
	}
	return float64(n.size)
}

func (n number) isZero() bool {
	switch n.kind {
	case exact:
		return n.decimal.IsZero()
	case approximate:
		return n.double == 0
	}
	return n.size == 0
}

// negated is n with the other sign.
func (n number) negated() number {
	n.negative = !n.negative
	n.decimal = n.decimal.Neg()
	n.double = -n.double
	return n
}

// fits tells whether an integer is a BIGINT, or a BIGINT UNSIGNED.
func (n number) fits(unsigned bool) bool {
	switch {
	case n.negative && unsigned:
		return n.size == 0
	case n.negative:
		return n.size <= 1<<63
	}
	return unsigned || n.size <= math.MaxInt64
}

// plus is the sum of two integers; false if it is beyond 2^64.
func (n number) plus(o number) (number, bool) {
	if n.negative == o.negative {
		size, carry := bits.Add64(n.size, o.size, 0)
		return number{negative: n.negative, size: size}, carry == 0
	}
	if n.size < o.size {
		n, o = o, n
	}
	return number{negative: n.negative, size: n.size - o.size}, true
}

// times is the product of two integers; false if it is beyond 2^64.
func (n number) times(o number) (number, bool) {
	high, low := bits.Mul64(n.size, o.size)
	return number{negative: n.negative != o.negative, size: low}, high == 0
}

// MySQL keeps a DECIMAL in words of nine digits, nine of them at the most.
const (
	wordDigits = 9
	maxWords   = 9
)

func words(digits int) int { return (digits + wordDigits - 1) / wordDigits }

// fitDecimal is what is left of a result with the digits that there is room for: those behind the
// point go first; false if those in front of it are too many.
func fitDecimal(d decimal.Decimal) (decimal.Decimal, bool) {
	if d.Coefficient().BitLen() < 200 && d.Exponent() > -40 && d.Exponent() < 20 { // not above 60 digits
		return d, true
	}
	fraction := max(0, int(-d.Exponent()))
	whole := 0
	if i := new(big.Int).Abs(d.Truncate(0).BigInt()); i.Sign() != 0 {
		whole = len(i.String())
	}
	switch {
	case words(whole) > maxWords:
		return d, false
	case words(whole)+words(fraction) > maxWords:
		return d.Truncate(int32((maxWords - words(whole)) * wordDigits)), true
	}
	return d, true
}

// quotient is a divided by b, which is not 0, with as many digits as MySQL calculates: more of them
// than it shows of the result.
func quotient(a, b decimal.Decimal, increment int) decimal.Decimal {
	fa, fb := max(0, int(-a.Exponent())), max(0, int(-b.Exponent()))
	ra, rb := words(fa)*wordDigits, words(fb)*wordDigits
	increment = max(0, increment-(ra-fa)-(rb-fb))
	q, _ := a.QuoRem(b, int32(words(ra+rb+increment)*wordDigits))
	return q
}

// numberClass is what MySQL knows of a number before it has it.
type numberClass struct {
	kind             numberKind
	unsigned         bool
	digits, fraction int // of what is no DOUBLE
}

// typ is the type of a result.
func (c numberClass) typ() sql.Type {
	switch {
	case c.kind == approximate:
		return types.Float64
	case c.kind == exact:
		return decimalType(c.digits, c.fraction)
	case c.unsigned:
		return types.Uint64
	}
	return types.Int64
}

// value is a result of this class; false if it is out of range.
func (c numberClass) value(n number) (any, bool) {
	switch c.kind {
	case approximate:
		f := n.float()
		return f, !math.IsInf(f, 0) && !math.IsNaN(f)
	case exact:
		return rescale(n.exactly(), min(c.fraction, maxFraction)), true
	}
	n, ok := n.rounded()
	if !ok || !n.fits(c.unsigned) {
		return nil, false
	}
	if c.unsigned {
		return n.size, true
	}
	if n.negative {
		return int64(-n.size), true
	}
	return int64(n.size), true
}

// errOutOfRange is error 1690: a result that its type has no room for; text is the expression.
func errOutOfRange(c numberClass, text string) error {
	name := "BIGINT"
	switch {
	case c.kind == approximate:
		name = "DOUBLE"
	case c.kind == exact:
		name = "DECIMAL"
	case c.unsigned:
		name = "BIGINT UNSIGNED"
	}
	return mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "%s value is out of range in '%s'", name, text)
}

// Strict tells whether a warning about a value is an error to the statement of ctx, as in writes
// in a strict mode; nil is never. Set it before the first statement.
var Strict func(ctx *sql.Context) bool

// complain warns of a value, or is an error where the statement must not go on. While the SQL engine makes expressions, without a context, it does
// nothing: they are evaluated later.
func complain(ctx *sql.Context, number int, state, message string) error {
	if ctx == nil {
		return nil
	}
	if Strict != nil && Strict(ctx) {
		return mysql.NewSQLError(number, state, "%s", message)
	}
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: number, Message: message})
	return nil
}

const (
	errDivisionByZero = 1365
	stateDivision     = "22012"
	stateValue        = "22007"
)

// dividedByZero is what there is to say of a division by 0, whose result is NULL.
func dividedByZero(ctx *sql.Context) error {
	if !sql.LoadSqlMode(ctx).ModeEnabled(sql.ErrorForDivisionByZero) {
		return nil
	}
	return complain(ctx, errDivisionByZero, stateDivision, "Division by 0")
}
