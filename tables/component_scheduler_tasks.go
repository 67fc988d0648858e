package tables

// The tasks that components have the server carry out from time to time.
//
// Differs: types are ours, as MySQL has the table only where its scheduler component is installed.
//
// MySQL: performance_schema.component_scheduler_tasks, since 8.0.34.
var _ = register(Def[noRow]{
	Name:     "component_scheduler_tasks",
	Doc:      "The tasks that components have scheduled.",
	Recorded: OfAny,
	Empty:    "no component schedules tasks: those of the server itself are threads",
	Columns: []Column[noRow]{
		{Name: "NAME", Kind: varchar(64), Get: never, Doc: "The task's name."},
		{Name: "STATUS", Kind: enum("RUNNING", "WAITING"), Get: never, Doc: "Whether the task is running."},
		{Name: "COMMENT", Kind: varchar(1024).nullable(), Get: never, Doc: "What the task does."},
		{Name: "INTERVAL_SECONDS", Kind: bigintUnsigned, Get: never, Doc: "The time from one run to the next, seconds."},
		{Name: "TIMES_RUN", Kind: bigintUnsigned, Get: never, Doc: "How many times the task ran to its end."},
		{Name: "TIMES_FAILED", Kind: bigintUnsigned, Get: never, Doc: "How many times the task failed."},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
