package tables

import (
	"slices"
)

// The waits of each thread, by instrument: a row for every instrument of every thread,
// whether it has waited or not. TRUNCATE moves the statistics of the threads to their
// accounts.
//
// MySQL: performance_schema.events_waits_summary_by_thread_by_event_name, since 5.5.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_by_thread_by_event_name",
	Doc:      "How often and how long each thread has waited, by instrument.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{threadID, statName}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: threadStatEstimate(byName),
	Rows:     threadStatRows(byName),
	Truncate: Model.ResetThreadWaits,
})
