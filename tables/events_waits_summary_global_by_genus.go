package tables

import (
	"slices"
)

// The waits of each genus of instruments: the first four parts of their names, such as
// wait/synch/mutex/sql. An instrument whose name has no more parts, such as idle, stands
// for itself. TRUNCATE empties the statistics of the instruments and of their objects, not
// those of the threads.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_global_by_genus",
	Doc:      "How often and how long anything has waited, by genus of instruments.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{genusName}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return taxaEstimate(model, byGenus) },
	Rows:     globalStatRows(byGenus),
	Truncate: resetClasses(waitKinds...),
})
