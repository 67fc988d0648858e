package recorded

import (
	"pfsd/instr"
	"pfsd/instr/record"
)

// threadClass is a class of the recording in the statistics of a goroutine.
type threadClass struct {
	goroutine uint64
	class     uint32
}

// AppendWaits appends the statistics of each class that the goroutine has waited in. Those of several classes may be of one instrument.
func (t *thread) AppendWaits(to []instr.ClassWaits) []instr.ClassWaits {
	m := t.model
	waits, _ := m.rec.ThreadWaits(t.Thread)
	for _, w := range waits {
		in := m.instrumentOf(w.Class)
		if in.class == nil {
			continue
		}
		m.mu.Lock()
		s := subtract(w.Stat, m.takenWaits[threadClass{t.Thread.ID, w.Class}])
		m.mu.Unlock()
		if s.Count > 0 {
			to = append(to, instr.ClassWaits{Class: in.class.ID(), Stat: stat(s)})
		}
	}
	return to
}

// ResetThreadWaits empties the statistics of the goroutines that exist. What was taken from goroutines that have ended is forgotten.
func (m *Model) ResetThreadWaits() {
	taken := map[threadClass]record.Stat{}
	for _, t := range m.rec.Threads() {
		waits, _ := m.rec.ThreadWaits(t)
		for _, w := range waits {
			taken[threadClass{t.ID, w.Class}] = w.Stat
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.takenWaits = taken
}

// ThreadWaitsLost is how many waits the statistics of goroutines had no room for.
func (m *Model) ThreadWaitsLost() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.rec.Lost()
	return all.Waits - min(all.Waits, m.lost.Waits)
}
