package tables

import "pfsd/instr"

// The last transactions of all threads that have ended, oldest first, those of threads
// that are no more included.
//
// MySQL: performance_schema.events_transactions_history_long, since 5.7.
var _ = register(Def[*instr.TransactionEvent]{
	Name:     "events_transactions_history_long",
	Doc:      "The last transactions of all threads.",
	Recorded: OfProgram,
	Columns:  transactionEventColumns,
	Estimate: func(model Model) int { return model.Setup().HistoryLongSize(instr.FamilyTransactions) },
	Rows:     longEvents(Model.TransactionsHistoryLong),
	Truncate: Model.TruncateTransactionsHistoryLong,
})
