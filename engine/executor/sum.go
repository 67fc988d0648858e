package executor

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/alldigits"
	"pfsd/engine/sqlexpr"
	"pfsd/engine/sqlvalue"
)

// Sums registers SUM and AVG under their new names as aggregates in go-mysql-server. Call it once,
// before the first statement.
func Sums() {
	known := planbuilder.IsAggregateFunc
	planbuilder.IsAggregateFunc = func(name string) bool {
		return name == sqlexpr.SumName.Lowered() || name == sqlexpr.AvgName.Lowered() || name == sqlexpr.GroupConcatName.Lowered() || known(name)
	}
}

// SumFunctions returns SUM and AVG under both names. The plain names are for window functions.
func SumFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for avg, names := range map[bool][]string{false: {"sum", sqlexpr.SumName.Lowered()}, true: {"avg", sqlexpr.AvgName.Lowered()}} {
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
// go-mysql-server: calculates as DOUBLE, which is exact to 15 digits. MySQL: sums exact numbers as
// DECIMAL, with 22 digits more than the argument; averages have div_precision_increment more digits
// after the point. It sums other values as DOUBLE.
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

// sumDigits is how many digits more a sum has than its arguments.
const sumDigits = 22

// Type implements sql.Expression.
func (s *Sum) Type(ctx *sql.Context) sql.Type {
	digits, fraction, ok := sqlexpr.ExactDigits(ctx, s.Child)
	if !ok {
		return types.Float64
	}
	return s.exactType(ctx, digits, fraction)
}

// exactType returns the type of the result for an argument with these digits, of which fraction are
// after the point.
func (s *Sum) exactType(ctx *sql.Context, digits, fraction int) sql.Type {
	if s.avg {
		more := sqlvalue.DivIncrement(ctx)
		return sqlvalue.DecimalType(digits+more, fraction+more)
	}
	return sqlvalue.DecimalType(digits+sumDigits, fraction)
}

// sum is the running sum of SUM and AVG. Owned by one goroutine.
type sum struct {
	child    sql.Expression
	typ      sql.Type // of child
	digits   int      // digits of the result after the point
	more     int      // how many of these an average has more than its arguments
	all      bool     // the sum keeps all digits
	exact    bool
	avg      bool
	count    int64
	total    sqlvalue.Total
	fraction float64
}

func (s *Sum) start(ctx *sql.Context) (*sum, error) {
	child, err := transform.Clone(ctx, s.Child)
	if err != nil {
		return nil, err
	}
	n := &sum{child: child, typ: child.Type(ctx), avg: s.avg}
	digits, fraction, exact := sqlexpr.ExactDigits(ctx, child)
	if n.exact = exact; exact {
		n.digits = int(s.exactType(ctx, digits, fraction).(sql.DecimalType).Scale())
		n.more = n.digits - min(fraction, n.digits)
		n.all = alldigits.KeepsDigits(child)
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
			n, err := sqlvalue.NumberOf(ctx, s.typ, v)
			if err != nil {
				return err
			}
			v = n.Exactly()
		}
		if s.total.Add(v, away) {
			return nil
		}
		d, _, err := types.InternalDecimalType.Convert(ctx, v)
		if err != nil {
			return err
		}
		s.total.Add(d, away)
		return nil
	}
	f, err := sqlvalue.DoubleOf(ctx, s.typ, v)
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
	case s.all && s.avg:
		return s.total.AllDigits(s.count, s.more)
	case s.all:
		return s.total.AllDigits(1, 0)
	case s.exact && s.avg:
		return s.total.Average(s.count, s.digits, s.more)
	case s.exact:
		return s.total.Decimal(s.digits)
	case s.avg:
		return s.fraction / float64(s.count)
	}
	return s.fraction
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

// sumWindow calculates the sums of one frame after the other. Owned by one goroutine.
type sumWindow struct {
	fresh  sum // the sum of no rows
	sum    sum // the sum of the rows of frame
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

// Compute implements sql.WindowFunction. If the frame only grows, or the sum is exact, it continues
// from the last frame. A sum of DOUBLEs keeps rounding errors of subtracted values, and so starts
// again.
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
