// Package throttle slows down password guessing: each failed login delays the next ones longer. MySQL:
// the plugin connection_control.
//
//  1. New makes a Throttle for a server.
//  2. Throttle.Begin waits until a login attempt may be delayed, and returns its delay, or refuses it if too many wait already.
//  3. Attempt.Failed and Attempt.Succeeded record its result.
//
// Failures are counted by user and host, as in the plugin, and also by host, so that guessing names is as
// slow as guessing passwords; a host's count decays. The addresses of an IPv6 /64 network count as one. The
// number of counters and of waiting attempts is bounded.
//
// Few attempts are delayed at a time, so that many guesses take long; the others wait for that, and [Turns] decides in which order: users
// of a host take turns, and hosts do. So whoever knows a password has a turn, however many guess.
//
// All of it is safe for concurrent use.
//
// Called by engine, pfsdweb, status and wire. Calls no other package of the module. Files: throttle.go counts and
// delays; turns.go the order. Begin reading with throttle.go.
package throttle
