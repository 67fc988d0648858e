package sqlexpr

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// comparedNumbers compares numbers of different types. Safe for concurrent use.
//
// go-mysql-server: compares BIGINT with BIGINT UNSIGNED as DOUBLE, rounds a DECIMAL to the digits
// of the other side, and fails for a DOUBLE out of the range of DECIMAL. A date never equals a
// number. MySQL: compares exactly, or as DOUBLE if one side is a DOUBLE. A date is the number
// YYYYMMDD.
type comparedNumbers struct {
	expression.Comparer
	holds func(order int) bool // whether the comparison is true for numbers of this order
	equal bool                 // NULL is equal to NULL
}

// compareNumbers returns the comparison that replaces e, or e if nothing replaces it.
func compareNumbers(ctx *sql.Context, e expression.Comparer) (sql.Expression, transform.TreeIdentity, error) {
	if !mends.NumberComparisons.On() || !differentNumbers(e.Left().Type(ctx), e.Right().Type(ctx)) {
		return e, transform.SameTree, nil
	}
	c := &comparedNumbers{Comparer: e}
	switch e.(type) {
	case *expression.Equals:
		c.holds = func(order int) bool { return order == 0 }
	case *expression.NullSafeEquals:
		c.holds, c.equal = func(order int) bool { return order == 0 }, true
	case *expression.GreaterThan:
		c.holds = func(order int) bool { return order > 0 }
	case *expression.GreaterThanOrEqual:
		c.holds = func(order int) bool { return order >= 0 }
	case *expression.LessThan:
		c.holds = func(order int) bool { return order < 0 }
	case *expression.LessThanOrEqual:
		c.holds = func(order int) bool { return order <= 0 }
	default:
		return e, transform.SameTree, nil
	}
	return c, transform.NewTree, nil
}

// Equality returns e as an equality, also if e is an expression with which this package replaces
// one. It returns false if e is no equality.
func Equality(e sql.Expression) (expression.Comparer, bool) {
	if c, ok := e.(*comparedNumbers); ok {
		e = c.Comparer
	}
	eq, ok := e.(*expression.Equals)
	return eq, ok
}

// Comparison returns the two sides of the comparison e, also if e is an expression with which this
// package replaces one. holds reports for which order of the sides e is true; the order is negative
// if the left side is less. sides is nil if e is no comparison, or one that can be true for NULL.
func Comparison(e sql.Expression) (sides expression.Comparer, holds func(order int) bool) {
	if c, ok := e.(*comparedNumbers); ok {
		e = c.Comparer
	}
	switch e := e.(type) {
	case *expression.Equals:
		return e, func(order int) bool { return order == 0 }
	case *expression.GreaterThan:
		return e, func(order int) bool { return order > 0 }
	case *expression.GreaterThanOrEqual:
		return e, func(order int) bool { return order >= 0 }
	case *expression.LessThan:
		return e, func(order int) bool { return order < 0 }
	case *expression.LessThanOrEqual:
		return e, func(order int) bool { return order <= 0 }
	}
	return nil, nil
}

// differentNumbers reports whether two types are numbers that need comparedNumbers.
func differentNumbers(a, b sql.Type) bool {
	number := func(t sql.Type) bool { return types.IsNumber(t) || types.IsDecimal(t) }
	switch {
	case sqlvalue.IsTextBesideDecimal(a, b):
		return true
	case types.IsInteger(a) && types.IsInteger(b):
		return types.IsUnsigned(a) != types.IsUnsigned(b)
	case a == types.Float64 && b == types.Float64:
		return false
	case timeAndNumber(a, b):
		return true
	case types.IsTime(a):
		return number(b)
	case types.IsTime(b):
		return number(a)
	}
	return number(a) && number(b)
}

// timeAndNumber reports whether one of two types is TIME, and the other one a number.
func timeAndNumber(a, b sql.Type) bool {
	if !sqlvalue.IsTimespan(a) {
		a, b = b, a
	}
	return sqlvalue.IsTimespan(a) && (types.IsNumber(b) || types.IsDecimal(b))
}

// Eval implements sql.Expression.
func (c *comparedNumbers) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := c.Left().Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	right, err := c.Right().Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if left == nil || right == nil {
		if c.equal {
			return left == nil && right == nil, nil
		}
		return nil, nil
	}
	a, err := sqlvalue.NumberOf(ctx, c.Left().Type(ctx), left)
	if err != nil {
		return nil, err
	}
	b, err := sqlvalue.NumberOf(ctx, c.Right().Type(ctx), right)
	return c.holds(a.Compare(b)), err
}

// WithChildren implements sql.Expression.
func (c *comparedNumbers) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Comparer.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	changed := *c
	changed.Comparer = e.(expression.Comparer)
	return &changed, nil
}

// scale returns how many digits behind the point the values of an exact type have.
func scale(t sql.Type) uint8 {
	if d, ok := t.(sql.DecimalType); ok {
		return d.Scale()
	}
	return 0
}

// inNumbers returns the expression that replaces "number IN (numbers)", or in if nothing replaces
// it.
func inNumbers(ctx *sql.Context, in expression.Comparer) (sql.Expression, transform.TreeIdentity, error) {
	list, ok := in.Right().(expression.Tuple)
	if !ok {
		return in, transform.SameTree, nil
	}
	t := in.Left().Type(ctx)
	if !slices.ContainsFunc(list, func(e sql.Expression) bool {
		o := e.Type(ctx)
		if sqlvalue.IsTimespan(t) || sqlvalue.IsTimespan(o) {
			return true // go-mysql-server compares times of different types by their hashes
		}
		return differentNumbers(t, o) && (types.IsFloat(t) != types.IsFloat(o) || types.IsTime(t) || sqlvalue.IsTextBesideDecimal(t, o) || scale(o) > scale(t))
	}) {
		return in, transform.SameTree, nil
	}
	return inOnce(in)
}
