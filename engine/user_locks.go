package engine

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mdl"
)

// The functions of locks that users name. Those of the SQL engine cannot be killed while they
// wait, and are nowhere to be seen.
var (
	getLockFunction = sql.Function2{Name: "get_lock", Fn: func(_ *sql.Context, name, timeout sql.Expression) sql.Expression {
		return &userLock{name: "get_lock", args: []sql.Expression{name, timeout}, kind: types.Int64, do: getLock}
	}}
	isFreeLockFunction      = userLockFunction("is_free_lock", isFreeLock)
	isUsedLockFunction      = userLockFunction("is_used_lock", isUsedLock)
	releaseLockFunction     = userLockFunction("release_lock", releaseLock)
	releaseAllLocksFunction = sql.Function0{Name: "release_all_locks", Fn: func(*sql.Context) sql.Expression {
		return &userLock{name: "release_all_locks", kind: types.Int64, do: releaseAllLocks}
	}}
)

func userLockFunction(name string, do userLockDo) sql.Function {
	return sql.Function1{Name: name, Fn: func(_ *sql.Context, arg sql.Expression) sql.Expression {
		return &userLock{name: name, args: []sql.Expression{arg}, kind: types.Int64, do: do}
	}}
}

// userLockDo does what a function is for, with its arguments.
type userLockDo func(ctx *sql.Context, w *work, args []any) (any, error)

// userLock is a function of locks that users name. Safe for concurrent use.
type userLock struct {
	name string
	args []sql.Expression
	kind sql.Type
	do   userLockDo
}

var (
	_ sql.FunctionExpression         = (*userLock)(nil)
	_ sql.CollationCoercible         = (*userLock)(nil)
	_ sql.NonDeterministicExpression = (*userLock)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (u *userLock) FunctionName() string { return u.name }

// Description implements sql.FunctionExpression.
func (u *userLock) Description() string { return "locks that users name" }

// CollationCoercibility implements sql.CollationCoercible.
func (u *userLock) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// IsNonDeterministic implements sql.NonDeterministicExpression: it is not worked out once for all rows.
func (u *userLock) IsNonDeterministic() bool { return true }

// Resolved implements sql.Expression.
func (u *userLock) Resolved() bool {
	for _, a := range u.args {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (u *userLock) String() string {
	texts := make([]string, len(u.args))
	for i, a := range u.args {
		texts[i] = a.String()
	}
	return u.name + "(" + strings.Join(texts, ",") + ")"
}

// Type implements sql.Expression.
func (u *userLock) Type(*sql.Context) sql.Type { return u.kind }

// IsNullable implements sql.Expression.
func (u *userLock) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (u *userLock) Children() []sql.Expression { return u.args }

// WithChildren implements sql.Expression.
func (u *userLock) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(u.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), len(u.args))
	}
	c := *u
	c.args = children
	return &c, nil
}

// Eval implements sql.Expression.
func (u *userLock) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := make([]any, len(u.args))
	for i, a := range u.args {
		v, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	w := workOf(ctx)
	if w == nil {
		return nil, nil
	}
	return u.do(ctx, w, args)
}

// maxUserLockName is how many characters the name of a lock can have.
const maxUserLockName = 64

// userLockKey is the key of a lock with this name, in which letter case does not matter.
func userLockKey(ctx *sql.Context, name any) (k mdl.Key, err error) {
	k = mdl.Key{Namespace: mdl.UserLevelLock}
	if name == nil {
		return k, errUserLockName("NULL")
	}
	text, _, err := types.LongText.Convert(ctx, name)
	if err != nil {
		return k, err
	}
	s, _, err := sql.Unwrap[string](ctx, text)
	if err != nil {
		return k, err
	}
	if s == "" || utf8.RuneCountInString(s) > maxUserLockName {
		return k, errUserLockName(s)
	}
	k.Name = strings.ToLower(s)
	return k, nil
}

func errUserLockName(name string) error {
	return mysql.NewSQLError(3057, "42000", "Incorrect user-level lock name '%.192s'.", name)
}

// getLock is GET_LOCK.
func getLock(ctx *sql.Context, w *work, args []any) (any, error) {
	k, err := userLockKey(ctx, args[0])
	if err != nil || args[1] == nil {
		return nil, err
	}
	n, _, err := types.Int64.Convert(ctx, args[1])
	if err != nil {
		return nil, err
	}
	timeout := forEver
	if seconds := n.(int64); seconds >= 0 && seconds < int64(forEver/time.Second) {
		timeout = time.Duration(seconds) * time.Second
	}
	waiting := w.locks.Waiting
	w.locks.Waiting = func(mdl.Namespace) func() {
		goOn := w.processor.Wait()
		w.thread.StartStage(w.stages.userLock)
		return func() {
			goOn()
			w.goOn()
		}
	}
	_, err = w.locks.Acquire(ctx, k, mdl.Exclusive, mdl.Explicit, timeout)
	w.locks.Waiting = waiting
	switch {
	case errors.Is(err, mdl.ErrTimeout):
		return int64(0), nil
	case errors.Is(err, mdl.ErrDeadlock):
		return nil, mysql.NewSQLError(3058, "HY000", "Deadlock found when trying to get user-level lock; try rolling back transaction/releasing locks and restarting lock acquisition.")
	case err != nil:
		return nil, err
	}
	return int64(1), nil
}

// forEver is how long GET_LOCK waits without a timeout.
const forEver = 100 * 365 * 24 * time.Hour

// isFreeLock is IS_FREE_LOCK.
func isFreeLock(ctx *sql.Context, w *work, args []any) (any, error) {
	k, err := userLockKey(ctx, args[0])
	if err != nil {
		return nil, err
	}
	if _, held := w.names.Holder(k); held {
		return int64(0), nil
	}
	return int64(1), nil
}

// isUsedLock is IS_USED_LOCK.
func isUsedLock(ctx *sql.Context, w *work, args []any) (any, error) {
	k, err := userLockKey(ctx, args[0])
	if err != nil {
		return nil, err
	}
	if id, held := w.names.Holder(k); held {
		return int64(id), nil
	}
	return nil, nil
}

// releaseLock is RELEASE_LOCK.
func releaseLock(ctx *sql.Context, w *work, args []any) (any, error) {
	k, err := userLockKey(ctx, args[0])
	if err != nil {
		return nil, err
	}
	if w.locks.ReleaseOne(k) {
		return int64(1), nil
	}
	if _, held := w.names.Holder(k); held {
		return int64(0), nil
	}
	return nil, nil
}

// releaseAllLocks is RELEASE_ALL_LOCKS.
func releaseAllLocks(_ *sql.Context, w *work, _ []any) (any, error) {
	return int64(w.locks.ReleaseExplicit(func(n mdl.Namespace) bool { return n == mdl.UserLevelLock })), nil
}
