package sqlexpr

import (
	"math"
	"math/bits"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// ExactFunctions returns the functions that have exact results for exact arguments. For other
// arguments, they call go-mysql-server's functions.
//
// go-mysql-server: GREATEST and LEAST of DECIMALs are DOUBLE, and fail for integers of 2^63 or
// more. ROUND, TRUNCATE, FORMAT, FLOOR, CEIL and BIT_COUNT clip such integers. MySQL: the results
// are exact.
func ExactFunctions() map[string]sql.Function {
	functions := map[string]sql.Function{}
	define := func(name string, plain sql.CreateFuncNArgs, eval func(*exactFunction, *sql.Context, []sqlvalue.Number) (any, error), typ func(*sql.Context, []sql.Expression) sql.Type) {
		functions[name] = sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			return newExactFunction(ctx, &exactFunction{name: name, plain: plain, eval: eval, typ: typ}, args)
		}}
	}
	define("greatest", ofMore("greatest", newExtreme("greatest", 1, function.NewGreatest)), (*exactFunction).greatest, extremeType)
	define("least", ofMore("least", newExtreme("least", -1, function.NewLeast)), (*exactFunction).least, extremeType)
	define("round", function.NewRound, (*exactFunction).round, placesType)
	define("truncate", ofTwo(function.NewTruncate), (*exactFunction).truncate, placesType)
	define("floor", ofOne("floor", function.NewFloor), (*exactFunction).floor, wholeType)
	define("ceil", ofOne("ceil", function.NewCeil), (*exactFunction).ceiling, wholeType)
	define("ceiling", ofOne("ceiling", function.NewCeil), (*exactFunction).ceiling, wholeType)
	define("sign", ofOne("sign", function.NewSign), (*exactFunction).sign, signType)
	define("bit_count", ofOne("bit_count", function.NewBitCount), (*exactFunction).bitCount, bitCountType)
	return functions
}

func ofOne(name string, f func(*sql.Context, sql.Expression) sql.Expression) sql.CreateFuncNArgs {
	return func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != 1 {
			return nil, sql.ErrInvalidArgumentNumber.New(name, 1, len(args))
		}
		return f(ctx, args[0]), nil
	}
}

func ofTwo(f func(_ *sql.Context, a, b sql.Expression) sql.Expression) sql.CreateFuncNArgs {
	return func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != 2 {
			return nil, sql.ErrInvalidArgumentNumber.New("truncate", 2, len(args))
		}
		return f(ctx, args[0], args[1]), nil
	}
}

func ofMore(name string, f sql.CreateFuncNArgs) sql.CreateFuncNArgs {
	return func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) < 2 {
			return nil, sql.ErrInvalidArgumentNumber.New(name, "2 or more", len(args))
		}
		return f(ctx, args...)
	}
}

// exactFunction is one of ExactFunctions. Safe for concurrent use.
type exactFunction struct {
	sql.Expression // go-mysql-server's function
	name           string
	args           []sql.Expression
	plain          sql.CreateFuncNArgs
	// eval returns the value for arguments that are not NULL. typ returns the type, or nil if
	// go-mysql-server's function calculates the value for these arguments.
	eval func(*exactFunction, *sql.Context, []sqlvalue.Number) (any, error)
	typ  func(*sql.Context, []sql.Expression) sql.Type
	kept keptType
}

var _ sql.FunctionExpression = (*exactFunction)(nil)

func newExactFunction(ctx *sql.Context, f *exactFunction, args []sql.Expression) (sql.Expression, error) {
	plain, err := f.plain(ctx, args...)
	if err != nil {
		return nil, err
	}
	return &exactFunction{Expression: plain, name: f.name, args: args, plain: f.plain, eval: f.eval, typ: f.typ}, nil
}

// FunctionName implements sql.FunctionExpression.
func (f *exactFunction) FunctionName() string { return f.name }

// Description implements sql.FunctionExpression.
func (f *exactFunction) Description() string { return f.name + " of exact numbers." }

// Children implements sql.Expression.
func (f *exactFunction) Children() []sql.Expression { return f.args }

// WithChildren implements sql.Expression.
func (f *exactFunction) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return newExactFunction(ctx, f, children)
}

// CollationCoercibility implements sql.CollationCoercible.
func (f *exactFunction) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, f.Expression)
}

// Type implements sql.Expression.
func (f *exactFunction) Type(ctx *sql.Context) sql.Type {
	if t := f.exactType(ctx); t != types.Null {
		return t
	}
	return f.Expression.Type(ctx)
}

// exactType returns the type of an exact result, or types.Null if the result is not exact.
func (f *exactFunction) exactType(ctx *sql.Context) sql.Type {
	return f.kept.of(ctx, f, func() sql.Type {
		if t := f.typ(ctx, f.args); t != nil {
			return t
		}
		return types.Null
	})
}

// Eval implements sql.Expression.
func (f *exactFunction) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if f.exactType(ctx) == types.Null {
		return f.Expression.Eval(ctx, row)
	}
	numbers := make([]sqlvalue.Number, len(f.args))
	for i, a := range f.args {
		v, err := a.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		if numbers[i], err = sqlvalue.NumberOf(ctx, a.Type(ctx), v); err != nil {
			return nil, err
		}
	}
	return f.eval(f, ctx, numbers)
}

// extremeType returns the type of GREATEST or LEAST of exact numbers.
func extremeType(ctx *sql.Context, args []sql.Expression) sql.Type {
	signed, unsigned, big, whole, fraction := false, false, false, 0, 0
	for _, a := range args {
		t := a.Type(ctx)
		digits, f, ok := ExactDigits(ctx, a)
		if !ok || !types.IsInteger(t) && !types.IsDecimal(t) {
			return nil
		}
		signed, unsigned = signed || !types.IsUnsigned(t), unsigned || types.IsUnsigned(t)
		big = big || types.IsDecimal(t) || t == types.Uint64
		whole, fraction = max(whole, digits-f), max(fraction, f)
		signed = signed || types.IsDecimal(t)
		unsigned = unsigned || types.IsDecimal(t)
	}
	switch {
	case !unsigned, signed && !big:
		return types.Int64
	case !signed:
		return types.Uint64
	}
	return sqlvalue.DecimalType(whole+fraction, fraction)
}

func (f *exactFunction) greatest(ctx *sql.Context, all []sqlvalue.Number) (any, error) {
	return f.extreme(ctx, all, 1)
}

func (f *exactFunction) least(ctx *sql.Context, all []sqlvalue.Number) (any, error) {
	return f.extreme(ctx, all, -1)
}

// extreme returns the greatest number if sign is 1, the least if it is -1.
func (f *exactFunction) extreme(ctx *sql.Context, all []sqlvalue.Number, sign int) (any, error) {
	found := all[0].Exactly()
	for _, n := range all[1:] {
		if d := n.Exactly(); d.Cmp(found) == sign {
			found = d
		}
	}
	t := f.Type(ctx)
	if scaled, ok := t.(sql.DecimalType); ok && int(-found.Exponent()) > int(scaled.Scale()) {
		return found, nil // which keeps all digits
	}
	return exactValue(t, found), nil
}

// exactValue returns d as a value of an exact type.
func exactValue(t sql.Type, d decimal.Decimal) any {
	if scaled, ok := t.(sql.DecimalType); ok {
		return sqlvalue.Rescale(d, int(scaled.Scale()))
	}
	if types.IsUnsigned(t) {
		return d.BigInt().Uint64()
	}
	return d.BigInt().Int64()
}

// placesType returns the type of ROUND and TRUNCATE. The second argument is the number of digits
// behind the point, or 0 if there is none. The type depends on it if it is constant.
func placesType(ctx *sql.Context, args []sql.Expression) sql.Type {
	t := args[0].Type(ctx)
	digits, fraction, ok := ExactDigits(ctx, args[0])
	switch {
	case !ok:
		return types.Float64
	case types.IsUnsigned(t):
		return types.Uint64
	case !types.IsDecimal(t):
		return types.Int64
	}
	left := fraction // if the second argument is not constant
	if len(args) == 1 {
		left = 0
	} else if v, ok := constantValue(ctx, args[1]); ok {
		if n, err := sqlvalue.NumberOf(ctx, args[1].Type(ctx), v); err == nil {
			left = 0
			if n, ok := n.Rounded(); ok && !n.Negative {
				left = int(min(n.Size, sqlvalue.MaxFraction))
			}
		}
	}
	return sqlvalue.DecimalType(digits-fraction+left+1, left)
}

// constantValue returns the value of a constant expression. It returns false if the expression is
// NULL or not constant.
func constantValue(ctx *sql.Context, e sql.Expression) (any, bool) {
	if l, ok := e.(*expression.Literal); ok {
		return l.Value(), l.Value() != nil
	}
	if ctx == nil || transform.InspectExpr(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
		switch e.(type) {
		case *Arithmetic, *Unary, *expression.Literal:
			return false
		}
		return true
	}) {
		return nil, false
	}
	v, err := e.Eval(ctx, nil)
	return v, err == nil && v != nil
}

func (f *exactFunction) round(ctx *sql.Context, all []sqlvalue.Number) (any, error) {
	return f.toPlaces(ctx, all, math.RoundToEven, decimal.Decimal.Round)
}

func (f *exactFunction) truncate(ctx *sql.Context, all []sqlvalue.Number) (any, error) {
	return f.toPlaces(ctx, all, math.Trunc, func(d decimal.Decimal, places int32) decimal.Decimal {
		if places >= 0 {
			return d.Truncate(places)
		}
		return d.Shift(places).Truncate(0).Shift(-places)
	})
}

// toPlaces returns the first number of all, with as many digits behind the point as the second one
// says, in the type of f. double rounds a DOUBLE to an integer, and exactly rounds a DECIMAL.
func (f *exactFunction) toPlaces(ctx *sql.Context, all []sqlvalue.Number, double func(float64) float64, exactly func(decimal.Decimal, int32) decimal.Decimal) (any, error) {
	const most = 100
	places := int64(0)
	if len(all) > 1 {
		n, _ := all[1].Rounded()
		places = int64(min(n.Size, most))
		if n.Negative {
			places = -places
		}
	}
	t := f.Type(ctx)
	if t == types.Float64 {
		return toDoublePlaces(all[0].Float(), int(places), double), nil
	}
	if scaled, ok := t.(sql.DecimalType); ok {
		places = min(places, int64(scaled.Scale()))
	}
	d := exactly(all[0].Exactly(), int32(places))
	if n, ok := sqlvalue.DecimalNumber(d).Rounded(); types.IsInteger(t) && (!ok || !n.Fits(t == types.Uint64)) {
		return nil, sqlvalue.ErrOutOfRange(sqlvalue.NumberClass{Unsigned: t == types.Uint64}, ErrorText(f))
	}
	return exactValue(t, d), nil
}

// toDoublePlaces returns f with this many digits behind the point. It calculates in the same steps
// as MySQL, so that the result is the same DOUBLE. whole rounds to an integer.
func toDoublePlaces(f float64, places int, whole func(float64) float64) float64 {
	scale := math.Pow10(max(places, -places))
	if places < 0 {
		if math.IsInf(scale, 0) {
			return 0
		}
		return whole(f/scale) * scale
	}
	if scaled := f * scale; !math.IsInf(scaled, 0) && !math.IsInf(scale, 0) {
		return whole(scaled) / scale
	}
	return f
}

// wholeType returns the type of FLOOR and CEIL. A DECIMAL loses its digits behind the point, and
// gets one more digit in front of it.
func wholeType(ctx *sql.Context, args []sql.Expression) sql.Type {
	t := args[0].Type(ctx)
	digits, fraction, ok := ExactDigits(ctx, args[0])
	switch {
	case !ok:
		return types.Float64
	case !types.IsDecimal(t) && !types.IsInteger(t):
		return nil
	case types.IsInteger(t):
		return integerType(t)
	case digits-fraction+min(fraction, 1) < bigintDigits:
		return types.Int64
	}
	return sqlvalue.DecimalType(digits-fraction+min(fraction, 1), 0)
}

// bigintDigits is how many digits a BIGINT can have.
const bigintDigits = 19

// integerType returns BIGINT, or BIGINT UNSIGNED if t is unsigned.
func integerType(t sql.Type) sql.Type {
	if types.IsUnsigned(t) {
		return types.Uint64
	}
	return types.Int64
}

func (f *exactFunction) floor(ctx *sql.Context, all []sqlvalue.Number) (any, error) {
	if t := f.Type(ctx); t == types.Float64 {
		return math.Floor(all[0].Float()), nil
	}
	return exactValue(f.Type(ctx), all[0].Exactly().Floor()), nil
}

func (f *exactFunction) ceiling(ctx *sql.Context, all []sqlvalue.Number) (any, error) {
	if t := f.Type(ctx); t == types.Float64 {
		return math.Ceil(all[0].Float()), nil
	}
	return exactValue(f.Type(ctx), all[0].Exactly().Ceil()), nil
}

// bitCountType returns the type of BIT_COUNT of an integer.
func bitCountType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if !types.IsInteger(args[0].Type(ctx)) {
		return nil
	}
	return types.Int32
}

func (*exactFunction) bitCount(_ *sql.Context, all []sqlvalue.Number) (any, error) {
	return int32(bits.OnesCount64(all[0].Bits())), nil
}

// signType returns the type of SIGN of a number of any kind. go-mysql-server: a DOUBLE loses its
// fraction first. MySQL: SIGN(0.3e0) is 1.
func signType(*sql.Context, []sql.Expression) sql.Type { return types.Int64 }

func (*exactFunction) sign(_ *sql.Context, all []sqlvalue.Number) (any, error) {
	return int64(all[0].Compare(sqlvalue.Number{})), nil
}
