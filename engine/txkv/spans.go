package txkv

import (
	"slices"
	"sync/atomic"

	"github.com/tidwall/btree"
)

// spanTable are the locks of whole spans of keys. A transaction that has locked very many keys tries to lock all that
// Options.LockSpan says at once, and then gives back those of the keys, so that their memory is bounded. It gets a span
// if nobody else has locked anything in it, and does not wait for it.
//
// Who locks a key holds it, and then looks for spans; a span is entered, and then looks for keys: whichever comes second
// sees the other. Who finds a span around its key gives the key back and waits for the span's transaction.
type spanTable struct {
	count atomic.Int32 // of held: what each lock looks at first
	held  []span       // guarded by graph
}

// span is a lock of the keys from lo up to, without, hi: Shared, or else no other lock goes with it.
type span struct {
	txn    *Txn
	lo, hi string
	mode   LockMode
	grant  grant
}

func (s *span) has(key string) bool { return s.lo <= key && key < s.hi }

// covered tells whether a span of the transaction has a key.
func (o *lockOwner) covered(key []byte, mode LockMode) bool {
	for i := range o.spans {
		if s := &o.spans[i]; s.has(string(key)) && (s.mode != Shared || mode == Shared) {
			return true
		}
	}
	return false
}

// lockSpan tries to lock all that lies together with a key, in place of the keys.
func (t *Txn) lockSpan(key []byte) {
	t.locks.tried = len(t.locks.held)
	if t.store.options.LockSpan == nil {
		return
	}
	lo, hi := t.store.options.LockSpan(key)
	if lo == nil {
		return
	}
	l := &t.store.locks
	s := span{t, string(lo), string(hi), Shared, newGrant(t.event)}
	for _, k := range t.locks.held {
		if s.has(k) && l.mode(t, k) != Shared {
			s.mode = Exclusive
			break
		}
	}
	if !l.enterSpan(s) {
		return
	}
	if l.lockedInside(s) {
		l.leaveSpans(func(o *span) bool { return *o == s })
		return
	}
	t.locks.held = slices.DeleteFunc(t.locks.held, func(k string) bool {
		in := s.has(k)
		if in {
			l.release(t, k)
		}
		return in
	})
	t.locks.held = slices.Clip(slices.Clone(t.locks.held))
	t.locks.tried = len(t.locks.held)
	t.ranged.forget(s)
}

// mode is how a transaction holds a key.
func (l *lockTable) mode(t *Txn, key string) LockMode {
	s := l.shard([]byte(key))
	s.Lock()
	defer s.Unlock()
	if e := s.entries[key]; e != nil {
		if i := e.holds(t); i >= 0 {
			return e.holders[i].mode
		}
	}
	return Shared
}

// enterSpan enters a span, unless another's range or span is in the way.
func (l *lockTable) enterSpan(s span) bool {
	l.graph.Lock()
	defer l.graph.Unlock()
	for i := range l.spans.held {
		if o := &l.spans.held[i]; o.txn != s.txn && o.lo < s.hi && s.lo < o.hi && conflict(o.mode, s.mode) {
			return false
		}
	}
	for _, o := range l.ranges.holders {
		if o != s.txn && o.ranged.touches(s.lo, s.hi) {
			return false
		}
	}
	l.spans.held = append(l.spans.held, s)
	s.txn.locks.spans = append(s.txn.locks.spans, s)
	l.spans.count.Add(1)
	return true
}

// touches tells whether one of the ranges lies in part from lo to hi. The caller holds graph.
func (o *rangeOwner) touches(lo, hi string) bool {
	if r := o.last; r != nil && r.lo < hi && lo < r.hi {
		return true
	}
	found := false
	o.ranges.Descend(hi, func(k string, e rangeEnd) bool {
		found = k < hi && lo < e.hi
		return k == hi // ranges are apart from each other: the last one before hi reaches farthest
	})
	return found
}

// lockedInside tells whether another transaction holds a key in a span whose lock does not go with that.
func (l *lockTable) lockedInside(s span) bool {
	for i := range l.shards {
		if l.shards[i].lockedInside(s) {
			return true
		}
	}
	return false
}

func (sh *lockShard) lockedInside(s span) bool {
	sh.Lock()
	defer sh.Unlock()
	for k, e := range sh.entries {
		if s.has(k) && !e.grantable(s.txn, s.mode) {
			return true
		}
	}
	return false
}

// forget drops the keys of a span from those that were inserted.
func (o *rangeOwner) forget(s span) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.inserted == nil {
		return
	}
	left := new(btree.Set[string])
	o.inserted.Scan(func(k string) bool {
		if !s.has(k) {
			left.Insert(k)
		}
		return true
	})
	o.inserted = left
}

// firstInSpan returns the first key from lo to hi that another's span has, for which a lock of a mode has to wait.
func (l *lockTable) firstInSpan(t *Txn, lo, hi string, mode LockMode) (key string, ok bool) {
	if l.spans.count.Load() == 0 {
		return "", false
	}
	l.graph.Lock()
	defer l.graph.Unlock()
	for i := range l.spans.held {
		s := &l.spans.held[i]
		if k := max(s.lo, lo); s.txn != t && k < min(hi, s.hi) && conflict(s.mode, mode) && (!ok || k < key) {
			key, ok = k, true
		}
	}
	return key, ok
}

// leaveSpans gives back those spans for which gone returns true.
func (l *lockTable) leaveSpans(gone func(*span) bool) {
	l.graph.Lock()
	defer l.graph.Unlock()
	l.spans.held = slices.DeleteFunc(l.spans.held, func(s span) bool {
		if !gone(&s) {
			return false
		}
		s.txn.locks.spans = slices.DeleteFunc(s.txn.locks.spans, func(o span) bool { return o == s })
		l.spans.count.Add(-1)
		return true
	})
	l.serveInserts()
}

func (l *lockTable) releaseSpans(t *Txn) {
	if len(t.locks.spans) > 0 {
		l.leaveSpans(func(s *span) bool { return s.txn == t })
	}
}

// lockOverhead is about what the lock of a key takes in memory beside the key: an entry, its place in two tables.
const lockOverhead = 256

// size is about what the locks of keys take in memory, in bytes.
func (l *lockTable) size() (n int64) {
	for i := range l.shards {
		s := &l.shards[i]
		s.Lock()
		n += int64(s.keys + lockOverhead*len(s.entries))
		s.Unlock()
	}
	return n
}
