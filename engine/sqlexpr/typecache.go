package sqlexpr

import (
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
)

// keptType caches the type of an expression. Without a cache, the types of nested calls take
// exponential time if each call needs the types of its arguments more than once. The zero value is
// empty. Safe for concurrent use.
type keptType struct {
	// inSession is the type in a session. alone is the type without one: go-mysql-server calculates
	// some types without a session, and such a type can have another number of digits.
	inSession, alone atomic.Pointer[sql.Type]
}

// of returns the type of e. work calculates it if it is not in the cache.
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
