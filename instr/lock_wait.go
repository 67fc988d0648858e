package instr

import "pfsd/ringbuf"

// LockWait says that a thread waits for a mutex or a readers-writer lock, and who is in its way. If a
// thread waits for several readers, there is one LockWait for each of them.
type LockWait struct {
	WaitEvent         // still running
	Waiter    *Thread // the thread that waits; its record may be another thread's when that has ended
	Thread    string  // its name
	Goroutine uint64  // its goroutine, 0 if unknown

	// Blocker is who holds the lock. Its Holder is 0 if that is not known: then the lock was locked
	// while the instrument was off, or it is about to change hands.
	Blocker Holding
	Shared  bool // the blocker holds it for reading
	// Pending says that the blocker does not hold the lock, but waits to write before the waiter, which wants
	// to read. Then Blocker has no place and no time; its Number is the id of its event.
	Pending bool
}

// lockWaiter is a thread that waits for a lock, and the place of the wait in its stack.
type lockWaiter struct {
	LockWait
	slot *event
}

// innermostWait returns the place of the thread's innermost wait if that seems to run and to be for a mutex or a readers-writer lock; else
// nil.
func (t *Thread) innermostWait() *event {
	depth := ringbuf.Load(&t.depth)
	if depth == 0 || depth > maxWaits {
		return nil
	}
	slot := t.waitAt(depth - 1)
	if slot == nil || !forLock(ringbuf.Load(&slot[eventWhat])) {
		return nil
	}
	return slot
}

// forLock reports whether a word of an event is of a running wait for a mutex or a readers-writer lock.
func forLock(what uint64) bool {
	switch Op(what >> whatOp) {
	case OpLock, OpReadLock, OpWriteLock:
		return what&whatEnded == 0
	}
	return false
}

// copyFrom copies the wait in a place of the thread's stack; false if it is none for a lock any more.
func (w *lockWaiter) copyFrom(t *Thread, slot *event) bool {
	var e event
	id := t.ID()
	if id == 0 || !t.registry.readRunning(slot, &e) || !forLock(e[eventWhat]) {
		return false
	}
	t.registry.decode(&w.WaitEvent, &e, id)
	w.Waiter, w.slot, w.Thread, w.Goroutine = t, slot, "", ringbuf.Load(&t.goid)
	if class := t.class.Load(); class != nil {
		w.Thread = class.name
	}
	return t.ID() == id && w.Class != nil
}

// waits reports whether the wait still runs.
func (w *lockWaiter) waits() bool {
	return ringbuf.Load(&w.slot[eventWhat])&whatEnded == 0 && ringbuf.Load(&w.slot[eventID]) == w.ID<<1 && w.Waiter.ID() == w.ThreadID
}

// maxBlockers is how many readers LockWaits names for a thread that waits for the readers of a
// lock.
const maxBlockers = 64

// lockWaiters are the threads that wait for locks.
type lockWaiters struct {
	all []lockWaiter
	// firstWriter is the one that has waited longest to write, and writers how many wait to write,
	// by lock.
	firstWriter map[uint64]*lockWaiter
	writers     map[uint64]int
	readers     map[uint64][]ReadLock // of rwlocks that are waited for
}

func (h Reader) lockWaiters() lockWaiters {
	ws := lockWaiters{firstWriter: map[uint64]*lockWaiter{}, writers: map[uint64]int{}, readers: map[uint64][]ReadLock{}}
	type place struct {
		thread *Thread
		slot   *event
	}
	var places []place
	for _, t := range h.r.threads.all() {
		if slot := t.innermostWait(); slot != nil {
			places = append(places, place{t, slot})
		}
	}
	shared := false
	ws.all = make([]lockWaiter, len(places))
	n := 0
	for _, p := range places {
		if w := &ws.all[n]; w.copyFrom(p.thread, p.slot) {
			shared = shared || w.Op != OpLock
			n++
		}
	}
	if ws.all = ws.all[:n]; !shared {
		return ws
	}
	waits := make(map[uint64]bool, n) // by thread
	for i := range ws.all {
		waits[ws.all[i].ThreadID] = true
	}
	for i := range ws.all {
		if w := &ws.all[i]; w.Op == OpWriteLock {
			ws.writers[w.Object]++
			if first := ws.firstWriter[w.Object]; first == nil || w.start < first.start {
				ws.firstWriter[w.Object] = w
			}
		}
	}
	var busy []ReadLock
	add := func(l ReadLock) {
		if id := l.Lock.id; ws.writers[id] > 0 && len(ws.readers[id]) < maxBlockers {
			ws.readers[id] = append(ws.readers[id], l)
		}
	}
	for _, l := range h.ReadLocks() {
		// First the readers that wait themselves.
		if waits[l.Holder] {
			add(l)
		} else {
			busy = append(busy, l)
		}
	}
	for _, l := range busy {
		add(l)
	}
	return ws
}

// LockWaits returns which threads wait for mutexes and readers-writer locks, and for whom. It knows the waits that are
// events, which they are while the consumer events_waits_current is on. Each LockWait was true at one moment: the
// holder is read after the wait, and the wait was still running afterwards. Different ones need not be of the same
// moment. At most 64 readers of a lock are named. It stops nobody. Safe for concurrent use.
func (h Reader) LockWaits() []LockWait {
	ws := h.lockWaiters()
	known := map[uint64]lockHolder{}
	all := make([]LockWait, 0, len(ws.all))
	for i := range ws.all {
		w := &ws.all[i]
		l, ok := known[w.Object]
		if !ok {
			l = h.lockHolder(w.Object)
			known[w.Object] = l
		}
		before := len(all)
		first := ws.firstWriter[w.Object]
		switch {
		case l.held:
			w.Blocker = l.Holding
		case w.Op == OpWriteLock:
			for _, r := range ws.readers[w.Object] {
				all = append(all, w.blockedBy(r.Holding, true, false))
			}
		case w.Op == OpReadLock && l.writerWaits && first != nil && first.waits():
			// If several threads wait to write, one of them is in front of the readers, most likely the one that has
			// waited longest.
			w.LockWait = w.blockedBy(Holding{
				Holder: first.ThreadID, Goroutine: first.Goroutine, Number: first.ID, Certain: ws.writers[w.Object] == 1,
			}, false, true)
		}
		if len(all) == before {
			all = append(all, w.LockWait)
		}
		if !w.waits() {
			all = all[:before]
		}
	}
	return all
}

func (w *lockWaiter) blockedBy(h Holding, shared, pending bool) LockWait {
	blocked := w.LockWait
	blocked.Blocker, blocked.Shared, blocked.Pending = h, shared, pending
	return blocked
}

// lockHolder is who holds a lock exclusively.
type lockHolder struct {
	Holding
	held        bool
	writerWaits bool // of a readers-writer lock: readers wait for a writer that waits
}

func (h Reader) lockHolder(id uint64) (l lockHolder) {
	switch in := h.Instance(id).(type) {
	case *MutexInstance:
		l.Holding, l.held = in.Holding()
	case *RWMutexInstance:
		l.writerWaits = !countsReaders || in.writerWaits()
		l.Holding, l.held = in.Holding()
	}
	return l
}
