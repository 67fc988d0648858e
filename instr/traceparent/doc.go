// Package traceparent reads the header by which a request says which trace it is part of.
//
// Called by instr/instrgrpc, instr/instrhttp, instr/instrotel and tables/activesessions. Calls no other package of the module. Begin
// reading with traceparent.go.
package traceparent
