// Package sqlvalue has values as MySQL has them, where go-mysql-server's differ: exact numbers,
// dates and times, the texts that clients see, JSON paths, and the types ENUM, SET, TIME(n) and
// DOUBLE(M,D). It knows how large a value may be (packet.go, documents.go), and lets long work on
// values be stopped (pace.go).
//
// It evaluates no expressions: package sqlexpr does, with its numbers ([NumberOf]) and times
// ([MomentIn]). The packages above it use it, as those that show values do (results, vtable). It
// calls mends, and go-mysql-server's sql and types. Begin reading at number.go and temporal.go.
// Safe for concurrent use.
//
// Called by many packages of engine.
package sqlvalue
