// Package timers reads the clocks that events are timed with and converts their raw
// units to picoseconds.
//
// To use it: pick a timer ([Cycle], [Nanosecond], ...), read it with [ID.Now] at the
// start and at the end of what you time, and keep the two raw numbers; when somebody
// looks, convert their difference with [ID.Picoseconds]. [Measure] fills the table
// performance_timers.
//
// Contract: reading never allocates, blocks or fails. A timer that is not available on
// this machine reads as 0; [ID.Available] tells. Everything here is safe for concurrent
// use. Cycle is not serialising: a reader must clamp negative differences to 0.
//
// Files: timer.go the timers and what they are called; nanosecond.go the Nanosecond timer by the
// cycle counter; normalize.go raw units to
// picoseconds; cycle_*.go and .s the cycle counter of each architecture; thread_cpu_*.go,
// tick_*.go what only some systems have; measure.go the contents of performance_timers.
package timers
