package instr

import (
	"pfsd/ringbuf"
	"pfsd/timers"
)

// WaitEvent is a copy of an event, as a row of events_waits_current and its histories shows
// it.
type WaitEvent struct {
	EventHead
	Op Op
	// Object is the instance's id, 0 if there is none.
	Object uint64
	// Bytes is how many bytes were moved, or how many rows an operation on a table was for.
	Bytes uint64

	spins      uint64 // 1 more than Spins; 0 if that is unknown
	tableIndex uint8  // 1 more than the number of the index that was used; 0 for none
}

// Spins is how often a wait for a mutex looked at the mutex again before it slept or had it; false if that is not known, as of all waits
// that this process records itself: Go counts it, but tells nobody.
func (e *WaitEvent) Spins() (n uint64, known bool) { return e.spins - min(e.spins, 1), e.spins != 0 }

// decode fills in an event from its words; now is a reading of its timer for one that runs.
func (r *Registry) decode(out *WaitEvent, e *event, thread uint64) {
	what := e[eventWhat]
	*out = WaitEvent{
		EventHead: EventHead{
			ThreadID:    thread,
			ID:          e[eventID] >> 1,
			Class:       r.classByID(uint16(what)),
			Ended:       what&whatEnded != 0,
			NestingID:   e[eventNesting] >> 2,
			NestingType: waitNestings[e[eventNesting]&3],
			Caller:      uintptr(e[eventCaller]),
			timed:       what&whatTimed != 0,
			timer:       timers.ID(what >> whatTimer & 7),
			start:       e[eventStart],
			end:         e[eventEnd],
		},
		Op:     Op(what >> whatOp),
		Object: e[eventObject],
		Bytes:  e[eventBytes],
	}
	if out.OnTable() {
		out.tableIndex = uint8(out.Object & tableIndexMask)
		out.Object &^= tableIndexMask
	}
	if out.Ended {
		out.EndID = out.ID + what>>whatInner
		return
	}
	out.Bytes = 0
	if out.timed {
		out.end = max(out.timer.Now(), out.start)
	}
}

// HasBytes reports whether the operation moves bytes, or is for rows.
func (e *WaitEvent) HasBytes() bool { return ops[e.Op].bytes }

// readRetries is how often a slot that changes under the reader is read again.
const readRetries = 8

// readRunning copies the event in a place of the stack of waits; false if it is empty, or
// kept changing.
func (r *Registry) readRunning(slot, out *event) bool {
	for range readRetries {
		id := ringbuf.Load(&slot[eventID])
		if id == 0 {
			return false
		}
		what := ringbuf.Load(&slot[eventWhat])
		for i := range slot {
			out[i] = ringbuf.Load(&slot[i])
		}
		out[eventWhat] = what
		if id&1 == 0 && out[eventID] == id && ringbuf.Load(&slot[eventID]) == id {
			return true
		}
	}
	return false
}

// CurrentWaits appends the rows that events_waits_current has for the thread: its running
// waits, the outermost first, or the last one that ended if none is running.
func (t *Thread) CurrentWaits(to []WaitEvent) []WaitEvent {
	id := t.ID()
	floor := t.waitsFloor.Load()
	var e event
	before := len(to)
	for i := range max(1, min(ringbuf.Load(&t.depth), maxWaits)) {
		slot := t.waitAt(i)
		if slot == nil || !t.registry.readRunning(slot, &e) || e[eventID]>>1 < floor || i > 0 && e[eventWhat]&whatEnded != 0 {
			continue
		}
		to = append(to, WaitEvent{})
		t.registry.decode(&to[len(to)-1], &e, id)
	}
	if id == 0 || t.ID() != id {
		return to[:before]
	}
	return to
}

// TruncateCurrentWaits hides the waits of the thread that have begun so far.
func (t *Thread) TruncateCurrentWaits() {
	id, old := t.ID(), t.waitsFloor.Load()
	floor := uint64(0)
	for i := range uint64(maxWaits) {
		if slot := t.waitAt(i); slot != nil {
			floor = max(floor, ringbuf.Load(&slot[eventID])>>1+1)
		}
	}
	if floor > old && t.waitsFloor.CompareAndSwap(old, floor) && t.ID() != id {
		// The record serves another thread by now, whose waits must stay.
		t.waitsFloor.CompareAndSwap(floor, 0)
	}
}

// WaitsHistory appends the rows that events_waits_history has for the thread, oldest first.
func (t *Thread) WaitsHistory(to []WaitEvent) []WaitEvent {
	id := t.ID()
	before := len(to)
	ring := &t.waitsHistory
	var e event
	for n, end := ring.Range(); n < end; n++ {
		if ring.Read(n, &e) {
			to = append(to, WaitEvent{})
			t.registry.decode(&to[len(to)-1], &e, id)
		}
	}
	if id == 0 || t.ID() != id {
		return to[:before]
	}
	return to
}

// TruncateWaitsHistory hides the events that the thread's history holds.
func (t *Thread) TruncateWaitsHistory() {
	t.waitsHistory.Truncate()
}

// WaitsHistoryLong starts reading events_waits_history_long, oldest first.
func (h Reader) WaitsHistoryLong() *HistoryLongCursor {
	return &HistoryLongCursor{registry: h.r, cursor: h.r.waitsLong.Load().Cursor()}
}

// TruncateWaitsHistoryLong hides the events that the long history holds.
func (h Reader) TruncateWaitsHistoryLong() { h.r.waitsLong.Load().Truncate() }

// HistoryLongCursor reads the events that the long history held when the reading began, as
// far as they are not overwritten before their turn. Owned by one goroutine.
type HistoryLongCursor struct {
	registry *Registry
	cursor   *ringbuf.Cursor[longEvent]
	buf      [64]longEvent
}

// Next fills buf with the next events and returns how many they are, 0 at the end.
func (c *HistoryLongCursor) Next(buf []WaitEvent) int {
	n := c.cursor.Next(c.buf[:min(len(buf), len(c.buf))])
	for i := range n {
		l := &c.buf[i]
		c.registry.decode(&buf[i], (*event)(l[:8]), l[longThread])
	}
	return n
}
