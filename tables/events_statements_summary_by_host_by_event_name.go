package tables

import "pfsd/instr"

// The statements of each host, by instrument: a row for every instrument, whether it was
// used or not. What threads that have ended did is included. TRUNCATE moves the statistics
// of the threads to their accounts, those of the accounts to their users and hosts, and
// those of the hosts to the global ones.
//
// MySQL: performance_schema.events_statements_summary_by_host_by_event_name, since 5.6.
var _ = register(Def[*statementRow]{
	Name:     "events_statements_summary_by_host_by_event_name",
	Doc:      "What statements the threads of each host have run, by instrument.",
	Recorded: NotKept,
	Columns:  byHost(statementSummary),
	Indexes:  []Index{{Name: "HOST", Columns: []string{"HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStatements, actorCount),
	Rows:     statementRows(actorWork(instr.LevelHost)),
	Truncate: resetActorWork(instr.WorkStatements, instr.LevelHost),
})
