// Package incident plants an incident for the tests of the faces through which people look for it: many threads wait for a lock
// at a known time, then a statement becomes slower, and then the server is restarted.
//
// Called by tests of engine/pfsdweb and cmd/pfsd/top alone. Calls engine and instr. Begin reading with incident.go.
package incident
