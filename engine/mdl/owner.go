package mdl

import (
	"context"
	"slices"
	"time"

	"pfsd/instr"
)

// Owner has the locks of a session. Owned by one goroutine at a time.
type Owner struct {
	manager *Manager
	id      uint64
	thread  *instr.Thread
	// Waiting, if not nil, is called before a wait; the function that it returns is called after it.
	Waiting func(Namespace) (done func())
	// Timeout returns the timeout for OwnTimeout.
	Timeout func(context.Context) time.Duration

	held [durationCount][]*Lock // the oldest first
	free []*Lock

	wake chan struct{} // filled when a wait may be over
	// Guarded by manager.waiting.
	waitsFor *Lock
	victim   bool // chosen to break a deadlock
}

// OwnTimeout stands for the timeout that the owner's Timeout returns.
const OwnTimeout = time.Duration(-1)

// maxFree is how many unused locks an owner keeps for reuse.
const maxFree = 16

// NewOwner returns an owner without locks. Holder returns id; metadata_locks shows the locks under
// thread, which may be nil.
func (m *Manager) NewOwner(id uint64, thread *instr.Thread) *Owner {
	return &Owner{manager: m, id: id, thread: thread, wake: make(chan struct{}, 1)}
}

func (o *Owner) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// new returns a request.
func (o *Owner) new(kind Type, d Duration) *Lock {
	if n := len(o.free); n > 0 {
		l := o.free[n-1]
		o.free = o.free[:n-1]
		l.kind, l.duration = kind, d
		return l
	}
	return &Lock{owner: o, kind: kind, duration: d, record: o.manager.class.NewLock(o.thread)}
}

// recycle keeps a lock that is not held for reuse.
func (o *Owner) recycle(l *Lock) {
	l.record.Release()
	l.object = nil
	if len(o.free) < maxFree {
		o.free = append(o.free, l)
	} else {
		l.record.Close()
	}
}

// covering returns a held lock on k that is at least as strong, nil if there is none.
func (o *Owner) covering(k *Key, hash uint64, kind Type, d Duration) *Lock {
	for held := d; held < durationCount; held++ {
		for _, l := range o.held[held] {
			if l.object.hash == hash && l.object.key == *k && l.object.rules.covers(l.kind, kind) {
				return l
			}
		}
		if d == Explicit {
			break // it is released separately
		}
	}
	return nil
}

// Acquire acquires a lock, unless the owner holds one that is as strong for as long. It waits at
// most for timeout; 0 means not at all, OwnTimeout as long as Timeout returns. The error is
// ErrTimeout, ErrDeadlock, or the cause of ctx's end.
func (o *Owner) Acquire(ctx context.Context, k Key, kind Type, d Duration, timeout time.Duration) (*Lock, error) {
	m := o.manager
	hash := m.hash(&k)
	if l := o.covering(&k, hash, kind, d); l != nil && d != Explicit {
		return l, nil
	}
	l := o.new(kind, d)
	p := m.partOf(hash)
	p.mu.Lock()
	l.object = p.get(&k, hash)
	if l.object.canGrant(o, kind) {
		l.object.grant(l)
		p.mu.Unlock()
		l.record.Request(l.object.record, kind, d)
		l.record.SetStatus(instr.MetadataGranted)
		o.held[d] = append(o.held[d], l)
		return l, nil
	}
	p.mu.Unlock()
	if err := o.wait(ctx, l, &k, timeout); err != nil {
		o.recycle(l)
		return nil, err
	}
	o.held[d] = append(o.held[d], l)
	return l, nil
}

// Upgrade changes a held lock to a stronger type. It waits as Acquire does.
func (o *Owner) Upgrade(ctx context.Context, l *Lock, kind Type, timeout time.Duration) error {
	if l.kind == kind {
		return nil
	}
	k, d := l.object.key, l.duration
	held := len(o.held[d])
	stronger, err := o.Acquire(ctx, k, kind, d, timeout)
	if err != nil || len(o.held[d]) == held { // another held lock is as strong
		return err
	}
	o.held[d] = o.held[d][:held]
	p := l.object.part
	p.mu.Lock()
	l.object.add(l.kind, -1)
	l.kind = kind
	l.object.add(l.kind, 1)
	p.mu.Unlock()
	l.record.SetType(kind)
	o.manager.release(stronger)
	o.recycle(stronger)
	return nil
}

// wait waits for a request that could not be granted at once.
func (o *Owner) wait(ctx context.Context, l *Lock, k *Key, timeout time.Duration) (err error) {
	m := o.manager
	l.record.Request(l.object.record, l.kind, l.duration)
	if timeout == OwnTimeout {
		timeout = o.Timeout(ctx)
	}
	if timeout <= 0 {
		l.record.SetStatus(instr.MetadataTimeout)
		return ErrTimeout
	}
	select {
	case <-o.wake: // left over from an earlier wait
	default:
	}
	m.waiting.Lock()
	p := l.object.part
	p.mu.Lock()
	l.object = p.get(k, l.object.hash) // the object may have been removed meanwhile
	if l.object.canGrant(o, l.kind) {
		l.object.grant(l)
		p.mu.Unlock()
		m.waiting.Unlock()
		l.record.SetStatus(instr.MetadataGranted)
		return nil
	}
	l.object.queue = append(l.object.queue, l)
	p.mu.Unlock()
	o.waitFor(l)
	o.victim = false
	m.breakDeadlocks(o)
	m.waiting.Unlock()

	if o.Waiting != nil {
		if done := o.Waiting(k.Namespace); done != nil {
			defer done()
		}
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	event := l.record.Wait()
	select {
	case <-o.wake:
		err = ErrDeadlock // unless it was granted
	case <-timer.C:
		err = ErrTimeout
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	m.waiting.Lock()
	if m.giveUp(l) {
		err = nil
	} else if o.victim {
		err = ErrDeadlock
	}
	m.waiting.Unlock()
	event.End()
	switch err {
	case nil:
		l.record.SetStatus(instr.MetadataGranted)
	case ErrTimeout:
		l.record.SetStatus(instr.MetadataTimeout)
	case ErrDeadlock:
		l.record.SetStatus(instr.MetadataVictim)
	default:
		l.record.SetStatus(instr.MetadataKilled)
	}
	return err
}

// waitFor notes the request that the owner waits for, nil for none. The caller holds Manager.waiting.
func (o *Owner) waitFor(l *Lock) {
	o.waitsFor = l
	if l != nil {
		o.manager.waiters[o] = struct{}{}
	} else {
		delete(o.manager.waiters, o)
	}
}

// MayChange reports whether the owner holds a lock on k that allows it to change the object.
func (o *Owner) MayChange(k Key) bool {
	for _, held := range o.held {
		for _, l := range held {
			if l.object.key == k && (l.kind == SharedUpgradable || l.kind >= SharedNoWrite) {
				return true
			}
		}
	}
	return false
}

// Duration returns how long the lock is held.
func (l *Lock) Duration() Duration { return l.duration }

// Release releases a lock.
func (o *Owner) Release(l *Lock) {
	held := &o.held[l.duration]
	for i := len(*held) - 1; i >= 0; i-- {
		if (*held)[i] == l {
			*held = slices.Delete(*held, i, i+1)
			o.manager.release(l)
			o.recycle(l)
			return
		}
	}
}

// releaseTo releases the locks of a duration, except the n oldest.
func (o *Owner) releaseTo(d Duration, n int) {
	held := o.held[d]
	for i := len(held) - 1; i >= n; i-- {
		o.manager.release(held[i])
		o.recycle(held[i])
		held[i] = nil
	}
	o.held[d] = held[:min(n, len(held))]
}

// ReleaseStatement releases the locks of statement duration.
func (o *Owner) ReleaseStatement() { o.releaseTo(Statement, 0) }

// ReleaseTransaction releases the locks of statement and transaction duration.
func (o *Owner) ReleaseTransaction() {
	o.releaseTo(Statement, 0)
	o.releaseTo(Transaction, 0)
}

// Mark is a point to roll back to.
type Mark struct{ statement, transaction int }

// Mark returns the current point.
func (o *Owner) Mark() Mark { return Mark{len(o.held[Statement]), len(o.held[Transaction])} }

// RollbackTo releases the locks of statement and transaction duration that were acquired since m.
func (o *Owner) RollbackTo(m Mark) {
	o.releaseTo(Statement, m.statement)
	o.releaseTo(Transaction, m.transaction)
}

// MakeExplicit changes the locks of statement and transaction duration that were acquired since a
// point to explicit duration.
func (o *Owner) MakeExplicit(since Mark) {
	for d, n := range [...]int{Statement: since.statement, Transaction: since.transaction} {
		held := o.held[d]
		for i := n; i < len(held); i++ {
			held[i].duration = Explicit
			held[i].record.SetDuration(Explicit)
			o.held[Explicit] = append(o.held[Explicit], held[i])
			held[i] = nil
		}
		o.held[d] = held[:min(n, len(held))]
	}
}

// ReleaseExplicit releases the locks of explicit duration in the namespaces that which selects, and
// returns their number.
func (o *Owner) ReleaseExplicit(which func(Namespace) bool) (n int) {
	o.held[Explicit] = slices.DeleteFunc(o.held[Explicit], func(l *Lock) bool {
		if !which(l.object.key.Namespace) {
			return false
		}
		o.manager.release(l)
		o.recycle(l)
		n++
		return true
	})
	return n
}

// ReleaseOne releases the newest lock of explicit duration on k; false if there is none.
func (o *Owner) ReleaseOne(k Key) bool {
	held := o.held[Explicit]
	for i := len(held) - 1; i >= 0; i-- {
		if held[i].object.key == k {
			o.Release(held[i])
			return true
		}
	}
	return false
}

// Close releases all locks. The owner must not be used afterwards.
func (o *Owner) Close() {
	for d := range durationCount {
		o.releaseTo(d, 0)
	}
	for _, l := range o.free {
		l.record.Close()
	}
	o.free = nil
}
