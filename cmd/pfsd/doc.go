// Command pfsd serves the performance schema of instrumented Go code to MySQL clients.
//
// Called by people, as a command. Calls cmd/pfsd/top, cmd/pfsd/weave, engine, engine/pfsdweb, instr, instr/record, tables
// and tables/recorded. Begin reading with main.go.
package main
