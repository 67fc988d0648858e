package tables

import "pfsd/instr"

// The errors of all threads together, by error: a row for every error that the server
// knows, whether it was raised or not, and one without a number for all others. What
// threads that have ended did is included. TRUNCATE empties the statistics of everybody:
// of threads, accounts, users and hosts, too.
//
// MySQL: performance_schema.events_errors_summary_global_by_error, since 8.0.
var _ = register(Def[*errorRow]{
	Name:     "events_errors_summary_global_by_error",
	Doc:      "How often any thread has raised errors, and when.",
	Recorded: NotKept,
	Columns:  errorSummary,
	Indexes:  []Index{{Name: "ERROR_NUMBER", Columns: []string{"ERROR_NUMBER"}, Unique: true}},
	Estimate: errorEstimate(single),
	Rows:     errorRows(globalWork),
	Truncate: resetGlobalWork(instr.WorkErrors),
})
