package tables

import (
	"testing"

	"pfsd/instr"
)

// waitingModel is a model in which each thread waits for the same event.
type waitingModel struct {
	Model
	class *instr.Class
	reads int // how often somebody has asked what a thread waits for
}

type waitingThread struct {
	Thread
	model *waitingModel
	id    uint64
}

func (m *waitingModel) ThreadByID(id uint64) Thread { return waitingThread{nil, m, id} }

func (t waitingThread) ID() uint64                         { return t.id }
func (t waitingThread) Snapshot() (instr.ThreadInfo, bool) { return instr.ThreadInfo{ID: t.id}, true }
func (t waitingThread) CurrentWaits(to []instr.WaitEvent) []instr.WaitEvent {
	t.model.reads++
	return append(to, instr.RecordedEvent{Thread: t.id, ID: 1, Class: t.model.class}.Event())
}

// What a thread waits for that is in the way of another one is only shown if it was in the way with the same hold before and after that was read. That
// of the end of a chain needs all holds of the chain.
func TestBlockersOfOneMoment(t *testing.T) {
	reg := instr.NewRegistry()
	class := reg.NewRowLockClass().Class()
	for _, c := range []struct {
		second               func(waits []LockWait)
		blocker, ofNext, end bool // of the wait of 3 for 2, of that of 2 for 1, and of the end of the chain from 3
	}{
		{func([]LockWait) {}, true, true, true},
		{func(w []LockWait) { w[0].Blocker.Number = 2 }, false, true, false}, // another hold
		{func(w []LockWait) { w[0].Waiter.Number = 2 }, false, true, false},  // another wait
		{func(w []LockWait) { w[0].Blocker.Thread = 0 }, false, true, false}, // nobody
		{func(w []LockWait) { w[1].Blocker.Number = 2 }, true, false, false},
		{func(w []LockWait) { w[1].Object = 9 }, true, false, false},
	} {
		m := &waitingModel{Model: Of(reg), class: class}
		reading := 0
		Provide(Of(reg), func(Key) []LockWait {
			waits := lockWaitsOf(class, [2]uint64{3, 2}, [2]uint64{2, 1})
			if reading++; reading == 2 {
				if m.reads != 2 {
					t.Errorf("the second reading comes after %d threads were read, not after both", m.reads)
				}
				c.second(waits)
			}
			return waits
		})
		g := newLockGraph(m, LockWaits(m))
		one, two := &g.waits[0], &g.waits[1]
		for what, got := range map[string][2]bool{
			"the blocker": {g.blockerWaits(one).instrument != "", c.blocker}, "the next one": {g.blockerWaits(two).instrument != "", c.ofNext},
			"the root": {g.rootWaits(one).instrument != "", c.end},
		} {
			if got[0] != got[1] {
				t.Errorf("what %s waits for is shown: %v, want %v", what, got[0], got[1])
			}
		}
		if reading != 2 || m.reads != 2 {
			t.Errorf("%d readings, and %d of threads", reading, m.reads)
		}
	}
}
