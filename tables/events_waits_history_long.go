package tables

import "pfsd/instr"

// The last waits of all threads that have ended, oldest first, those of threads that are
// no more included. Rows that are overwritten during the SELECT are left out.
//
// Differs: OPERATION also knows mkdir, rmdir, readdir, chmod, link, listen and accept.
//
// MySQL: performance_schema.events_waits_history_long, since 5.5.
var _ = register(Def[waitRow]{
	Name:     "events_waits_history_long",
	Doc:      "The last waits of all threads.",
	Columns:  waitColumns,
	Estimate: (*instr.Registry).HistoryLongSize,
	Rows: func(reg *instr.Registry, _ Key) Source[waitRow] {
		return waitRows(reg, reg.WaitsHistoryLong().Next)
	},
	Truncate: (*instr.Registry).TruncateWaitsHistoryLong,
})
