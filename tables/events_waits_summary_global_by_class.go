package tables

import (
	"slices"
)

// The waits of each class of instruments: the first part of their names, which is wait or
// idle. TRUNCATE empties the statistics of the instruments and of their objects, not those
// of the threads.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_global_by_class",
	Doc:      "How often and how long anything has waited, by class of instruments.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{className}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return taxaEstimate(model, byClass) },
	Rows:     globalStatRows(byClass),
	Truncate: resetClasses(waitKinds...),
})
