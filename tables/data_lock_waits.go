package tables

// DataLockWaitRow is a lock that waits for another.
type DataLockWaitRow struct{ Requesting, Blocking DataLockRow }

// Which lock on rows waits for which other.
//
// MySQL: performance_schema.data_lock_waits, since 8.0.1.
var _ = register(Def[*DataLockWaitRow]{
	Name:     "data_lock_waits",
	Doc:      "Which lock on rows waits for which other.",
	Recorded: OfServer,
	Columns: []Column[*DataLockWaitRow]{
		{Name: "ENGINE", Kind: varchar(32), Get: func(*DataLockWaitRow) Value { return Text(lockEngine) }, Doc: "The storage engine."},
		{Name: "REQUESTING_ENGINE_LOCK_ID", Kind: varchar(128), Get: func(r *DataLockWaitRow) Value { return Text(r.Requesting.ID) }, Doc: "The lock that is waited for."},
		{Name: "REQUESTING_ENGINE_TRANSACTION_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockWaitRow) Value { return Uint(r.Requesting.Transaction) }, Doc: "The transaction that waits, its number in the engine."},
		{Name: "REQUESTING_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockWaitRow) Value { return uintOrNull(r.Requesting.Thread) }, Doc: "The thread that waits."},
		{Name: "REQUESTING_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockWaitRow) Value { return uintOrNull(r.Requesting.Event) }, Doc: "The event in which it asked for the lock."},
		{Name: "REQUESTING_OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned, Get: func(r *DataLockWaitRow) Value { return Uint(r.Requesting.Address) }, Doc: "The number of the lock that is waited for."},
		{Name: "BLOCKING_ENGINE_LOCK_ID", Kind: varchar(128), Get: func(r *DataLockWaitRow) Value { return Text(r.Blocking.ID) }, Doc: "The lock that is in the way."},
		{Name: "BLOCKING_ENGINE_TRANSACTION_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockWaitRow) Value { return Uint(r.Blocking.Transaction) }, Doc: "The transaction that holds it, its number in the engine."},
		{Name: "BLOCKING_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockWaitRow) Value { return uintOrNull(r.Blocking.Thread) }, Doc: "The thread that holds it."},
		{Name: "BLOCKING_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *DataLockWaitRow) Value { return uintOrNull(r.Blocking.Event) }, Doc: "The event in which that asked for the lock."},
		{Name: "BLOCKING_OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned, Get: func(r *DataLockWaitRow) Value { return Uint(r.Blocking.Address) }, Doc: "The number of the lock that is in the way."},
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
	Rows: providedIf(func(k Key, r *DataLockWaitRow) bool {
		side := func(name string, l *DataLockRow) bool {
			return k.allows(name+"_ENGINE_LOCK_ID", Text(l.ID)) && k.allows(name+"_ENGINE_TRANSACTION_ID", Uint(l.Transaction)) &&
				k.allows(name+"_THREAD_ID", uintOrNull(l.Thread)) && k.allows(name+"_EVENT_ID", uintOrNull(l.Event))
		}
		return k.allows("ENGINE", Text(lockEngine)) && side("REQUESTING", &r.Requesting) && side("BLOCKING", &r.Blocking)
	}),
})
