// Package ratios keeps what benchmarks have measured in a file, and tells when a later run is worse. A figure is a ratio, to a plain
// operation or to a peer in the same run, or a number that is no time, such as bytes and allocations: a file of one machine says
// something on another.
//
// Use: Read the file, Compare it with the figures of a run, and Write what Compare returns. Nothing here is for concurrent use.
//
// Called by instr/bench and engine/bench. Calls no other package of the module. Begin reading with ratios.go.
package ratios
