// Package readings has the statements with which reading is measured: the queries of monitoring
// programs, and the smallest query. Go's benchmarks and the comparison with MariaDB use them.
//
// Called by engine/bench and by engine's benchmarks. Calls no other package of the module. Begin
// reading with readings.go.
package readings
