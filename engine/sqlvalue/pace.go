package sqlvalue

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
)

// Ended returns the reason why the statement must end, nil if it can go on.
func Ended(ctx *sql.Context) error {
	if ctx != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Pace is a point where a long function can be stopped or slowed down. n is the work since the
// previous call, in rows. The error is the reason why the statement must end.
func Pace(ctx *sql.Context, n uint) error {
	if err := Ended(ctx); err != nil {
		return err
	}
	if p, ok := ctx.ProcessList.(interface{ Pace(n uint) error }); ok {
		return p.Pace(n)
	}
	return nil
}

// workSteps is how many steps of a calculation there are between two points where it can be stopped. They take less than a millisecond.
const workSteps = 1 << 16

// workRows is the work of workSteps steps, in rows.
const workRows = 64

// Work paces a calculation inside one call of a function whose steps can be more than its arguments have bytes. A step takes some
// nanoseconds. Owned by one goroutine.
type Work struct {
	ctx   *sql.Context
	steps int // since it could be stopped last
}

// NewWork returns the work of a statement; without a context nothing stops it.
func NewWork(ctx *sql.Context) *Work { return &Work{ctx: ctx} }

// Step is called after n steps. The error is the reason why the statement must end.
func (w *Work) Step(n int) error {
	if w.steps += n; w.steps < workSteps || w.ctx == nil {
		return nil
	}
	w.steps = 0
	return Pace(w.ctx, workRows)
}
