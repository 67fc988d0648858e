package tables

import (
	"slices"
)

// The waits of each family of instruments: the first three parts of their names, such as
// wait/synch/mutex. An instrument whose name has no more parts, such as idle, stands for
// itself. TRUNCATE empties the statistics of the instruments and of their objects, not
// those of the threads.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_global_by_family",
	Doc:      "How often and how long anything has waited, by family of instruments.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{familyName}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return taxaEstimate(model, byFamily) },
	Rows:     globalStatRows(byFamily),
	Truncate: resetClasses(waitKinds...),
})
