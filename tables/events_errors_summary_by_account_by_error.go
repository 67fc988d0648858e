package tables

import "pfsd/instr"

// The errors of each account, by error: a row for every error that the server knows,
// whether it was raised or not, and one without a number for all others. What threads that
// have ended did is included. TRUNCATE moves the statistics of the threads to their
// accounts, and those of the accounts to their users and hosts.
//
// MySQL: performance_schema.events_errors_summary_by_account_by_error, since 8.0.
var _ = register(Def[*errorRow]{
	Name:     "events_errors_summary_by_account_by_error",
	Doc:      "How often the threads of each account have raised errors, and when.",
	Recorded: NotKept,
	Columns:  byAccount(errorSummary),
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST", "ERROR_NUMBER"}, Unique: true}},
	Estimate: errorEstimate(actorCount),
	Rows:     errorRows(actorWork(instr.LevelAccount)),
	Truncate: resetActorWork(instr.WorkErrors, instr.LevelAccount),
})
