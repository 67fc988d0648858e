package compat

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
)

// Pace is a moment at which a long function can be stopped or held back; n is how many rows its work since
// the last one is worth. The error is why the statement ends.
func Pace(ctx *sql.Context, n uint) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p, ok := ctx.ProcessList.(interface{ Pace(n uint) error }); ok {
		return p.Pace(n)
	}
	return nil
}
