package tables

// The locks on rows, held and waited for.
//
// MySQL: performance_schema.data_locks, since 8.0.1.
var _ = register(Def[noRow]{
	Name:  "data_locks",
	Doc:   "The locks on rows, held and waited for.",
	Empty: "the storage of users' tables locks no rows",
	Columns: []Column[noRow]{
		{Name: "ENGINE", Kind: varchar(32), Get: never, Doc: "The storage engine."},
		{Name: "ENGINE_LOCK_ID", Kind: varchar(128), Get: never, Doc: "The lock's name in the engine."},
		{Name: "ENGINE_TRANSACTION_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The transaction's number in the engine."},
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The thread that asked for the lock."},
		{Name: "EVENT_ID", Kind: bigintUnsigned.nullable(), Get: never, Doc: "The event in which it asked."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: never, Doc: "The table's schema."},
		{Name: "OBJECT_NAME", Kind: varchar(64).nullable(), Get: never, Doc: "The table."},
		{Name: "PARTITION_NAME", Kind: varchar(64).nullable(), Get: never, Doc: "The partition."},
		{Name: "SUBPARTITION_NAME", Kind: varchar(64).nullable(), Get: never, Doc: "The subpartition."},
		{Name: "INDEX_NAME", Kind: varchar(64).nullable(), Get: never, Doc: "The index whose entry is locked."},
		{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned, Get: never, Doc: "The lock's address."},
		{Name: "LOCK_TYPE", Kind: varchar(32), Get: never, Doc: "What is locked, RECORD or TABLE."},
		{Name: "LOCK_MODE", Kind: varchar(32), Get: never, Doc: "How it is locked."},
		{Name: "LOCK_STATUS", Kind: varchar(32), Get: never, Doc: "GRANTED or WAITING."},
		{Name: "LOCK_DATA", Kind: varchar(8192).nullable(), Get: never, Doc: "The key of the locked row."},
	},
	Indexes: []Index{
		{Name: "ENGINE_TRANSACTION_ID", Columns: []string{"ENGINE_TRANSACTION_ID", "ENGINE"}},
		{Name: "OBJECT_SCHEMA", Columns: []string{"OBJECT_SCHEMA", "OBJECT_NAME", "PARTITION_NAME", "SUBPARTITION_NAME"}},
		{Name: "PRIMARY", Columns: []string{"ENGINE_LOCK_ID", "ENGINE"}, Unique: true},
		{Name: "THREAD_ID", Columns: []string{"THREAD_ID", "EVENT_ID"}},
	},
	Estimate: fixedEstimate,
	Rows:     noRows,
})
