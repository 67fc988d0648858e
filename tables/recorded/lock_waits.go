package recorded

import (
	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// LockWaits returns which goroutines wait for mutexes and readers-writer locks, and who holds those. Each was true at one moment: the
// holder is read after the wait, and the wait was still running afterwards. Who holds a lock for reading is
// known while an instrument of holds is on.
func (m *Model) LockWaits() []tables.LockWait {
	return m.lockWaits(m.rec.LockWaiters)
}

// lockWaits is LockWaits. read returns the goroutines that wait for locks, and may return others.
func (m *Model) lockWaits(read func() []record.Thread) []tables.LockWait {
	if !m.consumer(instr.ConsumerEventsWaitsCurrent) {
		return nil
	}
	m.refresh()
	var waiting []record.Thread
	waiters := read()
	for _, t := range waiters {
		if in := m.instrumentOf(t.Running.Class); in.class != nil && (in.class.Kind() == instr.KindMutex || in.class.Kind() == instr.KindRWMutex) {
			waiting = append(waiting, t)
		}
	}
	locks := map[uint64]record.Lock{}
	if len(waiting) > 0 {
		for _, l := range m.rec.LocksOf(waiters) {
			locks[l.Address] = l
		}
	}
	holds := m.rec.Holds()
	var all []tables.LockWait
	for _, t := range waiting {
		e := &t.Running
		if again, ok := m.rec.Thread(t.ID); !ok || again.Running.Class != e.Class || again.Running.ID != e.ID {
			continue
		}
		in := m.instrumentOf(e.Class)
		w := tables.LockWait{
			Class: in.class, Object: e.Object, Certain: true,
			Waiter: tables.LockParty{
				Thread: t.ID, Goroutine: t.ID, Name: m.threadName(t.Class), Number: e.ID, Mode: tables.LockMode(in.op == instr.OpReadLock), Source: m.source(e.Class),
				Since: m.since(e.Start), Timed: e.Timed,
			},
		}
		if l := (&lock{Lock: locks[e.Object], model: m}); l.Lock.Holder != t.ID {
			if h, held := l.Holding(); held {
				w.Blocker = tables.LockParty{
					Thread: h.Holder, Goroutine: h.Holder, Number: h.Number, Mode: tables.LockMode(false), Source: h.Source, Since: h.Held, Timed: h.Timed,
				}
			}
		}
		if h, ok := reader(holds, e.Object, locks[e.Object].Stray, t.ID); ok && w.Blocker.Thread == 0 && in.op == instr.OpWriteLock {
			r := m.reading(h, locks[e.Object].Stray)
			w.Certain = r.Certain
			w.Blocker = tables.LockParty{
				Thread: r.Holder, Goroutine: r.Goroutine, Number: r.Number, Mode: tables.LockMode(true), Source: r.Source, Since: r.Held, Timed: true,
			}
		}
		all = append(all, w)
	}
	return all
}
