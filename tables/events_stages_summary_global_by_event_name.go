package tables

import "pfsd/instr"

// The stages of all threads together, by instrument: a row for every instrument, whether
// it was used or not. What threads that have ended did is included. TRUNCATE empties the
// statistics of everybody: of threads, accounts, users and hosts, too.
//
// MySQL: performance_schema.events_stages_summary_global_by_event_name, since 5.6.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_global_by_event_name",
	Doc:      "How often and how long any thread has been in stages, by instrument.",
	Recorded: OfProgram,
	Columns:  stageStatColumns(instrumentDoc),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyStages, single),
	Rows:     stageRows(globalWork, byName),
	Truncate: resetGlobalWork(instr.WorkStages),
})
