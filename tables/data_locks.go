package tables

// DataLockRow is a lock on rows, or on a table because of its rows.
type DataLockRow struct {
	ID             string
	Transaction    uint64
	Thread, Event  uint64 // 0 if unknown
	Schema, Object string
	Index          string // "" for a table
	Address        uint64
	Type           string // RECORD or TABLE
	Mode           string
	Waiting        bool
	Data           string // "" if there is none
}

// lockEngine is the engine of users' tables, as the tables of locks name it.
const lockEngine = "INNODB"

// The locks on rows, held and waited for, each with the lock on the table that goes with it. What a
// transaction has locked it keeps until it ends.
//
// Differs: OBJECT_INSTANCE_BEGIN is a number of the lock, not an address. A range that is locked has one row,
// X,GAP or S,GAP, whose LOCK_DATA is the row behind it. LOCK_DATA is NULL where the row is not there any more.
//
// MySQL: performance_schema.data_locks, since 8.0.1.
var _ = register(Def[*DataLockRow]{
	Name:     "data_locks",
	Doc:      "The locks on rows, held and waited for.",
	Recorded: OfServer,
	Columns: []Column[*DataLockRow]{
		{Name: "ENGINE", Kind: varchar(32), Get: func(*DataLockRow) Value { return Text(lockEngine) }, Doc: "The storage engine."},
		{Name: "ENGINE_LOCK_ID", Kind: varchar(128), Get: func(r *DataLockRow) Value { return Text(r.ID) }, Doc: "The lock's name in the engine."},
		{Name: "ENGINE_TRANSACTION_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockRow) Value { return Uint(r.Transaction) }, Doc: "The transaction's number in the engine."},
		{Name: "THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockRow) Value { return uintOrNull(r.Thread) }, Doc: "The thread that asked for the lock."},
		{Name: "EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockRow) Value { return uintOrNull(r.Event) }, Doc: "The event in which it asked."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: func(r *DataLockRow) Value { return Text(r.Schema) }, Doc: "The table's schema."},
		{Name: "OBJECT_NAME", Kind: varchar(64).nullable(), Get: func(r *DataLockRow) Value { return Text(r.Object) }, Doc: "The table."},
		{Name: "PARTITION_NAME", Kind: varchar(64).nullable(), Get: noPartition, Doc: "The partition; NULL, since no table has any."},
		{Name: "SUBPARTITION_NAME", Kind: varchar(64).nullable(), Get: noPartition, Doc: "The subpartition; NULL, since no table has any."},
		{Name: "INDEX_NAME", Kind: varchar(64).nullable(), Get: func(r *DataLockRow) Value { return textOrNull(r.Index) }, Doc: "The index whose entry is locked."},
		{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned, Get: func(r *DataLockRow) Value { return Uint(r.Address) }, Doc: "The lock's number."},
		{Name: "LOCK_TYPE", Kind: varchar(32), Get: func(r *DataLockRow) Value { return Text(r.Type) }, Doc: "What is locked, RECORD or TABLE."},
		{Name: "LOCK_MODE", Kind: varchar(32), Get: func(r *DataLockRow) Value { return Text(r.Mode) }, Doc: "How it is locked."},
		{Name: "LOCK_STATUS", Kind: varchar(32), Get: lockStatus, Doc: "GRANTED or WAITING."},
		{Name: "LOCK_DATA", Kind: varchar(8192).nullable(), Get: func(r *DataLockRow) Value { return textOrNull(cut(r.Data, 8192)) }, Doc: "The key of the locked row."},
	},
	Indexes: []Index{
		{Name: "ENGINE_TRANSACTION_ID", Columns: []string{"ENGINE_TRANSACTION_ID", "ENGINE"}},
		{Name: "OBJECT_SCHEMA", Columns: []string{"OBJECT_SCHEMA", "OBJECT_NAME", "PARTITION_NAME", "SUBPARTITION_NAME"}},
		{Name: "PRIMARY", Columns: []string{"ENGINE_LOCK_ID", "ENGINE"}, Unique: true},
		{Name: "THREAD_ID", Columns: []string{"THREAD_ID", "EVENT_ID"}},
	},
	Estimate: fixedEstimate,
	Rows: providedIf(func(k Key, r *DataLockRow) bool {
		return k.allows("ENGINE", Text(lockEngine)) && k.allows("ENGINE_LOCK_ID", Text(r.ID)) && k.allows("ENGINE_TRANSACTION_ID", Uint(r.Transaction)) &&
			k.allows("THREAD_ID", uintOrNull(r.Thread)) && k.allows("EVENT_ID", uintOrNull(r.Event)) &&
			k.allows("OBJECT_SCHEMA", Text(r.Schema)) && k.allows("OBJECT_NAME", Text(r.Object)) &&
			k.allows("PARTITION_NAME", Null) && k.allows("SUBPARTITION_NAME", Null)
	}),
})

func noPartition(*DataLockRow) Value { return Null }

func lockStatus(r *DataLockRow) Value {
	if r.Waiting {
		return Text("WAITING")
	}
	return Text("GRANTED")
}
