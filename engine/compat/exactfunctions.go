package compat

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// exactFunctions are functions of exact numbers.
//
// go-mysql-server: GREATEST and LEAST of a DECIMAL is a DOUBLE, and of integers an error beyond 2^63; ROUND, TRUNCATE,
// FORMAT, FLOOR, CEIL and BIT_COUNT clip there. MySQL: what goes in exact comes out exact. Of other numbers they
// are go-mysql-server's.
func exactFunctions() map[string]sql.Function {
	functions := map[string]sql.Function{}
	define := func(name string, plain sql.CreateFuncNArgs, eval func(*exactFunction, *sql.Context, []number) (any, error), typ func(*sql.Context, []sql.Expression) sql.Type) {
		functions[name] = sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			return newExactFunction(ctx, &exactFunction{name: name, plain: plain, eval: eval, typ: typ}, args)
		}}
	}
	define("greatest", ofMore("greatest", function.NewGreatest), (*exactFunction).greatest, extremeType)
	define("least", ofMore("least", function.NewLeast), (*exactFunction).least, extremeType)
	define("round", function.NewRound, (*exactFunction).round, placesType)
	define("truncate", ofTwo(function.NewTruncate), (*exactFunction).truncate, placesType)
	define("format", function.NewFormat, (*exactFunction).format, formatType)
	define("floor", ofOne("floor", function.NewFloor), (*exactFunction).floor, wholeType)
	define("ceil", ofOne("ceil", function.NewCeil), (*exactFunction).ceiling, wholeType)
	define("ceiling", ofOne("ceiling", function.NewCeil), (*exactFunction).ceiling, wholeType)
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

// exactFunction is one of exactFunctions. Safe for concurrent use.
type exactFunction struct {
	sql.Expression // go-mysql-server's function
	name           string
	args           []sql.Expression
	plain          sql.CreateFuncNArgs
	// eval calculates it; none of the arguments is NULL. typ is its type, nil if it is go-mysql-server's for
	// these arguments.
	eval func(*exactFunction, *sql.Context, []number) (any, error)
	typ  func(*sql.Context, []sql.Expression) sql.Type
}

var _ sql.FunctionExpression = (*exactFunction)(nil)

func newExactFunction(ctx *sql.Context, f *exactFunction, args []sql.Expression) (sql.Expression, error) {
	own := *f
	var err error
	if own.Expression, err = f.plain(ctx, args...); err != nil {
		return nil, err
	}
	own.args = args
	return &own, nil
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
	return sql.GetCoercibility(ctx, f.Expression)
}

// Type implements sql.Expression.
func (f *exactFunction) Type(ctx *sql.Context) sql.Type {
	if t := f.typ(ctx, f.args); t != nil {
		return t
	}
	return f.Expression.Type(ctx)
}

// Eval implements sql.Expression.
func (f *exactFunction) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if f.typ(ctx, f.args) == nil {
		return f.Expression.Eval(ctx, row)
	}
	numbers := make([]number, len(f.args))
	for i, a := range f.args {
		v, err := a.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		if numbers[i], err = numberOf(ctx, a.Type(ctx), v); err != nil {
			return nil, err
		}
	}
	return f.eval(f, ctx, numbers)
}

// extremeType is the type of the greatest or least of exact numbers.
func extremeType(ctx *sql.Context, args []sql.Expression) sql.Type {
	signed, unsigned, whole, fraction := false, false, 0, 0
	for _, a := range args {
		t := a.Type(ctx)
		digits, f, ok := exactDigits(ctx, a)
		if !ok || !types.IsInteger(t) && !types.IsDecimal(t) {
			return nil
		}
		signed, unsigned = signed || !types.IsUnsigned(t), unsigned || types.IsUnsigned(t)
		whole, fraction = max(whole, digits-f), max(fraction, f)
		signed = signed || types.IsDecimal(t)
		unsigned = unsigned || types.IsDecimal(t)
	}
	switch {
	case !unsigned:
		return types.Int64
	case !signed:
		return types.Uint64
	}
	return decimalType(whole+fraction, fraction)
}

func (f *exactFunction) greatest(ctx *sql.Context, all []number) (any, error) {
	return f.extreme(ctx, all, 1)
}

func (f *exactFunction) least(ctx *sql.Context, all []number) (any, error) {
	return f.extreme(ctx, all, -1)
}

// extreme is the greatest of numbers if sign is 1, the least if it is -1.
func (f *exactFunction) extreme(ctx *sql.Context, all []number, sign int) (any, error) {
	found := all[0].exactly()
	for _, n := range all[1:] {
		if d := n.exactly(); d.Cmp(found) == sign {
			found = d
		}
	}
	return exactValue(f.Type(ctx), found), nil
}

// exactValue is d as a value of an exact type that can hold it.
func exactValue(t sql.Type, d decimal.Decimal) any {
	if scaled, ok := t.(sql.DecimalType); ok {
		return rescale(d, int(scaled.Scale()))
	}
	if types.IsUnsigned(t) {
		return d.BigInt().Uint64()
	}
	return d.BigInt().Int64()
}

// placesType is the type of an exact number of which so many places are left, which a literal says: 0 of them
// if there is none.
func placesType(ctx *sql.Context, args []sql.Expression) sql.Type {
	t, places := args[0].Type(ctx), 0
	if len(args) > 1 {
		l, ok := args[1].(*expression.Literal)
		if !ok || !types.IsInteger(l.Type(ctx)) {
			return nil
		}
		var err error
		if places, err = strconv.Atoi(fmt.Sprint(l.Value())); err != nil || places < 0 {
			return nil
		}
	}
	switch digits, fraction, ok := exactDigits(ctx, args[0]); {
	case !ok:
		return nil
	case types.IsUnsigned(t):
		return types.Uint64
	case types.IsInteger(t):
		return types.Int64
	case types.IsDecimal(t):
		left := min(places, fraction)
		return decimalType(digits-fraction+left+1, left)
	}
	return nil
}

func (f *exactFunction) round(ctx *sql.Context, all []number) (any, error) {
	t := f.Type(ctx)
	d := all[0].exactly()
	if scaled, ok := t.(sql.DecimalType); ok {
		d = d.Round(int32(scaled.Scale()))
	}
	return exactValue(t, d), nil
}

func (f *exactFunction) truncate(ctx *sql.Context, all []number) (any, error) {
	t := f.Type(ctx)
	d := all[0].exactly()
	if scaled, ok := t.(sql.DecimalType); ok {
		d = d.Truncate(int32(scaled.Scale()))
	}
	return exactValue(t, d), nil
}

// wholeType is the type of a DECIMAL without its digits behind the point, with room for one digit more in front of it.
func wholeType(ctx *sql.Context, args []sql.Expression) sql.Type {
	t := args[0].Type(ctx)
	digits, fraction, ok := exactDigits(ctx, args[0])
	switch {
	case !ok || !types.IsDecimal(t) && !types.IsInteger(t):
		return nil
	case types.IsInteger(t):
		return integerType(t)
	case digits-fraction+min(fraction, 1) < bigintDigits:
		return types.Int64
	}
	return decimalType(digits-fraction+min(fraction, 1), 0)
}

// bigintDigits are how many digits a BIGINT may have.
const bigintDigits = 19

// integerType is BIGINT, or BIGINT UNSIGNED if t is unsigned.
func integerType(t sql.Type) sql.Type {
	if types.IsUnsigned(t) {
		return types.Uint64
	}
	return types.Int64
}

func (f *exactFunction) floor(ctx *sql.Context, all []number) (any, error) {
	return exactValue(f.Type(ctx), all[0].exactly().Floor()), nil
}

func (f *exactFunction) ceiling(ctx *sql.Context, all []number) (any, error) {
	return exactValue(f.Type(ctx), all[0].exactly().Ceil()), nil
}

// formatType is the type of FORMAT of an exact number in the locale that there is without one.
func formatType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if t := args[0].Type(ctx); len(args) != 2 || !types.IsInteger(t) && !types.IsDecimal(t) {
		return nil
	}
	return types.LongText
}

func (*exactFunction) format(_ *sql.Context, all []number) (any, error) {
	const most = 30 // digits behind the point
	places := min(max(all[1].exactly().Round(0).IntPart(), 0), most)
	whole, fraction, point := strings.Cut(all[0].exactly().StringFixed(int32(places)), ".")
	whole, negative := strings.CutPrefix(whole, "-")
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if point {
		b.WriteString("." + fraction)
	}
	return b.String(), nil
}

// bitCountType is the type of BIT_COUNT of an integer.
func bitCountType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if !types.IsInteger(args[0].Type(ctx)) {
		return nil
	}
	return types.Int32
}

func (*exactFunction) bitCount(_ *sql.Context, all []number) (any, error) {
	return int32(bits.OnesCount64(all[0].bits())), nil
}
