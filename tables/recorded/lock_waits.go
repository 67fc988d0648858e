package recorded

import (
	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// mostBlockers is how many threads are named that one thread waits for.
const mostBlockers = 64

// lockWaits is what one reading has found.
type lockWaits struct {
	model   *Model
	waiting []lockWaiter
	writers map[uint64]*lockWaiter   // those that wait for the end of readers, by lock
	members map[uint64][]*lockWaiter // those that the method Go of a WaitGroup has begun, by the group
	locks   map[uint64]record.Lock
	readers map[uint64][]record.Hold       // by lock, those that wait for a lock themselves first
	conns   map[uint64][]record.Connection // those that are taken, by pool
	// channels is nil if nobody waits for a channel.
	channels *channelReading
	waited   map[uint64]record.Waited // what is known of channels, and of Onces by their mutexes
}

// lockWaiter is a goroutine that waits for a lock, a WaitGroup, a connection of a pool, or a channel.
type lockWaiter struct {
	record.Thread
	instrument
}

// LockWaits returns which goroutines wait for mutexes, readers-writer locks and connections of pools, and who holds those. Each was true at one moment: the
// holder is read after the wait, and the wait was still running afterwards. Who holds a lock for reading is
// known while an instrument of holds is on. A goroutine that waits for a WaitGroup waits for those that its method Go has begun; they are
// there if they wait, too. Who waits to send to a channel is there with those who have received from it last, and who waits to receive
// from one only if it is in the way of another one, and as a wait that counts only where goroutines wait for each other for ever.
func (m *Model) LockWaits() []tables.LockWait {
	return m.lockWaits(m.rec.LockWaiters)
}

// lockWaits is LockWaits. read returns the goroutines that wait for locks, and may return others.
func (m *Model) lockWaits(read func() []record.Thread) []tables.LockWait {
	if !m.consumer(instr.ConsumerEventsWaitsCurrent) {
		return nil
	}
	m.refresh()
	l := m.waitsOf(read())
	var all []tables.LockWait
	for i := range l.waiting {
		t := &l.waiting[i]
		e := &t.Running
		w := tables.LockWait{
			Class: t.class, Object: e.Object,
			Waiter: tables.LockParty{
				Thread: t.ID, Goroutine: t.ID, Name: m.threadName(t.Class), Number: e.ID, Mode: tables.LockMode(t.op == instr.OpReadLock), Source: m.source(e.Class),
				Since: m.since(e.Start), Timed: e.Timed,
			},
		}
		before := len(all)
		switch t.kind {
		case record.WaitGroup:
			all = l.forMembers(all, w)
		case record.WriteLock:
			all = l.forReaders(all, w)
		case record.Pool, record.HostPool:
			all = l.forConnections(all, w)
		case record.Send, record.Receive:
			if l.channels != nil {
				all = l.forChannel(all, t, w)
			}
		default:
			l.forHolder(&w)
			all = append(all, w)
		}
		if m.rec.Unchanged(t.Thread) {
			continue
		}
		if again, ok := m.rec.Thread(t.ID); !ok || again.Running.Class != e.Class || again.Running.ID != e.ID {
			all = all[:before]
		}
	}
	return all
}

// waitsOf is what those goroutines wait for that wait for locks.
func (m *Model) waitsOf(waiters []record.Thread) *lockWaits {
	l := &lockWaits{
		model: m, writers: map[uint64]*lockWaiter{}, members: map[uint64][]*lockWaiter{}, locks: map[uint64]record.Lock{}, readers: map[uint64][]record.Hold{},
		conns: map[uint64][]record.Connection{},
	}
	for _, t := range waiters {
		in := m.instrumentOf(t.Running.Class)
		switch in.kind {
		case record.Mutex, record.ReadLock, record.WriteLock, record.WaitGroup, record.Pool, record.HostPool, record.Send:
			l.waiting = append(l.waiting, lockWaiter{t, in})
		}
	}
	if len(l.waiting) == 0 {
		return l
	}
	waits := map[uint64]bool{} // by goroutine
	for i := range l.waiting {
		w := &l.waiting[i]
		waits[w.ID] = true
		if w.kind == record.WriteLock {
			l.writers[w.Running.Object] = w
		}
		if w.Group != 0 {
			l.members[w.Group] = append(l.members[w.Group], w)
		}
	}
	for _, lock := range m.rec.LocksOf(waiters) {
		l.locks[lock.Address] = lock
	}
	for _, c := range m.rec.Connections() {
		if c.Thread != 0 {
			l.conns[c.Pool] = append(l.conns[c.Pool], c)
		}
	}
	holds := m.rec.Holds()
	for _, first := range []bool{true, false} {
		for _, h := range holds {
			if h.Shared && waits[h.Thread] == first {
				l.readers[h.Address] = append(l.readers[h.Address], h)
			}
		}
	}
	l.waited = m.rec.Waited()
	l.addReceivers()
	l.channels = m.channelsOf(l.waiting, l.waited)
	return l
}

// forHolder adds to a wait who holds the lock, or waits for its readers in front of all others.
func (l *lockWaits) forHolder(w *tables.LockWait) {
	known := l.locks[w.Object]
	if known.Pending == 0 {
		if h, held := (&lock{Lock: known, model: l.model}).Holding(); held {
			w.Certain = true
			w.Blocker = tables.LockParty{
				Thread: h.Holder, Goroutine: h.Goroutine, Number: h.Number, Mode: tables.LockMode(false), Source: h.Source, Since: h.Held, Timed: h.Timed,
			}
			if of := l.waited[w.Object]; of.Kind == record.Once && of.Last.Thread == h.Holder {
				w.Blocker.Source, w.Blocker.Since, w.Blocker.Timed = l.model.source(of.Last.Place), l.model.since(of.Last.Since), true
			}
		}
		return
	}
	w.Certain = true
	w.Blocker = tables.LockParty{Thread: known.Pending, Goroutine: known.Pending, Number: known.Hold, Mode: tables.LockMode(false), Pending: true}
	if first := l.writers[w.Object]; first != nil && first.ID == known.Pending {
		e := &first.Running
		w.Blocker.Number, w.Blocker.Source, w.Blocker.Since, w.Blocker.Timed = e.ID, l.model.source(e.Class), l.model.since(e.Start), e.Timed
	}
}

// forReaders adds the waits of a writer for each reader that is known, and one for those that are not. If those that are certain are as many as it
// waits for, the others have left.
func (l *lockWaits) forReaders(all []tables.LockWait, w tables.LockWait) []tables.LockWait {
	known := l.locks[w.Object]
	missing := known.WaitedFor
	var readers []instr.Holding
	if missing > 0 { // else it is about to have the lock
		for _, h := range l.readers[w.Object] {
			r := l.model.reading(h, known.Stray)
			if r.Certain {
				missing--
			}
			readers = append(readers, r)
		}
	}
	before := len(all)
	for _, r := range readers {
		if len(all)-before == mostBlockers || missing <= 0 && !r.Certain {
			continue
		}
		w.Certain, w.Doubt = r.Certain, "the lock was unlocked later by a goroutine that was not known to hold it"
		w.Blocker = tables.LockParty{
			Thread: r.Holder, Goroutine: r.Goroutine, Number: r.Number, Mode: tables.LockMode(true), Source: r.Source, Since: r.Held, Timed: true,
		}
		all = append(all, w)
	}
	if missing > 0 || len(all) == before {
		w.Certain, w.Doubt = false, ""
		w.Blocker = tables.LockParty{Mode: tables.LockMode(true)}
		all = append(all, w)
	}
	return all
}

// forMembers adds the waits for those goroutines of a WaitGroup that wait themselves. They call Done only when they end.
func (l *lockWaits) forMembers(all []tables.LockWait, w tables.LockWait) []tables.LockWait {
	w.Group, w.Certain = true, true
	w.Waiter.Mode = tables.LockModeWait
	for i, t := range l.members[w.Object] {
		if i == mostBlockers {
			break
		}
		w.Blocker = tables.LockParty{
			Thread: t.ID, Goroutine: t.ID, Mode: tables.LockModeGo, Source: l.model.source(t.Place), Since: l.model.since(t.Created), Timed: true,
		}
		all = append(all, w)
	}
	return all
}
