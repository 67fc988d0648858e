package tables

import "pfsd/instr"

// The statements of each thread, by instrument: a row for every instrument, whether it was
// used or not. TRUNCATE moves the statistics of the threads to their accounts.
//
// MySQL: performance_schema.events_statements_summary_by_thread_by_event_name, since 5.6.
var _ = register(Def[*statementRow]{
	Name:     "events_statements_summary_by_thread_by_event_name",
	Doc:      "What statements each thread has run, by instrument.",
	Recorded: OfProgram,
	Columns:  byThread(statementSummary),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStatements, threadCount),
	Rows:     statementRows(threadWork),
	Truncate: resetThreadWork(instr.WorkStatements),
})
