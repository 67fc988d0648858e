package tables

import (
	"pfsd/timers"
)

// The timers of this machine, measured anew by each SELECT.
//
// Differs: TIMER_NAME has TICK, the kernel's clock tick, which MySQL has dropped.
//
// MySQL: performance_schema.performance_timers, since 5.5.
var _ = register(Def[timers.Measurement]{
	Name:     "performance_timers",
	Doc:      "The timers of this machine, measured by the SELECT.",
	Recorded: OfAny,
	Columns: []Column[timers.Measurement]{
		{Name: "TIMER_NAME", Kind: allTimers, Get: func(m timers.Measurement) Value { return Text(m.ID.String()) }, Doc: "The timer's name."},
		{Name: "TIMER_FREQUENCY", Kind: bigint.nullable(), Get: func(m timers.Measurement) Value { return measured(m, m.Frequency) }, Doc: "Timer units per second; NULL if the machine does not have the timer."},
		{Name: "TIMER_RESOLUTION", Kind: bigint.nullable(), Get: func(m timers.Measurement) Value { return measured(m, m.Resolution) }, Doc: "The smallest step, timer units; NULL if the machine does not have the timer."},
		{Name: "TIMER_OVERHEAD", Kind: bigint.nullable(), Get: func(m timers.Measurement) Value { return measured(m, m.Overhead) }, Doc: "What timing one event costs, cycles; NULL if the machine does not have the timer."},
	},
	Estimate: func(Model) int { return int(timers.Count) },
	Rows:     func(Model, Key) Source[timers.Measurement] { return list(timers.Measure()) },
})

// measured is a number of a timer, NULL if the timer is not available.
func measured(m timers.Measurement, n int64) Value {
	if !m.Available {
		return Null
	}
	return Int(n)
}
