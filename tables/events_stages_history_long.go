package tables

import "pfsd/instr"

// The last stages of all threads that have ended, oldest first, those of threads that are
// no more included.
//
// MySQL: performance_schema.events_stages_history_long, since 5.6.
var _ = register(Def[*instr.StageEvent]{
	Name:     "events_stages_history_long",
	Doc:      "The last stages of all threads.",
	Recorded: OfProgram,
	Columns:  stageEventColumns,
	Estimate: func(model Model) int { return model.Setup().HistoryLongSize(instr.FamilyStages) },
	Rows:     longEvents(Model.StagesHistoryLong),
	Truncate: Model.TruncateStagesHistoryLong,
})
