package tables

import "pfsd/instr"

// The stages of each thread, by instrument: a row for every instrument, whether it was
// used or not. TRUNCATE moves the statistics of the threads to their accounts.
//
// MySQL: performance_schema.events_stages_summary_by_thread_by_event_name, since 5.6.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_by_thread_by_event_name",
	Doc:      "How often and how long each thread has been in stages, by instrument.",
	Recorded: OfProgram,
	Columns:  byThread(stageStatColumns(instrumentDoc)),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStages, threadCount),
	Rows:     stageRows(threadWork, byName),
	Truncate: resetThreadWork(instr.WorkStages),
})
