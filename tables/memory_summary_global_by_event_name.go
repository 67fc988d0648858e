package tables

import "pfsd/instr"

// The memory of everybody, by instrument, what goroutines that are no threads did included.
// memory/performance_schema are the buffers of the Performance Schema itself, to the byte;
// memory/go is what the Go runtime has mapped, in parts, the first of which, heap/objects, all
// other memory of Go is in: who wants the sum adds up memory/go alone. TRUNCATE forgets what was
// allocated and freed again, of threads, accounts, users and hosts, too; what is in use stays,
// and is the least and the most from then on.
//
// Differs: EVENT_NAME memory/go is no instrument of MySQL's.
// Differs: COUNT_ALLOC of memory/go is 0 but for the heap's objects.
// Differs: COUNT_FREE of memory/go is 0 but for the heap's objects.
// Differs: LOW_NUMBER_OF_BYTES_USED of memory/go, and of buffers that grow piece by piece, is of the times when somebody has read the table.
// Differs: HIGH_NUMBER_OF_BYTES_USED of memory/go, and of buffers that grow piece by piece, is of the times when somebody has read the table.
//
// MySQL: performance_schema.memory_summary_global_by_event_name, since 5.7.
var _ = register(Def[*memoryRow]{
	Name:     "memory_summary_global_by_event_name",
	Doc:      "The memory of everybody, by instrument.",
	Recorded: NotKept,
	Columns:  memorySummary,
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"EVENT_NAME"}, Unique: true}},
	Estimate: workEstimate(instr.FamilyMemory, single),
	Rows:     globalMemoryRows,
	Truncate: resetGlobalWork(instr.WorkMemory),
})
