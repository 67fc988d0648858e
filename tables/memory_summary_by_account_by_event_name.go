package tables

import "pfsd/instr"

// The memory of each account, by instrument: a row for every instrument that counts for threads.
// What threads that have ended did is included. The least is at most, and the most at least, what
// the threads together have had in use. TRUNCATE moves what threads and accounts have allocated
// and freed again to users and hosts; what is in use stays.
//
// MySQL: performance_schema.memory_summary_by_account_by_event_name, since 5.7.
var _ = register(Def[*memoryRow]{
	Name:     "memory_summary_by_account_by_event_name",
	Doc:      "The memory of each account, by instrument.",
	Recorded: NotKept,
	Columns:  byAccount(memorySummary),
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyMemory, actorCount),
	Rows:     memoryRows(actorWork(instr.LevelAccount)),
	Truncate: resetActorWork(instr.WorkMemory, instr.LevelAccount),
})
