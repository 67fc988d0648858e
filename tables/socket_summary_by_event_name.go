package tables

import (
	"slices"

	"pfsd/instr"
)

// The operations on sockets of each instrument, those on sockets that are no more included.
// TRUNCATE empties the statistics of the instruments and of their sockets.
//
// MySQL: performance_schema.socket_summary_by_event_name, since 5.6.
var _ = register(Def[*ioRow]{
	Name:     "socket_summary_by_event_name",
	Doc:      "The operations of each socket instrument: how many, how long, how many bytes.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*ioRow]{eventName("EVENT_NAME", (*ioRow).instrument)}, ioColumns(bigintUnsigned)),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return len(model.Classes()) },
	Rows:     classIORows(instr.KindSocket),
	Truncate: resetClasses(instr.KindSocket),
})
