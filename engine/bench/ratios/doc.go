// Package ratios stores the results of benchmarks in a file, and finds figures that are worse in a
// later run. A figure is a ratio to a plain operation or to another program in the same run, or a
// number that is not a time, such as bytes or allocations. So a file from one machine can be
// compared with a run on another.
//
// Use: Read the file, Compare it with the figures of a run, and Write what Compare returns. The
// functions are not for concurrent use.
//
// Called by instr/bench and engine/bench. Calls no other package of the module. Begin reading with
// ratios.go.
package ratios
