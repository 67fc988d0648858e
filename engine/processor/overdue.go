package processor

import (
	"context"
	"sync"
	"time"
)

// grace is how long a statement keeps its place after it was ended: killed, left by its client, or beyond its time.
const grace = time.Second

// overdue has the statements with places, and those whose places were withdrawn. Nothing can stop a goroutine that does not look at its
// context: a statement that was ended and goes on loses its place, so that others run. Two bounds keep anybody from running more by having
// statements ended: no more statements are without their places than there are places, and such a statement counts as a place of
// its account, which never has more than there are. Safe for concurrent use. Contexts are looked at only while somebody waits.
type overdue struct {
	mu        sync.Mutex
	holders   []holder              // guarded by mu
	withdrawn map[*Meter]Account    // whose places were withdrawn; guarded by mu
	groups    map[Account]lateGroup // of withdrawn; guarded by mu
}

// holder is a statement with a place.
type holder struct {
	meter   *Meter
	ctx     context.Context
	account Account
	ended   bool          // its context had ended when it was last looked at
	since   time.Duration // when that was seen first
}

// lateGroup are the statements of an account whose places were withdrawn.
type lateGroup struct {
	count int
	fewer chan struct{} // closed when one of them, or of those with places, has ended
}

// add notes that a statement has a place. It reports false, and notes nothing, if its account has as many as there are, most.
func (o *overdue) add(m *Meter, most int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.groups) > 0 && o.count(m.account) >= most {
		return false
	}
	o.holders = append(o.holders, holder{meter: m, ctx: m.ctx, account: m.account})
	return true
}

// count returns how many statements of an account have places or had them withdrawn, 0 if none was withdrawn. mu is locked.
func (o *overdue) count(account Account) int {
	group, ok := o.groups[account]
	if !ok {
		return 0
	}
	n := group.count
	for i := range o.holders {
		if o.holders[i].account == account {
			n++
		}
	}
	return n
}

// refuses returns nil if the account may have a place more, or else what is closed when that may have changed.
func (o *overdue) refuses(account Account, most int) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.groups) == 0 || o.count(account) < most {
		return nil
	}
	return o.groups[account].fewer
}

// remove notes that a statement needs its place no more. It reports whether the statement still had it.
func (o *overdue) remove(m *Meter) (had bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.holders {
		if o.holders[i].meter == m {
			last := len(o.holders) - 1
			o.holders[i], o.holders[last] = o.holders[last], holder{}
			o.holders, had = o.holders[:last], true
			break
		}
	}
	group, ok := o.groups[m.account]
	if !ok {
		return had
	}
	close(group.fewer)
	group.fewer = make(chan struct{})
	if !had {
		delete(o.withdrawn, m)
		group.count--
	}
	if o.groups[m.account] = group; group.count == 0 {
		delete(o.groups, m.account)
	}
	return had
}

// withdraw takes the places from the statements that were seen to have ended at least grace ago, as long as fewer than most are without
// theirs. It returns how many places that frees.
func (o *overdue) withdraw(now time.Duration, most int) (free int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := o.holders[:0]
	for _, h := range o.holders {
		switch {
		case h.ctx.Err() == nil:
		case !h.ended:
			h.ended, h.since = true, now
		case now-h.since >= grace && len(o.withdrawn) < most:
			if o.withdrawn == nil {
				o.withdrawn, o.groups = map[*Meter]Account{}, map[Account]lateGroup{}
			}
			o.withdrawn[h.meter] = h.account
			group, ok := o.groups[h.account]
			if !ok {
				group.fewer = make(chan struct{})
			}
			group.count++
			o.groups[h.account] = group
			free++
			continue
		}
		kept = append(kept, h)
	}
	clear(o.holders[len(kept):])
	o.holders = kept
	return free
}
