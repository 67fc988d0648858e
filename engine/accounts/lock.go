package accounts

import (
	"strconv"
	"sync"
	"time"
)

// unbounded is PASSWORD_LOCK_TIME UNBOUNDED.
const unbounded = -1

// passwordLocks counts, for accounts with FAILED_LOGIN_ATTEMPTS, the failed logins since the last
// successful one. As in MySQL, they are not saved. Safe for concurrent use.
type passwordLocks struct {
	mu  sync.Mutex
	all map[ID]passwordLock // guarded by mu; no more than there are accounts
	now func() time.Time    // nil is time.Now
}

// passwordLock is the number of failures in a row of an account, and when it was blocked.
type passwordLock struct {
	failures int
	since    time.Time // zero if it is not blocked
}

// Attempt records an attempt to log in with an account; proved is true if the password was right. It
// returns error 3955, with the days that remain, if too many attempts in a row have failed.
func (s *Store) Attempt(a *Account, proved bool) error {
	if a.FailedLoginAttempts == 0 || a.PasswordLockDays == 0 {
		return nil
	}
	l := &s.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.now != nil {
		now = l.now()
	}
	lock := l.all[a.ID]
	days := int(now.Sub(lock.since) / (24 * time.Hour)) // days since the account was blocked
	if !lock.since.IsZero() && a.PasswordLockDays != unbounded && days >= a.PasswordLockDays {
		lock = passwordLock{}
	}
	if lock.since.IsZero() {
		if proved {
			delete(l.all, a.ID)
			return nil
		}
		if lock.failures++; lock.failures >= a.FailedLoginAttempts {
			lock.since, days = now, 0
		}
		if l.all == nil {
			l.all = map[ID]passwordLock{}
		}
		l.all[a.ID] = lock
		if lock.since.IsZero() {
			return nil
		}
	}
	length, remaining := "unlimited", "unlimited"
	if a.PasswordLockDays != unbounded {
		length, remaining = strconv.Itoa(a.PasswordLockDays), strconv.Itoa(a.PasswordLockDays-days)
	}
	return sqlError(3955, "HY000", "Access denied for user '%s'@'%s'. Account is blocked for %s day(s) (%s day(s) remaining) due to %d consecutive failed logins.",
		a.User, a.Host, length, remaining, a.FailedLoginAttempts)
}

// unblock forgets the failures of an account.
func (l *passwordLocks) unblock(id ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, id)
}

// unblockAll forgets all failures.
func (l *passwordLocks) unblockAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.all)
}
