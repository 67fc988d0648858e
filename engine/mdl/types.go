package mdl

import "pfsd/instr"

// Type is the type of a lock.
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

// Duration is how long a lock is held.
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

// rules are a compatibility matrix: by type of a request, the types of granted locks and of waiting
// requests of other owners that it must wait for.
type rules struct{ granted, waiting [typeCount]types }

// scopedRules are the rules of scoped namespaces.
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

// objectRules are the rules of all other namespaces.
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

// rulesOf returns the rules of a namespace.
func rulesOf(n Namespace) *rules {
	if n.scoped() {
		return &scopedRules
	}
	return &objectRules
}

// covers reports whether a lock of type a is at least as strong as one of type b.
func (r *rules) covers(a, b Type) bool { return r.granted[b]&^r.granted[a] == 0 }
