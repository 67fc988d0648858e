package tables

import "pfsd/instr"

// UnknownReaders is how many hold a lock for reading if that is not known.
const UnknownReaders = -1

type rwlockRow struct {
	RWMutexInstance
	writer  uint64
	readers int
}

// The readers-writer locks that exist, and who holds them. The writer is known while the
// instrument is on, the number of readers always.
//
// Differs: WRITE_LOCKED_BY_THREAD_ID of a goroutine that is no thread is 2^63 plus its number.
// Differs: READ_LOCKED_BY_COUNT can be NULL: a recording counts readers only while a writer waits for them or holds are recorded.
//
// MySQL: performance_schema.rwlock_instances, since 5.5.
var _ = register(Def[*rwlockRow]{
	Name:     "rwlock_instances",
	Doc:      "The readers-writer locks that exist, and who holds them.",
	Recorded: OfProgram,
	Columns: []Column[*rwlockRow]{
		eventName("NAME", func(r *rwlockRow) *instr.Class { return r.Class() }),
		objectInstance(func(r *rwlockRow) uint64 { return r.ID() }),
		{Name: "WRITE_LOCKED_BY_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *rwlockRow) Value { return uintOrNull(r.writer) }, Doc: "The thread that holds the lock for writing; NULL if none does."},
		{Name: "READ_LOCKED_BY_COUNT", Kind: intUnsigned.nullable(), Get: func(r *rwlockRow) Value {
			if r.readers == UnknownReaders {
				return Null
			}
			return Uint(uint64(r.readers))
		}, Doc: "How many hold the lock for reading; NULL if unknown."},
	},
	Indexes: []Index{
		{Name: "NAME", Columns: []string{"NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
		{Name: "WRITE_LOCKED_BY_THREAD_ID", Columns: []string{"WRITE_LOCKED_BY_THREAD_ID"}},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*rwlockRow] {
		return mapped(instances(model, key, "NAME", instr.KindRWMutex), func(r *rwlockRow, in Instance) bool {
			m := in.(RWMutexInstance)
			*r = rwlockRow{m, m.Holder(), m.Readers()}
			return key.allows("WRITE_LOCKED_BY_THREAD_ID", uintOrNull(r.writer))
		})
	},
})
