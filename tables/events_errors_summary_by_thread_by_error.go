package tables

import "pfsd/instr"

// The errors of each thread, by error: a row for every error that the server knows,
// whether it was raised or not, and one without a number for all others. TRUNCATE moves
// the statistics of the threads to their accounts.
//
// MySQL: performance_schema.events_errors_summary_by_thread_by_error, since 8.0.
var _ = register(Def[*errorRow]{
	Name:     "events_errors_summary_by_thread_by_error",
	Doc:      "How often each thread has raised errors, and when.",
	Recorded: NotKept,
	Columns:  byThread(errorSummary),
	Indexes:  []Index{{Name: "THREAD_ID", Columns: []string{"THREAD_ID", "ERROR_NUMBER"}, Unique: true}},
	Estimate: errorEstimate(threadCount),
	Rows:     errorRows(threadWork),
	Truncate: resetThreadWork(instr.WorkErrors),
})
