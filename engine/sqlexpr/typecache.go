package sqlexpr

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// keptType keeps the type of an expression. A type that is calculated from the types of the
// arguments more than once takes exponential time in nested calls. The zero value is empty. Safe
// for concurrent use.
type keptType struct {
	// go-mysql-server calculates some types without a session. They may have other digits.
	inSession, alone atomic.Pointer[sql.Type]
}

// of returns the type of e. work calculates it.
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
