package instr

import (
	"sync/atomic"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// maxReadLocks is for how many readers-writer locks a thread can be named as a reader at a time.
// Further locks that it holds for reading only count in [RWMutexInstance.Readers].
const maxReadLocks = 8

// readLock is a lock that a thread holds for reading.
type readLock struct {
	object uint64 // the instance's id
	place  uint64 // the return address into the code that locked
	since  uint64 // cycles; 0 if neither the wait nor the hold is timed
	epoch  uint64 // waits.n of the lock: how many holds for writing there had been
	number uint64 // tells the thread's holds apart
	counts uint64 // 1 if the hold is counted when it ends; only the thread uses this
}

// readLocks is the locks that a thread holds for reading, in the order in which it locked them.
// Only the thread writes it.
//
// push raises version by 2, writes the place above the top, and then raises n. pop lowers n if the
// lock is at the top. Otherwise popBelow makes version odd, moves down the places above the lock,
// lowers n, and makes version even. A reader loads version, n, the places below n, and version again.
// If both versions are the same and even, no place below n was written in between: the copy is what
// was held when n was loaded, as push comes after the lock is locked and pop before it is unlocked.
type readLocks struct {
	version uint64
	n       uint64
	locks   [maxReadLocks]readLock
}

// push adds a lock; it is left out if there is no room. Owned by the thread.
func (h *readLocks) push(in *RWMutexInstance, pc uintptr, since, counts uint64) {
	n := ringbuf.Load(&h.n)
	if n >= maxReadLocks {
		return
	}
	number := ringbuf.Load(&h.version) + 2
	ringbuf.Publish(&h.version, number)
	l := &h.locks[n%maxReadLocks]
	ringbuf.Store(&l.object, in.id)
	ringbuf.Store(&l.place, uint64(pc))
	ringbuf.Store(&l.since, since)
	ringbuf.Store(&l.epoch, ringbuf.Load(&in.waits.n))
	ringbuf.Store(&l.number, number)
	ringbuf.Store(&l.counts, counts)
	ringbuf.Publish(&h.n, n+1)
}

// pop removes the last hold of a lock, and returns when the hold began and whether it is to be counted; ok is false
// if there is none. Owned by the thread.
func (h *readLocks) pop(object uint64) (since uint64, counts, ok bool) {
	n := ringbuf.Load(&h.n)
	if i := n - 1; i < maxReadLocks && ringbuf.Load(&h.locks[i].object) == object {
		ringbuf.Publish(&h.n, i)
		return ringbuf.Load(&h.locks[i].since), ringbuf.Load(&h.locks[i].counts) != 0, true
	}
	return h.popBelow(n, object)
}

//go:noinline
func (h *readLocks) popBelow(n, object uint64) (since uint64, counts, ok bool) {
	for i := int(n) - 2; i >= 0; i-- {
		if ringbuf.Load(&h.locks[i].object) != object {
			continue
		}
		since, counts = ringbuf.Load(&h.locks[i].since), ringbuf.Load(&h.locks[i].counts) != 0
		ringbuf.Publish(&h.version, ringbuf.Load(&h.version)+1)
		for ; i < int(n)-1; i++ {
			to, from := &h.locks[i], &h.locks[i+1]
			ringbuf.Store(&to.object, ringbuf.Load(&from.object))
			ringbuf.Store(&to.place, ringbuf.Load(&from.place))
			ringbuf.Store(&to.since, ringbuf.Load(&from.since))
			ringbuf.Store(&to.epoch, ringbuf.Load(&from.epoch))
			ringbuf.Store(&to.number, ringbuf.Load(&from.number))
			ringbuf.Store(&to.counts, ringbuf.Load(&from.counts))
		}
		ringbuf.Publish(&h.n, n-1)
		ringbuf.Publish(&h.version, ringbuf.Load(&h.version)+1)
		return since, counts, true
	}
	return 0, false, false
}

// copy appends the locks that are held; it returns false if they kept changing. Safe for concurrent
// use.
func (h *readLocks) copy(to []readLock) ([]readLock, bool) {
	before := len(to)
	for range readRetries {
		to = to[:before]
		version := ringbuf.Load(&h.version)
		for i := range min(ringbuf.Load(&h.n), maxReadLocks) {
			l := &h.locks[i]
			to = append(to, readLock{
				object: ringbuf.Load(&l.object), place: ringbuf.Load(&l.place), since: ringbuf.Load(&l.since), epoch: ringbuf.Load(&l.epoch), number: ringbuf.Load(&l.number),
			})
		}
		if version&1 == 0 && ringbuf.Load(&h.version) == version {
			return to, true
		}
	}
	return to[:before], false
}

// ownReadLocks returns the thread's read locks, made if need be. Owned by the thread.
func (t *Thread) ownReadLocks() *readLocks {
	if h := t.readLocks.Load(); h != nil {
		return h
	}
	return t.makeReadLocks()
}

//go:noinline
func (t *Thread) makeReadLocks() *readLocks {
	h := new(readLocks)
	t.registry.buffers[bufThreads].grow(0, size[readLocks]())
	t.readLocks.Store(h)
	return h
}

// readLocked records that thread t, that of the calling goroutine, holds the lock for reading. counts says that the hold is
// to be counted.
func (in *RWMutexInstance) readLocked(t *Thread, pc uintptr, since uint64, counts bool) {
	count := uint64(0)
	if counts {
		count = 1
	}
	t.ownReadLocks().push(in, pc, since, count)
	if !in.pushed.Load() {
		in.pushed.Store(true)
	}
}

// readUnlocking records that the calling goroutine is about to unlock the lock after reading. If it
// is not known to hold the lock, another goroutine may have locked it and would wrongly still be
// named as a reader: until the next hold for writing, all readers are uncertain.
//
//go:noinline
func (in *RWMutexInstance) readUnlocking() {
	if t := Current(); t != nil && t.registry == in.class.registry {
		if h := t.readLocks.Load(); h != nil {
			if since, counts, ok := h.pop(in.id); ok {
				if counts {
					in.countRead(since)
				}
				return
			}
		}
	}
	if mark := ringbuf.Load(&in.waits.n) + 1; atomic.LoadUint64(&in.stray) != mark {
		atomic.StoreUint64(&in.stray, mark)
	}
}

// ReadLock is a lock that a thread holds for reading.
type ReadLock struct {
	Lock *RWMutexInstance
	Holding
}

// ReadLocks returns which threads hold which readers-writer locks for reading, if they locked them while the
// instrument was on; at most eight locks of each thread. A hold is left out if a later hold for writing, or
// the number of readers that the lock itself counts, shows that it has ended. Safe for concurrent use.
func (h Reader) ReadLocks() []ReadLock {
	var all []ReadLock
	var held []readLock
	known := map[uint64]*RWMutexInstance{}
	for _, t := range h.r.threads.all() {
		id, stack := t.ID(), t.readLocks.Load()
		if id == 0 || stack == nil || ringbuf.Load(&stack.n) == 0 {
			continue
		}
		var ok bool
		if held, ok = stack.copy(held[:0]); !ok || t.ID() != id {
			continue
		}
		for i := range held {
			l := &held[i]
			in, ok := known[l.object]
			if !ok {
				in, _ = h.Instance(l.object).(*RWMutexInstance)
				known[l.object] = in
			}
			if in == nil || ringbuf.Load(&in.waits.n) != l.epoch || countsReaders && in.Readers() == 0 {
				continue
			}
			all = append(all, ReadLock{in, Holding{
				Holder: id, Goroutine: ringbuf.Load(&t.goid), Number: l.number, Certain: atomic.LoadUint64(&in.stray) != l.epoch+1,
				Source: h.r.source(uintptr(l.place)),
			}})
			all[len(all)-1].setSince(l.since)
		}
	}
	return all
}

// setSince says since when the lock has been held, in cycles, 0 if that is not known.
func (h *Holding) setSince(since uint64) {
	if h.Timed = since != 0; h.Timed {
		h.Held = timers.Cycle.PicosecondsSaturated(max(timers.ReadCycle(), since) - since)
	}
}
