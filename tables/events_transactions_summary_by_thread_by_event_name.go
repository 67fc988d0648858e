package tables

import "pfsd/instr"

// The transactions of each thread: one row for each, as there is one instrument. TRUNCATE
// moves the statistics of the threads to their accounts.
//
// MySQL: performance_schema.events_transactions_summary_by_thread_by_event_name, since 5.7.
var _ = register(Def[*transactionRow]{
	Name:     "events_transactions_summary_by_thread_by_event_name",
	Doc:      "How many transactions each thread has been in, and how long.",
	Recorded: OfProgram,
	Columns:  byThread(transactionSummary),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyTransactions, threadCount),
	Rows:     transactionRows(threadWork),
	Truncate: resetThreadWork(instr.WorkTransactions),
})
