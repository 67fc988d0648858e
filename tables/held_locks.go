package tables

import "pfsd/instr"

type heldLockRow struct {
	Instance
	instr.Holding
}

// The mutexes that are locked and the readers-writer locks that are locked for writing: who holds
// them, since when, and where it got them. The holder is known if the instrument was on when it locked.
//
// MySQL: none.
var _ = register(Def[*heldLockRow]{
	Name: "held_locks",
	Doc:  "Who holds which mutex or readers-writer lock, since when, and where it locked it.",
	Columns: []Column[*heldLockRow]{
		eventName("EVENT_NAME", func(r *heldLockRow) *instr.Class { return r.Class() }),
		objectInstance(func(r *heldLockRow) uint64 { return r.ID() }),
		{Name: "OWNER_THREAD_ID", Kind: bigintUnsigned, Get: func(r *heldLockRow) Value { return Uint(r.Holder) }, Doc: "The thread that holds the lock; of a goroutine that is no thread 2^63 plus its number."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: func(r *heldLockRow) Value { return textOrNull(cut(r.Source, 64)) }, Doc: "The file and line of the code that locked it; NULL if unknown."},
		{Name: "TIMER_HELD", Kind: bigintUnsigned.nullable(), Get: (*heldLockRow).held, Doc: "How long it has been held, picoseconds; NULL if the wait for it was not timed."},
	},
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "OWNER_THREAD_ID", Columns: []string{"OWNER_THREAD_ID"}},
		{Name: "PRIMARY", Columns: []string{"OBJECT_INSTANCE_BEGIN"}, Unique: true},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*heldLockRow] {
		return mapped(instances(model, key, "EVENT_NAME", instr.KindMutex, instr.KindRWMutex), func(r *heldLockRow, in Instance) bool {
			h, ok := in.(interface{ Holding() (instr.Holding, bool) }).Holding()
			*r = heldLockRow{in, h}
			return ok && key.allows("OWNER_THREAD_ID", Uint(h.Holder)) && key.allows("EVENT_NAME", Text(in.Class().Name()))
		})
	},
})

func (r *heldLockRow) held() Value {
	if !r.Timed {
		return Null
	}
	return Uint(r.Held)
}
