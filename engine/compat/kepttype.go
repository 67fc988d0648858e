package compat

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// keptType is the type of an expression, which is worked out once: a type that asks for those of its arguments twice takes
// twice as long at each level of a nest of calls. The zero value is not worked out yet. Safe for concurrent use.
type keptType struct {
	// The SQL engine asks for some types without a session, where they may have other digits.
	inSession, alone atomic.Pointer[sql.Type]
}

// of is the type of e, which work works out.
func (k *keptType) of(ctx *sql.Context, e sql.Expression, work func() sql.Type) sql.Type {
	kept := &k.inSession
	if ctx == nil {
		kept = &k.alone
	}
	if t := kept.Load(); t != nil {
		return *t
	}
	t := work()
	if t != nil && e.Resolved() {
		kept.Store(&t)
	}
	return t
}
