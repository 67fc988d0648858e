package sqlexpr

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// wholeNumber is a number that a function takes as an integer. Safe for concurrent use.
//
// go-mysql-server: ELT of a number with a fraction is NULL. MySQL: rounds the number.
type wholeNumber struct{ expression.UnaryExpressionStub }

// String implements sql.Expression.
func (w *wholeNumber) String() string { return w.Child.String() }

// Type implements sql.Expression.
func (*wholeNumber) Type(*sql.Context) sql.Type { return types.Int64 }

// WithChildren implements sql.Expression.
func (w *wholeNumber) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(w, len(children), 1)
	}
	return &wholeNumber{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (w *wholeNumber) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := w.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	n, err := sqlvalue.NumberOf(ctx, w.Child.Type(ctx), v)
	if err != nil {
		return nil, err
	}
	if _, text := v.(string); text {
		n.Double = math.Trunc(n.Double)
	} else if n.Kind == sqlvalue.Approximate {
		n.Double = math.RoundToEven(n.Double)
	}
	whole, ok := n.Rounded()
	if !ok || !whole.Fits(false) {
		return int64(math.MaxInt64), nil
	}
	kept, _ := sqlvalue.NumberClass{}.Value(whole)
	return kept, nil
}
