package tables

import "pfsd/instr"

// The memory of each thread, by instrument: a row for every instrument that counts for threads.
// What a thread frees need not be its own: it can have less than nothing in use. TRUNCATE moves
// what was allocated and freed again to the accounts; what is in use stays, and is the least and
// the most from then on.
//
// MySQL: performance_schema.memory_summary_by_thread_by_event_name, since 5.7.
var _ = register(Def[*memoryRow]{
	Name:     "memory_summary_by_thread_by_event_name",
	Doc:      "The memory of each thread, by instrument.",
	Recorded: NotKept,
	Columns:  byThread(memorySummary),
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"THREAD_ID", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyMemory, threadCount),
	Rows:     memoryRows(threadWork),
	Truncate: resetThreadWork(instr.WorkMemory),
})
