package mdl

import "pfsd/instr"

// Type is how much a lock lets others do.
type Type = instr.MetadataLockType

// The types.
const (
	IntentionExclusive = instr.IntentionExclusive
	Shared             = instr.Shared
	SharedHighPrio     = instr.SharedHighPrio
	SharedRead         = instr.SharedRead
	SharedWrite        = instr.SharedWrite
	SharedWriteLowPrio = instr.SharedWriteLowPrio
	SharedUpgradable   = instr.SharedUpgradable
	SharedReadOnly     = instr.SharedReadOnly
	SharedNoWrite      = instr.SharedNoWrite
	SharedNoReadWrite  = instr.SharedNoReadWrite
	Exclusive          = instr.Exclusive
	typeCount          = instr.MetadataLockTypeCount
)

// Duration is until when a lock is held.
type Duration = instr.MetadataLockDuration

// The durations.
const (
	Statement     = instr.StatementDuration
	Transaction   = instr.TransactionDuration
	Explicit      = instr.ExplicitDuration
	durationCount = instr.MetadataLockDurationCount
)

// types is a set of types.
type types uint16

func set(all ...Type) (s types) {
	for _, t := range all {
		s |= 1 << t
	}
	return s
}

// rules say what a request must wait for: locks of these types that others hold, and requests of
// these types that others wait for already.
type rules struct{ granted, waiting [typeCount]types }

// scopedRules are those of what contains other things.
var scopedRules = rules{
	granted: [typeCount]types{
		IntentionExclusive: set(Shared, Exclusive),
		Shared:             set(IntentionExclusive, Exclusive),
		Exclusive:          set(IntentionExclusive, Shared, Exclusive),
	},
	waiting: [typeCount]types{
		IntentionExclusive: set(Shared, Exclusive),
		Shared:             set(Exclusive),
	},
}

// objectRules are those of everything else.
var objectRules = rules{
	granted: [typeCount]types{
		Shared:             set(Exclusive),
		SharedHighPrio:     set(Exclusive),
		SharedRead:         set(SharedNoReadWrite, Exclusive),
		SharedWrite:        set(SharedReadOnly, SharedNoWrite, SharedNoReadWrite, Exclusive),
		SharedWriteLowPrio: set(SharedReadOnly, SharedNoWrite, SharedNoReadWrite, Exclusive),
		SharedUpgradable:   set(SharedUpgradable, SharedNoWrite, SharedNoReadWrite, Exclusive),
		SharedReadOnly:     set(SharedWrite, SharedWriteLowPrio, SharedNoReadWrite, Exclusive),
		SharedNoWrite:      set(SharedWrite, SharedWriteLowPrio, SharedUpgradable, SharedNoWrite, SharedNoReadWrite, Exclusive),
		SharedNoReadWrite: set(SharedRead, SharedWrite, SharedWriteLowPrio, SharedUpgradable, SharedReadOnly, SharedNoWrite,
			SharedNoReadWrite, Exclusive),
		Exclusive: set(Shared, SharedHighPrio, SharedRead, SharedWrite, SharedWriteLowPrio, SharedUpgradable, SharedReadOnly,
			SharedNoWrite, SharedNoReadWrite, Exclusive),
	},
	waiting: [typeCount]types{
		Shared:             set(Exclusive),
		SharedRead:         set(SharedNoReadWrite, Exclusive),
		SharedWrite:        set(SharedNoWrite, SharedNoReadWrite, Exclusive),
		SharedWriteLowPrio: set(SharedReadOnly, SharedNoWrite, SharedNoReadWrite, Exclusive),
		SharedUpgradable:   set(Exclusive),
		SharedReadOnly:     set(SharedWrite, SharedNoReadWrite, Exclusive),
		SharedNoWrite:      set(Exclusive),
		SharedNoReadWrite:  set(Exclusive),
	},
}

// rulesOf are the rules of a namespace.
func rulesOf(n Namespace) *rules {
	if n.scoped() {
		return &scopedRules
	}
	return &objectRules
}

// covers tells whether who holds a lock of type a needs none of type b.
func (r *rules) covers(a, b Type) bool { return r.granted[b]&^r.granted[a] == 0 }
