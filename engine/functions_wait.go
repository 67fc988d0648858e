package engine

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/instr"
)

// wait does what waits; the statement is in stage c meanwhile.
func (w *work) wait(c *instr.StageClass, do func() (any, error)) (any, error) {
	w.thread.StartStage(c)
	defer w.goOn()
	return do()
}

// sleep is SLEEP.
type sleep struct{ *function.Sleep }

func newSleep(ctx *sql.Context, arg sql.Expression) sql.Expression {
	return sleep{function.NewSleep(ctx, arg).(*function.Sleep)}
}

// IsNonDeterministic implements sql.NonDeterministicExpression: it is not worked out once for all rows.
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
	w := workOf(ctx)
	if w == nil {
		return s.Sleep.Eval(ctx, row)
	}
	return w.wait(w.stages.userSleep, func() (any, error) { return s.Sleep.Eval(ctx, row) })
}

// getLock is GET_LOCK. That of the SQL engine cannot be killed while it waits.
type getLock struct {
	*function.GetLock
	locks *sql.LockSubsystem
}

func getLockFunction(locks *sql.LockSubsystem) sql.Function {
	return sql.Function2{Name: "get_lock", Fn: func(ctx *sql.Context, name, timeout sql.Expression) sql.Expression {
		return getLock{function.CreateNewGetLock(ctx, locks)(ctx, name, timeout).(*function.GetLock), locks}
	}}
}

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (getLock) IsNonDeterministic() bool { return true }

// WithChildren implements sql.Expression.
func (g getLock) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	base, err := g.GetLock.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return getLock{base.(*function.GetLock), g.locks}, nil
}

// Eval implements sql.Expression.
func (g getLock) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	name, err := g.LeftChild.Eval(ctx, row)
	if err != nil || name == nil {
		return nil, err
	}
	timeout, err := g.RightChild.Eval(ctx, row)
	if err != nil || timeout == nil {
		return nil, err
	}
	if timeout, _, err = types.Int64.Convert(ctx, timeout); err != nil {
		return nil, err
	}
	once := function.CreateNewGetLock(ctx, g.locks)(ctx,
		expression.NewLiteral(name, g.LeftChild.Type(ctx)), expression.NewLiteral(int64(0), types.Int64))
	got, err := once.Eval(ctx, nil)
	w := workOf(ctx)
	if err != nil || got != int8(0) || timeout == int64(0) || w == nil {
		return got, err
	}
	return w.wait(w.stages.userLock, func() (any, error) {
		start, limit := time.Now(), time.Duration(timeout.(int64))*time.Second
		for got == int8(0) && err == nil && (limit < 0 || time.Since(start) < limit) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			got, err = once.Eval(ctx, nil) // takes a tenth of a millisecond if it is in use
		}
		return got, err
	})
}
