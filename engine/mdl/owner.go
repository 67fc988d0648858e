package mdl

import (
	"context"
	"slices"
	"time"

	"pfsd/instr"
)

// Owner is who holds locks: a session. Owned by one goroutine at a time.
type Owner struct {
	manager *Manager
	id      uint64
	thread  *instr.Thread
	// Waiting, if it is set, is called before a wait, and what it returns after it.
	Waiting func(Namespace) (done func())
	// Timeout says how long to wait if that is asked for with OwnTimeout.
	Timeout func(context.Context) time.Duration

	held [durationCount][]*Lock // the oldest first
	free []*Lock

	wake chan struct{} // filled when a wait may be over
	// Guarded by manager.waiting.
	waitsFor *Lock
	victim   bool // it is given up to end a deadlock
}

// OwnTimeout is a timeout that the owner's Timeout knows.
const OwnTimeout = time.Duration(-1)

// maxFree is how many locks an owner keeps to be used again.
const maxFree = 16

// NewOwner returns an owner without locks; id is what Holder tells of it, and thread, which may be
// nil, the one whose locks metadata_locks shows.
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

// drop puts a lock that is not held aside.
func (o *Owner) drop(l *Lock) {
	l.record.Release()
	l.object = nil
	if len(o.free) < maxFree {
		o.free = append(o.free, l)
	} else {
		l.record.Close()
	}
}

// covering returns a lock on k that makes one of a type unnecessary, nil if the owner has none.
func (o *Owner) covering(k *Key, hash uint64, kind Type, d Duration) *Lock {
	for held := d; held < durationCount; held++ {
		for _, l := range o.held[held] {
			if l.object.hash == hash && l.object.key == *k && l.object.rules.covers(l.kind, kind) {
				return l
			}
		}
		if d == Explicit {
			break // that is given back by itself
		}
	}
	return nil
}

// Acquire acquires a lock, unless the owner has one that is as good and is held as long. It waits
// as long as timeout; 0 is not at all, OwnTimeout as long as Timeout says. The error is ErrTimeout, ErrDeadlock, or the cause of ctx's end.
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
	if l.object.allows(o, kind) {
		l.object.grant(l)
		p.mu.Unlock()
		l.record.Request(l.object.shown, kind, d)
		l.record.SetStatus(instr.MetadataGranted)
		o.held[d] = append(o.held[d], l)
		return l, nil
	}
	p.mu.Unlock()
	if err := o.wait(ctx, l, &k, timeout); err != nil {
		o.drop(l)
		return nil, err
	}
	o.held[d] = append(o.held[d], l)
	return l, nil
}

// Upgrade makes a lock that the owner holds one of a stronger type, as Acquire does.
func (o *Owner) Upgrade(ctx context.Context, l *Lock, kind Type, timeout time.Duration) error {
	if l.kind == kind {
		return nil
	}
	k, d := l.object.key, l.duration
	held := len(o.held[d])
	stronger, err := o.Acquire(ctx, k, kind, d, timeout)
	if err != nil || len(o.held[d]) == held { // it has a lock of that type besides
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
	o.drop(stronger)
	return nil
}

// wait waits for a request that could not be granted at once.
func (o *Owner) wait(ctx context.Context, l *Lock, k *Key, timeout time.Duration) (err error) {
	m := o.manager
	l.record.Request(l.object.shown, l.kind, l.duration)
	if timeout == OwnTimeout {
		timeout = o.Timeout(ctx)
	}
	if timeout <= 0 {
		l.record.SetStatus(instr.MetadataTimeout)
		return ErrTimeout
	}
	select {
	case <-o.wake: // of an earlier wait
	default:
	}
	m.waiting.Lock()
	p := l.object.part
	p.mu.Lock()
	l.object = p.get(k, l.object.hash) // that which was there may have gone
	if l.object.allows(o, l.kind) {
		l.object.grant(l)
		p.mu.Unlock()
		m.waiting.Unlock()
		l.record.SetStatus(instr.MetadataGranted)
		return nil
	}
	l.object.queue = append(l.object.queue, l)
	p.mu.Unlock()
	o.waitsFor, o.victim = l, false
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
		err = ErrDeadlock // unless it is granted
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

// Defines tells whether the owner has a lock on k that lets it change what k names.
func (o *Owner) Defines(k Key) bool {
	for _, held := range o.held {
		for _, l := range held {
			if l.object.key == k && (l.kind == SharedUpgradable || l.kind >= SharedNoWrite) {
				return true
			}
		}
	}
	return false
}

// Duration is until when the lock is held.
func (l *Lock) Duration() Duration { return l.duration }

// Release gives a lock back.
func (o *Owner) Release(l *Lock) {
	held := &o.held[l.duration]
	for i := len(*held) - 1; i >= 0; i-- {
		if (*held)[i] == l {
			*held = slices.Delete(*held, i, i+1)
			o.manager.release(l)
			o.drop(l)
			return
		}
	}
}

// releaseTo gives the locks of a duration back but for the n oldest.
func (o *Owner) releaseTo(d Duration, n int) {
	held := o.held[d]
	for i := len(held) - 1; i >= n; i-- {
		o.manager.release(held[i])
		o.drop(held[i])
		held[i] = nil
	}
	o.held[d] = held[:min(n, len(held))]
}

// ReleaseStatement gives back what is held until the end of the statement.
func (o *Owner) ReleaseStatement() { o.releaseTo(Statement, 0) }

// ReleaseTransaction gives back what is held until the end of the statement or the transaction.
func (o *Owner) ReleaseTransaction() {
	o.releaseTo(Statement, 0)
	o.releaseTo(Transaction, 0)
}

// Mark is a moment to go back to.
type Mark struct{ statement, transaction int }

// Mark returns the present moment.
func (o *Owner) Mark() Mark { return Mark{len(o.held[Statement]), len(o.held[Transaction])} }

// RollbackTo gives back what has been acquired since a moment until the end of the statement or
// the transaction.
func (o *Owner) RollbackTo(m Mark) {
	o.releaseTo(Statement, m.statement)
	o.releaseTo(Transaction, m.transaction)
}

// Keep has what is held until the end of the statement or the transaction, and was acquired since
// a moment, held until it is given back.
func (o *Owner) Keep(since Mark) {
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

// ReleaseExplicit gives back what is held until it is given back, of the namespaces that which
// says, and returns how many locks these were.
func (o *Owner) ReleaseExplicit(which func(Namespace) bool) (n int) {
	o.held[Explicit] = slices.DeleteFunc(o.held[Explicit], func(l *Lock) bool {
		if !which(l.object.key.Namespace) {
			return false
		}
		o.manager.release(l)
		o.drop(l)
		n++
		return true
	})
	return n
}

// ReleaseOne gives the newest lock on k back that is held until it is given back; false if there
// is none.
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

// Close gives everything back. The owner must not be used any more.
func (o *Owner) Close() {
	for d := range durationCount {
		o.releaseTo(d, 0)
	}
	for _, l := range o.free {
		l.record.Close()
	}
	o.free = nil
}
