package compat

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
)

// Ended is why the statement ends, nil if it does not.
func Ended(ctx *sql.Context) error {
	if ctx != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Pace is a moment at which a long function can be stopped or held back; n is how many rows its work since
// the last one is worth. The error is why the statement ends.
func Pace(ctx *sql.Context, n uint) error {
	if err := Ended(ctx); err != nil {
		return err
	}
	if p, ok := ctx.ProcessList.(interface{ Pace(n uint) error }); ok {
		return p.Pace(n)
	}
	return nil
}
