package tables

import (
	"slices"
)

// The waits of each thread, by class of instruments: the first part of their names, which
// is wait or idle. TRUNCATE moves the statistics of the threads to their accounts.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_by_thread_by_class",
	Doc:      "How often and how long each thread has waited, by class of instruments.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{threadID, className}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: threadStatEstimate(byClass),
	Rows:     threadStatRows(byClass),
	Truncate: Model.ResetThreadWaits,
})
