package compat

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/shopspring/decimal"
)

// The names that replace SUM and AVG in a syntax tree: go-mysql-server calculates everything called sum or avg as DOUBLE. No statement
// can call functions by these names without quotes.
var (
	sumName = ast.NewColIdent("sum exact")
	avgName = ast.NewColIdent("avg exact")
)

// Sums registers SUM and AVG under their new names as aggregates in go-mysql-server. Call it once, before the first statement.
func Sums() {
	known := planbuilder.IsAggregateFunc
	planbuilder.IsAggregateFunc = func(name string) bool {
		return name == sumName.Lowered() || name == avgName.Lowered() || name == groupConcatName.Lowered() || known(name)
	}
}

// sumFunctions returns SUM and AVG under both names. The plain names are for window functions.
func sumFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for avg, names := range map[bool][]string{false: {"sum", sumName.Lowered()}, true: {"avg", avgName.Lowered()}} {
		for _, name := range names {
			all[name] = sql.Function1{Name: name, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
				return &Sum{aggregation.NewSum(e), avg}
			}}
		}
	}
	return all
}

// Sum is SUM or AVG.
//
// go-mysql-server: calculates as DOUBLE, which is exact to 15 digits. MySQL: sums exact numbers as DECIMAL, with 22 digits more than the
// argument, and averages with div_precision_increment more digits behind the point; sums other values as DOUBLE.
type Sum struct {
	*aggregation.Sum
	avg bool
}

var _ sql.Aggregation = (*Sum)(nil)

// Avg reports whether it is AVG.
func (s *Sum) Avg() bool { return s.avg }

// FunctionName implements sql.FunctionExpression.
func (s *Sum) FunctionName() string {
	if s.avg {
		return "Avg"
	}
	return "Sum"
}

// String implements sql.Expression.
func (s *Sum) String() string {
	name := strings.ToUpper(s.FunctionName())
	if w := s.Window(); w != nil {
		p := sql.NewTreePrinter()
		_ = p.WriteNode("%s", name)
		_ = p.WriteChildren(w.String(), s.Child.String())
		return p.String()
	}
	return name + "(" + s.Child.String() + ")"
}

// DebugString implements sql.DebugStringer.
func (s *Sum) DebugString(*sql.Context) string { return s.String() }

// IsNullable implements sql.Expression. Without rows the sum is NULL.
func (*Sum) IsNullable(*sql.Context) bool { return true }

// WithChildren implements sql.Expression.
func (s *Sum) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := s.Sum.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &Sum{e.(*aggregation.Sum), s.avg}, nil
}

// WithId implements sql.IdExpression.
func (s *Sum) WithId(id sql.ColumnId) sql.IdExpression {
	return &Sum{s.Sum.WithId(id).(*aggregation.Sum), s.avg}
}

// WithWindow implements sql.WindowAdaptableExpression.
func (s *Sum) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return &Sum{s.Sum.WithWindow(ctx, w).(*aggregation.Sum), s.avg}
}

const (
	sumDigits   = 22 // that a sum has more than what is added up
	maxDigits   = types.DecimalTypeMaxPrecision
	maxFraction = types.DecimalTypeMaxScale
)

// Type implements sql.Expression.
func (s *Sum) Type(ctx *sql.Context) sql.Type {
	digits, fraction, ok := exactDigits(ctx, s.Child)
	if !ok {
		return types.Float64
	}
	return s.exactType(ctx, digits, fraction)
}

// exactType returns the type of the result for an argument with these digits, fraction of them behind the point.
func (s *Sum) exactType(ctx *sql.Context, digits, fraction int) sql.Type {
	if s.avg {
		more := divIncrement(ctx)
		return DecimalType(digits+more, fraction+more)
	}
	return DecimalType(digits+sumDigits, fraction)
}

// DecimalType returns the column type DECIMAL(digits, fraction), or the nearest DECIMAL that there is.
func DecimalType(digits, fraction int) sql.Type {
	fraction = min(fraction, maxFraction)
	return types.MustCreateColumnDecimalType(uint8(min(max(digits, fraction, 1), maxDigits)), uint8(fraction))
}

// divIncrement returns how many more digits behind the point a quotient has than its dividend. go-mysql-server calculates some types
// without a session: then it is the default of div_precision_increment.
func divIncrement(ctx *sql.Context) int {
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

// exactDigits returns the largest number of digits of an exact number, and how many of them are behind the point; false if the argument
// is summed as DOUBLE.
func exactDigits(ctx *sql.Context, e sql.Expression) (digits, fraction int, ok bool) {
	c := classOf(ctx, e)
	return c.digits, c.fraction, c.Kind != Approximate
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

// Average returns the sum divided by n, which shows fraction digits behind the point. As in MySQL it has more digits than it shows.
func (t *Total) Average(n int64, fraction, more int) decimal.Decimal {
	return quotient(Rescale(t.sum(), fraction-more), decimal.NewFromInt(n), more)
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

// add adds or subtracts v, an exact number of any type.
func (t *Total) add(v any, away bool) bool {
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
		return t.add(timeNumber(n), away)
	case types.Timespan:
		return t.add(timespanNumber(n), away)
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

// sum is the running sum of SUM and AVG. Owned by one goroutine.
type sum struct {
	child    sql.Expression
	typ      sql.Type // of child
	digits   int      // of the result, behind the point
	more     int      // of those, that an average has more than what is added up
	exact    bool
	avg      bool
	count    int64
	total    Total
	fraction float64
}

func (s *Sum) start(ctx *sql.Context) (*sum, error) {
	child, err := transform.Clone(ctx, s.Child)
	if err != nil {
		return nil, err
	}
	n := &sum{child: child, typ: child.Type(ctx), avg: s.avg}
	digits, fraction, exact := exactDigits(ctx, child)
	if n.exact = exact; exact {
		n.digits = int(s.exactType(ctx, digits, fraction).(sql.DecimalType).Scale())
		n.more = n.digits - min(fraction, n.digits)
	}
	return n, nil
}

// take adds or subtracts the value of a row.
func (s *sum) take(ctx *sql.Context, row sql.Row, away bool) error {
	v, err := s.child.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	if away {
		s.count--
	} else {
		s.count++
	}
	if s.exact {
		if _, ok := v.(time.Time); ok && s.typ == types.Date {
			n, err := NumberOf(ctx, s.typ, v)
			if err != nil {
				return err
			}
			v = n.Exactly()
		}
		if s.total.add(v, away) {
			return nil
		}
		d, _, err := types.InternalDecimalType.Convert(ctx, v)
		if err != nil {
			return err
		}
		s.total.add(d, away)
		return nil
	}
	f, err := doubleOf(ctx, s.typ, v)
	if away {
		f = -f
	}
	s.fraction += f
	return err
}

func (s *sum) result() any {
	switch {
	case s.count == 0:
		return nil
	case s.exact && s.avg:
		return s.total.Average(s.count, s.digits, s.more)
	case s.exact:
		return s.total.Decimal(s.digits)
	case s.avg:
		return s.fraction / float64(s.count)
	}
	return s.fraction
}

// doubleOf returns a value as DOUBLE: of a text its leading number, with a warning if more follows; of an ENUM or SET its number.
func doubleOf(ctx *sql.Context, t sql.Type, v any) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case float32:
		return float64(x), nil
	case []byte:
		return doubleOf(ctx, t, string(x))
	case string:
		if c, ok := t.(*Choice); ok {
			return float64(c.number(x)), nil
		}
		f, all := leadingDouble(x)
		if !all {
			return f, Complain(ctx, mysql.ERTruncatedWrongValue, stateValue, "Truncated incorrect DOUBLE value: '"+x+"'")
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

// leadingDouble returns the number at the beginning of a text, 0 if there is none; all reports whether only spaces follow.
func leadingDouble(s string) (f float64, all bool) {
	s = strings.TrimLeft(s, Blanks)
	n := numberLength(s)
	f, _ = strconv.ParseFloat(s[:n], 64)
	if math.IsInf(f, 0) { // the nearest DOUBLE
		return math.Copysign(math.MaxFloat64, f), false
	}
	return f, n > 0 && strings.TrimLeft(s[n:], Blanks) == ""
}

// numberLength returns the length of the number that s begins with, in bytes.
func numberLength(s string) int {
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

// NewBuffer implements sql.Aggregation.
func (s *Sum) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	n, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	return sumBuffer{n}, nil
}

type sumBuffer struct{ *sum }

// Update implements sql.AggregationBuffer.
func (b sumBuffer) Update(ctx *sql.Context, row sql.Row) error { return b.take(ctx, row, false) }

// Eval implements sql.AggregationBuffer.
func (b sumBuffer) Eval(*sql.Context) (any, error) { return b.result(), nil }

// Dispose implements sql.Disposable.
func (b sumBuffer) Dispose(ctx *sql.Context) { expression.Dispose(ctx, b.child) }

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (s *Sum) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	n, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	w := &sumWindow{fresh: *n}
	if frame := s.Window().Frame; frame != nil {
		w.framer, err = frame.NewFramer(s.Window())
	}
	return w, err
}

// sumWindow sums up one frame after the other. Owned by one goroutine.
type sumWindow struct {
	fresh  sum // of no rows
	sum    sum // of the rows of frame
	frame  sql.WindowInterval
	framer sql.WindowFramer
}

// DefaultFramer implements sql.WindowFunction.
func (w *sumWindow) DefaultFramer() sql.WindowFramer {
	if w.framer != nil {
		return w.framer
	}
	return aggregation.NewUnboundedPrecedingToCurrentRowFramer()
}

// StartPartition implements sql.WindowFunction.
func (w *sumWindow) StartPartition(ctx *sql.Context, rows sql.WindowInterval, _ sql.WindowBuffer) error {
	w.Dispose(ctx)
	w.sum, w.frame = w.fresh, sql.WindowInterval{Start: rows.Start, End: rows.Start}
	return nil
}

// Compute implements sql.WindowFunction. If the frame only grows, or the sum is exact, it continues from the last frame. A sum of DOUBLEs
// keeps rounding errors of subtracted values, and so starts again.
func (w *sumWindow) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) (any, error) {
	frame.End = max(frame.Start, frame.End)
	if frame.Start >= w.frame.End || frame.Start < w.frame.Start || frame.End < w.frame.End || frame.Start > w.frame.Start && !w.sum.exact {
		w.sum, w.frame = w.fresh, sql.WindowInterval{Start: frame.Start, End: frame.Start}
	}
	for ; w.frame.Start < frame.Start; w.frame.Start++ {
		if err := w.sum.take(ctx, rows[w.frame.Start], true); err != nil {
			return nil, err
		}
	}
	for ; w.frame.End < frame.End; w.frame.End++ {
		if err := w.sum.take(ctx, rows[w.frame.End], false); err != nil {
			return nil, err
		}
	}
	return w.sum.result(), nil
}

// Dispose implements sql.Disposable.
func (w *sumWindow) Dispose(ctx *sql.Context) { expression.Dispose(ctx, w.fresh.child) }
