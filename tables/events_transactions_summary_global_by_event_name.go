package tables

import "pfsd/instr"

// The transactions of all threads together: one row for each, as there is one instrument.
// What threads that have ended did is included. TRUNCATE empties the statistics of
// everybody: of threads, accounts, users and hosts, too.
//
// MySQL: performance_schema.events_transactions_summary_global_by_event_name, since 5.7.
var _ = register(Def[*transactionRow]{
	Name:     "events_transactions_summary_global_by_event_name",
	Doc:      "How many transactions any thread has been in, and how long.",
	Recorded: OfProgram,
	Columns:  transactionSummary,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyTransactions, single),
	Rows:     transactionRows(globalWork),
	Truncate: resetGlobalWork(instr.WorkTransactions),
})
