package recorded

import (
	"pfsd/instr"
	"pfsd/instr/record"
)

// newThreadClass makes the class of threads for a class of goroutines, with the switches that are in the recording. Several may have the
// same start function. The caller holds mu.
func (m *Model) newThreadClass(number uint32, c *record.Class) {
	class := m.reg.Setup().RecordedThreadClass(threadNameOf(c))
	if m.threadClasses == nil {
		m.threadClasses = map[*instr.ThreadClass][]uint32{}
	}
	m.threadClasses[class] = append(m.threadClasses[class], number)
	if switches := m.rec.ClassSwitches(number); switches != 0 {
		class.SetEnabled(switches&record.Off == 0)
		class.SetHistory(switches&record.NoHistory == 0)
	}
}

// ThreadClasses returns the classes of goroutines: those that begin with the same function.
func (s setup) ThreadClasses() []*instr.ThreadClass {
	s.model.refresh()
	return s.Setup.ThreadClasses()
}

func (s setup) SetThreadEnabled(c *instr.ThreadClass, on bool) {
	c.SetEnabled(on)
	s.model.writeThreadClass(c)
}

func (s setup) SetThreadHistory(c *instr.ThreadClass, on bool) {
	c.SetHistory(on)
	s.model.writeThreadClass(c)
}

// writeThreadClass writes the switches of a class of goroutines into the recording, for goroutines that begin from now on.
func (m *Model) writeThreadClass(c *instr.ThreadClass) {
	var s record.Switches
	if !c.Enabled() {
		s |= record.Off
	}
	if !c.History() {
		s |= record.NoHistory
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, number := range m.threadClasses[c] {
		_ = m.rec.SetClassSwitches(number, s) // see Model.write
	}
}
