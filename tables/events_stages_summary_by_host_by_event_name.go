package tables

import "pfsd/instr"

// The stages of each host, by instrument: a row for every instrument, whether it was used
// or not. What threads that have ended did is included. TRUNCATE moves the statistics of
// the threads to their accounts, those of the accounts to their users and hosts, and those
// of the hosts to the global ones.
//
// MySQL: performance_schema.events_stages_summary_by_host_by_event_name, since 5.6.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_by_host_by_event_name",
	Doc:      "How often and how long the threads of each host have been in stages, by instrument.",
	Recorded: NotKept,
	Columns:  byHost(stageStatColumns(instrumentDoc)),
	Indexes:  []Index{{Name: "HOST", Columns: []string{"HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStages, actorCount),
	Rows:     stageRows(actorWork(instr.LevelHost), byName),
	Truncate: resetActorWork(instr.WorkStages, instr.LevelHost),
})
