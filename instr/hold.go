package instr

import (
	"sync/atomic"

	"pfsd/timers"
)

// holds is how long a lock was held exclusively. The holder writes it.
type holds struct{ stat atomic.Pointer[stat] } // nil until there is one

// record counts a hold of a lock of class c that began at a reading of the cycle counter, 0 if it is not timed, and ends now,
// if the instrument is still on. Owned by the holder of the lock.
//
//go:noinline
func (h *holds) record(c *Class, since uint64) {
	timed, d, ok := c.holds.hold(since)
	if !ok {
		return
	}
	s := h.stat.Load()
	if s == nil {
		s = new(stat)
		h.stat.Store(s)
	}
	s.record(timed, d)
}

// countRead counts a hold for reading, as record does.
func (in *RWMutexInstance) countRead(since uint64) {
	if timed, d, ok := in.class.holds.hold(since); ok {
		in.readHolds.record(timed, d)
	}
}

// holdBegins is when a hold of a lock of class c began, in cycles: at since; or, if that is 0, which means unknown, now if
// holds are timed.
func (c *Class) holdBegins(since uint64) uint64 {
	if since == 0 && c.holds.switches.Load()&uint64(swTimed) != 0 {
		return timers.ReadCycle()
	}
	return since
}

// hold is how many cycles a hold has taken that ends now, if it is timed. c is a class of holds; ok is false if it is off.
func (c *Class) hold(since uint64) (timed bool, d uint64, ok bool) {
	sw := switches(c.switches.Load())
	if timed = sw&swTimed != 0 && since != 0; timed {
		d = max(timers.ReadCycle(), since) - since
		if sw&swHistogram != 0 {
			c.histogram.record(d)
		}
	}
	return timed, d, sw != 0
}

func (h *holds) read() Stat {
	if s := h.stat.Load(); s != nil {
		return s.read()
	}
	return NoStat
}

func (h *holds) reset() {
	if s := h.stat.Load(); s != nil {
		s.reset()
	}
}

// bytes is how many bytes the statistics take besides the pointer.
func (h *holds) bytes() int {
	if h.stat.Load() == nil {
		return 0
	}
	return size[stat]()
}

// Holds is the instrument of how long the locks of a class are held, nil if the class is of something else. Safe for
// concurrent use.
func (c *Class) Holds() *Class { return c.holds }

// heldInstance is a lock.
type heldInstance interface {
	Holds() Stat
	resetHolds()
}

// Holds is how often and how long the mutex was held while the instrument hold/synch/mutex/NAME was on. Safe for
// concurrent use.
func (in *MutexInstance) Holds() Stat { return in.holds.read() }

func (in *MutexInstance) resetHolds() { in.holds.reset() }

// Holds is how often and how long the lock was held while the instrument hold/synch/rwlock/NAME was on: for writing,
// and for reading by threads that unlocked it themselves. Safe for concurrent use.
func (in *RWMutexInstance) Holds() Stat {
	s := in.holds.read()
	s.Add(in.readHolds.read())
	return s
}

func (in *RWMutexInstance) resetHolds() {
	in.holds.reset()
	in.readHolds.reset()
}

// holdTimes is the statistics of a class of holds.
func (c *Class) holdTimes() Stat {
	c.locks.mu.Lock()
	defer c.locks.mu.Unlock()
	sum := c.gone
	for _, in := range c.locks.instances {
		sum.Add(in.(heldInstance).Holds())
	}
	return sum
}

// resetHolds empties the statistics of a class of holds for the locks that exist.
func (c *Class) resetHolds() {
	for _, in := range c.locks.Instances() {
		in.(heldInstance).resetHolds()
	}
}
