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
