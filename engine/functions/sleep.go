package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// sleep is SLEEP.
//
// go-mysql-server: a statement fails whose SLEEP is interrupted. MySQL: one that does nothing but sleep goes on, and SLEEP is 1.
type sleep struct{ *function.Sleep }

func newSleep(ctx *sql.Context, arg sql.Expression) sql.Expression {
	return sleep{function.NewSleep(ctx, arg).(*function.Sleep)}
}

// IsNonDeterministic implements sql.NonDeterministicExpression: it is evaluated for each row.
func (sleep) IsNonDeterministic() bool { return true }

// WithChildren implements sql.Expression.
func (s sleep) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return newSleep(ctx, children[0]), nil
}

// Eval implements sql.Expression.
func (s sleep) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	session := sessionOf(ctx)
	if session == nil {
		return s.Sleep.Eval(ctx, row)
	}
	value, interrupted, err := session.Sleep(ctx, func(ctx *sql.Context) (any, error) { return s.Sleep.Eval(ctx, row) })
	if interrupted {
		return 1, nil
	}
	return value, err
}
