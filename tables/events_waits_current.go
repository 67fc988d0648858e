package tables

import "pfsd/instr"

// The waits that are running, of each thread the outermost first; of a thread that does
// not wait, the last one that has ended.
//
// Differs: OPERATION also knows mkdir, rmdir, readdir, chmod, link, listen and accept.
//
// MySQL: performance_schema.events_waits_current, since 5.5.
var _ = register(Def[waitRow]{
	Name:     "events_waits_current",
	Doc:      "What each thread is waiting for now, or has waited for last.",
	Columns:  waitColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: func(reg *instr.Registry) int { return reg.ThreadCount() },
	Rows:     threadWaitRows((*instr.Thread).CurrentWaits),
	Truncate: eachThread((*instr.Thread).TruncateCurrentWaits),
})
