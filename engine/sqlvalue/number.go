package sqlvalue

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// NumberKind is the kind of a number and of a calculation. A calculation with numbers of two kinds
// has the later one of these kinds.
type NumberKind uint8

const (
	Integer     NumberKind = iota // BIGINT or BIGINT UNSIGNED
	Exact                         // DECIMAL
	Approximate                   // DOUBLE
)

// Number is a number of one of the kinds.
type Number struct {
	Kind     NumberKind
	Negative bool
	Size     uint64 // the absolute value of an integer
	Decimal  decimal.Decimal
	Double   float64
}

func signedNumber(n int64) Number {
	if n < 0 {
		return Number{Negative: true, Size: -uint64(n)}
	}
	return Number{Size: uint64(n)}
}

func UnsignedNumber(n uint64) Number { return Number{Size: n} }

func DecimalNumber(d decimal.Decimal) Number { return Number{Kind: Exact, Decimal: d} }

func DoubleNumber(f float64) Number { return Number{Kind: Approximate, Double: f} }

// NumberOf returns the number that MySQL calculates with when it finds the value v of type t in a
// calculation. For a text, this is the number at its beginning; if more follows, NumberOf adds a
// warning. For an ENUM or SET, it is the number of the value. For a date or time, it is the number
// that its digits make, such as 20240131 for 2024-01-31.
func NumberOf(ctx *sql.Context, t sql.Type, v any) (Number, error) {
	switch n := v.(type) {
	case bool:
		if n {
			return UnsignedNumber(1), nil
		}
		return Number{}, nil
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
		return UnsignedNumber(uint64(n)), nil
	case uint16:
		return UnsignedNumber(uint64(n)), nil
	case uint32:
		return UnsignedNumber(uint64(n)), nil
	case uint64:
		return UnsignedNumber(n), nil
	case uint:
		return UnsignedNumber(uint64(n)), nil
	case float32:
		return DoubleNumber(float64(n)), nil
	case float64:
		return DoubleNumber(n), nil
	case decimal.Decimal:
		return DecimalNumber(n), nil
	case time.Time:
		if t == types.Date {
			return DecimalNumber(timeNumber(n).Shift(-timeDigits)).integral(), nil
		}
		return DecimalNumber(timeNumber(n)).integral(), nil
	case types.Timespan:
		return DecimalNumber(timespanNumber(n)).integral(), nil
	}
	f, err := DoubleOf(ctx, t, v)
	return DoubleNumber(f), err
}

// Compare returns -1 if n is less than o, 1 if it is greater, else 0. It compares as DOUBLE if one
// of them is a DOUBLE, else exactly.
func (n Number) Compare(o Number) int {
	switch {
	case n.Kind == Approximate || o.Kind == Approximate:
		return cmp.Compare(n.Float(), o.Float())
	case n.Kind == Exact || o.Kind == Exact:
		return n.Exactly().Cmp(o.Exactly())
	}
	if a, b := n.Negative && n.Size > 0, o.Negative && o.Size > 0; a != b {
		if a {
			return -1
		}
		return 1
	} else if a {
		n, o = o, n
	}
	return cmp.Compare(n.Size, o.Size)
}

// integral returns n as a number of kind Integer if its value is an integer below 2^64 in size,
// else n.
func (n Number) integral() Number {
	if n.Kind == Exact && n.Decimal.IsInteger() {
		if i, ok := n.Rounded(); ok {
			return i
		}
	}
	return n
}

// Rounded returns n rounded to an integer; a half is rounded away from zero. It returns false if
// the result is not below 2^64 in size.
func (n Number) Rounded() (Number, bool) {
	switch n.Kind {
	case Exact:
		i := n.Decimal.Round(0).BigInt()
		negative := i.Sign() < 0
		if negative {
			i.Neg(i)
		}
		return Number{Negative: negative, Size: i.Uint64()}, i.IsUint64()
	case Approximate:
		f := math.Round(n.Double)
		if math.Abs(f) >= 1<<64 || math.IsNaN(f) {
			return Number{Negative: f < 0, Size: math.MaxUint64}, false
		}
		return Number{Negative: f < 0, Size: uint64(math.Abs(f))}, true
	}
	return n, true
}

// Bits returns the integer nearest to n as 64 bits. A negative integer is in two's complement. An
// integer out of range becomes the largest BIGINT UNSIGNED, or the smallest BIGINT.
func (n Number) Bits() uint64 {
	i, ok := n.Rounded()
	switch {
	case !ok && !i.Negative:
		return math.MaxUint64
	case i.Negative && (!ok || i.Size > 1<<63):
		return 1 << 63
	case i.Negative:
		return -i.Size
	}
	return i.Size
}

// Exactly is n as a DECIMAL.
func (n Number) Exactly() decimal.Decimal {
	switch {
	case n.Kind == Exact:
		return n.Decimal
	case n.Kind == Approximate:
		if math.IsInf(n.Double, 0) || math.IsNaN(n.Double) {
			return decimal.Decimal{}
		}
		return decimal.NewFromFloat(n.Double)
	case n.Negative:
		return decimal.NewFromUint64(n.Size).Neg()
	}
	return decimal.NewFromUint64(n.Size)
}

// Float is n as a DOUBLE.
func (n Number) Float() float64 {
	switch {
	case n.Kind == Approximate:
		return n.Double
	case n.Kind == Exact:
		f, _ := n.Decimal.Float64()
		return f
	case n.Negative:
		return -float64(n.Size)
	}
	return float64(n.Size)
}

func (n Number) IsZero() bool {
	switch n.Kind {
	case Exact:
		return n.Decimal.IsZero()
	case Approximate:
		return n.Double == 0
	}
	return n.Size == 0
}

// Negated returns -n.
func (n Number) Negated() Number {
	n.Negative = !n.Negative
	n.Decimal = n.Decimal.Neg()
	n.Double = -n.Double
	return n
}

// Fits reports whether an integer is in the range of BIGINT, or of BIGINT UNSIGNED.
func (n Number) Fits(unsigned bool) bool {
	switch {
	case n.Negative && unsigned:
		return n.Size == 0
	case n.Negative:
		return n.Size <= 1<<63
	}
	return unsigned || n.Size <= math.MaxInt64
}

// Plus returns the sum of two integers. It returns false if the sum is not below 2^64 in size.
func (n Number) Plus(o Number) (Number, bool) {
	if n.Negative == o.Negative {
		size, carry := bits.Add64(n.Size, o.Size, 0)
		return Number{Negative: n.Negative, Size: size}, carry == 0
	}
	if n.Size < o.Size {
		n, o = o, n
	}
	return Number{Negative: n.Negative, Size: n.Size - o.Size}, true
}

// Times returns the product of two integers. It returns false if the product is not below 2^64 in
// size.
func (n Number) Times(o Number) (Number, bool) {
	high, low := bits.Mul64(n.Size, o.Size)
	return Number{Negative: n.Negative != o.Negative, Size: low}, high == 0
}

// MySQL keeps a DECIMAL in words of nine digits each, and in nine words at the most.
const (
	wordDigits = 9
	maxWords   = 9
)

func words(digits int) int { return (digits + wordDigits - 1) / wordDigits }

// FitDecimal returns d with as many digits as a DECIMAL has room for. It cuts digits behind the
// point. It returns false if there are too many digits in front of the point.
func FitDecimal(d decimal.Decimal) (decimal.Decimal, bool) {
	if d.Coefficient().BitLen() < 200 && d.Exponent() > -40 && d.Exponent() < 20 { // at most 60 digits: they fit
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

// Quotient returns a / b, where b is not 0. It has as many digits behind the point as MySQL
// calculates, which are more than MySQL shows. increment is div_precision_increment.
func Quotient(a, b decimal.Decimal, increment int) decimal.Decimal {
	fa, fb := max(0, int(-a.Exponent())), max(0, int(-b.Exponent()))
	ra, rb := words(fa)*wordDigits, words(fb)*wordDigits
	increment = max(0, increment-(ra-fa)-(rb-fb))
	q, _ := a.QuoRem(b, int32(words(ra+rb+increment)*wordDigits))
	return q
}

// NumberClass is what MySQL knows about the result of an expression before it calculates the
// result.
type NumberClass struct {
	Kind             NumberKind
	Unsigned         bool
	Digits, Fraction int // all digits, and those behind the point; not used for a DOUBLE
}

// Typ returns the type of a result of this class.
func (c NumberClass) Typ() sql.Type {
	switch {
	case c.Kind == Approximate:
		return types.Float64
	case c.Kind == Exact:
		return DecimalType(c.Digits, c.Fraction)
	case c.Unsigned:
		return types.Uint64
	}
	return types.Int64
}

// Value returns n as a value of this class's type, as go-mysql-server keeps it. It returns false if
// n is out of the range of that type.
func (c NumberClass) Value(n Number) (any, bool) {
	switch c.Kind {
	case Approximate:
		f := n.Float()
		return f, !math.IsInf(f, 0) && !math.IsNaN(f)
	case Exact:
		return Rescale(n.Exactly(), min(c.Fraction, MaxFraction)), true
	}
	n, ok := n.Rounded()
	if !ok || !n.Fits(c.Unsigned) {
		return nil, false
	}
	if c.Unsigned {
		return n.Size, true
	}
	if n.Negative {
		return int64(-n.Size), true
	}
	return int64(n.Size), true
}

// ErrOutOfRange returns error 1690: the result of an expression is out of the range of its type.
// text is the expression.
func ErrOutOfRange(c NumberClass, text string) error {
	name := "BIGINT"
	switch {
	case c.Kind == Approximate:
		name = "DOUBLE"
	case c.Kind == Exact:
		name = "DECIMAL"
	case c.Unsigned:
		name = "BIGINT UNSIGNED"
	}
	return mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "%s value is out of range in '%s'", name, text)
}

// Strict reports whether a warning about a value is an error for the statement of ctx. That is so
// for a statement that writes in strict mode. nil means never. Set it before the first statement.
var Strict func(ctx *sql.Context) bool

// Complain adds a warning about a value, or returns it as an error if [Strict] says so. It does
// nothing if ctx is nil: go-mysql-server evaluates some expressions without a context when it
// creates them, and evaluates them again later.
func Complain(ctx *sql.Context, number int, state, message string) error {
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
	WrongValueState   = "22007"
)

// DividedByZero adds the warning, or returns the error, for a division by 0. It does nothing if
// sql_mode lacks ERROR_FOR_DIVISION_BY_ZERO. The result of the division is NULL.
func DividedByZero(ctx *sql.Context) error {
	if !sql.LoadSqlMode(ctx).ModeEnabled(sql.ErrorForDivisionByZero) {
		return nil
	}
	return Complain(ctx, errDivisionByZero, stateDivision, "Division by 0")
}

// IntegerLiteral returns the integer that a literal stands for. v is an integer, or the text of
// one.
func IntegerLiteral(v any) (Number, bool) {
	switch v := v.(type) {
	case int8:
		return signedNumber(int64(v)), true
	case int16:
		return signedNumber(int64(v)), true
	case int32:
		return signedNumber(int64(v)), true
	case int64:
		return signedNumber(v), true
	case uint8:
		return UnsignedNumber(uint64(v)), true
	case uint16:
		return UnsignedNumber(uint64(v)), true
	case uint32:
		return UnsignedNumber(uint64(v)), true
	case uint64:
		return UnsignedNumber(v), true
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return signedNumber(n), true
		}
		n, err := strconv.ParseUint(v, 10, 64)
		return UnsignedNumber(n), err == nil
	}
	return Number{}, false
}
