package tables

import "pfsd/instr"

// The transactions of each account: one row for each, as there is one instrument. What
// threads that have ended did is included. TRUNCATE moves the statistics of the threads to
// their accounts, and those of the accounts to their users and hosts.
//
// MySQL: performance_schema.events_transactions_summary_by_account_by_event_name, since 5.7.
var _ = register(Def[*transactionRow]{
	Name:     "events_transactions_summary_by_account_by_event_name",
	Doc:      "How many transactions the threads of each account have been in, and how long.",
	Recorded: NotKept,
	Columns:  byAccount(transactionSummary),
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyTransactions, actorCount),
	Rows:     transactionRows(actorWork(instr.LevelAccount)),
	Truncate: resetActorWork(instr.WorkTransactions, instr.LevelAccount),
})
