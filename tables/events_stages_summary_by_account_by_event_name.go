package tables

import "pfsd/instr"

// The stages of each account, by instrument: a row for every instrument, whether it was
// used or not. What threads that have ended did is included. TRUNCATE moves the statistics
// of the threads to their accounts, and those of the accounts to their users and hosts.
//
// MySQL: performance_schema.events_stages_summary_by_account_by_event_name, since 5.6.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_by_account_by_event_name",
	Doc:      "How often and how long the threads of each account have been in stages, by instrument.",
	Recorded: NotKept,
	Columns:  byAccount(stageStatColumns(instrumentDoc)),
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStages, actorCount),
	Rows:     stageRows(actorWork(instr.LevelAccount), byName),
	Truncate: resetActorWork(instr.WorkStages, instr.LevelAccount),
})
