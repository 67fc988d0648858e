package instr

import (
	"pfsd/ringbuf"
	"pfsd/timers"
)

// event is an event in a buffer: eight words, one cache line.
//
// A running event lies in its thread's stack of waits. Its owner begins it by storing the
// id with the lowest bit set, then the rest, then the id without that bit; it ends it by
// storing end and bytes and then what, whose ended bit makes them valid. A reader reads the
// id, then what, then the rest, and the id again: if both ids are the same and complete the
// copy is whole, but for end and bytes, which count only if what said ended. An ended event
// is copied to the histories, where ringbuf's position publishes it.
type event [8]uint64

const (
	eventID      = iota // twice the id, plus 1 while the event is being begun
	eventStart          // raw units of the event's timer; 0 if not timed
	eventEnd            // the same
	eventWhat           // see below
	eventObject         // the instance's id
	eventNesting        // four times the id of the event that this one is part of, and its type: waitInNothing to waitInWait
	eventBytes          // bytes moved
	eventCaller         // return address into the code that waited
)

// The parts of the word eventWhat: class id, operation, timer, flags, and how many events
// began while this one ran.
const (
	whatOp    = 16
	whatTimer = 24
	whatTimed = 1 << 28
	whatEnded = 1 << 29
	whatInner = 32
)

// longEvent is an event of events_waits_history_long: an event, its thread, and when it
// ended in cycles, whatever its timer.
type longEvent [10]uint64

const (
	longThread = 8
	longStamp  = 9
)

// maxWaits is how many waits a thread can be in at a time, one inside the other. MySQL:
// WAIT_STACK_SIZE.
const maxWaits = 5

// shallowWaits is how many waits of the stack are part of the thread's record: few threads are
// in more at a time.
const shallowWaits = 2

// ownWait returns the place in the stack of waits at a depth. Owned by the thread.
func (t *Thread) ownWait(depth uint64) *event {
	if depth < shallowWaits {
		return &t.waits[depth]
	}
	return t.ownDeepWait(depth)
}

//go:noinline
func (t *Thread) ownDeepWait(depth uint64) *event {
	deep := t.deepWaits.Load()
	if deep == nil {
		deep = new([maxWaits - shallowWaits]event)
		t.registry.buffers[bufThreads].grow(0, size[[maxWaits - shallowWaits]event]())
		t.deepWaits.Store(deep)
	}
	return &deep[depth-shallowWaits]
}

// waitAt is the place in the stack of waits at a depth, nil if the thread has never had one.
func (t *Thread) waitAt(depth uint64) *event {
	if depth < shallowWaits {
		return &t.waits[depth]
	}
	if deep := t.deepWaits.Load(); deep != nil {
		return &deep[depth-shallowWaits]
	}
	return nil
}

// wait is a wait in progress. It has no more fields than the compiler keeps in registers: so the
// class is passed to end again, and the switches contain the place of the event in the thread's
// stack, if the wait has an event.
type wait struct {
	thread *Thread  // nil: the goroutine is no thread, or thread_instrumentation is off
	sw     switches // as the wait began, with its place in the stack; 0 if it is not to be counted
	start  uint64   // raw units
	holder uint64   // who waits, for the column LOCKED_BY_THREAD_ID
}

// holderGoroutine marks the holder of a lock that is a goroutine but no thread: the rest of
// the number is its id.
const holderGoroutine = 1 << 63

// begin starts a wait of the current goroutine. sw is the class's switches, not 0.
func (c *Class) begin(sw switches, op Op, object uint64, caller uintptr) wait {
	g, goid := goroutine(goidOffset)
	var t *Thread
	if e := goroutines.find(g); e != nil && e.goid.Load() == goid {
		t = e.thread.Load()
	}
	if t == nil || t.registry != c.registry || sw&swThreads == 0 {
		return c.beginUnknown(t, g, goid, sw, op, object, caller)
	}
	return c.beginAs(t, sw, op, object, caller)
}

// beginUnrecorded starts a wait that counts for no thread.
func (c *Class) beginUnrecorded(t *Thread, goid uint64, sw switches) wait {
	w := wait{sw: sw, holder: holderGoroutine | goid}
	if t != nil && t.registry == c.registry {
		w.holder = ringbuf.Load(&t.id)
	}
	if sw&swTimed != 0 {
		w.start = sw.now()
	}
	return w
}

// beginAs starts a wait of thread t, which is one of the class's registry, where sw has
// swThreads.
func (c *Class) beginAs(t *Thread, sw switches, op Op, object uint64, caller uintptr) wait {
	flags := t.flags.Load()
	if flags&threadInstrumented == 0 {
		// MySQL does not count such a wait at all, not even by instance.
		return wait{}
	}
	if flags&threadHistory == 0 {
		sw &^= swHistory | swHistoryLong
	}
	if sw&swCurrent == 0 {
		start := uint64(0)
		if sw&swTimed != 0 {
			start = sw.now()
		}
		return wait{t, sw, start, ringbuf.Load(&t.id)}
	}
	depth := t.depth
	if depth >= maxWaits {
		t.registry.lockerLost.Add(1)
		return wait{}
	}
	e := t.ownWait(depth)
	what := uint64(c.id) | uint64(op)<<whatOp
	nesting := t.nesting
	if depth > 0 {
		// The word of an event that has begun is twice its id.
		nesting = t.ownWait(depth - 1)[eventID]<<1 | waitInWait
	}
	id := t.nextEvent
	t.nextEvent = id + 1
	ringbuf.Publish(&t.depth, depth+1)
	start := uint64(0)
	if sw&swTimed != 0 {
		what |= uint64(sw.timer())<<whatTimer | whatTimed
		if sw.timer() == timers.Cycle {
			start = timers.ReadCycle()
		} else {
			start = sw.timer().Now()
		}
	}
	ringbuf.Publish(&e[eventID], id<<1|1)
	ringbuf.Store(&e[eventStart], start)
	ringbuf.Store(&e[eventEnd], 0)
	ringbuf.Store(&e[eventWhat], what)
	ringbuf.Store(&e[eventObject], object)
	ringbuf.Store(&e[eventNesting], nesting)
	ringbuf.Store(&e[eventBytes], 0)
	ringbuf.Store(&e[eventCaller], uint64(caller))
	ringbuf.Publish(&e[eventID], id<<1)
	return wait{t, sw | switches(depth)<<swDepthShift, start, ringbuf.Load(&t.id)}
}

// beginHandle starts a wait of thread t, which the caller names; t may be nil or have ended.
func (c *Class) beginHandle(t *Thread, sw switches, op Op, object uint64, caller uintptr) wait {
	if t != nil && t.IsAutomatic() && Current() != t {
		// The thread may end at any moment, with its goroutine.
		t = nil
	}
	if t == nil || t.ID() == 0 || t.registry != c.registry || sw&swThreads == 0 {
		return c.beginUnrecorded(t, 0, sw)
	}
	return c.beginAs(t, sw, op, object, caller)
}

// now reads the timer that the switches name.
func (s switches) now() uint64 {
	if timer := s.timer(); timer != timers.Cycle {
		return timer.Now()
	}
	return timers.ReadCycle()
}

// counted reports whether the wait is to be counted at all.
func (w wait) counted() bool { return w.sw != 0 }

// timed reports whether the wait has a duration.
func (w wait) timed() bool { return w.sw&swTimed != 0 }

// end ends the wait, which began in class c and moved some bytes, and returns how long it
// took, in cycles. What belongs to the thread is recorded; the instance's statistics are the
// caller's.
func (w wait) end(c *Class, bytes uint64) (cycles uint64) { return w.endMany(c, bytes, 1) }

// endMany is end for a wait that counts as so many in the thread's statistics.
func (w wait) endMany(c *Class, bytes, count uint64) (cycles uint64) {
	var end uint64
	if w.sw&swTimed != 0 {
		if timer := w.sw.timer(); timer == timers.Cycle {
			// Reading the counter is not ordered with other instructions: it can seem to run
			// backwards.
			end = max(timers.ReadCycle(), w.start)
			cycles = end - w.start
		} else {
			end = max(timer.Now(), w.start)
			cycles = uint64(timer.ToCycles(end - w.start))
		}
		if w.sw&swHistogram != 0 && count != 0 {
			c.histogram.record(cycles)
		}
	}
	t := w.thread
	if t == nil || ringbuf.Load(&t.id) != w.holder {
		// There is no thread, or it has ended meanwhile and another thread may have the record.
		return cycles
	}
	if w.sw&swCurrent != 0 {
		// The waits above this one, if there are any, were left by a panic.
		depth := uint64(w.sw >> swDepthShift)
		e := t.ownWait(depth)
		what := e[eventWhat]
		if what&whatEnded != 0 {
			return cycles
		}
		inner := min(t.nextEvent-e[eventID]>>1-1, 1<<32-1)
		ringbuf.Store(&e[eventEnd], end)
		ringbuf.Store(&e[eventBytes], bytes)
		if w.sw&swInstanceHistogram != 0 && count != 0 {
			c.recordInstance(e, cycles)
		}
		ringbuf.Publish(&e[eventWhat], what|whatEnded|inner<<whatInner)
		ringbuf.Publish(&t.depth, depth)
		if w.sw&swHistory != 0 {
			if !t.waitsHistory.Made() {
				t.makeWaitsHistory()
			}
			copyEvent(t.waitsHistory.Claim(), e)
			t.waitsHistory.Commit()
		}
		if w.sw&swHistoryLong != 0 {
			t.appendLong(e, end, w.sw)
		}
	}
	if count == 0 {
		t.released()
		return cycles
	}
	n := uint64(c.id / statBlockSize)
	slot := &t.stats[n%statSlots]
	b := slot.block.Load()
	if b == nil || slot.number != n {
		b = t.ownStats(n)
	}
	b[c.id%statBlockSize].recordMany(w.sw&swTimed != 0, cycles, count)
	t.released()
	return cycles
}

// appendLong copies an ended event to events_waits_history_long.
func (t *Thread) appendLong(e *event, end uint64, sw switches) {
	if sw&swTimed == 0 || sw.timer() != timers.Cycle {
		end = timers.ReadCycle()
	}
	ring, stamp := t.registry.waitsLong.Load().Pin(end)
	l := ring.Claim()
	copyEvent((*event)(l[:8]), e)
	ringbuf.Store(&l[longThread], ringbuf.Load(&t.id))
	ringbuf.Store(&l[longStamp], stamp)
	ring.Commit()
	ringbuf.Unpin()
}

// copyEvent copies an event of the thread's own, word by word: see ringbuf.Ring.Claim.
func copyEvent(slot, e *event) {
	ringbuf.Store(&slot[0], e[0])
	ringbuf.Store(&slot[1], e[1])
	ringbuf.Store(&slot[2], e[2])
	ringbuf.Store(&slot[3], e[3])
	ringbuf.Store(&slot[4], e[4])
	ringbuf.Store(&slot[5], e[5])
	ringbuf.Store(&slot[6], e[6])
	ringbuf.Store(&slot[7], e[7])
}

// NextEventID is the id that the thread's next event will have: what happens now is part of events with smaller ones. Owned by the thread's
// goroutine; 0 for a nil thread.
func (t *Thread) NextEventID() uint64 {
	if t == nil {
		return 0
	}
	return t.nextEvent
}
