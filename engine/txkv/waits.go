package txkv

import (
	"sync/atomic"
	"time"
)

// LockStats count what became of requests for locks since the store was opened.
type LockStats struct {
	Waits     uint64 // requests that waited, or do
	Current   uint64 // of them, those that do
	Time, Max time.Duration
	// Timeouts are waits that took too long, Deadlocks the circles that were found: their victims do not wait.
	Timeouts, Deadlocks uint64
}

// lockWaits counts waits for locks. Safe for concurrent use; nothing of it is touched where nobody waits.
type lockWaits struct {
	begun, ended, timeouts, deadlocks atomic.Uint64
	time, most                        atomic.Int64 // of those that have ended, nanoseconds
}

// LockStats returns how often and how long locks were waited for.
func (s *Store) LockStats() LockStats {
	w := &s.locks.waits
	ended := w.ended.Load() // before begun, which is never less
	begun := w.begun.Load()
	return LockStats{
		Waits: begun, Current: begun - ended, Time: time.Duration(w.time.Load()), Max: time.Duration(w.most.Load()),
		Timeouts: w.timeouts.Load(), Deadlocks: w.deadlocks.Load(),
	}
}

// begin counts a wait that begins, and tells of it. end ends it.
func (s *Store) beginWait(w *waiter) (end func(err error)) {
	l := &s.locks.waits
	l.begun.Add(1)
	told := func() {}
	if s.options.OnWait != nil {
		told = s.options.OnWait(w.info())
	}
	return func(err error) {
		told()
		d := int64(time.Since(w.since))
		l.time.Add(d)
		for most := l.most.Load(); d > most && !l.most.CompareAndSwap(most, d); most = l.most.Load() {
		}
		if err == ErrLockTimeout {
			l.timeouts.Add(1)
		}
		l.ended.Add(1)
	}
}

// Deadlock is a circle of transactions of which each waits for the next, and the last for the first.
type Deadlock struct {
	Time time.Time
	// Waits are what each waits for; the first is the victim's. Blockers are not filled in.
	Waits []LockInfo
	// Holds are what each has that the one before it waits for: the first what the last waits for. One that is in the way
	// only since it waits in front has none, and its Key is nil.
	Holds []LockInfo
	// Held are how many keys and ranges each has locked.
	Held []int
}

// LastDeadlock returns the last deadlock that was found, nil if none was. Safe for concurrent use.
func (s *Store) LastDeadlock() *Deadlock { return s.locks.last.Load() }

// newDeadlock describes a circle. The caller holds graph, so that those who wait have no locks that it does not see.
func (l *lockTable) newDeadlock(circle []*waiter) *Deadlock {
	d := &Deadlock{Time: time.Now()}
	before := circle[len(circle)-1]
	for _, w := range circle {
		d.Waits = append(d.Waits, w.info())
		d.Holds = append(d.Holds, l.inWayOf(before, w.txn))
		held := len(w.txn.locks.held) + len(w.txn.locks.spans)
		if r := &w.txn.ranged; r.ranges != nil {
			held += r.ranges.Len()
			if r.last != nil {
				held++
			}
		}
		d.Held = append(d.Held, held)
		before = w
	}
	return d
}

// inWayOf is the lock of a transaction that a waiter waits for. The caller holds graph.
func (l *lockTable) inWayOf(w *waiter, t *Txn) LockInfo {
	info := LockInfo{Txn: t.id, Owner: t.options.Owner}
	if w.entry != nil {
		if i := w.entry.holds(t); i >= 0 {
			h := &w.entry.holders[i]
			info.Key, info.Mode, info.Event, info.Held = []byte(w.key), h.mode, h.grant.event, h.grant.held()
		}
		return info
	}
	for i := range t.locks.spans {
		if s := &t.locks.spans[i]; s.has(w.key) && conflict(s.mode, w.mode) {
			info.Key, info.End, info.Mode, info.Event, info.Held, info.Span = []byte(s.lo), []byte(s.hi), s.mode, s.grant.event, s.grant.held(), true
			return info
		}
	}
	if t.ranged.ranges == nil {
		return info
	}
	show := func(lo string, e rangeEnd) bool {
		if lo <= w.key && w.key < e.hi {
			info.Key, info.End, info.Mode, info.Event, info.Held = []byte(lo), []byte(e.hi), e.mode, e.grant.event, e.grant.held()
		}
		return info.Key == nil
	}
	t.ranged.ranges.Scan(show)
	if r := t.ranged.last; r != nil && info.Key == nil {
		show(r.lo, rangeEnd{r.hi, r.mode, r.grant})
	}
	return info
}

// LockWait is a transaction that waits, and those that it waits for.
type LockWait struct {
	Waiter LockInfo // without Blockers
	// Blockers are the locks in its way. One that is in the way only since it waits in front has no Key.
	Blockers []LockInfo
}

// LockWaits returns who waits now, and for whom. Unlike Locks it leaves alone who asks for locks without having to
// wait. Safe for concurrent use.
func (s *Store) LockWaits() []LockWait {
	l := &s.locks
	l.graph.Lock()
	defer l.graph.Unlock()
	all := make([]LockWait, 0, len(l.waiters))
	for t := range l.waiters {
		w := t.locks.waiting
		wait := LockWait{Waiter: w.info()}
		w.blockers(l, func(b *Txn) { wait.Blockers = append(wait.Blockers, l.inWayOf(w, b)) })
		all = append(all, wait)
	}
	return all
}

// deadlock tells of the deadlock that the calling transaction is the victim of. The others wait until it gives back its locks.
func (s *Store) deadlock(d *Deadlock) error {
	s.locks.waits.deadlocks.Add(1)
	if s.options.OnDeadlock != nil {
		s.options.OnDeadlock(d)
	}
	return ErrDeadlock
}
