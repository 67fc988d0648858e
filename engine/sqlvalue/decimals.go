package sqlvalue

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

const (
	MaxDigits   = types.DecimalTypeMaxPrecision
	MaxFraction = types.DecimalTypeMaxScale
)

// DecimalType returns the column type DECIMAL(digits, fraction). Numbers that DECIMAL does not
// allow become the nearest ones that it allows.
func DecimalType(digits, fraction int) sql.Type {
	fraction = min(fraction, MaxFraction)
	return types.MustCreateColumnDecimalType(uint8(min(max(digits, fraction, 1), MaxDigits)), uint8(fraction))
}

// DivIncrement returns div_precision_increment: how many more digits behind the point a quotient
// has than its dividend. ctx can be nil, because go-mysql-server calculates some types without a
// session; then DivIncrement returns the variable's default.
func DivIncrement(ctx *sql.Context) int {
	if ctx == nil {
		return 4
	}
	v, err := ctx.GetSessionVariable(ctx, "div_precision_increment")
	if err != nil {
		return 4
	}
	n, _ := strconv.Atoi(numberText(v))
	return n
}

// Total is an exact sum. The zero value is 0. Owned by one goroutine.
type Total struct {
	negative, positive uint128         // the sums of the negative and positive integers, without signs
	rest               decimal.Decimal // the sum of all other numbers
}

type uint128 struct{ hi, lo uint64 }

func (u *uint128) add(n uint64) {
	var carry uint64
	u.lo, carry = bits.Add64(u.lo, n, 0)
	u.hi += carry
}

func (u uint128) big() *big.Int {
	n := new(big.Int).SetUint64(u.hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(u.lo))
}

// AddUnsigned adds n.
func (t *Total) AddUnsigned(n uint64) { t.unsigned(n, false) }

// AddSigned adds n.
func (t *Total) AddSigned(n int64) { t.signed(n, false) }

// Decimal returns the sum with this many digits behind the point.
func (t *Total) Decimal(fraction int) decimal.Decimal {
	return Rescale(t.sum(), fraction)
}

// Average returns the sum divided by n. It has at least fraction digits behind the point, which
// clients see. As in MySQL, it can have more digits than that. more is div_precision_increment.
func (t *Total) Average(n int64, fraction, more int) decimal.Decimal {
	return Quotient(Rescale(t.sum(), fraction-more), decimal.NewFromInt(n), more)
}

// AllDigits returns the sum with all its digits, divided by n. more is div_precision_increment.
func (t *Total) AllDigits(n int64, more int) decimal.Decimal {
	if n == 1 {
		return t.sum()
	}
	return Quotient(t.sum(), decimal.NewFromInt(n), more)
}

func (t *Total) sum() decimal.Decimal {
	return decimal.NewFromBigInt(new(big.Int).Sub(t.positive.big(), t.negative.big()), 0).Add(t.rest)
}

// Rescale returns d with exactly this many digits behind the point.
func Rescale(d decimal.Decimal, fraction int) decimal.Decimal {
	d = d.Round(int32(fraction))
	d, _ = decimal.RescalePair(d, decimal.New(0, -int32(fraction)))
	return d
}

// Add adds v, an exact number of any type, or subtracts it if subtract is set. It returns false,
// and changes nothing, if v is no such number.
func (t *Total) Add(v any, subtract bool) bool {
	switch n := v.(type) {
	case bool:
		if n {
			t.signed(1, subtract)
		}
	case int8:
		t.signed(int64(n), subtract)
	case int16:
		t.signed(int64(n), subtract)
	case int32:
		t.signed(int64(n), subtract)
	case int64:
		t.signed(n, subtract)
	case int:
		t.signed(int64(n), subtract)
	case uint8:
		t.unsigned(uint64(n), subtract)
	case uint16:
		t.unsigned(uint64(n), subtract)
	case uint32:
		t.unsigned(uint64(n), subtract)
	case uint64:
		t.unsigned(n, subtract)
	case uint:
		t.unsigned(uint64(n), subtract)
	case decimal.Decimal:
		if subtract {
			n = n.Neg()
		}
		t.rest = t.rest.Add(n)
	case time.Time:
		return t.Add(timeNumber(n), subtract)
	case types.Timespan:
		return t.Add(timespanNumber(n), subtract)
	default:
		return false
	}
	return true
}

func (t *Total) unsigned(n uint64, subtract bool) {
	if subtract {
		t.negative.add(n)
	} else {
		t.positive.add(n)
	}
}

func (t *Total) signed(n int64, subtract bool) {
	if n < 0 {
		t.unsigned(-uint64(n), !subtract)
	} else {
		t.unsigned(uint64(n), subtract)
	}
}

// timeDigits is how many digits the time of day has in the number YYYYMMDDhhmmss of a DATETIME.
const timeDigits = 6

// timeNumber returns a DATETIME as the number YYYYMMDDhhmmss.
func timeNumber(t time.Time) decimal.Decimal {
	n, _ := strconv.ParseInt(t.Format("20060102150405"), 10, 64)
	return decimal.NewFromInt(n).Add(decimal.New(int64(t.Nanosecond()/1000), -6))
}

// timespanNumber returns a TIME as the number hhmmss.
func timespanNumber(t types.Timespan) decimal.Decimal {
	us := t.AsMicroseconds()
	sign := int64(1)
	if us < 0 {
		us, sign = -us, -1
	}
	s := us / 1e6
	return decimal.New(sign*((s/3600*10000+s/60%60*100+s%60)*1e6+us%1e6), -6)
}

// DoubleOf returns a value of type t as a DOUBLE. For a text, this is the number at its beginning;
// if more follows, DoubleOf adds a warning. For an ENUM or SET, it is the number of the value.
func DoubleOf(ctx *sql.Context, t sql.Type, v any) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case float32:
		return float64(x), nil
	case []byte:
		return DoubleOf(ctx, t, string(x))
	case string:
		if c, ok := t.(*Choice); ok {
			return float64(c.number(x)), nil
		}
		f, all := LeadingDouble(x)
		if !all {
			return f, Complain(ctx, mysql.ERTruncatedWrongValue, WrongValueState, "Truncated incorrect DOUBLE value: '"+x+"'")
		}
		return f, nil
	}
	f, _, err := types.Float64.Convert(ctx, v)
	if err != nil || f == nil {
		return 0, err
	}
	return f.(float64), nil
}

// Blanks has the characters that can stand before and behind a number in a text.
const Blanks = " \t\n\v\f\r"

// LeadingDouble returns the number at the beginning of a text, 0 if there is none. all reports
// whether there is a number in the range of DOUBLE, and only blanks follow it.
func LeadingDouble(s string) (f float64, all bool) {
	s = strings.TrimLeft(s, Blanks)
	n := NumberLength(s)
	f, _ = strconv.ParseFloat(s[:n], 64)
	if math.IsInf(f, 0) { // out of range: return the nearest DOUBLE
		return math.Copysign(math.MaxFloat64, f), false
	}
	return f, n > 0 && strings.TrimLeft(s[n:], Blanks) == ""
}

// NumberLength returns the length of the number that s begins with, in bytes.
func NumberLength(s string) int {
	i := 0
	digits := func() (n int) {
		for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
			n++
		}
		return n
	}
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	n := digits()
	if i < len(s) && s[i] == '.' {
		i++
		n += digits()
	}
	if n == 0 {
		return 0
	}
	if end := i; i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if digits() == 0 {
			return end
		}
	}
	return i
}
