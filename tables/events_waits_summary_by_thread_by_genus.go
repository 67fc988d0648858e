package tables

import (
	"slices"
)

// The waits of each thread, by genus of instruments: the first four parts of their names,
// such as wait/synch/mutex/sql. An instrument whose name has no more parts, such as idle,
// stands for itself. TRUNCATE moves the statistics of the threads to their accounts.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_by_thread_by_genus",
	Doc:      "How often and how long each thread has waited, by genus of instruments.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{threadID, genusName}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: threadStatEstimate(byGenus),
	Rows:     threadStatRows(byGenus),
	Truncate: Model.ResetThreadWaits,
})
