package session

import (
	"context"
	"errors"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/budget"
	"pfsd/engine/mdl"
	"pfsd/engine/usertables"
)

// Locks are what a session has locked: with its statements and transactions, with LOCK TABLES, and with FLUSH TABLES WITH READ
// LOCK. Owned by the connection's goroutine.
type Locks struct {
	*mdl.Owner
	users *usertables.Session
	// locked is told which tables LOCK TABLES has locked, nil for none any more.
	locked func([]TableLock)
	// tables are those of LOCK TABLES, nil if it is not in force, and globalRead tells that FLUSH TABLES WITH READ LOCK is.
	tables     []TableLock
	globalRead bool
	backup     bool // LOCK INSTANCE FOR BACKUP is in force
	// mark is what was locked before the command.
	mark mdl.Mark
	// Refused is why the statement could not lock something, nil if it could.
	Refused error
	// Hold is what the locks that users name are charged to, nil if they are not charged.
	Hold *budget.Hold
}

// NewLocks makes the locks of a session, which owner holds. The function locked is told which tables LOCK TABLES locks, nil for
// none any more.
func NewLocks(owner *mdl.Owner, users *usertables.Session, locked func([]TableLock)) Locks {
	owner.Timeout = lockTimeout
	return Locks{Owner: owner, users: users, locked: locked}
}

// Begin notes that a command, or what comes after a commit in it, begins.
func (l *Locks) Begin() { l.mark, l.Refused = l.Owner.Mark(), nil }

// TakeBack releases what has been locked since Begin.
func (l *Locks) TakeBack() { l.Owner.RollbackTo(l.mark) }

// Restricted tells whether LOCK TABLES is in force, so that statements may use no other tables.
func (l *Locks) Restricted() bool { return l.tables != nil }

// Unlockable tells whether UNLOCK TABLES has anything to do.
func (l *Locks) Unlockable() bool { return l.tables != nil || l.globalRead }

// BeforeCommit waits for FLUSH TABLES WITH READ LOCK of others before something is committed, and keeps it away until done is called.
func (l *Locks) BeforeCommit(ctx *sql.Context) (done func(), err error) {
	held, err := l.Lock(ctx, commitKey, mdl.IntentionExclusive, mdl.Explicit)
	return func() { l.Owner.Release(held) }, err
}

// Lock acquires a lock as the session's lock_wait_timeout lets it.
func (l *Locks) Lock(ctx *sql.Context, k mdl.Key, t mdl.Type, d mdl.Duration) (*mdl.Lock, error) {
	lock, err := l.Owner.Acquire(ctx, k, t, d, mdl.OwnTimeout)
	return lock, rollBackVictim(ctx, err)
}

// rollBackVictim rolls the session's transaction back if a lock was not granted because of a deadlock. It returns err.
func rollBackVictim(ctx *sql.Context, err error) error {
	if t, ok := ctx.GetTransaction().(interface{ Lose() }); ok && errors.Is(err, mdl.ErrDeadlock) {
		t.Lose()
	}
	return err
}

// LockTable locks a table for a statement that reads or changes rows.
func (l *Locks) LockTable(ctx *sql.Context, k mdl.Key, t mdl.Type) error {
	if t == mdl.SharedWrite && !IsVirtual(k) {
		if err := l.yieldToFlush(ctx); err != nil {
			return err
		}
	}
	_, err := l.Lock(ctx, k, t, mdl.Transaction)
	return err
}

// yieldToFlush waits for FLUSH TABLES WITH READ LOCK of others, and keeps it away until the
// statement ends.
func (l *Locks) yieldToFlush(ctx *sql.Context) error {
	if l.globalRead {
		return mysql.NewSQLError(1223, "HY000", "Can't execute the query because you have a conflicting read lock")
	}
	_, err := l.Lock(ctx, globalKey, mdl.IntentionExclusive, mdl.Statement)
	return err
}

// Hides tells whether what a statement calls k is a temporary table.
func (l *Locks) Hides(ctx *sql.Context, k mdl.Key) bool {
	return k.Namespace == mdl.Table && l.users.Hides(ctx, k.Schema, k.Name)
}

// UnlockAll releases everything that the session has locked.
func (l *Locks) UnlockAll() {
	l.UnlockTables()
	l.Owner.ReleaseTransaction()
	l.Owner.ReleaseExplicit(func(mdl.Namespace) bool { return true })
	l.backup = false
	l.Hold.Release()
}

// userLockBytes is about how many bytes a lock takes that a user names.
const userLockBytes = 1 << 10

// LockUser acquires a lock that a user names, and waits at most for timeout. The error can be that a memory limit does not allow it.
func (l *Locks) LockUser(ctx *sql.Context, k mdl.Key, timeout time.Duration) error {
	if err := l.Hold.Charge(userLockBytes); err != nil {
		return err
	}
	_, err := l.Owner.Acquire(ctx, k, mdl.Exclusive, mdl.Explicit, timeout)
	if err != nil {
		l.Hold.Discharge(userLockBytes)
	}
	return err
}

// UnlockUser releases the newest lock of a name; false if there is none.
func (l *Locks) UnlockUser(k mdl.Key) bool {
	held := l.Owner.ReleaseOne(k)
	if held {
		l.Hold.Discharge(userLockBytes)
	}
	return held
}

// LockInstance is LOCK INSTANCE FOR BACKUP: nobody defines anything until UnlockInstance is called, or the session ends.
func (l *Locks) LockInstance(ctx *sql.Context) error {
	if l.backup {
		return nil
	}
	_, err := l.Lock(ctx, backupKey, mdl.Shared, mdl.Explicit)
	l.backup = err == nil
	return err
}

// UnlockInstance is UNLOCK INSTANCE.
func (l *Locks) UnlockInstance() {
	if l.backup {
		l.backup = false
		l.Owner.ReleaseExplicit(func(n mdl.Namespace) bool { return n == mdl.BackupLock })
	}
}

// UnlockUsers releases all locks that a user names, and returns their number.
func (l *Locks) UnlockUsers() int {
	l.Hold.Release()
	return l.Owner.ReleaseExplicit(func(n mdl.Namespace) bool { return n == mdl.UserLevelLock })
}

// Flush is FLUSH TABLES WITH READ LOCK; other FLUSH statements lock nothing.
func (l *Locks) Flush(ctx *sql.Context, s *ast.Flush) error {
	if s.Option == nil || !s.Option.ReadLock {
		return nil
	}
	if len(s.Option.Tables) > 0 {
		var all []TableLock
		for _, t := range s.Option.Tables {
			all = append(all, TableLock{Key: KeyOf(ctx, t), name: t.Name.String(), Kind: mdl.SharedNoWrite})
		}
		l.UnlockTables()
		return l.lockNamed(ctx, all)
	}
	if l.globalRead {
		return nil
	}
	if _, err := l.Lock(ctx, globalKey, mdl.Shared, mdl.Explicit); err != nil {
		return err
	}
	if _, err := l.Lock(ctx, commitKey, mdl.Shared, mdl.Explicit); err != nil {
		l.Owner.ReleaseOne(globalKey)
		return err
	}
	l.globalRead = true
	return nil
}

// lockTimeout is how long a statement waits for a lock.
func lockTimeout(ctx context.Context) time.Duration {
	if sc, ok := ctx.(*sql.Context); ok {
		if v, err := sc.GetSessionVariable(sc, "lock_wait_timeout"); err == nil {
			if n, _, err := types.Int64.Convert(sc, v); err == nil {
				return time.Duration(n.(int64)) * time.Second
			}
		}
	}
	return 0
}
