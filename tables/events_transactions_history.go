package tables

import "pfsd/instr"

// The last transactions of each thread that have ended, oldest first. The rows of a thread
// vanish when it ends.
//
// MySQL: performance_schema.events_transactions_history, since 5.7.
var _ = register(Def[*instr.TransactionEvent]{
	Name:     "events_transactions_history",
	Doc:      "The last transactions of each thread.",
	Recorded: OfProgram,
	Columns:  transactionEventColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: func(model Model) int {
		return model.ThreadCount() * model.Setup().HistorySize(instr.FamilyTransactions)
	},
	Rows:     threadEvents(transactionHead, Thread.TransactionsHistory),
	Truncate: eachThread(Thread.TruncateTransactionsHistory),
})
