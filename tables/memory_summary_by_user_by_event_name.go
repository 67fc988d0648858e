package tables

import "pfsd/instr"

// The memory of each user, by instrument: a row for every instrument that counts for threads. What
// threads that have ended did is included. The least is at most, and the most at least, what the
// threads together have had in use. TRUNCATE forgets what was allocated and freed again; what is
// in use stays.
//
// MySQL: performance_schema.memory_summary_by_user_by_event_name, since 5.7.
var _ = register(Def[*memoryRow]{
	Name:     "memory_summary_by_user_by_event_name",
	Doc:      "The memory of each user, by instrument.",
	Recorded: NotKept,
	Columns:  byUser(memorySummary),
	Indexes:  []Index{{Name: "USER", Columns: []string{"USER", "EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyMemory, actorCount),
	Rows:     memoryRows(actorWork(instr.LevelUser)),
	Truncate: resetActorWork(instr.WorkMemory, instr.LevelUser),
})
