package tables

import "pfsd/instr"

// The statements of each account, by instrument: a row for every instrument, whether it
// was used or not. What threads that have ended did is included. TRUNCATE moves the
// statistics of the threads to their accounts, and those of the accounts to their users
// and hosts.
//
// MySQL: performance_schema.events_statements_summary_by_account_by_event_name, since 5.6.
var _ = register(Def[*statementRow]{
	Name:     "events_statements_summary_by_account_by_event_name",
	Doc:      "What statements the threads of each account have run, by instrument.",
	Recorded: NotKept,
	Columns:  byAccount(statementSummary),
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStatements, actorCount),
	Rows:     statementRows(actorWork(instr.LevelAccount)),
	Truncate: resetActorWork(instr.WorkStatements, instr.LevelAccount),
})
