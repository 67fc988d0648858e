package captures

import (
	"fmt"
	"time"

	"pfsd/instr"
	"pfsd/tables"
)

// observation is what conditions are compared with at one moment. Each part is looked at once, when a condition first
// needs it. Owned by one goroutine.
type observation struct {
	model  tables.Model
	active func() int

	sawLocks, sawStatements, sawSessions bool

	lock      *tables.HeldLock // the one held longest; nil if none is
	statement *runningStatement
	sessions  int
}

// runningStatement is a statement that runs.
type runningStatement struct {
	thread string
	ran    uint64 // picoseconds
	text   string
}

// picoseconds is a threshold in the unit of waits.
func picoseconds(seconds float64) uint64 {
	const most = float64(1 << 63)
	return uint64(min(seconds*1e12, most))
}

// meets reports whether the condition of a capture is met, and by what.
func (o *observation) meets(c *tables.Capture) (reason string, met bool) {
	switch c.Condition {
	case Now:
		return "at once", true
	case LockHeld:
		if l := o.longestLock(); l != nil && l.Held > picoseconds(c.Threshold) {
			return fmt.Sprintf("%s was held for %s by %s, locked at %s", l.Class().Name(), duration(l.Held), o.threadName(l.Holder), known(l.Source)), true
		}
	case Statement:
		if s := o.longestStatement(); s != nil && s.ran > picoseconds(c.Threshold) {
			return fmt.Sprintf("%s ran for %s: %s", s.thread, duration(s.ran), s.text), true
		}
	case ActiveSessions:
		if !o.sawSessions {
			o.sessions, o.sawSessions = o.active(), true
		}
		if float64(o.sessions) > c.Threshold {
			return fmt.Sprintf("%d sessions were active", o.sessions), true
		}
	}
	return "", false
}

func duration(picoseconds uint64) time.Duration {
	return time.Duration(picoseconds / 1000).Round(time.Millisecond)
}

func known(source string) string {
	if source == "" {
		return "an unknown place"
	}
	return source
}

func (o *observation) threadName(id uint64) string {
	if t := o.model.ThreadByID(id); t != nil {
		if info, ok := t.Snapshot(); ok {
			return fmt.Sprintf("thread %d, %s", id, info.Name)
		}
	}
	return "a goroutine that is no thread"
}

// longestLock is the lock that has been held longest, of those whose time is known; nil if there is none.
func (o *observation) longestLock() *tables.HeldLock {
	if o.sawLocks {
		return o.lock
	}
	o.sawLocks = true
	consider := func(l tables.HeldLock) {
		if l.Timed && l.Certain && (o.lock == nil || l.Held > o.lock.Held) {
			o.lock = &l
		}
	}
	for _, class := range o.model.FamilyClasses(instr.FamilyWaits) {
		if k := class.Kind(); k != instr.KindMutex && k != instr.KindRWMutex {
			continue
		}
		for _, in := range o.model.Instances(class) {
			if h, ok := in.(interface{ Holding() (instr.Holding, bool) }); ok {
				if holding, held := h.Holding(); held {
					consider(tables.HeldLock{Instance: in, Holding: holding})
				}
			}
		}
	}
	for _, l := range o.model.ReadLocks() {
		consider(l)
	}
	return o.lock
}

// longestStatement is the statement that has run longest, of those that are timed; nil if there is none.
func (o *observation) longestStatement() *runningStatement {
	if o.sawStatements {
		return o.statement
	}
	o.sawStatements = true
	var events []instr.StatementEvent
	for _, t := range o.model.Threads() {
		if b, ok := t.(interface{ Busy() bool }); ok && !b.Busy() {
			continue
		}
		events = t.CurrentStatements(events[:0])
		for i := range events {
			e := &events[i]
			if e.Ended || !e.Timed() || o.statement != nil && e.TimerWait() <= o.statement.ran {
				continue
			}
			if info, ok := t.Snapshot(); ok {
				o.statement = &runningStatement{thread: fmt.Sprintf("thread %d, %s,", info.ID, info.Name), ran: e.TimerWait(), text: shown(e)}
			}
		}
	}
	return o.statement
}

// shown is the text of a statement for a message: the digest's, which has no values, where there is one.
func shown(e *instr.StatementEvent) string {
	if e.Digest != nil {
		return e.Digest.Text()
	}
	return e.Class.Name()
}
