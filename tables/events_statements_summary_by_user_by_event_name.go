package tables

import "pfsd/instr"

// The statements of each user, by instrument: a row for every instrument, whether it was
// used or not. What threads that have ended did is included. TRUNCATE empties the
// statistics of the users, after those of the threads and the accounts have been moved to
// their users and hosts.
//
// MySQL: performance_schema.events_statements_summary_by_user_by_event_name, since 5.6.
var _ = register(Def[*statementRow]{
	Name:     "events_statements_summary_by_user_by_event_name",
	Doc:      "What statements the threads of each user have run, by instrument.",
	Recorded: NotKept,
	Columns:  byUser(statementSummary),
	Indexes:  []Index{{Name: "USER", Columns: []string{"USER", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStatements, actorCount),
	Rows:     statementRows(actorWork(instr.LevelUser)),
	Truncate: resetActorWork(instr.WorkStatements, instr.LevelUser),
})
