package instr

import (
	"pfsd/ringbuf"
	"pfsd/timers"
)

// exclusive is who holds a lock that one goroutine can hold at a time, and what its waits were. Only
// who holds the lock writes it: after locking waits, place and since and then holder; before
// unlocking holder, which becomes 0. Who unlocks may be another goroutine than who has locked.
//
// A reader loads waits.n, holder, place, since, and waits.n again. If both are the same and even,
// and holder is not 0, the copy is that of one hold, and the lock was held when holder was loaded.
// For waits.n changes with each hold before its other words: the stores of earlier holds, the last of which
// sets holder to 0, are behind the first load, and had a later hold stored any, the second load
// would find another n. Failed attempts to lock, and resets of the statistics, leave n alone.
type exclusive struct {
	holder uint64
	place  uint64 // the return address into the code that locked
	since  uint64 // cycles; 0 if the wait was not timed
	waits  stat
}

// locked ends the wait of who has just got the lock, from code at pc. Owned by who holds it.
func (x *exclusive) locked(c *Class, w wait, pc uintptr) {
	cycles := w.end(c, 0)
	x.waits.record(w.timed(), cycles)
	since := w.start + cycles
	if w.sw&swTimed == 0 {
		since = 0
	} else if w.sw.timer() != timers.Cycle {
		since = timers.ReadCycle()
	}
	ringbuf.Store(&x.place, uint64(pc))
	ringbuf.Store(&x.since, since)
	ringbuf.Publish(&x.holder, w.holder)
}

// unlocking says that nobody holds the lock any more. Owned by who holds it.
func (x *exclusive) unlocking() {
	if ringbuf.Load(&x.holder) != 0 {
		ringbuf.Store(&x.holder, 0)
	}
}

// Holder is the id of the thread that holds the lock, a rwlock for writing; 0 if none does or the
// instrument was off when it was locked. Of a goroutine that is no thread it is 2^63 plus the
// goroutine's id. Safe for concurrent use.
func (x *exclusive) Holder() uint64 { return ringbuf.Load(&x.holder) }

// Holding is one hold of a lock, of a rwlock for writing.
type Holding struct {
	Holder uint64 // see MutexInstance.Holder
	// Number tells the holds of a lock apart: two copies with the same one are of the same hold.
	Number uint64
	Source string // the file and line of the code that locked, as file.go:123; "" if unknown
	// Held is for how long the lock had been held when the copy was made, picoseconds; 0 if Timed is
	// false, as the wait for it was not timed.
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
		h := Holding{Holder: holder, Number: n / 2, Source: r.source(uintptr(place)), Timed: since != 0}
		if h.Timed {
			h.Held = timers.Cycle.PicosecondsSaturated(max(timers.ReadCycle(), since) - since)
		}
		return h, true
	}
}
