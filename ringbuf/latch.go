package ringbuf

import (
	"runtime"
	"sync/atomic"
)

// Latch is a lock that is held for a few stores, and that two goroutines hardly ever need at the
// same time: the thread that owns what it guards locks it at each event, and readers lock it now
// and then. Where a plain store publishes what was written before (see Publish), unlocking is one
// plain store. Unlike sync.Mutex, it does not wait until the earlier stores have reached the cache,
// which is most of the cost of a lock whose owner writes to memory that it has not used for a
// while. A goroutine that finds the Latch locked yields to other goroutines until it is unlocked;
// there is no list of waiters. The zero Latch is unlocked. It must not be copied.
type Latch struct{ locked uint64 }

// Lock locks the latch.
func (l *Latch) Lock() {
	if !atomic.CompareAndSwapUint64(&l.locked, 0, 1) {
		l.wait()
	}
}

// TryLock locks the latch if it is unlocked, and reports whether it did.
func (l *Latch) TryLock() bool { return atomic.CompareAndSwapUint64(&l.locked, 0, 1) }

// Unlock unlocks the latch, which the caller has locked.
func (l *Latch) Unlock() { Publish(&l.locked, 0) }

func (l *Latch) wait() {
	for Load(&l.locked) != 0 || !l.TryLock() {
		runtime.Gosched()
	}
}
