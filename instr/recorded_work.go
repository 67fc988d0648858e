package instr

import (
	"math"

	"pfsd/timers"
)

// RecordedTransactions is the instrument transaction, for transactions that another process has
// recorded. Safe for concurrent use.
func (h Setup) RecordedTransactions() *Class { return h.r.transaction }

// RecordedHead is what all events of another process have in common that are statements, stages or transactions. Times are nanoseconds
// since it began to record; those of an event that goes on end when it was read.
type RecordedHead struct {
	Thread, ID, EndID uint64
	Class             *Class
	NestingID         uint64
	Nesting           NestingType
	Start, End        uint64
	Timed, Ended      bool
	// Caller stands for the place in the code, as that of RecordedEvent; 0 if it is unknown.
	Caller uintptr
}

// Head returns the head in the form in which the tables read it.
func (e RecordedHead) Head() EventHead {
	head := EventHead{
		ThreadID: e.Thread, ID: e.ID, Class: e.Class, Caller: e.Caller, NestingID: e.NestingID, NestingType: e.Nesting, Ended: e.Ended,
		timed: e.Timed, timer: timers.Nanosecond,
	}
	if e.Ended {
		head.EndID = max(e.ID, e.EndID)
	}
	if e.NestingID == 0 {
		head.NestingType = NestingNone
	}
	if e.Timed {
		base := e.Class.registry.start[timers.Nanosecond]
		head.start = base + min(e.Start, math.MaxInt64)
		head.end = base + min(max(e.Start, e.End), math.MaxInt64)
	}
	return head
}

// RecordedWorkStat is statistics of another process, whose times are nanoseconds; low is the largest number while no
// event was timed.
func RecordedWorkStat(count, untimed, sum, low, high uint64) WorkStat {
	if count == 0 {
		return NoWorkStat
	}
	s := WorkStat{Count: count, Untimed: min(untimed, count), Min: math.MaxUint64}
	if s.Count > s.Untimed {
		s.Sum, s.Min, s.Max = picosecondsOf(sum), picosecondsOf(low), picosecondsOf(high)
		// A recording may be damaged, and a reset leaves extremes that are only about right.
		average := s.Sum / (s.Count - s.Untimed)
		s.Min, s.Max = min(s.Min, average), max(s.Max, average)
	}
	return s
}

func picosecondsOf(ns uint64) uint64 {
	if ns > math.MaxUint64/1000 {
		return math.MaxUint64
	}
	return ns * 1000
}

// AddStatements adds statements of a class. Owned by one goroutine.
func (w *Work) AddStatements(c *Class, s StatementStat) {
	if s.Count != 0 {
		w.stats.addStatement(c.id, &s)
	}
}

// AddStages adds stages of a class. Owned by one goroutine.
func (w *Work) AddStages(c *Class, s WorkStat) {
	if s.Count != 0 {
		w.stats.stages.at(int(c.id)).Add(s)
	}
}

// AddTransactions adds transactions. Owned by one goroutine.
func (w *Work) AddTransactions(readOnly bool, s WorkStat) {
	if s.Count == 0 {
		return
	}
	if readOnly {
		w.stats.transactions.ReadOnly.Add(s)
	} else {
		w.stats.transactions.ReadWrite.Add(s)
	}
}
