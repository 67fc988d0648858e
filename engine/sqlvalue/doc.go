// Package sqlvalue has MySQL's values where those of go-mysql-server differ: exact numbers, dates
// and times, the texts that clients see, JSON paths, and the types ENUM, SET, TIME(n) and
// DOUBLE(M,D). It knows how large a value may be (packet.go, documents.go), and checks the bytes and
// texts that become geometries before anything reads them (wkb.go, wkt.go, geometrytype.go). It has
// the points where long work on values can be stopped (pace.go), and the patterns of LIKE (likepattern.go).
//
// It evaluates no expressions. Package sqlexpr does, and uses the numbers ([NumberOf]) and times
// ([MomentIn]) of this package.
//
// Called by many packages of engine: those that calculate with values, and those that show them
// (results, vtable). It calls mends, and go-mysql-server's sql and types. Begin reading at
// number.go and temporal.go. Safe for concurrent use.
package sqlvalue
