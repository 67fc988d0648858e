package tables

import "pfsd/instr"

// The errors of each host, by error: a row for every error that the server knows, whether
// it was raised or not, and one without a number for all others. What threads that have
// ended did is included. TRUNCATE moves the statistics of the threads to their accounts,
// those of the accounts to their users and hosts, and those of the hosts to the global
// ones.
//
// MySQL: performance_schema.events_errors_summary_by_host_by_error, since 8.0.
var _ = register(Def[*errorRow]{
	Name:     "events_errors_summary_by_host_by_error",
	Doc:      "How often the threads of each host have raised errors, and when.",
	Recorded: NotKept,
	Columns:  byHost(errorSummary),
	Indexes:  []Index{{Name: "HOST", Columns: []string{"HOST", "ERROR_NUMBER"}, Unique: true}},
	Estimate: errorEstimate(actorCount),
	Rows:     errorRows(actorWork(instr.LevelHost)),
	Truncate: resetActorWork(instr.WorkErrors, instr.LevelHost),
})
