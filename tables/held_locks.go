package tables

import (
	"slices"

	"pfsd/instr"
)

// HeldLock is a hold of a mutex or a readers-writer lock.
type HeldLock struct {
	Instance
	instr.Holding
	Shared bool // for reading
}

// The mutexes and readers-writer locks that are locked: who holds them, since when, and where it got
// them. The holder is known if the instrument was on when it locked, and one that reads if it is a thread, and holds
// no more than eight locks for reading; rwlock_instances counts all readers.
//
// MySQL: none.
var _ = register(Def[*HeldLock]{
	Name:     "held_locks",
	Doc:      "Who holds which mutex or readers-writer lock, since when, and where it locked it.",
	Recorded: OfProgram,
	Columns: []Column[*HeldLock]{
		eventName("EVENT_NAME", func(r *HeldLock) *instr.Class { return r.Class() }),
		objectInstance(func(r *HeldLock) uint64 { return r.ID() }),
		{Name: "LOCK_MODE", Kind: lockModes, Get: func(r *HeldLock) Value { return Text(LockMode(r.Shared)) }, Doc: "SHARED if it is held for reading."},
		{Name: "OWNER_THREAD_ID", Kind: bigintUnsigned, Get: func(r *HeldLock) Value { return Uint(r.Holder) }, Doc: "The thread that holds the lock; of a goroutine that is no thread 2^63 plus its number."},
		{Name: "OWNER_GOROUTINE_ID", Kind: bigintUnsigned.nullable(), Get: func(r *HeldLock) Value { return uintOrNull(r.Goroutine) }, Doc: "The number of its goroutine; NULL if unknown, as of a thread that has ended."},
		{Name: "SOURCE", Kind: varchar(64).nullable(), Get: func(r *HeldLock) Value { return textOrNull(cut(r.Source, 64)) }, Doc: "The file and line of the code that locked it; NULL if unknown."},
		{Name: "TIMER_HELD", Kind: bigintUnsigned.nullable(), Get: func(r *HeldLock) Value { return held(&r.Holding) }, Doc: "How long it has been held, picoseconds; NULL if the wait for it was not timed."},
		{Name: "CERTAIN", Kind: yesNo, Get: func(r *HeldLock) Value { return yes(r.Certain) }, Doc: "NO of a reader that has perhaps unlocked it: another goroutine did that was not known to hold it."},
	},
	Indexes: []Index{
		{Name: "EVENT_NAME", Columns: []string{"EVENT_NAME"}},
		{Name: "OBJECT_INSTANCE_BEGIN", Columns: []string{"OBJECT_INSTANCE_BEGIN"}},
		{Name: "OWNER_THREAD_ID", Columns: []string{"OWNER_THREAD_ID"}},
	},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*HeldLock] {
		exclusive := mapped(instances(model, key, "EVENT_NAME", instr.KindMutex, instr.KindRWMutex), func(r *HeldLock, in Instance) bool {
			h, ok := in.(interface{ Holding() (instr.Holding, bool) }).Holding()
			*r = HeldLock{Instance: in, Holding: h}
			return ok && key.allows("OWNER_THREAD_ID", Uint(h.Holder))
		})
		var readers Source[*HeldLock]
		return func(buf []*HeldLock) int {
			if readers == nil {
				if n := exclusive(buf); n > 0 {
					return n
				}
				all := model.ReadLocks()
				shared := make([]*HeldLock, len(all))
				for i := range all {
					shared[i] = &all[i]
				}
				readers = list(slices.DeleteFunc(shared, func(r *HeldLock) bool {
					return !key.allows("OWNER_THREAD_ID", Uint(r.Holder)) || !key.allows("OBJECT_INSTANCE_BEGIN", Uint(r.ID())) || !key.allows("EVENT_NAME", Text(r.Class().Name()))
				}))
			}
			return readers(buf)
		}
	},
})

// lockModes are how a mutex or a readers-writer lock can be held.
var lockModes = enum("EXCLUSIVE", "SHARED")

// LockMode is how a mutex or a readers-writer lock is held or wanted.
func LockMode(shared bool) string {
	if shared {
		return "SHARED"
	}
	return "EXCLUSIVE"
}

// held is how long a lock has been held.
func held(h *instr.Holding) Value {
	if !h.Timed {
		return Null
	}
	return Uint(h.Held)
}
