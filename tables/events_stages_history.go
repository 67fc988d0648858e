package tables

import "pfsd/instr"

// The last stages of each thread that have ended, oldest first. The rows of a thread
// vanish when it ends.
//
// MySQL: performance_schema.events_stages_history, since 5.6.
var _ = register(Def[*instr.StageEvent]{
	Name:     "events_stages_history",
	Doc:      "The last stages of each thread.",
	Recorded: OfProgram,
	Columns:  stageEventColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: func(model Model) int {
		return model.ThreadCount() * model.Setup().HistorySize(instr.FamilyStages)
	},
	Rows:     threadEvents(stageHead, Thread.StagesHistory),
	Truncate: eachThread(Thread.TruncateStagesHistory),
})
