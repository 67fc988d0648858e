package timers

import (
	"strings"
	"time"
)

// ID names a timer. The zero ID is [Cycle].
type ID uint8

// The timers, in the order of performance_timers.
const (
	// Cycle is the processor's cycle counter, or the monotonic clock where it cannot be trusted.
	Cycle ID = iota
	// Nanosecond, Microsecond and Millisecond are the monotonic clock in these units.
	Nanosecond
	Microsecond
	Millisecond
	// Tick is the kernel's clock tick, times(2).
	Tick
	// ThreadCPU is the CPU time of the current OS thread, nanoseconds.
	ThreadCPU
	// Count is how many timers there are.
	Count
)

var names = [Count]string{"CYCLE", "NANOSECOND", "MICROSECOND", "MILLISECOND", "TICK", "THREAD_CPU"}

// Cycles is a number of units of the Cycle timer.
type Cycles uint64

// epoch is when the monotonic timers read 0.
var epoch = time.Now()

// String is the timer's name in SQL.
func (id ID) String() string { return names[id] }

// Parse returns the timer that name, in any letter case, means in SQL.
func Parse(name string) (ID, bool) {
	for i, n := range names {
		if strings.EqualFold(n, name) {
			return ID(i), true
		}
	}
	return 0, false
}

// Available reports whether this machine has the timer. Safe for concurrent use.
func (id ID) Available() bool {
	switch id {
	case Cycle:
		return cycleTrusted
	case Tick:
		return tickFrequency > 0
	case ThreadCPU:
		_, ok := readThreadCPU()
		return ok
	}
	return id < Count
}

// Now reads the timer, in its own raw units; 0 if it is not available. Safe for concurrent use.
func (id ID) Now() uint64 {
	switch id {
	case Cycle:
		return ReadCycle()
	case Nanosecond:
		return readNanosecond()
	case Microsecond:
		return readNanosecond() / uint64(time.Microsecond)
	case Millisecond:
		return readNanosecond() / uint64(time.Millisecond)
	case Tick:
		return readTick()
	case ThreadCPU:
		n, _ := readThreadCPU()
		return n
	}
	return 0
}
