// Package throttle slows down password guessing: each failed login delays the next ones longer. MySQL:
// the plugin connection_control.
//
//  1. New makes a Throttle for a server.
//  2. Throttle.Begin returns the delay of a login attempt, or refuses it if too many wait already.
//  3. Attempt.Failed and Attempt.Succeeded record its result.
//
// Failures are counted by user and host, as in the plugin, and also by host, so that guessing names is as
// slow as guessing passwords; a host's count decays. The addresses of an IPv6 /64 network count as one. The
// number of counters and of waiting attempts is bounded.
//
// All of it is safe for concurrent use.
//
// Called by engine, status and wire. Calls no other package of the module. Begin reading with
// throttle.go.
package throttle
