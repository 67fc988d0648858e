package tables

import "pfsd/instr"

// The last statements of all threads that have ended, oldest first, those of threads that
// are no more included.
//
// MySQL: performance_schema.events_statements_history_long, since 5.6.
var _ = register(Def[*instr.StatementEvent]{
	Name:     "events_statements_history_long",
	Doc:      "The last statements of all threads.",
	Recorded: OfProgram,
	Columns:  statementEventColumns,
	Estimate: func(model Model) int { return model.Setup().HistoryLongSize(instr.FamilyStatements) },
	Rows:     longEvents(Model.StatementsHistoryLong),
	Truncate: Model.TruncateStatementsHistoryLong,
})
