// Package signin signs clients in that measure or compare servers, and read the protocol themselves.
//
// Called by engine/bench and engine/differential. Calls nothing of this module. Begin reading at
// signin.go.
package signin
