package txkv

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"
)

// rangeTable are the locks of ranges, which keep others from inserting. They conflict with the lock Insert alone.
//
// An insert enters its key among its transaction's, and then looks for ranges; a range is entered, and then looks
// for keys: whichever comes second sees the other. The insert waits for the range's transaction to end. The range
// locks the key, and so waits for the insert's; if the insert has not locked the key by then, it waits for the range.
type rangeTable struct {
	count   atomic.Int32 // of holders: what an insert looks at first
	holders []*Txn       // transactions that hold ranges; guarded by graph
	waiting []*waiter    // who waits for them or for spans, in order; guarded by graph

	mu        sync.Mutex // guards inserters
	inserters map[*Txn]struct{}
}

// rangeOwner is a transaction's part in the range table.
type rangeOwner struct {
	ranges *btree.Map[string, rangeEnd] // by where they begin, apart from each other; guarded by graph
	last   *RangeLock                   // may still shrink; guarded by graph

	mu       sync.Mutex         // guards inserted
	inserted *btree.Set[string] // keys; nil: none
}

type rangeEnd struct {
	hi    string
	mode  LockMode
	grant grant
}

// RangeLock is a range that [Txn.LockRange] has locked. Owned by the transaction's goroutine.
type RangeLock struct {
	txn    *Txn // nil: there is nothing to shrink
	lo, hi string
	mode   LockMode
	grant  grant
}

// LockRange keeps others from inserting keys from lo up to, without, hi until the transaction ends, and waits for
// those that have inserted there already: a locking statement that must not meet phantoms takes it before it reads
// the range. Ranges do not conflict with each other, nor with locks that are not Insert. At ReadCommitted and
// below it does nothing, as InnoDB does not lock gaps there. Errors are those of Lock, of which ErrLocked says that
// somebody has inserted in the range, which is locked all the same.
func (t *Txn) LockRange(ctx context.Context, lo, hi []byte, mode LockMode, wait time.Duration) (*RangeLock, error) {
	r, err := t.LockGap(lo, hi, mode)
	if err != nil || r.txn == nil && t.options.Isolation < RepeatableRead {
		return r, err
	}
	for from := lo; ; {
		key, ok := t.Uncommitted(from, hi, mode, false)
		if !ok {
			return r, nil
		}
		from = append(clone(key), 0)
		if _, err := t.Lock(ctx, key, min(mode, Exclusive), wait); err != nil {
			return r, err
		}
	}
}

// LockGap does what LockRange does, but does not wait for those that have inserted in the range already: the caller
// asks [Txn.Uncommitted] for them when the range is locked, and waits for each with Lock when its scan comes to it.
func (t *Txn) LockGap(lo, hi []byte, mode LockMode) (*RangeLock, error) {
	if t.done {
		return nil, ErrDone
	}
	if t.options.Isolation < RepeatableRead || string(lo) >= string(hi) {
		return &RangeLock{}, nil
	}
	return t.store.locks.enter(t, lo, hi, mode), nil
}

// Uncommitted returns the first key from lo up to, without, hi, the last one if reverse, that another transaction has
// inserted and not committed, at any isolation level. Of a span of another transaction that a lock of the mode has to
// wait for, it returns the first key.
func (t *Txn) Uncommitted(lo, hi []byte, mode LockMode, reverse bool) (key []byte, ok bool) {
	l := &t.store.locks
	k, ok := l.ranges.inserted(t, string(lo), string(hi), reverse)
	if s, in := l.firstInSpan(t, string(lo), string(hi), min(mode, Exclusive)); in && (!ok || (s < k) != reverse) {
		k, ok = s, true
	}
	if !ok {
		return nil, false
	}
	return []byte(k), true
}

// enter enters a range, unless the transaction has it.
func (l *lockTable) enter(t *Txn, lo, hi []byte, mode LockMode) *RangeLock {
	l.graph.Lock()
	defer l.graph.Unlock()
	own := &t.ranged
	if own.ranges == nil {
		own.ranges = new(btree.Map[string, rangeEnd])
		l.ranges.holders = append(l.ranges.holders, t)
		l.ranges.count.Add(1)
	}
	own.settle()
	if e, ok := own.covering(string(lo)); ok && e.hi >= string(hi) && e.mode >= mode {
		return &RangeLock{}
	}
	own.last = &RangeLock{t, string(lo), string(hi), mode, newGrant(t.event)}
	return own.last
}

// settle adds the last range to the others. Ranges that touch each other become one.
func (o *rangeOwner) settle() {
	r := o.last
	o.last = nil
	if r == nil || r.lo >= r.hi {
		return
	}
	r.txn = nil
	lo, e := r.lo, rangeEnd{r.hi, r.mode, r.grant}
	before, ok := "", false
	var b rangeEnd
	o.ranges.Descend(lo, func(k string, v rangeEnd) bool { before, b, ok = k, v, true; return false })
	if ok && b.hi >= lo {
		lo, e = before, rangeEnd{max(b.hi, e.hi), max(b.mode, e.mode), earlier(b.grant, e.grant)}
	}
	var gone []string
	o.ranges.Ascend(lo, func(k string, v rangeEnd) bool {
		if k > e.hi {
			return false
		}
		gone = append(gone, k)
		e = rangeEnd{max(v.hi, e.hi), max(v.mode, e.mode), earlier(v.grant, e.grant)}
		return true
	})
	for _, k := range gone {
		o.ranges.Delete(k)
	}
	o.ranges.Set(lo, e)
}

// covering returns the end of the range that a key lies in.
func (o *rangeOwner) covering(key string) (e rangeEnd, ok bool) {
	if r := o.last; r != nil && r.lo <= key && key < r.hi {
		return rangeEnd{r.hi, r.mode, r.grant}, true
	}
	o.ranges.Descend(key, func(_ string, v rangeEnd) bool { e, ok = v, key < v.hi; return false })
	return e, ok
}

// Shrink releases what is outside lo to hi: a statement that stopped early (LIMIT) locks only what it has read.
// It has an effect until the transaction's next LockRange.
func (r *RangeLock) Shrink(lo, hi []byte) {
	if r.txn == nil {
		return
	}
	l := &r.txn.store.locks
	l.graph.Lock()
	defer l.graph.Unlock()
	r.lo, r.hi = max(r.lo, string(lo)), min(r.hi, string(hi))
	l.serveInserts()
}

// inserted returns the first key in a range, the last one if reverse, that another transaction has inserted and not committed.
func (r *rangeTable) inserted(t *Txn, lo, hi string, reverse bool) (key string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for o := range r.inserters {
		if o == t {
			continue
		}
		o.ranged.mu.Lock()
		if k, in := o.ranged.insertedIn(lo, hi, reverse); in && (!ok || (k < key) != reverse) {
			key, ok = k, true
		}
		o.ranged.mu.Unlock()
	}
	return key, ok
}

// insertedIn returns the first key in a range, the last one if reverse, that the transaction has inserted. The caller holds mu.
func (o *rangeOwner) insertedIn(lo, hi string, reverse bool) (key string, ok bool) {
	if o.inserted == nil {
		return "", false
	}
	if reverse {
		o.inserted.Descend(hi, func(k string) bool {
			key, ok = k, k >= lo && k < hi
			return k == hi
		})
		return key, ok
	}
	o.inserted.Ascend(lo, func(k string) bool {
		key, ok = k, k < hi
		return false
	})
	return key, ok
}

// lockInsert enters a key that the transaction is about to insert, when no other's range is in the way.
// undo removes it again.
func (t *Txn) lockInsert(ctx context.Context, key []byte, wait time.Duration) (undo func(), err error) {
	l := &t.store.locks
	for {
		k := string(key)
		fresh := t.enterInsert(k)
		undo = func() {
			if fresh {
				t.ranged.mu.Lock()
				t.ranged.inserted.Delete(k)
				t.ranged.mu.Unlock()
			}
		}
		if l.ranges.count.Load() == 0 {
			return undo, nil
		}
		w := l.outside(t, key, Insert)
		if w == nil {
			return undo, nil
		}
		undo()
		if err := l.waitAround(ctx, w, wait); err != nil {
			return nil, err
		}
	}
}

// outside returns nil if no range or span of another transaction is in the way of a lock of the key, else a waiter for them.
func (l *lockTable) outside(t *Txn, key []byte, mode LockMode) *waiter {
	l.graph.Lock()
	defer l.graph.Unlock()
	w := &waiter{txn: t, mode: mode, event: t.event, key: string(key), granted: make(chan struct{}), since: time.Now()}
	if !l.inWay(w) {
		return nil
	}
	return w
}

// waitAround waits until nothing around the key is in the way.
func (l *lockTable) waitAround(ctx context.Context, w *waiter, wait time.Duration) error {
	l.graph.Lock()
	if !l.inWay(w) {
		l.graph.Unlock()
		return nil
	}
	if wait == NoWait {
		l.graph.Unlock()
		return ErrLocked
	}
	w.gone = ctx.Done()
	l.ranges.waiting = append(l.ranges.waiting, w)
	l.setWaiting(w.txn, w)
	if d := l.deadlocked(w.txn); d != nil {
		l.leave(w)
		l.graph.Unlock()
		return w.txn.store.deadlock(d)
	}
	l.graph.Unlock()
	return w.txn.wait(ctx, nil, w, wait)
}

// enterInsert enters a key, and tells whether it was not there.
func (t *Txn) enterInsert(key string) bool {
	r := &t.ranged
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inserted == nil {
		r.inserted = new(btree.Set[string])
		table := &t.store.locks.ranges
		r.mu.Unlock() // the table's comes first
		table.mu.Lock()
		if table.inserters == nil {
			table.inserters = map[*Txn]struct{}{}
		}
		table.inserters[t] = struct{}{}
		table.mu.Unlock()
		r.mu.Lock()
	}
	n := r.inserted.Len()
	r.inserted.Insert(key)
	return r.inserted.Len() > n
}

// inWay reports whether a range of another transaction makes an insert wait. The caller holds graph.
func (l *lockTable) inWay(w *waiter) bool {
	found := false
	w.around(l, func(*Txn) { found = true })
	return found
}

// around calls f for each other transaction with a range around the key that a waiter wants to insert, or with a span around the key.
func (w *waiter) around(l *lockTable, f func(*Txn)) {
	for _, o := range l.spans.held {
		if o.txn != w.txn && o.has(w.key) && conflict(o.mode, w.mode) {
			f(o.txn)
		}
	}
	if w.mode != Insert {
		return
	}
	for _, o := range l.ranges.holders {
		if o != w.txn {
			if _, ok := o.ranged.covering(w.key); ok {
				f(o)
			}
		}
	}
}

// serveInserts lets inserts go on that no range or span is in the way of any more. The caller holds graph.
func (l *lockTable) serveInserts() {
	l.ranges.waiting = slices.DeleteFunc(l.ranges.waiting, func(w *waiter) bool {
		if l.inWay(w) {
			return false
		}
		l.setWaiting(w.txn, nil)
		close(w.granted)
		return true
	})
}

// releaseRanges gives back all ranges of a transaction, and forgets what it has inserted.
func (l *lockTable) releaseRanges(t *Txn) {
	if t.ranged.inserted != nil {
		l.ranges.mu.Lock()
		delete(l.ranges.inserters, t)
		l.ranges.mu.Unlock()
		t.ranged.mu.Lock()
		t.ranged.inserted = nil
		t.ranged.mu.Unlock()
	}
	if t.ranged.ranges == nil {
		return
	}
	l.graph.Lock()
	defer l.graph.Unlock()
	l.ranges.holders = slices.DeleteFunc(l.ranges.holders, func(o *Txn) bool { return o == t })
	l.ranges.count.Add(-1)
	t.ranged.ranges, t.ranged.last = nil, nil
	l.serveInserts()
}
