package tables

import "pfsd/instr"

// The last waits of each thread that have ended, oldest first. The rows of a thread vanish
// when it ends.
//
// Differs: OPERATION also knows mkdir, rmdir, readdir, chmod, link, listen, accept and row lock.
//
// MySQL: performance_schema.events_waits_history, since 5.5.
var _ = register(Def[waitRow]{
	Name:     "events_waits_history",
	Doc:      "The last waits of each thread.",
	Recorded: OfProgram,
	Columns:  waitColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: func(model Model) int {
		return model.ThreadCount() * model.Setup().HistorySize(instr.FamilyWaits)
	},
	Rows:     threadWaitRows(Thread.WaitsHistory),
	Truncate: eachThread(Thread.TruncateWaitsHistory),
})
