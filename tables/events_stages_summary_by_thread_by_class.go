package tables

import "pfsd/instr"

// The stages of each thread, by class of instruments: the first part of their names, which
// is stage. TRUNCATE moves the statistics of the threads to their accounts.
//
// MySQL: none.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_by_thread_by_class",
	Doc:      "How often and how long each thread has been in stages, by class of instruments.",
	Recorded: OfProgram,
	Columns:  byThread(stageStatColumns(classNameDoc)),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: threadCount,
	Rows:     stageRows(threadWork, byClass),
	Truncate: resetThreadWork(instr.WorkStages),
})
