package userlocks

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/mdl"
	"pfsd/engine/session"
)

// Functions are the functions of locks that users name, by name. Those of the SQL engine cannot be killed while they wait, and are
// nowhere to be seen.
var Functions = map[string]sql.Function{
	"get_lock": sql.Function2{Name: "get_lock", Fn: func(_ *sql.Context, name, timeout sql.Expression) sql.Expression {
		return &call{name: "get_lock", args: []sql.Expression{name, timeout}, do: getLock}
	}},
	"is_free_lock": function("is_free_lock", isFreeLock),
	"is_used_lock": function("is_used_lock", isUsedLock),
	"release_lock": function("release_lock", releaseLock),
	"release_all_locks": sql.Function0{Name: "release_all_locks", Fn: func(*sql.Context) sql.Expression {
		return &call{name: "release_all_locks", do: releaseAllLocks}
	}},
}

func function(name string, do action) sql.Function {
	return sql.Function1{Name: name, Fn: func(_ *sql.Context, arg sql.Expression) sql.Expression {
		return &call{name: name, args: []sql.Expression{arg}, do: do}
	}}
}

// Session is whose statement it is, as its process list has it. Owned by the connection's goroutine.
type Session interface {
	// MetadataLocks are the locks of the session and the manager of all sessions' locks; nil if it is nobody's.
	MetadataLocks() (*session.Locks, *mdl.Manager)
	// WaitForUserLock notes that the statement waits for a lock that users name, until done is called.
	WaitForUserLock() (done func())
}

// caller is a session with its locks, and all sessions' names.
type caller struct {
	Session
	locks *session.Locks
	names *mdl.Manager
}

// action does what a function is for, with its arguments.
type action func(ctx *sql.Context, c caller, args []any) (any, error)

// call calls a function of locks that users name. Safe for concurrent use.
type call struct {
	name string
	args []sql.Expression
	do   action
}

var (
	_ sql.FunctionExpression         = (*call)(nil)
	_ sql.CollationCoercible         = (*call)(nil)
	_ sql.NonDeterministicExpression = (*call)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (u *call) FunctionName() string { return u.name }

// Description implements sql.FunctionExpression.
func (u *call) Description() string { return "locks that users name" }

// CollationCoercibility implements sql.CollationCoercible.
func (u *call) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// IsNonDeterministic implements sql.NonDeterministicExpression: it is not worked out once for all rows.
func (u *call) IsNonDeterministic() bool { return true }

// Resolved implements sql.Expression.
func (u *call) Resolved() bool { return expression.ExpressionsResolved(u.args...) }

// String implements sql.Expression.
func (u *call) String() string {
	texts := make([]string, len(u.args))
	for i, a := range u.args {
		texts[i] = a.String()
	}
	return u.name + "(" + strings.Join(texts, ",") + ")"
}

// Type implements sql.Expression.
func (u *call) Type(*sql.Context) sql.Type { return types.Int64 }

// IsNullable implements sql.Expression.
func (u *call) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (u *call) Children() []sql.Expression { return u.args }

// WithChildren implements sql.Expression.
func (u *call) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(u.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), len(u.args))
	}
	c := *u
	c.args = children
	return &c, nil
}

// Eval implements sql.Expression.
func (u *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := make([]any, len(u.args))
	for i, a := range u.args {
		v, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	c := caller{}
	if c.Session, _ = ctx.ProcessList.(Session); c.Session != nil {
		c.locks, c.names = c.MetadataLocks()
	}
	if c.locks == nil {
		return nil, nil
	}
	return u.do(ctx, c, args)
}

// maxName is how many characters the name of a lock can have.
const maxName = 64

// keyOf is the key of a lock with this name, in which letter case does not matter.
func keyOf(ctx *sql.Context, name any) (k mdl.Key, err error) {
	k = mdl.Key{Namespace: mdl.UserLevelLock}
	if name == nil {
		return k, errName("NULL")
	}
	text, _, err := types.LongText.Convert(ctx, name)
	if err != nil {
		return k, err
	}
	s, _, err := sql.Unwrap[string](ctx, text)
	if err != nil {
		return k, err
	}
	if s == "" || utf8.RuneCountInString(s) > maxName {
		return k, errName(s)
	}
	k.Name = strings.ToLower(s)
	return k, nil
}

func errName(name string) error {
	return mysql.NewSQLError(3057, "42000", "Incorrect user-level lock name '%.192s'.", name)
}

// getLock is GET_LOCK.
func getLock(ctx *sql.Context, c caller, args []any) (any, error) {
	k, err := keyOf(ctx, args[0])
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
	waiting := c.locks.Waiting
	c.locks.Waiting = func(mdl.Namespace) func() { return c.WaitForUserLock() }
	err = c.locks.LockUser(ctx, k, timeout)
	c.locks.Waiting = waiting
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
func isFreeLock(ctx *sql.Context, c caller, args []any) (any, error) {
	k, err := keyOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	if _, held := c.names.Holder(k); held {
		return int64(0), nil
	}
	return int64(1), nil
}

// isUsedLock is IS_USED_LOCK.
func isUsedLock(ctx *sql.Context, c caller, args []any) (any, error) {
	k, err := keyOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	if id, held := c.names.Holder(k); held {
		return int64(id), nil
	}
	return nil, nil
}

// releaseLock is RELEASE_LOCK.
func releaseLock(ctx *sql.Context, c caller, args []any) (any, error) {
	k, err := keyOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	if c.locks.UnlockUser(k) {
		return int64(1), nil
	}
	if _, held := c.names.Holder(k); held {
		return int64(0), nil
	}
	return nil, nil
}

// releaseAllLocks is RELEASE_ALL_LOCKS.
func releaseAllLocks(_ *sql.Context, c caller, _ []any) (any, error) {
	return int64(c.locks.UnlockUsers()), nil
}
