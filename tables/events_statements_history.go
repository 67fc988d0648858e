package tables

import "pfsd/instr"

// The last statements of each thread that have ended, oldest first. The rows of a thread
// vanish when it ends.
//
// MySQL: performance_schema.events_statements_history, since 5.6.
var _ = register(Def[*instr.StatementEvent]{
	Name:     "events_statements_history",
	Doc:      "The last statements of each thread.",
	Recorded: OfProgram,
	Columns:  statementEventColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: func(model Model) int {
		return model.ThreadCount() * model.Setup().HistorySize(instr.FamilyStatements)
	},
	Rows:     threadEvents(statementHead, Thread.StatementsHistory),
	Truncate: eachThread(Thread.TruncateStatementsHistory),
})
