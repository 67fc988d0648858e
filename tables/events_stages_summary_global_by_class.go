package tables

import "pfsd/instr"

// The stages of all threads together, by class of instruments: the first part of their
// names, which is stage. What threads that have ended did is included. TRUNCATE empties
// the statistics of everybody: of threads, accounts, users and hosts, too.
//
// MySQL: none.
var _ = register(Def[*stageRow]{
	Name:     "events_stages_summary_global_by_class",
	Doc:      "How often and how long any thread has been in stages, by class of instruments.",
	Recorded: OfProgram,
	Columns:  stageStatColumns(classNameDoc),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: single,
	Rows:     stageRows(globalWork, byClass),
	Truncate: resetGlobalWork(instr.WorkStages),
})
