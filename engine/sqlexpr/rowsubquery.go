package sqlexpr

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// rowSubquery compares a row with the row of a subquery. Safe for concurrent use.
//
// go-mysql-server: takes NULL in a row for a value that equals itself, and cannot compare it with others. MySQL: (a, b) = (SELECT x, y) is
// a = x AND b = y; NULL if the subquery has no row, and error 1242 if it has several.
type rowSubquery struct {
	expression.Comparer
	width     int
	condition sql.Expression // of a row with the columns of both sides
	nullSafe  bool
}

// newRowSubquery returns c as MySQL calculates it, and false unless a side of it is a subquery with several columns.
func newRowSubquery(ctx *sql.Context, c expression.Comparer) (sql.Expression, bool, error) {
	left, isQuery := rowParts(ctx, c.Left())
	right, too := rowParts(ctx, c.Right())
	if !isQuery && !too || len(left) != len(right) || len(left) < 2 {
		return nil, false, nil
	}
	r := &rowSubquery{Comparer: c, width: len(left)}
	equal := equals
	if _, r.nullSafe = c.(*expression.NullSafeEquals); r.nullSafe {
		equal = func(a, b sql.Expression) sql.Expression { return expression.NewNullSafeEquals(a, b) }
	}
	var last, first operator
	switch c.(type) {
	case *expression.Equals, *expression.NullSafeEquals:
	case *expression.GreaterThanOrEqual:
		last, first = greaterOrEqual, greater
	case *expression.GreaterThan:
		last, first = greater, greater
	case *expression.LessThanOrEqual:
		last, first = lessOrEqual, less
	case *expression.LessThan:
		last, first = less, less
	default:
		return nil, false, nil
	}
	for i := r.width - 1; i >= 0; i-- {
		a, b := &rowOperand{left[i], i}, &rowOperand{right[i], r.width + i}
		switch {
		case last == nil && r.condition == nil:
			r.condition = equal(a, b)
		case last == nil:
			r.condition = expression.NewAnd(equal(a, b), r.condition)
		case r.condition == nil:
			r.condition = last(a, b)
		default:
			r.condition = expression.NewOr(first(a, b), expression.NewAnd(equal(a, b), r.condition))
		}
	}
	var err error
	r.condition, err = MendExpression(ctx, r.condition)
	return r, true, err
}

var (
	greater operator = func(a, b sql.Expression) sql.Expression { return expression.NewGreaterThan(a, b) }
	less    operator = func(a, b sql.Expression) sql.Expression { return expression.NewLessThan(a, b) }
)

// rowParts returns the columns of a row, and whether it is that of a subquery.
func rowParts(ctx *sql.Context, e sql.Expression) (parts []sql.Expression, query bool) {
	switch e := e.(type) {
	case expression.Tuple:
		return e, false
	case *plan.Subquery:
		for i, c := range e.Query.Schema(ctx) {
			parts = append(parts, expression.NewGetField(i, c.Type, c.Name, true))
		}
		return parts, true
	}
	return nil, false
}

// Eval implements sql.Expression.
func (r *rowSubquery) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	pair := make(sql.Row, 2*r.width)
	for i, side := range []sql.Expression{r.Left(), r.Right()} {
		there, err := putRow(ctx, pair[i*r.width:(i+1)*r.width], side, row)
		if err != nil {
			return nil, err
		}
		if !there && !r.nullSafe {
			return nil, nil
		}
	}
	return r.condition.Eval(ctx, pair)
}

// putRow puts the values of a row into to, and reports whether there is one.
func putRow(ctx *sql.Context, to sql.Row, e sql.Expression, row sql.Row) (bool, error) {
	if q, ok := e.(*plan.Subquery); ok {
		rows, err := q.EvalMultiple(ctx, row)
		if err != nil || len(rows) == 0 {
			return false, err
		}
		if len(rows) > 1 {
			return false, sql.ErrExpectedSingleRow.New()
		}
		values, _ := rows[0].([]any)
		copy(to, values)
		return true, nil
	}
	for i, part := range e.(expression.Tuple) {
		v, err := part.Eval(ctx, row)
		if err != nil {
			return false, err
		}
		to[i] = v
	}
	return true, nil
}

// Type implements sql.Expression.
func (*rowSubquery) Type(*sql.Context) sql.Type { return types.Boolean }

// IsNullable implements sql.Expression.
func (*rowSubquery) IsNullable(*sql.Context) bool { return true }

// WithChildren implements sql.Expression.
func (r *rowSubquery) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := r.Comparer.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	c, ok := e.(expression.Comparer)
	if !ok {
		return e, nil
	}
	changed, ok, err := newRowSubquery(ctx, c)
	if err != nil || !ok {
		return e, err
	}
	return changed, nil
}
