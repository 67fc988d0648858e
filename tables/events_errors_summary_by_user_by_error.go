package tables

import "pfsd/instr"

// The errors of each user, by error: a row for every error that the server knows, whether
// it was raised or not, and one without a number for all others. What threads that have
// ended did is included. TRUNCATE empties the statistics of the users, after those of the
// threads and the accounts have been moved to their users and hosts.
//
// MySQL: performance_schema.events_errors_summary_by_user_by_error, since 8.0.
var _ = register(Def[*errorRow]{
	Name:     "events_errors_summary_by_user_by_error",
	Doc:      "How often the threads of each user have raised errors, and when.",
	Recorded: NotKept,
	Columns:  byUser(errorSummary),
	Indexes:  []Index{{Name: "USER", Columns: []string{"USER", "ERROR_NUMBER"}, Unique: true}},
	Estimate: errorEstimate(actorCount),
	Rows:     errorRows(actorWork(instr.LevelUser)),
	Truncate: resetActorWork(instr.WorkErrors, instr.LevelUser),
})
