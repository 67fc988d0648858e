// Package traceparent reads the header by which a request says which trace it is part of.
//
// Called by instr/instrgrpc and instr/instrhttp. Calls no other package of the module. Begin
// reading with traceparent.go.
package traceparent
