package instr

import (
	"pfsd/ringbuf"
	"pfsd/timers"
)

// exclusive says who holds a lock that one goroutine can hold at a time, and has the statistics of
// the waits for it. Only the holder of the lock writes it: after locking it writes waits, place and
// since, and then holder; before unlocking it sets holder to 0. The goroutine that unlocks need not
// be the one that locked.
//
// A reader loads waits.n, holder, place, since, and waits.n again. If both are the same and even, and
// holder is not 0, the copy is that of one hold, and the lock was held when holder was loaded. The reason
// is that each hold changes waits.n before it stores the other words. So all stores of earlier holds, the
// last of which sets holder to 0, come before the first load; and if a later hold had stored anything, the
// second load would find another n. Failed attempts to lock, and resets of the statistics, do not change n.
type exclusive struct {
	holder uint64
	place  uint64 // the return address into the code that locked
	since  uint64 // cycles; 0 if neither the wait nor the hold is timed
	counts bool   // the hold is counted when it ends; only the holder uses this
	waits  stat
	holds  holds // that have ended
}

// locked ends the wait of the goroutine that has just got the lock, in code at pc. Owned by the
// holder.
func (x *exclusive) locked(c *Class, w wait, pc uintptr) {
	if w.sw&swEnabled == 0 {
		x.lockedUncounted(c)
		return
	}
	cycles := w.end(c, 0)
	x.waits.record(w.timed(), cycles)
	ringbuf.Store(&x.place, uint64(pc))
	since := w.since(cycles)
	if w.sw&swHold != 0 {
		since = c.holdBegins(since)
		x.counts = true
	}
	ringbuf.Store(&x.since, since)
	ringbuf.Publish(&x.holder, w.holder)
}

// since is the reading of the cycle counter at which a wait ended that took so many cycles; 0 if it
// was not timed.
func (w wait) since(cycles uint64) uint64 {
	switch {
	case w.sw&swTimed == 0:
		return 0
	case w.sw.timer() != timers.Cycle:
		return timers.ReadCycle()
	}
	return w.start + cycles
}

// lockedUncounted takes the place of locked when holds are counted but waits are not. Then the
// holder is not recorded.
//
//go:noinline
func (x *exclusive) lockedUncounted(c *Class) {
	ringbuf.Store(&x.since, c.holdBegins(0))
	x.counts = true
}

// unlocking records that the lock, which is of class c, is about to be unlocked. Owned by the
// holder.
func (x *exclusive) unlocking(c *Class) {
	if x.counts {
		x.counts = false
		x.holds.record(c, ringbuf.Load(&x.since))
	}
	if ringbuf.Load(&x.holder) != 0 {
		ringbuf.Store(&x.holder, 0)
	}
}

// Holder is the id of the thread that holds the lock, or holds the RWMutex for writing; 0 if no
// thread does or the instrument was off when it was locked. For a goroutine that is no thread it is
// 2^63 plus the goroutine's id. Safe for concurrent use.
func (x *exclusive) Holder() uint64 { return ringbuf.Load(&x.holder) }

// Holding is one hold of a lock.
type Holding struct {
	Holder    uint64 // see MutexInstance.Holder
	Goroutine uint64 // the holder's goroutine; 0 if unknown
	// Number tells the holds of a lock apart, and the holds of a reader: two copies with the same
	// Number are of the same hold.
	Number uint64
	// Certain is false if the holder locked the lock for reading and may not hold it any more,
	// because a goroutine unlocked it that was not known to hold it.
	Certain bool
	Source  string // the file and line of the code that locked, as file.go:123; "" if unknown
	// Held is for how long the lock had been held when the copy was made, picoseconds. Timed is
	// false, and Held 0, if the wait for the lock was not timed.
	Held  uint64
	Timed bool
}

// Holding returns who holds the lock now; false if nobody does, as far as Holder knows. Safe for
// concurrent use.
func (in *MutexInstance) Holding() (Holding, bool) { return in.holding(in.class.registry) }

// Holding returns who holds the lock for writing now, as MutexInstance.Holding.
func (in *RWMutexInstance) Holding() (Holding, bool) { return in.holding(in.class.registry) }

func (x *exclusive) holding(r *Registry) (Holding, bool) {
	for try := 0; ; try++ {
		letWriterFinish(try)
		n := ringbuf.Load(&x.waits.n)
		holder, place, since := ringbuf.Load(&x.holder), ringbuf.Load(&x.place), ringbuf.Load(&x.since)
		if n&1 != 0 || ringbuf.Load(&x.waits.n) != n {
			continue
		}
		if holder == 0 {
			return Holding{}, false
		}
		h := Holding{Holder: holder, Goroutine: r.goroutineOf(holder), Number: n / 2, Certain: true, Source: r.source(uintptr(place))}
		h.setSince(since)
		return h, true
	}
}

// goroutineOf is the number of the goroutine that holds a lock, 0 if unknown.
func (r *Registry) goroutineOf(holder uint64) uint64 {
	if holder&holderGoroutine != 0 {
		return holder &^ holderGoroutine
	}
	if t := r.Reader().ThreadByID(holder); t != nil {
		goid := ringbuf.Load(&t.goid)
		if t.ID() == holder {
			return goid
		}
	}
	return 0
}
