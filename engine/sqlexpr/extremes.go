package sqlexpr

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/collations"
	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// extreme is GREATEST or LEAST of values that are not all exact numbers. Safe for concurrent use.
//
// go-mysql-server: ENUM, SET and TIME are errors, dates are compared as texts with texts. MySQL:
// the values are compared in the type of all of them, and as dates if one of them is a date.
type extreme struct {
	name string
	sign int // of the comparison of the result with any other value
	args []sql.Expression
	kept keptType
}

var (
	_ sql.FunctionExpression = (*extreme)(nil)
	_ sql.CollationCoercible = (*extreme)(nil)
)

// newExtreme returns a function that makes GREATEST if sign is 1, LEAST if it is -1. plain is
// go-mysql-server's.
func newExtreme(name string, sign int, plain sql.CreateFuncNArgs) sql.CreateFuncNArgs {
	return func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if !mends.Extremes.On() {
			return plain(ctx, args...)
		}
		args, _ = collations.InCommon(ctx, args)
		return &extreme{name: name, sign: sign, args: args}, nil
	}
}

// FunctionName implements sql.FunctionExpression.
func (x *extreme) FunctionName() string { return x.name }

// Description implements sql.FunctionExpression.
func (x *extreme) Description() string { return x.name + " of values." }

// String implements sql.Expression.
func (x *extreme) String() string {
	texts := make([]string, len(x.args))
	for i, a := range x.args {
		texts[i] = a.String()
	}
	return x.name + "(" + strings.Join(texts, ",") + ")"
}

// Resolved implements sql.Expression.
func (x *extreme) Resolved() bool {
	for _, a := range x.args {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

// IsNullable implements sql.Expression.
func (x *extreme) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (x *extreme) Children() []sql.Expression { return x.args }

// WithChildren implements sql.Expression.
func (x *extreme) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(x.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(x, len(children), len(x.args))
	}
	return &extreme{name: x.name, sign: x.sign, args: children}, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (x *extreme) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if !kindOf(x.Type(ctx)).text() {
		return sql.Collation_binary, collations.NumberStrength
	}
	return collations.Common(ctx, x.args)
}

// Type implements sql.Expression.
func (x *extreme) Type(ctx *sql.Context) sql.Type {
	return x.kept.of(ctx, x, func() sql.Type {
		t, err := AggregatedType(ctx, x.args, x.name)
		switch {
		case err != nil:
			return types.LongText // Eval returns the error
		case t == nil:
			return types.Null
		}
		return t
	})
}

// dated reports whether one of the arguments is a date.
func (x *extreme) dated(ctx *sql.Context) bool {
	for _, a := range x.args {
		if types.IsTime(a.Type(ctx)) {
			return true
		}
	}
	return false
}

// Eval implements sql.Expression.
func (x *extreme) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	values := make([]any, len(x.args))
	for i, a := range x.args {
		v, err := a.Eval(ctx, row)
		if v == nil || err != nil {
			return nil, err
		}
		values[i] = v
	}
	t := x.Type(ctx)
	switch {
	case t == types.Null:
		return nil, nil
	case kindOf(t).text():
		if _, err := AggregatedType(ctx, x.args, x.name); err != nil {
			return nil, err
		}
	}
	if x.dated(ctx) {
		return x.latest(ctx, values, t)
	}
	var found any
	for i, v := range values {
		if text, ok := v.(string); ok && len(text) > longText { // which takes long to convert and to compare
			if err := sqlvalue.Ended(ctx); err != nil {
				return nil, err
			}
		}
		v, err := aggregatedValue(ctx, x.args[i], v, t)
		if v == nil || err != nil {
			return nil, err
		}
		if text, ok := v.(string); ok && i > 0 && text == found {
			continue
		}
		if i > 0 {
			order, err := t.Compare(ctx, v, found)
			if err != nil {
				return nil, err
			}
			if order != x.sign {
				continue
			}
		}
		found = v
	}
	return found, nil
}

// latest compares values as dates.
func (x *extreme) latest(ctx *sql.Context, values []any, t sql.Type) (any, error) {
	best, at := int64(0), 0
	for i, v := range values {
		m, ok, err := sqlvalue.MomentIn(ctx, x.args[i].Type(ctx), v, false)
		if !ok || err != nil {
			return nil, err
		}
		total := m.Dated(ctx).Total()
		if i == 0 || x.sign > 0 && total > best || x.sign < 0 && total < best {
			best, at = total, i
		}
	}
	if !kindOf(t).text() {
		return aggregatedValue(ctx, x.args[at], values[at], t)
	}
	m, ok, err := sqlvalue.MomentIn(ctx, x.args[at].Type(ctx), values[at], false)
	if !ok || err != nil {
		return nil, err
	}
	return x.dateText(ctx, m)
}

// dateText returns the text of m as a date, or as a DATETIME if an argument is one.
func (x *extreme) dateText(ctx *sql.Context, m sqlvalue.Moment) (any, error) {
	day, digits := true, 0
	for _, a := range x.args {
		if t := a.Type(ctx); types.IsTime(t) && !types.IsDateType(t) {
			day, digits = false, max(digits, fractionOf(t))
		}
	}
	if day {
		return sqlvalue.ValueText(ctx, types.Date, sqlvalue.DatetimeValue(m, 0))
	}
	return sqlvalue.ValueText(ctx, sqlvalue.DatetimeType(digits), sqlvalue.DatetimeValue(m.Dated(ctx), digits))
}
