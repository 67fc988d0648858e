package tables

import "pfsd/instr"

// The statements that are running, of each thread the outermost first; of a thread that
// runs none, the last one that has ended. A statement within another is that of a stored
// program, or a prepared one.
//
// MySQL: performance_schema.events_statements_current, since 5.6.
var _ = register(Def[*instr.StatementEvent]{
	Name:     "events_statements_current",
	Doc:      "The statements that each thread runs, or the last that it has run.",
	Recorded: OfProgram,
	Columns:  statementEventColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: threadCount,
	Rows:     threadEvents(statementHead, Thread.CurrentStatements),
	Truncate: eachThread(Thread.TruncateCurrentStatements),
})
