package tables

import "pfsd/instr"

// The locks on the names of tables, schemas and other things: those that are held, and those
// that are waited for. The rows are there while the instrument wait/lock/metadata/sql/mdl is on.
//
// Differs: OBJECT_INSTANCE_BEGIN is new when the lock is waited for, the same as in the wait's event.
//
// MySQL: performance_schema.metadata_locks, since 5.7.3.
var _ = register(Def[*instr.MetadataLockInfo]{
	Name:     "metadata_locks",
	Doc:      "The locks on names of tables and other things, held and waited for.",
	Recorded: NotKept,
	Columns: []Column[*instr.MetadataLockInfo]{
		{Name: "OBJECT_TYPE", Kind: varchar(64), Get: lockedType, Doc: "What the lock is on: TABLE, SCHEMA, GLOBAL, USER LEVEL LOCK and so on."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Get: lockedSchema, Doc: "The schema that it is in; NULL if it is in none."},
		{Name: "OBJECT_NAME", Kind: varchar(64).nullable(), Get: lockedName, Doc: "Its name; NULL if it has none."},
		{Name: "COLUMN_NAME", Kind: varchar(64).nullable(), Get: lockedColumn, Doc: "The column that it is about; NULL if it is about no column."},
		{Name: "OBJECT_INSTANCE_BEGIN", Kind: bigintUnsigned, Get: func(r *instr.MetadataLockInfo) Value { return Uint(r.ID) }, Doc: "The lock's number: no other lock has the same at the same time."},
		{Name: "LOCK_TYPE", Kind: varchar(32), Get: func(r *instr.MetadataLockInfo) Value { return Text(r.Type.String()) }, Doc: "What others may do meanwhile: SHARED_READ, SHARED_WRITE, EXCLUSIVE and so on."},
		{Name: "LOCK_DURATION", Kind: varchar(32), Get: func(r *instr.MetadataLockInfo) Value { return Text(r.Duration.String()) }, Doc: "Until when it is held: STATEMENT, TRANSACTION, or EXPLICIT for until it is given back."},
		{Name: "LOCK_STATUS", Kind: varchar(32), Get: func(r *instr.MetadataLockInfo) Value { return Text(r.Status.String()) }, Doc: "PENDING while it is waited for, GRANTED while it is held; VICTIM, TIMEOUT or KILLED when it is given up."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: func(r *instr.MetadataLockInfo) Value { return textOrNull(cut(r.Source(), 64)) }, Doc: "The file and line of the code that asked for it."},
		{Name: "OWNER_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *instr.MetadataLockInfo) Value { return uintOrNull(r.Thread) }, Doc: "The thread that holds it or waits for it."},
		{Name: "OWNER_EVENT_ID", Kind: bigintUnsigned.nullable(), Get: func(r *instr.MetadataLockInfo) Value { return uintOrNull(r.Event) }, Doc: "The event in which the thread asked for it."},
	},
	Indexes: []Index{
		{Name: "OBJECT_TYPE", Columns: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME", "COLUMN_NAME"}},
		{Name: "OWNER_THREAD_ID", Columns: []string{"OWNER_THREAD_ID", "OWNER_EVENT_ID"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*instr.MetadataLockInfo] {
		locks := model.MetadataLocks()
		return func(buf []*instr.MetadataLockInfo) (n int) {
			for n < len(buf) && len(locks) > 0 {
				l := &locks[0]
				locks = locks[1:]
				if key.allows("OBJECT_TYPE", lockedType(l)) && key.allows("OBJECT_SCHEMA", lockedSchema(l)) &&
					key.allows("OBJECT_NAME", lockedName(l)) && key.allows("COLUMN_NAME", lockedColumn(l)) &&
					key.allows("OWNER_THREAD_ID", uintOrNull(l.Thread)) && key.allows("OWNER_EVENT_ID", uintOrNull(l.Event)) &&
					key.allows("OBJECT_INSTANCE_BEGIN", Uint(l.ID)) {
					buf[n] = l
					n++
				}
			}
			return n
		}
	},
})

func lockedType(r *instr.MetadataLockInfo) Value   { return Text(r.Object.Type) }
func lockedSchema(r *instr.MetadataLockInfo) Value { return schemaName(r.Object.Schema) }
func lockedName(r *instr.MetadataLockInfo) Value   { return textOrNull(cut(r.Object.Name, 64)) }
func lockedColumn(r *instr.MetadataLockInfo) Value { return textOrNull(cut(r.Object.Column, 64)) }
