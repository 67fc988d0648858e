package tables

import "pfsd/instr"

// The transactions of each host: one row for each, as there is one instrument. What
// threads that have ended did is included. TRUNCATE moves the statistics of the threads to
// their accounts, those of the accounts to their users and hosts, and those of the hosts
// to the global ones.
//
// MySQL: performance_schema.events_transactions_summary_by_host_by_event_name, since 5.7.
var _ = register(Def[*transactionRow]{
	Name:     "events_transactions_summary_by_host_by_event_name",
	Doc:      "How many transactions the threads of each host have been in, and how long.",
	Recorded: NotKept,
	Columns:  byHost(transactionSummary),
	Indexes:  []Index{{Name: "HOST", Columns: []string{"HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyTransactions, actorCount),
	Rows:     transactionRows(actorWork(instr.LevelHost)),
	Truncate: resetActorWork(instr.WorkTransactions, instr.LevelHost),
})
