package tables

import "pfsd/instr"

// The last waits of each thread that have ended, oldest first. The rows of a thread vanish
// when it ends.
//
// Differs: OPERATION also knows mkdir, rmdir, readdir, chmod, link, listen and accept.
//
// MySQL: performance_schema.events_waits_history, since 5.5.
var _ = register(Def[waitRow]{
	Name:     "events_waits_history",
	Doc:      "The last waits of each thread.",
	Columns:  waitColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: func(reg *instr.Registry) int { return reg.ThreadCount() * reg.HistorySize() },
	Rows:     threadWaitRows((*instr.Thread).WaitsHistory),
	Truncate: eachThread((*instr.Thread).TruncateWaitsHistory),
})
