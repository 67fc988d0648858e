package recorded

import (
	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// allHolds is the instrument that every recording has for switching holds on.
const allHolds = "hold/synch/mutex/go/all"

// setHolds has the recording tell who holds locks that nobody waited for, and where: it does as long as any instrument of holds is on.
// How long locks are held is not recorded.
func (m *Model) setHolds() {
	on := false
	for _, c := range m.Model.FamilyClasses(instr.FamilyHolds) {
		on = on || c.Enabled()
	}
	if on != m.rec.HoldsRecorded() {
		_ = m.rec.SetHoldsRecorded(on) // see Model.write
	}
}

// CountsHolds is false: who holds locks is recorded, not how often and how long they were held.
func (m *Model) CountsHolds() bool { return false }

// ReadLocks returns which goroutines hold readers-writer locks for reading, of those locks that somebody has waited for.
func (m *Model) ReadLocks() []tables.HeldLock {
	var all []tables.HeldLock
	for _, h := range m.rec.Holds() {
		if !h.Shared {
			continue
		}
		if l, ok := m.Instance(h.Address).(*lock); ok {
			all = append(all, tables.HeldLock{Instance: l, Holding: m.reading(h, l.Stray), Shared: true})
		}
	}
	return all
}

// reading is a hold for reading. It is certain unless the lock was unlocked later by a goroutine that was not known to hold it.
func (m *Model) reading(h record.Hold, stray uint64) instr.Holding {
	return instr.Holding{
		Holder: h.Thread, Goroutine: h.Thread, Number: h.Number, Certain: h.Since > stray, Source: m.source(h.Place), Timed: true, Held: m.since(h.Since),
	}
}
