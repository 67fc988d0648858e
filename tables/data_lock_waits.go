package tables

// Which lock on rows waits for which other.
//
// MySQL: performance_schema.data_lock_waits, since 8.0.1.
var _ = register(Def[noRow]{
	Name:  "data_lock_waits",
	Doc:   "Which lock on rows waits for which other.",
	Empty: "the storage of users' tables locks no rows",
	Columns: []Column[noRow]{
		{Name: "ENGINE", Kind: varchar(32), Get: never, Doc: "The storage engine."},
		{Name: "REQUESTING_ENGINE_LOCK_ID", Kind: varchar(128), Get: never, Doc: "The lock that is waited for."},
		{Name: "REQUESTING_ENGINE_TRANSACTION_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The transaction that waits, its number in the engine."},
		{Name: "REQUESTING_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The thread that waits."},
		{Name: "REQUESTING_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The event in which it asked for the lock."},
		{Name: "REQUESTING_OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned, Get: never, Doc: "The address of the lock that is waited for."},
		{Name: "BLOCKING_ENGINE_LOCK_ID", Kind: varchar(128), Get: never, Doc: "The lock that is in the way."},
		{Name: "BLOCKING_ENGINE_TRANSACTION_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The transaction that holds it, its number in the engine."},
		{Name: "BLOCKING_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The thread that holds it."},
		{Name: "BLOCKING_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The event in which that asked for the lock."},
		{Name: "BLOCKING_OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned, Get: never, Doc: "The address of the lock that is in the way."},
	},
	Indexes: []Index{
		{Name: "BLOCKING_ENGINE_LOCK_ID", Columns: []string{"BLOCKING_ENGINE_LOCK_ID", "ENGINE"}},
		{Name: "BLOCKING_ENGINE_TRANSACTION_ID", Columns: []string{"BLOCKING_ENGINE_TRANSACTION_ID", "ENGINE"}},
		{Name: "BLOCKING_THREAD_ID", Columns: []string{"BLOCKING_THREAD_ID", "BLOCKING_EVENT_ID"}},
		{Name: "PRIMARY", Columns: []string{"REQUESTING_ENGINE_LOCK_ID", "BLOCKING_ENGINE_LOCK_ID", "ENGINE"}, Unique: true},
		{Name: "REQUESTING_ENGINE_LOCK_ID", Columns: []string{"REQUESTING_ENGINE_LOCK_ID", "ENGINE"}},
		{Name: "REQUESTING_ENGINE_TRANSACTION_ID", Columns: []string{"REQUESTING_ENGINE_TRANSACTION_ID", "ENGINE"}},
		{Name: "REQUESTING_THREAD_ID", Columns: []string{"REQUESTING_THREAD_ID", "REQUESTING_EVENT_ID"}},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
