// Package readings has the statements by which reading is measured: what monitoring asks, and the least that can be asked. Go's
// benchmarks and the comparison with a peer use it.
//
// Called by engine/bench and by engine's benchmarks. Calls no other package of the module. Begin reading with readings.go.
package readings
