package tables

import (
	"slices"
)

// The waits of each thread, by family of instruments: the first three parts of their
// names, such as wait/synch/mutex. An instrument whose name has no more parts, such as
// idle, stands for itself. TRUNCATE moves the statistics of the threads to their accounts.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_by_thread_by_family",
	Doc:      "How often and how long each thread has waited, by family of instruments.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{threadID, familyName}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: threadStatEstimate(byFamily),
	Rows:     threadStatRows(byFamily),
	Truncate: Model.ResetThreadWaits,
})
