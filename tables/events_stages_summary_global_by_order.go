package tables

import "pfsd/instr"

// The stages of all threads together, by order of instruments: the first two parts of
// their names, such as stage/sql. The names of stages have no more than three parts, so
// there are no more of these summaries. What threads that have ended did is included.
// TRUNCATE empties the statistics of everybody: of threads, accounts, users and hosts,
// too.
//
// MySQL: none.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_global_by_order",
	Doc:      "How often and how long any thread has been in stages, by order of instruments.",
	Recorded: OfProgram,
	Columns:  stageStatColumns(orderNameDoc),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: single,
	Rows:     stageRows(globalWork, byOrder),
	Truncate: resetGlobalWork(instr.WorkStages),
})
