package tables

import (
	"slices"

	"pfsd/instr"
)

// The operations on files of each instrument, those on files that are no more included.
// TRUNCATE empties the statistics of the instruments and of their files.
//
// MySQL: performance_schema.file_summary_by_event_name, since 5.5.
var _ = register(Def[*ioRow]{
	Name:     "file_summary_by_event_name",
	Doc:      "The operations of each file instrument: how many, how long, how many bytes.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*ioRow]{eventName("EVENT_NAME", (*ioRow).instrument)}, ioColumns(bigint)),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return len(model.Classes()) },
	Rows:     classIORows(instr.KindFile),
	Truncate: resetClasses(instr.KindFile),
})
