package tables

import (
	"slices"
)

// The waits of each thread, by order of instruments: the first two parts of their names,
// such as wait/synch. An instrument whose name has no more parts, such as idle, stands for
// itself. TRUNCATE moves the statistics of the threads to their accounts.
//
// MySQL: none.
var _ = register(Def[*statRow]{
	Name:     "events_waits_summary_by_thread_by_order",
	Doc:      "How often and how long each thread has waited, by order of instruments.",
	Recorded: OfProgram,
	Columns:  slices.Concat([]Column[*statRow]{threadID, orderName}, waitStatColumns),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: threadStatEstimate(byOrder),
	Rows:     threadStatRows(byOrder),
	Truncate: Model.ResetThreadWaits,
})
