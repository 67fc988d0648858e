package tables

import "pfsd/instr"

// The transaction that each thread is in, or the last one that has ended. TRUNCATE removes
// a transaction that runs from this table and from the histories.
//
// MySQL: performance_schema.events_transactions_current, since 5.7.
var _ = register(Def[*instr.TransactionEvent]{
	Name:     "events_transactions_current",
	Doc:      "The transaction that each thread is in, or was in last.",
	Recorded: OfProgram,
	Columns:  transactionEventColumns,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_ID"}, Unique: true}},
	Estimate: threadCount,
	Rows:     threadEvents(transactionHead, Thread.CurrentTransaction),
	Truncate: eachThread(Thread.TruncateCurrentTransaction),
})
