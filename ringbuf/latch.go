package ringbuf

import (
	"runtime"
	"sync/atomic"
)

// Latch is a lock that is held for a few stores and hardly ever wanted by two: by the thread
// that owns what it guards, at each event, and by those who now and then read that. Unlocking
// is one plain store where that publishes what was written before (see Publish): it does not
// wait, as sync.Mutex does, until the stores have reached the cache, which is most of what a
// lock costs whose owner writes to memory that it has not used for a while. Who finds it
// locked lets other goroutines run until it is not; nobody is told to go on. The zero Latch is
// unlocked. It must not be copied.
type Latch struct{ locked uint64 }

// Lock locks the latch.
func (l *Latch) Lock() {
	if !atomic.CompareAndSwapUint64(&l.locked, 0, 1) {
		l.wait()
	}
}

// TryLock locks the latch if nobody has it, and reports whether it did.
func (l *Latch) TryLock() bool { return atomic.CompareAndSwapUint64(&l.locked, 0, 1) }

// Unlock unlocks the latch, which the caller has locked.
func (l *Latch) Unlock() { Publish(&l.locked, 0) }

func (l *Latch) wait() {
	for Load(&l.locked) != 0 || !l.TryLock() {
		runtime.Gosched()
	}
}
