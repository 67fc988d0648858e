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

// DecimalType returns the column type DECIMAL(digits, fraction), or the nearest DECIMAL that there
// is.
func DecimalType(digits, fraction int) sql.Type {
	fraction = min(fraction, MaxFraction)
	return types.MustCreateColumnDecimalType(uint8(min(max(digits, fraction, 1), MaxDigits)), uint8(fraction))
}

// DivIncrement returns how many more digits behind the point a quotient has than its dividend.
// go-mysql-server calculates some types without a session: then it is the default of
// div_precision_increment.
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
	negative, positive uint128 // of integers, without their sign
	rest               decimal.Decimal
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

// Average returns the sum divided by n, which shows fraction digits behind the point. As in MySQL
// it has more digits than it shows.
func (t *Total) Average(n int64, fraction, more int) decimal.Decimal {
	return Quotient(Rescale(t.sum(), fraction-more), decimal.NewFromInt(n), more)
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

// Add adds or subtracts v, an exact number of any type.
func (t *Total) Add(v any, away bool) bool {
	switch n := v.(type) {
	case bool:
		if n {
			t.signed(1, away)
		}
	case int8:
		t.signed(int64(n), away)
	case int16:
		t.signed(int64(n), away)
	case int32:
		t.signed(int64(n), away)
	case int64:
		t.signed(n, away)
	case int:
		t.signed(int64(n), away)
	case uint8:
		t.unsigned(uint64(n), away)
	case uint16:
		t.unsigned(uint64(n), away)
	case uint32:
		t.unsigned(uint64(n), away)
	case uint64:
		t.unsigned(n, away)
	case uint:
		t.unsigned(uint64(n), away)
	case decimal.Decimal:
		if away {
			n = n.Neg()
		}
		t.rest = t.rest.Add(n)
	case time.Time:
		return t.Add(timeNumber(n), away)
	case types.Timespan:
		return t.Add(timespanNumber(n), away)
	default:
		return false
	}
	return true
}

func (t *Total) unsigned(n uint64, away bool) {
	if away {
		t.negative.add(n)
	} else {
		t.positive.add(n)
	}
}

func (t *Total) signed(n int64, away bool) {
	if n < 0 {
		t.unsigned(-uint64(n), !away)
	} else {
		t.unsigned(uint64(n), away)
	}
}

// timeDigits is how many digits of the number of a DATETIME are its time of day.
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

// DoubleOf returns a value as DOUBLE: of a text its leading number, with a warning if more follows;
// of an ENUM or SET its number.
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

// Blanks may stand around a number.
const Blanks = " \t\n\v\f\r"

// LeadingDouble returns the number at the beginning of a text, 0 if there is none; all reports
// whether only spaces follow.
func LeadingDouble(s string) (f float64, all bool) {
	s = strings.TrimLeft(s, Blanks)
	n := NumberLength(s)
	f, _ = strconv.ParseFloat(s[:n], 64)
	if math.IsInf(f, 0) { // the nearest DOUBLE
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
