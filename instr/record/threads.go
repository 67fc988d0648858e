package record

import (
	"encoding/binary"
	"slices"
)

// Threads returns the goroutines, in the order of their rows. Of those for which there is no row it has those that wait for locks.
func (r *Recording) Threads() []Thread {
	list := make([]Thread, 0, min(r.head().threads, recMaxThreads))
	r.eachThread(r.clock(), func(t *Thread) { list = append(list, *t) })
	return list
}

func (r *Recording) eachThread(c clock, each func(*Thread)) {
	rows := func(first, n uint32) {
		r.stable(recAtThreads+uint64(first)*recThreadSize, recThreadSize, int(n), false, func(i int, b []byte) {
			if t, ok := c.thread(first+uint32(i), b); ok {
				each(&t)
			}
		})
	}
	h := r.head()
	rows(0, min(h.threads, recMaxThreads))
	rows(recMaxThreads, min(h.spare, recMaxSpare))
}

func (c clock) thread(slot uint32, b []byte) (Thread, bool) {
	row := decode[recThread](b)
	t := Thread{
		ID: row.goid, Parent: row.parent, Class: row.class, Place: row.place, Created: c.since(row.created),
		Events: row.events, Switches: Switches(row.switches), object: row.object, slot: slot, work: row.work, seq: row.seq, Group: row.group,
		Sent: row.sent, Received: row.received, Took: row.took, Signals: row.signals,
	}
	if row.running != 0 {
		t.Running = Event{Thread: row.goid, ID: row.events + 1, Class: row.running, Object: row.address, Timed: row.start != 0}
		if t.Running.Timed {
			t.Running.Start = c.since(row.start)
		}
		t.Running.nest(row.nesting)
	}
	return t, row.goid != 0
}

// Thread is the goroutine with this number, false if there is none.
func (r *Recording) Thread(id uint64) (Thread, bool) {
	if id == 0 {
		return Thread{}, false
	}
	c := r.clock()
	row := func(slot uint32) (found Thread) {
		r.stable(recAtThreads+uint64(slot)*recThreadSize, recThreadSize, 1, false, func(_ int, b []byte) {
			found, _ = c.thread(slot, b)
		})
		return found
	}
	r.mu.Lock()
	slot := slices.Index(r.ids, id)
	r.mu.Unlock()
	if slot >= 0 {
		if found := row(uint32(slot)); found.ID == id {
			return found, true
		}
	}
	ids := make([]uint64, 0, recMaxThreads)
	r.eachThread(c, func(t *Thread) {
		for len(ids) <= int(t.slot) {
			ids = append(ids, 0)
		}
		ids[t.slot] = t.ID
	})
	r.mu.Lock()
	r.ids = ids
	r.mu.Unlock()
	if slot = slices.Index(ids, id); slot < 0 {
		return Thread{}, false
	}
	found := row(uint32(slot))
	return found, found.ID == id
}

// Unchanged reports whether the goroutine is the same, and in the same wait, as when it was read. It may be so if the answer is false.
func (r *Recording) Unchanged(t Thread) bool {
	var seq [8]byte
	r.read(recAtThreads+uint64(t.slot)*recThreadSize, seq[:])
	return t.seq&1 == 0 && binary.LittleEndian.Uint64(seq[:]) == t.seq
}
