package instr

import (
	"math"

	"pfsd/timers"
)

// RecordedClass is the instrument with this name, for waits that another process has recorded. If
// there is none, it is made, enabled and timed. Its ID is 0 if there is no room. The name must be
// valid for the kind, as for [Registry.NewMutex]. Safe for concurrent use.
func (h Setup) RecordedClass(k Kind, name string) *Class { return h.r.classOn(k, name, true) }

// RecordedEvent is a wait that another process has recorded. Times are nanoseconds since it began
// to record.
type RecordedEvent struct {
	Thread, ID uint64
	Class      *Class
	Op         Op
	Object     uint64
	Bytes      uint64
	// Caller stands for the place in the code: see [Setup.SetSource].
	Caller     uintptr
	Start, End uint64
	Timed      bool
	Ended      bool
	NestingID  uint64
	Nesting    NestingType
	// Spins is for SPINS, if HasSpins is true.
	Spins    uint32
	HasSpins bool
}

// Event returns the wait in the form in which the tables read it.
func (e RecordedEvent) Event() WaitEvent {
	head := EventHead{
		ThreadID: e.Thread, ID: e.ID, Class: e.Class, Caller: e.Caller, Ended: e.Ended,
		NestingID: e.NestingID, NestingType: e.Nesting, timed: e.Timed, timer: timers.Nanosecond,
	}
	if e.Ended {
		head.EndID = e.ID
	}
	if e.Timed {
		base := e.Class.registry.start[timers.Nanosecond]
		head.start = base + min(e.Start, math.MaxInt64)
		head.end = base + min(max(e.Start, e.End), math.MaxInt64)
	}
	w := WaitEvent{EventHead: head, Op: e.Op, Object: e.Object, Bytes: e.Bytes}
	if e.HasSpins {
		w.spins = uint64(e.Spins) + 1
	}
	return w
}

// SetSource says what the source of events with this Caller is, as file.go:123. It must be called
// for each Caller of a [RecordedEvent]. Safe for concurrent use.
func (h Setup) SetSource(caller uintptr, source string) { h.r.sources.Store(caller, source) }

// RecordedStat is statistics of another process, whose times are nanoseconds; low is the largest number while no
// event was timed.
func RecordedStat(count, untimed, sum, low, high uint64) Stat {
	if count == 0 {
		return NoStat
	}
	cycles := func(ns uint64) uint64 { return uint64(timers.Nanosecond.ToCycles(ns)) }
	s := Stat{Count: count, Untimed: min(untimed, count), Sum: cycles(sum), Min: math.MaxUint64}
	if s.Count > s.Untimed {
		s.Min, s.Max = cycles(low), cycles(high)
	}
	return s.withoutResets()
}

// AddRecorded adds n events of another process that took about so long, picoseconds. The middle of one of its own buckets is a good time,
// as it stays in the same bucket if both processes have the same cycles.
func (t *Times) AddRecorded(about timers.Picoseconds, n uint64) {
	t.Buckets[histogramBucket(picosecondsToCycles(about))] += n
}

// AddRecorded adds n statements of another process that took about so long, picoseconds.
func (h *StatementHistogram) AddRecorded(about timers.Picoseconds, n uint64) {
	h.count(statementBucket(about), n)
}

// RecordedMax sets the longest time of the events of another process, picoseconds, if it is longer than that of t.
func (t *Times) RecordedMax(longest timers.Picoseconds) {
	t.Max = max(t.Max, picosecondsToCycles(longest))
}

// RecordedThreadClass is the class of threads with this full name, made if need be, for threads of another process: the name may have
// any characters. Safe for concurrent use.
func (h Setup) RecordedThreadClass(name string) *ThreadClass {
	h.r.threads.mu.Lock()
	defer h.r.threads.mu.Unlock()
	if c := h.r.threads.classes.byName[name]; c != nil {
		return c
	}
	return h.r.newThreadClass(name)
}
