package tables

import "pfsd/instr"

// The stages of each user, by instrument: a row for every instrument, whether it was used
// or not. What threads that have ended did is included. TRUNCATE empties the statistics of
// the users, after those of the threads and the accounts have been moved to their users
// and hosts.
//
// MySQL: performance_schema.events_stages_summary_by_user_by_event_name, since 5.6.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_by_user_by_event_name",
	Doc:      "How often and how long the threads of each user have been in stages, by instrument.",
	Recorded: NotKept,
	Columns:  byUser(stageStatColumns(instrumentDoc)),
	Indexes:  []Index{{Name: "USER", Columns: []string{"USER", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStages, actorCount),
	Rows:     stageRows(actorWork(instr.LevelUser), byName),
	Truncate: resetActorWork(instr.WorkStages, instr.LevelUser),
})
