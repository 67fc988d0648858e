package tables

import "pfsd/instr"

// The stage that each thread is in: one at most.
//
// MySQL: performance_schema.events_stages_current, since 5.6.
var _ = register(Def[*instr.StageEvent]{
	Name:     "events_stages_current",
	Doc:      "The stage that each thread is in.",
	Recorded: OfProgram,
	Columns:  stageEventColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: threadCount,
	Rows:     threadEvents(stageHead, Thread.CurrentStage),
	Truncate: eachThread(Thread.TruncateCurrentStage),
})
