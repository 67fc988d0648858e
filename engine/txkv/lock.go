package txkv

import (
	"bytes"
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/timers"
)

// LockMode is how a key is locked.
type LockMode uint8

const (
	// Shared locks are held by any number of transactions at once.
	Shared LockMode = iota
	// Exclusive locks are held by one.
	Exclusive
	// Insert is Exclusive, and waits for others' range locks ([Txn.LockRange]) around the key as well:
	// whoever writes a key that may not be there yet, of a row or of an index, takes it.
	Insert
)

// NoWait is a wait that fails with ErrLocked at once: NOWAIT and SKIP LOCKED.
const NoWait time.Duration = 0

// lockTable are the locks of keys. Two mutexes are taken in this order: a shard's, which guards its entries,
// and graph, which guards who waits: an entry that has waiters is changed only under both, so that the search
// for cycles reads all such entries under graph alone.
type lockTable struct {
	seed   maphash.Seed
	shards [64]lockShard
	graph  sync.Mutex
	ranges rangeTable
	spans  spanTable
	last   atomic.Pointer[Deadlock]
	waits  lockWaits

	waiters map[*Txn]struct{} // who waits; guarded by graph
}

type lockShard struct {
	sync.Mutex
	entries map[string]*lockEntry
	keys    int      // bytes of their keys
	_       [32]byte // a cache line for each
}

// lockEntry is a key that is locked: by any number of Shared holders or one that is not.
type lockEntry struct {
	key     string
	holders []holder
	room    [1]holder // of holders
	queue   []*waiter // in the order in which they are served
}

type holder struct {
	txn   *Txn
	mode  LockMode
	grant grant
}

// grant says when a transaction has got a lock: of several requests for it, the first.
type grant struct {
	event uint64        // what Txn.SetEvent said when it was asked for
	at    timers.Cycles // when it was granted
}

// newGrant returns the grant of a lock that a transaction gets now.
func newGrant(event uint64) grant { return grant{event, timers.Cycles(timers.Cycle.Now())} }

// held returns how long ago the lock was granted.
func (g grant) held() time.Duration {
	return time.Duration(timers.Cycle.PicosecondsSaturated(timers.Cycle.Now()-uint64(g.at)) / 1000)
}

// earlier returns the earlier one of two grants.
func earlier(a, b grant) grant {
	if b.at < a.at {
		return b
	}
	return a
}

type waiter struct {
	txn     *Txn
	mode    LockMode
	event   uint64
	entry   *lockEntry // nil: it waits for spans, or, as Insert, for ranges
	key     string
	granted chan struct{}
	since   time.Time
	gone    <-chan struct{} // closed when its statement has been ended from outside
}

// leaves is set when the waiter is about to give up.
func (w *waiter) leaves() bool {
	select {
	case <-w.gone:
		return true
	default:
		return false
	}
}

// lockOwner is a transaction's part in the lock table.
type lockOwner struct {
	held    []string // keys, in the order in which they were locked
	spans   []span   // guarded by graph; written by the transaction alone
	tried   int      // how many keys were held when spans were tried last
	waiting *waiter  // guarded by graph
}

func (l *lockTable) init() {
	l.seed = maphash.MakeSeed()
	for i := range l.shards {
		l.shards[i].entries = map[string]*lockEntry{}
	}
}

func (l *lockTable) shard(key []byte) *lockShard {
	return &l.shards[maphash.Bytes(l.seed, key)%uint64(len(l.shards))]
}

// conflict reports whether two transactions cannot hold these modes at once.
func conflict(a, b LockMode) bool { return a != Shared || b != Shared }

// holds returns the place of a transaction among the holders, -1 if it is none.
func (e *lockEntry) holds(t *Txn) int {
	return slices.IndexFunc(e.holders, func(h holder) bool { return h.txn == t })
}

// grantable reports whether no other holder is in the way of the transaction.
func (e *lockEntry) grantable(t *Txn, mode LockMode) bool {
	for _, h := range e.holders {
		if h.txn != t && conflict(h.mode, mode) {
			return false
		}
	}
	return true
}

// grant makes the transaction a holder, or gives a holder its better mode.
func (e *lockEntry) grant(t *Txn, mode LockMode, event uint64) {
	if i := e.holds(t); i >= 0 {
		e.holders[i].mode = max(e.holders[i].mode, mode)
		return
	}
	e.holders = append(e.holders, holder{t, mode, newGrant(event)})
}

// Lock locks a key until the transaction ends, waiting up to wait; below 0 it waits without limit. fresh tells that
// the transaction did not hold the key before: then Unlock may give it back. The key need not exist.
// Errors: ErrDeadlock, after which the caller rolls back; ErrLockTimeout; ErrLocked if wait is NoWait; ctx's error.
func (t *Txn) Lock(ctx context.Context, key []byte, mode LockMode, wait time.Duration) (fresh bool, err error) {
	if t.done {
		return false, ErrDone
	}
	if len(t.locks.spans) > 0 && t.locks.covered(key, mode) {
		return false, nil
	}
	for {
		undo := func() {}
		if mode == Insert {
			if undo, err = t.lockInsert(ctx, key, wait); err != nil {
				return false, err
			}
		}
		gained := false
		if gained, fresh, err = t.lock(ctx, key, wait, mode); err != nil {
			undo()
			return false, err
		}
		l := &t.store.locks
		if !gained || l.spans.count.Load() == 0 { // its present lock keeps spans of others away
			break
		}
		w := l.outside(t, key, mode)
		if w == nil {
			break
		}
		undo()
		if fresh {
			t.Unlock(key)
		} else {
			l.weaken(t, key) // the span of another transaction includes it, so it was Shared before
		}
		if err := l.waitAround(ctx, w, wait); err != nil {
			return false, err
		}
	}
	if n := len(t.locks.held); n >= t.locks.tried+t.store.options.LockLimit {
		t.lockSpan(key)
	}
	return fresh, nil
}

// lock is Lock of the key alone. gained tells that the transaction did not hold the key so before.
func (t *Txn) lock(ctx context.Context, key []byte, wait time.Duration, mode LockMode) (gained, fresh bool, err error) {
	l := &t.store.locks
	s := l.shard(key)
	s.Lock()
	e := s.entries[string(key)]
	if e == nil {
		e = &lockEntry{key: string(key)}
		e.holders = append(e.room[:0], holder{t, mode, newGrant(t.event)})
		s.entries[e.key] = e
		s.keys += len(e.key)
		s.Unlock()
		t.locks.held = append(t.locks.held, e.key)
		return true, true, nil
	}
	at := e.holds(t)
	if at >= 0 && (e.holders[at].mode >= mode || e.holders[at].mode != Shared) {
		s.Unlock()
		return false, false, nil
	}
	// A holder that requests a stronger mode goes first: the others wait for it anyway.
	if (at >= 0 || len(e.queue) == 0) && e.grantable(t, mode) {
		if len(e.queue) > 0 {
			l.graph.Lock()
			defer l.graph.Unlock()
		}
		e.grant(t, mode, t.event)
		s.Unlock()
		if at < 0 {
			t.locks.held = append(t.locks.held, e.key)
		}
		return true, at < 0, nil
	}
	if wait == NoWait {
		s.Unlock()
		return false, false, ErrLocked
	}
	w := &waiter{txn: t, mode: mode, event: t.event, entry: e, key: e.key, granted: make(chan struct{}), since: time.Now(), gone: ctx.Done()}
	l.graph.Lock()
	place := len(e.queue)
	if at >= 0 {
		place = 0
	}
	e.queue = slices.Insert(e.queue, place, w)
	l.setWaiting(t, w)
	if d := l.deadlocked(t); d != nil {
		l.leave(w)
		l.graph.Unlock()
		s.Unlock()
		return false, false, t.store.deadlock(d)
	}
	l.graph.Unlock()
	s.Unlock()
	if err := t.wait(ctx, s, w, wait); err != nil {
		return false, false, err
	}
	if at < 0 {
		t.locks.held = append(t.locks.held, e.key)
	}
	return true, at < 0, nil
}

// wait waits until the lock is granted; s is its entry's shard, nil if it has none.
func (t *Txn) wait(ctx context.Context, s *lockShard, w *waiter, wait time.Duration) error {
	end := t.store.beginWait(w)
	err := t.store.locks.wait(ctx, s, w, wait)
	end(err)
	return err
}

func (l *lockTable) wait(ctx context.Context, s *lockShard, w *waiter, wait time.Duration) error {
	var timeout <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		timeout = timer.C
	}
	var err error
	select {
	case <-w.granted:
		return nil
	case <-timeout:
		err = ErrLockTimeout
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if s != nil {
		s.Lock()
		defer s.Unlock()
	}
	l.graph.Lock()
	defer l.graph.Unlock()
	if w.txn.locks.waiting != w {
		return nil // granted just now
	}
	l.leave(w)
	if s != nil {
		l.serve(s, w.entry) // who waited behind it
	}
	return err
}

// leave removes a waiter from its queue. The caller holds both mutexes, if it has an entry.
func (l *lockTable) leave(w *waiter) {
	l.setWaiting(w.txn, nil)
	if w.entry == nil {
		l.ranges.waiting = slices.DeleteFunc(l.ranges.waiting, func(o *waiter) bool { return o == w })
		return
	}
	w.entry.queue = slices.DeleteFunc(w.entry.queue, func(o *waiter) bool { return o == w })
}

// serve grants what can be granted, in order, and drops an entry that nobody needs. The caller holds both mutexes.
func (l *lockTable) serve(s *lockShard, e *lockEntry) {
	for len(e.queue) > 0 {
		w := e.queue[0]
		if !e.grantable(w.txn, w.mode) {
			return
		}
		e.queue = slices.Delete(e.queue, 0, 1)
		e.grant(w.txn, w.mode, w.event)
		l.setWaiting(w.txn, nil)
		close(w.granted)
	}
	if len(e.holders) == 0 {
		delete(s.entries, e.key)
		s.keys -= len(e.key)
	}
}

// setWaiting notes what a transaction waits for, nil for nothing. The caller holds graph.
func (l *lockTable) setWaiting(t *Txn, w *waiter) {
	t.locks.waiting = w
	if w == nil {
		delete(l.waiters, t)
		return
	}
	if l.waiters == nil {
		l.waiters = map[*Txn]struct{}{}
	}
	l.waiters[t] = struct{}{}
}

// blockers calls f for each transaction that a waiter waits for. The caller holds graph.
func (w *waiter) blockers(l *lockTable, f func(*Txn)) {
	if w.entry == nil {
		w.around(l, f)
		return
	}
	for _, h := range w.entry.holders {
		if h.txn != w.txn && conflict(h.mode, w.mode) {
			f(h.txn)
		}
	}
	for _, o := range w.entry.queue {
		if o == w {
			break
		}
		if conflict(o.mode, w.mode) {
			f(o.txn)
		}
	}
}

// deadlocked returns the cycle in which the transaction waits, through others, for itself; nil if there is none. The caller holds graph.
// Every new edge of the graph begins or ends at the transaction that has just begun to wait, or at one that does not
// wait, so a search from the transaction that begins to wait finds each cycle when it closes. A waiter that is about to give up is in no cycle.
func (l *lockTable) deadlocked(t *Txn) *Deadlock {
	seen := map[*Txn]bool{}
	var path []*waiter
	var walk func(at *Txn) bool
	walk = func(at *Txn) (found bool) {
		w := at.locks.waiting
		if w == nil || w.leaves() {
			return false
		}
		path = append(path, w)
		w.blockers(l, func(next *Txn) {
			if found || next == t {
				found = true
				return
			}
			if !seen[next] {
				seen[next] = true
				found = walk(next)
			}
		})
		if !found {
			path = path[:len(path)-1]
		}
		return found
	}
	if !walk(t) {
		return nil
	}
	d := l.newDeadlock(path)
	l.last.Store(d)
	return d
}

// info is what Locks shows of a waiter.
func (w *waiter) info() LockInfo {
	return LockInfo{Txn: w.txn.id, Owner: w.txn.options.Owner, Event: w.event, Key: []byte(w.key), Mode: w.mode, Waiting: true, Since: w.since}
}

// Unlock releases the lock of a key for which Lock returned fresh: at ReadCommitted, that of a row that does not match the condition of the
// statement. The transaction has not written the key.
func (t *Txn) Unlock(key []byte) {
	held := t.locks.held
	for i := len(held) - 1; i >= 0; i-- {
		if held[i] == string(key) {
			k := held[i]
			t.locks.held = slices.Delete(held, i, i+1)
			t.store.locks.release(t, k)
			return
		}
	}
}

// Weaken makes the lock of a key Shared for which Lock returned fresh: an insert has found that the key is there. The transaction has not
// written the key.
func (t *Txn) Weaken(key []byte) {
	t.ranged.mu.Lock()
	if t.ranged.inserted != nil {
		t.ranged.inserted.Delete(string(key))
	}
	t.ranged.mu.Unlock()
	t.store.locks.weaken(t, key)
}

// weaken makes a lock Shared.
func (l *lockTable) weaken(t *Txn, key []byte) {
	s := l.shard(key)
	s.Lock()
	defer s.Unlock()
	e := s.entries[string(key)]
	if e == nil || e.holds(t) < 0 { // a span has taken its place
		return
	}
	l.graph.Lock()
	defer l.graph.Unlock()
	e.holders[e.holds(t)].mode = Shared
	l.serve(s, e)
}

// release gives back one lock.
func (l *lockTable) release(t *Txn, key string) {
	s := &l.shards[maphash.String(l.seed, key)%uint64(len(l.shards))]
	s.Lock()
	defer s.Unlock()
	e := s.entries[key]
	if e == nil {
		return
	}
	if len(e.queue) > 0 {
		l.graph.Lock()
		defer l.graph.Unlock()
	}
	if i := e.holds(t); i >= 0 {
		e.holders = slices.Delete(e.holders, i, i+1)
	}
	l.serve(s, e)
}

func (l *lockTable) releaseAll(t *Txn) {
	for _, key := range slices.Backward(t.locks.held) {
		l.release(t, key)
	}
	t.locks.held = nil
	l.releaseSpans(t)
	l.releaseRanges(t)
}

// LockInfo is a lock that a transaction holds or waits for.
type LockInfo struct {
	Txn      uint64
	Owner    any
	Event    uint64 // what Txn.SetEvent said when it was asked for; of several requests, the first
	Key      []byte // of a range: where it begins
	End      []byte // of a range or span: the first key after it; nil for a key's lock
	Span     bool   // of all keys from Key to End, which the transaction has instead of each one's
	Mode     LockMode
	Waiting  bool
	Since    time.Time     // of one that waits
	Held     time.Duration // of one that is held: since it was granted
	Blockers []int         // of one that waits: the places in the list of the locks that it waits for
}

// Locks returns all locks that are held or waited for: of keys, in their order, the holders before those who wait;
// then of spans and ranges, and who waits for them.
// Safe for concurrent use. Lock requests wait meanwhile.
func (s *Store) Locks() []LockInfo {
	l := &s.locks
	for i := range l.shards {
		l.shards[i].Lock()
		defer l.shards[i].Unlock()
	}
	l.graph.Lock()
	defer l.graph.Unlock()
	var entries []*lockEntry
	for i := range l.shards {
		for _, e := range l.shards[i].entries {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b *lockEntry) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
	var out []LockInfo
	for _, e := range entries {
		first := len(out)
		for _, h := range e.holders {
			out = append(out, LockInfo{Txn: h.txn.id, Owner: h.txn.options.Owner, Event: h.grant.event, Held: h.grant.held(), Key: []byte(e.key), Mode: h.mode})
		}
		for _, w := range e.queue {
			info := w.info()
			for i := first; i < len(out); i++ {
				if out[i].Txn != w.txn.id && conflict(out[i].Mode, w.mode) {
					info.Blockers = append(info.Blockers, i)
				}
			}
			out = append(out, info)
		}
	}
	first := len(out)
	for _, o := range l.spans.held {
		out = append(out, LockInfo{Txn: o.txn.id, Owner: o.txn.options.Owner, Event: o.grant.event, Held: o.grant.held(), Key: []byte(o.lo), End: []byte(o.hi), Mode: o.mode, Span: true})
	}
	for _, t := range l.ranges.holders {
		show := func(lo string, e rangeEnd) bool {
			out = append(out, LockInfo{Txn: t.id, Owner: t.options.Owner, Event: e.grant.event, Held: e.grant.held(), Key: []byte(lo), End: []byte(e.hi), Mode: e.mode})
			return true
		}
		t.ranged.ranges.Scan(show)
		if r := t.ranged.last; r != nil {
			show(r.lo, rangeEnd{r.hi, r.mode, r.grant})
		}
	}
	last := len(out)
	for _, w := range l.ranges.waiting {
		info := w.info()
		for i := first; i < last; i++ {
			if out[i].Txn != w.txn.id && string(out[i].Key) <= w.key && w.key < string(out[i].End) && (out[i].Span && conflict(out[i].Mode, w.mode) || !out[i].Span && w.mode == Insert) {
				info.Blockers = append(info.Blockers, i)
			}
		}
		out = append(out, info)
	}
	return out
}
