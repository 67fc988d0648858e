package sqlexpr

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"pfsd/engine/collations"
	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// withoutKeys returns a comparison of a column with constants such that no index is used for it, if
// the constants are no keys of the column. It returns e if they are.
//
// go-mysql-server: converts a constant to the type of an indexed column, also if it loses something
// by that: a time of day for a DATE, the range of BIGINT UNSIGNED; a number for a DATE is an error;
// <> with a fraction takes all rows; one beyond the range of a DECIMAL is an error. MySQL: compares the values of the column with the constant.
func withoutKeys(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if !mends.IndexKeys.On() {
		return e, transform.SameTree, nil
	}
	switch e := e.(type) {
	case *expression.Not:
		child, same, err := withoutRoundedKeys(ctx, e.Child)
		if same || err != nil {
			return e, transform.SameTree, err
		}
		return expression.NewNot(child), transform.NewTree, nil
	case *expression.InTuple:
		if list, ok := e.Right().(expression.Tuple); ok {
			return withoutKeysOf(ctx, e, append([]sql.Expression{e.Left()}, list...), func(all []sql.Expression) (sql.Expression, error) {
				in := expression.NewInTuple(all[0], expression.Tuple(all[1:]))
				if _, tuple := all[0].(expression.Tuple); tuple {
					return in, nil
				}
				return newInList(in, expression.Tuple(all[1:])), nil
			})
		}
	case *expression.Between:
		if lower, upper := withoutNarrowKey(ctx, e.Lower, e.Val), withoutNarrowKey(ctx, e.Upper, e.Val); lower != e.Lower || upper != e.Upper {
			to, err := e.WithChildren(ctx, e.Val, lower, upper)
			return to, transform.NewTree, err
		}
		return withoutKeysOf(ctx, e, e.Children(), func(all []sql.Expression) (sql.Expression, error) { return e.WithChildren(ctx, all...) })
	case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
		sides := e.Children()
		if _, ok := sides[0].(*expression.GetField); !ok {
			sides = []sql.Expression{sides[1], sides[0]}
			return withoutKeysOf(ctx, e, sides, func(all []sql.Expression) (sql.Expression, error) { return e.WithChildren(ctx, all[1], all[0]) })
		}
		return withoutKeysOf(ctx, e, sides, func(all []sql.Expression) (sql.Expression, error) { return e.WithChildren(ctx, all...) })
	}
	return e, transform.SameTree, nil
}

// withoutRoundedKeys returns what NOT negates such that no index is used for the comparisons in it whose columns round their keys; true if there are
// none. The analyzer takes NOT into AND and OR.
func withoutRoundedKeys(ctx *sql.Context, e sql.Expression) (sql.Expression, bool, error) {
	children, same := slices.Clone(e.Children()), true
	switch c := e.(type) {
	case *expression.And, *expression.Or, *expression.Not:
		for i, child := range children {
			to, unchanged, err := withoutRoundedKeys(ctx, child)
			if err != nil {
				return e, true, err
			}
			children[i], same = to, same && unchanged
		}
	case expression.Comparer:
		children = []sql.Expression{c.Left(), c.Right()}
		for i, side := range children {
			if f, ok := side.(*expression.GetField); ok && roundsKeys(f.Type(ctx)) {
				children[i], same = &unindexed{expression.UnaryExpressionStub{Child: f}}, false
			}
		}
	}
	if same {
		return e, true, nil
	}
	to, err := e.WithChildren(ctx, children...)
	return to, false, err
}

// withoutKeysOf is withoutKeys for the comparison e of all[0], a column, with the others. made makes
// the comparison of what it gets.
func withoutKeysOf(ctx *sql.Context, e sql.Expression, all []sql.Expression, made func([]sql.Expression) (sql.Expression, error)) (sql.Expression, transform.TreeIdentity, error) {
	f, ok := all[0].(*expression.GetField)
	if !ok {
		return e, transform.SameTree, nil
	}
	_, in := e.(*expression.InTuple)
	keys, same := true, true
	for i, o := range all[1:] {
		l, ok := constantOf(ctx, o)
		if ok && f.Table() != "" { // an aggregate is no column
			if to := comparedConstant(ctx, f.Type(ctx), l); to != nil {
				if same {
					all, same = slices.Clone(all), false
				}
				all[i+1], o, l = to, to, to
			}
		}
		if isNarrow(f.Type(ctx)) {
			keys = keys && ok && isNarrowKey(ctx, f.Type(ctx), l, e)
			continue
		}
		if ok && !isKey(ctx, f.Type(ctx), l, in || sql.Expression(l) != o) {
			keys = false
		}
		if _, more := o.(*boundedValue); more && types.IsDecimal(f.Type(ctx)) {
			keys = false
		}
	}
	switch {
	case keys && same:
		return e, transform.SameTree, nil
	case keys:
		to, err := made(all)
		return to, transform.NewTree, err
	}
	to, err := made(append([]sql.Expression{&unindexed{expression.UnaryExpressionStub{Child: f}}}, all[1:]...))
	return to, transform.NewTree, err
}

// constantOf returns e as a literal; false if e has no value before a row is read, or another one for each row.
func constantOf(ctx *sql.Context, e sql.Expression) (*expression.Literal, bool) {
	switch e := e.(type) {
	case *expression.Literal:
		return e, true
	case *expression.GetField, *plan.Subquery, *boundedValue:
		return nil, false
	}
	if !isConstant(ctx, e) {
		return nil, false
	}
	v, err := e.Eval(ctx, nil)
	if err != nil {
		return nil, false
	}
	return expression.NewLiteral(v, e.Type(ctx)), true
}

// isConstant tells whether e has one value for all rows of an execution.
func isConstant(ctx *sql.Context, e sql.Expression) bool {
	constant := true
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField, *plan.Subquery, *expression.BindVar, *expression.ProcedureParam, *expression.SetField, *boundedValue:
			constant = false
		case *function.Now, *function.CurrTime, *function.CurrDate: // the moment of the statement
		case sql.NonDeterministicExpression:
			constant = constant && !e.IsNonDeterministic()
		}
		return constant
	})
	return constant
}

// withoutNarrowKey returns e, a bound of a range that value is compared with, such that no index is used for it if it is a column whose type does
// not have all values that it can be compared with: a YEAR, an ENUM or a SET, or any if value is a constant that is none of its keys.
func withoutNarrowKey(ctx *sql.Context, e, value sql.Expression) sql.Expression {
	f, ok := e.(*expression.GetField)
	if !ok {
		return e
	}
	l, constant := constantOf(ctx, value)
	if isNarrow(f.Type(ctx)) || constant && !isKey(ctx, f.Type(ctx), l, true) {
		return &unindexed{expression.UnaryExpressionStub{Child: f}}
	}
	return e
}

// hasFraction reports whether t is a type of numbers with digits behind the point.
func hasFraction(t sql.Type) bool { return types.IsFloat(t) || types.IsDecimal(t) }

// roundsKeys reports whether an index of a column of type t rounds the constants that it is asked
// for, so that it cannot say which rows differ from them.
func roundsKeys(t sql.Type) bool { return hasFraction(t) || sqlvalue.IsTimespan(t) }

// isKey reports whether a constant can become a value of the type of a column, and loses nothing
// that a comparison needs. made says that it stands in a list, or is calculated, so that an index
// rounds it.
func isKey(ctx *sql.Context, t sql.Type, l *expression.Literal, made bool) bool {
	v := l.Value()
	number := types.IsNumber(l.Typ) || types.IsDecimal(l.Typ)
	switch {
	case v == nil:
		return true
	case sqlvalue.IsTimespan(t):
		return !made && !number
	case types.IsTime(t) && number:
		return false
	case t == types.Date:
		m, ok, err := sqlvalue.MomentIn(ctx, l.Typ, v, false)
		return err == nil && ok && m.Micros == 0
	case types.IsTime(t):
		us := 0
		switch v := v.(type) {
		case time.Time:
			us = v.Nanosecond() / 1000
		case string:
			m, _, _ := sqlvalue.ParseDate(v)
			us = m.Micro()
		}
		return us%int(math.Pow10(sqlvalue.MaxMicro-fractionOf(t))) == 0
	case t == types.Float32:
		n, err := sqlvalue.NumberOf(ctx, l.Typ, v)
		return !made && number && err == nil && n.Float() == float64(float32(n.Float()))
	case types.IsInteger(t) && number:
		d, ok := v.(decimal.Decimal)
		return !ok || d.Abs().LessThan(decimal.New(1, 18))
	case types.IsInteger(t):
		text, ok := v.(string)
		return !ok || !strings.ContainsAny(text, ".eE")
	case types.IsDecimal(t):
		if _, _, err := t.Convert(ctx, v); err != nil {
			return false
		}
		d, ok := v.(decimal.Decimal)
		scaled, is := t.(sql.DecimalType)
		return !number || ok && (!made || is && int(-d.Exponent()) <= int(scaled.Scale())) || types.IsInteger(l.Typ)
	}
	return true
}

// isNarrow tells whether t has only some of the values that a column of it is compared with: ENUM and SET, which are compared with texts in
// the order of texts, not in that of their index, and YEAR.
func isNarrow(t sql.Type) bool { return types.IsEnum(t) || types.IsSet(t) || types.IsYear(t) }

// isNarrowKey is isKey for the comparison e of a column of one of these types.
func isNarrowKey(ctx *sql.Context, t sql.Type, l *expression.Literal, e sql.Expression) bool {
	v := l.Value()
	if v == nil {
		return true
	}
	equal := false
	switch e.(type) {
	case *expression.Equals, *expression.NullSafeEquals, *expression.InTuple:
		equal = true
	}
	_, isText := v.(string)
	if isText && !equal && !types.IsYear(t) {
		return false
	}
	if _, integer := sqlvalue.IntegerLiteral(v); !integer && !isText {
		return false
	}
	key, in, err := t.Convert(ctx, v)
	if err != nil || in != sql.InRange {
		return false
	}
	back, err := t.SQL(ctx, nil, key)
	return err == nil && (!isText && !types.IsYear(t) || strings.EqualFold(back.ToString(), fmt.Sprint(v)))
}

// unindexed is a column that is compared with constants that are no keys of its index.
type unindexed struct{ expression.UnaryExpressionStub }

var _ sql.CollationCoercible = (*unindexed)(nil)

// String implements sql.Expression.
func (u *unindexed) String() string { return u.Child.String() }

// DebugString implements sql.DebugStringer.
func (u *unindexed) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, u.Child) }

// Type implements sql.Expression.
func (u *unindexed) Type(ctx *sql.Context) sql.Type { return u.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (u *unindexed) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return collations.CoercibilityOf(ctx, u.Child)
}

// WithChildren implements sql.Expression.
func (u *unindexed) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), 1)
	}
	return &unindexed{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (u *unindexed) Eval(ctx *sql.Context, row sql.Row) (any, error) { return u.Child.Eval(ctx, row) }

// PlainPlans does what [PlainDoubles] does for plans for which the analyzer does not call it, and
// for those of subqueries.
func PlainPlans(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	if i, ok := n.(*plan.InsertInto); ok && i.Source != nil {
		source, err := PlainPlans(ctx, i.Source)
		if err != nil {
			return nil, err
		}
		i = i.WithSource(source)
		n = storedSource(ctx, i)
	}
	n, _, err := PlainDoubles(ctx, nil, n, nil, nil, nil)
	return n, err
}

// plainSubqueries returns e with the plans of its subqueries changed by PlainPlans.
func plainSubqueries(ctx *sql.Context, e sql.ExpressionWithNodes) (sql.Expression, transform.TreeIdentity, error) {
	nodes := e.NodeChildren()
	changed := make([]sql.Node, len(nodes))
	for i, n := range nodes {
		var err error
		if changed[i], err = PlainPlans(ctx, n); err != nil {
			return nil, transform.SameTree, err
		}
	}
	to, err := e.WithNodeChildren(ctx, changed...)
	return to, transform.NewTree, err
}
