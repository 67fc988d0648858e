package tables

import (
	"slices"
)

// The waits of each instrument, those for objects that are no more and those of goroutines
// that are no threads included. TRUNCATE empties the statistics of the instruments and of
// their objects, not those of the threads.
//
// MySQL: performance_schema.events_waits_summary_global_by_event_name, since 5.5.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_global_by_event_name",
	Doc:      "How often and how long anything has waited, by instrument.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{statName}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: func(model Model) int { return taxaEstimate(model, byName) },
	Rows:     globalStatRows(byName),
	Truncate: resetClasses(waitKinds...),
})
