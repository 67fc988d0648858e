package tables

import "pfsd/instr"

// The transactions of each user: one row for each, as there is one instrument. What
// threads that have ended did is included. TRUNCATE empties the statistics of the users,
// after those of the threads and the accounts have been moved to their users and hosts.
//
// MySQL: performance_schema.events_transactions_summary_by_user_by_event_name, since 5.7.
var _ = register(Def[*transactionRow]{
	Name:     "events_transactions_summary_by_user_by_event_name",
	Doc:      "How many transactions the threads of each user have been in, and how long.",
	Recorded: NotKept,
	Columns:  byUser(transactionSummary),
	Indexes:  []Index{{Name: "USER", Columns: []string{"USER", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyTransactions, actorCount),
	Rows:     transactionRows(actorWork(instr.LevelUser)),
	Truncate: resetActorWork(instr.WorkTransactions, instr.LevelUser),
})
