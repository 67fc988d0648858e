package tables

// The waits that are running, of each thread the outermost first; of a thread that does
// not wait, the last one that has ended.
//
// Differs: OPERATION also knows mkdir, rmdir, readdir, chmod, link, listen, accept and row lock.
//
// MySQL: performance_schema.events_waits_current, since 5.5.
var _ = register(Def[waitRow]{
	Name:     "events_waits_current",
	Doc:      "What each thread is waiting for now, or has waited for last.",
	Recorded: OfProgram,
	Columns:  waitColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: func(model Model) int { return model.ThreadCount() },
	Rows:     threadWaitRows(Thread.CurrentWaits),
	Truncate: eachThread(Thread.TruncateCurrentWaits),
})
