package accounts

import (
	"strings"
	"testing"
	"time"
)

// TestPasswordLockTime checks that an account stays blocked for its days, and that after them it
// takes as many failures as before to block it again.
func TestPasswordLockTime(t *testing.T) {
	s, err := Open(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1e9, 0)
	s.locks.now = func() time.Time { return now }
	a := &Account{ID: ID{"u", "%"}, FailedLoginAttempts: 2, PasswordLockDays: 3}
	for range 2 {
		if err := s.Attempt(a, false); err != nil {
			t.Errorf("error of the first failure: %v", err)
		}
		for _, c := range []struct {
			after  time.Duration
			remain string
		}{{0, "(3 day"}, {23 * time.Hour, "(3 day"}, {time.Hour, "(2 day"}, {47 * time.Hour, "(1 day"}} {
			now = now.Add(c.after)
			if err := s.Attempt(a, c.after > 0); err == nil || !strings.Contains(err.Error(), c.remain) {
				t.Errorf("blocked: %v, want %s", err, c.remain)
			}
		}
		now = now.Add(time.Hour)
	}
	if err := s.Attempt(a, true); err != nil || len(s.locks.all) != 0 {
		t.Errorf("after the lock time: error %v, locks %v", err, s.locks.all)
	}
}
