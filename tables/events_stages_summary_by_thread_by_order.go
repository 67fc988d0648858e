package tables

import "pfsd/instr"

// The stages of each thread, by order of instruments: the first two parts of their names,
// such as stage/sql. The names of stages have no more than three parts, so there are no
// more of these summaries. TRUNCATE moves the statistics of the threads to their accounts.
//
// MySQL: none.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_by_thread_by_order",
	Doc:      "How often and how long each thread has been in stages, by order of instruments.",
	Recorded: OfProgram,
	Columns:  byThread(stageStatColumns(orderNameDoc)),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: threadCount,
	Rows:     stageRows(threadWork, byOrder),
	Truncate: resetThreadWork(instr.WorkStages),
})
