package tables

import "pfsd/instr"

// The goroutines that wait for something that nobody can reach any more, so that nothing can ever wake them. A garbage collection finds them, which
// the SELECT starts, but not more than a tenth of the time. The table is empty where the Go runtime cannot find leaks: Go 1.26 needs
// GOEXPERIMENT=goroutineleakprofile when the program is built. Who has no privilege PROCESS sees the goroutines of the account's own connections.
// A recording cannot tell: reading the table is an error there.
//
// MySQL: none.
var _ = register(Def[*instr.Goroutine]{
	Name:     "goroutine_leaks",
	Doc:      "Goroutines that nothing can ever wake, where the Go runtime can find them.",
	Recorded: Refused,
	Columns:  goroutineColumns(),
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*instr.Goroutine] {
		return goroutines(model, key, model.GoroutineLeaks())
	},
})
