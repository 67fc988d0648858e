package tables

import "pfsd/instr"

type mutexRow struct {
	MutexInstance
	holder uint64
}

// The mutexes that exist, and who holds them. The holder is known while the instrument is on.
//
// Differs: LOCKED_BY_THREAD_ID of a goroutine that is no thread is 2^63 plus its number.
//
// MySQL: performance_schema.mutex_instances, since 5.5.
var _ = register(Def[*mutexRow]{
	Name:     "mutex_instances",
	Doc:      "The mutexes that exist, and who holds them.",
	Recorded: OfProgram,
	Columns: []Column[*mutexRow]{
		eventName("NAME", func(r *mutexRow) *instr.Class { return r.Class() }),
		objectInstance(func(r *mutexRow) uint64 { return r.ID() }),
		{Name: "LOCKED_BY_THREAD_ID", Kind: bigintUnsigned.nullable(), Get: func(r *mutexRow) Value { return uintOrNull(r.holder) }, Doc: "The thread that holds the mutex; NULL if none does."},
	},
	Indexes: []Index{
		{Name: "LOCKED_BY_THREAD_ID", Columns: []string{"LOCKED_BY_THREAD_ID"}},
		{Name: "NAME", Columns: []string{"NAME"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*mutexRow] {
		return mapped(instances(model, key, "NAME", instr.KindMutex), func(r *mutexRow, in Instance) bool {
			m := in.(MutexInstance)
			*r = mutexRow{m, m.Holder()}
			return key.allows("LOCKED_BY_THREAD_ID", uintOrNull(r.holder))
		})
	},
})
