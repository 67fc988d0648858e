package accounts

import (
	"strconv"
	"sync"
	"time"
)

// Unbounded is a PASSWORD_LOCK_TIME without an end.
const Unbounded = -1

// passwordLocks are the accounts with FAILED_LOGIN_ATTEMPTS that have failed to sign in since they last
// did. They are forgotten with the process, as in MySQL. Safe for concurrent use.
type passwordLocks struct {
	mu  sync.Mutex
	all map[ID]passwordLock // guarded by mu; no more than there are accounts
	now func() time.Time    // nil is time.Now
}

// passwordLock is how often an account has failed in a row, and since when it is blocked.
type passwordLock struct {
	failures int
	since    time.Time // zero if it is not
}

// Attempt notes that a client has tried to sign in with an account, and whether it has proved who it
// is. The error is that too many attempts in a row have failed, and for how many days nobody is let
// in because of that.
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
	days := int(now.Sub(lock.since) / (24 * time.Hour)) // since it is blocked
	if !lock.since.IsZero() && a.PasswordLockDays != Unbounded && days >= a.PasswordLockDays {
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
	if a.PasswordLockDays != Unbounded {
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
