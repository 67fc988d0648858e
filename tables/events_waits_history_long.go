package tables

import "pfsd/instr"

// The last waits of all threads that have ended, oldest first, those of threads that are
// no more included. Rows that are overwritten during the SELECT are left out.
//
// Differs: OPERATION also knows mkdir, rmdir, readdir, chmod, link, listen, accept and row lock.
//
// MySQL: performance_schema.events_waits_history_long, since 5.5.
var _ = register(Def[waitRow]{
	Name:     "events_waits_history_long",
	Doc:      "The last waits of all threads.",
	Recorded: OfProgram,
	Columns:  waitColumns,
	Estimate: func(model Model) int { return model.Setup().HistoryLongSize(instr.FamilyWaits) },
	Rows: func(model Model, _ Key) Source[waitRow] {
		return waitRows(model, model.WaitsHistoryLong())
	},
	Truncate: Model.TruncateWaitsHistoryLong,
})
