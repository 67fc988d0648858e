package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// sleep is SLEEP.
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
	return session.Sleep(func() (any, error) { return s.Sleep.Eval(ctx, row) })
}
