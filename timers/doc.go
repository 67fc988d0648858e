// Package timers reads the clocks that events are timed with and converts their raw
// units to picoseconds.
//
// To use it: pick a timer ([Cycle], [Nanosecond], ...), read it with [ID.Now] at the
// start and at the end of what you time, and keep the two raw numbers; when somebody
// looks, convert their difference with [ID.Picoseconds]. [Measure] fills the table
// performance_timers.
//
// Contract: reading never allocates, blocks or fails. A timer that is not available on this machine
// reads as 0; [ID.Available] reports whether it is. Everything here is safe for concurrent use.
// Cycle is not serialising: a reader must clamp negative differences to 0.
//
// Files: timer.go has the timers and their names, nanosecond.go the Nanosecond timer by the cycle
// counter, normalize.go the conversion of raw units to picoseconds. cycle_*.go and .s are the cycle
// counters of the architectures, thread_cpu_*.go and tick_*.go the timers that only some systems
// have; measure.go makes the rows of performance_timers.
//
// Called by instr, tables and the packages of engine. Calls no other package of the module. Begin reading with timer.go.
package timers
