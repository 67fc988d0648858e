package instr

import (
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// EventHead is what all events have in common.
type EventHead struct {
	ThreadID uint64
	ID       uint64
	Class    *Class
	// EndID is the highest id that the thread's events had when this one ended.
	EndID uint64
	// NestingID is the id of the event that this one is part of, 0 if there is none, and
	// NestingType the type of that event.
	NestingID uint64
	// Caller is the return address into the code that began the event.
	Caller uintptr

	start, end  uint64 // raw units; of a running event, end is when it was read
	NestingType NestingType
	// Ended is false while the event runs.
	Ended bool
	timed bool
	timer timers.ID
}

// NestingType is the type of an event that others are part of, NESTING_EVENT_TYPE.
type NestingType uint8

// The types.
const (
	NestingNone NestingType = iota
	NestingTransaction
	NestingStatement
	NestingStage
	NestingWait
)

// Timed reports whether the event has times.
func (e *EventHead) Timed() bool { return e.timed }

// TimerStart is when the event began, picoseconds since the registry was made. It wraps
// after 213 days, as MySQL's does.
func (e *EventHead) TimerStart() timers.Picoseconds { return e.moment(e.start) }

// TimerEnd is when the event ended, or was read if it still runs; as TimerStart.
func (e *EventHead) TimerEnd() timers.Picoseconds { return e.moment(e.end) }

// TimerWait is how long the event took, or has taken so far, in picoseconds.
func (e *EventHead) TimerWait() timers.Picoseconds { return e.timer.Picoseconds(e.end - e.start) }

// StartTime is when the event began; the zero time if it has no times.
func (e *EventHead) StartTime() time.Time {
	if !e.timed {
		return time.Time{}
	}
	return e.Class.registry.started.Add(time.Duration(e.TimerStart() / 1000))
}

// Age is how long ago the event began, in picoseconds; 0 if it has no times.
func (e *EventHead) Age() timers.Picoseconds {
	if !e.timed {
		return 0
	}
	return e.timer.Picoseconds(max(e.timer.Now(), e.start) - e.start)
}

func (e *EventHead) moment(raw uint64) timers.Picoseconds {
	base := e.Class.registry.start[e.timer]
	return e.timer.Picoseconds(raw - min(base, raw))
}

// Source is the file and line of the code that began the event, as file.go:123; "" if unknown.
func (e *EventHead) Source() string { return e.Class.registry.source(e.Caller) }

// source is the file and line of the code at pc, as file.go:123; "" if unknown.
func (r *Registry) source(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	if s, ok := r.sources.Load(pc); ok {
		return s.(string)
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	s := fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
	if frame.File == "" {
		s = ""
	}
	r.sources.Store(pc, s)
	return s
}

// begin fills in the head of an event of the thread that begins now. start is a reading of
// its timer, if it is timed.
func (e *EventHead) begin(t *Thread, c *Class, sw switches, start uint64, caller uintptr) {
	*e = EventHead{ThreadID: ringbuf.Load(&t.id), Class: c, Caller: caller}
	if sw&swTimed != 0 {
		e.timed, e.timer, e.start = true, sw.timer(), start
	}
	if sw&swCurrent != 0 {
		e.ID = t.nextEvent
		t.nextEvent++
	}
}

// finish ends the event at end, a reading of its timer, and returns how long it took, in
// picoseconds.
func (e *EventHead) finish(t *Thread, end uint64) (ps uint64) {
	e.Ended = true
	if e.ID != 0 {
		e.EndID = t.nextEvent - 1
	}
	if !e.timed {
		return 0
	}
	e.end = max(end, e.start)
	return e.timer.PicosecondsSaturated(e.end - e.start)
}

// now reads the event's timer, if it is timed.
func (e *EventHead) now() uint64 {
	if e.timed {
		return e.timer.Now()
	}
	return 0
}

// stamp is the present moment, at which the event ends, in nanoseconds: it orders the events of all
// threads.
func (e *EventHead) stamp() uint64 {
	if e.timed && e.timer == timers.Nanosecond {
		return e.end
	}
	return timers.Nanosecond.Now()
}

// readNow sets the end of a copy of a running event to now.
func (e *EventHead) readNow() {
	if !e.Ended {
		e.end = max(e.now(), e.start)
	}
}
