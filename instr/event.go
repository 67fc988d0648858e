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
	eventNesting        // the id of the event that this one is part of
	eventBytes          // bytes moved
	eventCaller         // return address into the code that waited
)

// The parts of the word eventWhat: class id, operation, timer, flags, type of the nesting
// event, and how many events began while this one ran.
const (
	whatOp      = 16
	whatTimer   = 24
	whatTimed   = 1 << 28
	whatEnded   = 1 << 29
	whatNesting = 30 // 2 bits: nestingNone to nestingWait
	whatInner   = 32
)

// nesting is the type of the event that another one is part of, NESTING_EVENT_TYPE.
type nesting uint64

const (
	nestingNone nesting = iota
	nestingWait
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

// wait is a wait in progress. It lives on the stack of the function that waits.
type wait struct {
	class  *Class
	thread *Thread  // nil: the goroutine is no thread, or thread_instrumentation is off
	slot   *event   // nil: no event is recorded
	sw     switches // as the wait began
	start  uint64   // raw units
	holder uint64   // who waits, for the column LOCKED_BY_THREAD_ID
}

// holderGoroutine marks the holder of a lock that is a goroutine but no thread: the rest of
// the number is its id.
const holderGoroutine = 1 << 63

// begin starts a wait of the current goroutine. sw is the class's switches, not 0.
func (c *Class) begin(sw switches, op Op, object uint64, caller uintptr) wait {
	t, goid := current()
	return c.beginAs(t, goid, sw, op, object, caller)
}

// beginAs starts a wait of a goroutine that is thread t, or none.
func (c *Class) beginAs(t *Thread, goid uint64, sw switches, op Op, object uint64, caller uintptr) wait {
	w := wait{class: c, sw: sw}
	if t == nil || t.registry != c.registry {
		w.holder = holderGoroutine | goid
	} else {
		w.holder = ringbuf.Load(&t.id)
		if sw&swThreads != 0 {
			flags := t.flags.Load()
			if flags&threadInstrumented == 0 {
				// MySQL does not count such a wait at all, not even by instance.
				w.sw = 0
				return w
			}
			if flags&threadHistory == 0 {
				w.sw &^= swHistory | swHistoryLong
			}
			w.thread = t
			if sw&swCurrent != 0 {
				w.slot = t.push()
				if w.slot == nil {
					w.sw = 0
					return w
				}
			}
		}
	}
	what := uint64(c.id) | uint64(op)<<whatOp
	if sw&swTimed != 0 {
		timer := sw.timer()
		if timer == timers.Cycle {
			w.start = timers.ReadCycle()
		} else {
			w.start = timer.Now()
		}
		what |= uint64(timer)<<whatTimer | whatTimed
	}
	if e := w.slot; e != nil {
		id := t.nextEvent
		t.nextEvent = id + 1
		ringbuf.Publish(&e[eventID], id<<1|1)
		ringbuf.Store(&e[eventStart], w.start)
		ringbuf.Store(&e[eventEnd], 0)
		ringbuf.Store(&e[eventObject], object)
		ringbuf.Store(&e[eventBytes], 0)
		ringbuf.Store(&e[eventCaller], uint64(caller))
		nestingID := uint64(0)
		if t.depth > 1 {
			nestingID = t.waits[t.depth-2][eventID] >> 1
			what |= uint64(nestingWait) << whatNesting
		}
		ringbuf.Store(&e[eventNesting], nestingID)
		ringbuf.Store(&e[eventWhat], what)
		ringbuf.Publish(&e[eventID], id<<1)
	}
	return w
}

// counted tells whether the wait is to be counted at all.
func (w *wait) counted() bool { return w.sw != 0 }

// timed tells whether the wait has a duration.
func (w *wait) timed() bool { return w.sw&swTimed != 0 }

// end ends the wait, which moved some bytes, and returns how long it took, in cycles. What
// belongs to the thread is recorded; the instance's statistics are the caller's.
func (w *wait) end(bytes uint64) (cycles uint64) {
	var end uint64
	if w.sw&swTimed != 0 {
		timer := w.sw.timer()
		if timer == timers.Cycle {
			// The counter is not ordered: it can seem to run backwards.
			end = max(timers.ReadCycle(), w.start)
			cycles = end - w.start
		} else {
			end = max(timer.Now(), w.start)
			cycles = uint64(timer.ToCycles(end - w.start))
		}
	}
	t := w.thread
	if t == nil {
		return cycles
	}
	if e := w.slot; e != nil {
		inner := min(t.nextEvent-e[eventID]>>1-1, 1<<32-1)
		ringbuf.Store(&e[eventEnd], end)
		ringbuf.Store(&e[eventBytes], bytes)
		ringbuf.Publish(&e[eventWhat], e[eventWhat]|whatEnded|inner<<whatInner)
		t.pop()
		if w.sw&swHistory != 0 {
			t.waitsHistory.Append(e)
		}
		if w.sw&swHistoryLong != 0 {
			t.appendLong(e, end, w.sw)
		}
	}
	if s := t.stat(w.class.id); s != nil {
		s.record(w.sw&swTimed != 0, cycles)
	}
	return cycles
}

// appendLong copies an ended event to events_waits_history_long.
func (t *Thread) appendLong(e *event, end uint64, sw switches) {
	if sw&swTimed == 0 || sw.timer() != timers.Cycle {
		end = timers.ReadCycle()
	}
	var l longEvent
	*(*event)(l[:8]) = *e
	l[longThread] = t.id
	l[longStamp] = end
	t.registry.waitsLong.Load().Append(&l)
}

// push takes the next place in the stack of waits; nil if there is none.
func (t *Thread) push() *event {
	d := t.depth
	if d == maxWaits {
		t.registry.lockerLost.Add(1)
		return nil
	}
	ringbuf.Publish(&t.depth, d+1)
	return &t.waits[d]
}

func (t *Thread) pop() { ringbuf.Publish(&t.depth, t.depth-1) }
