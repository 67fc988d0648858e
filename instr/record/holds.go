package record

import "unsafe"

// Hold is a lock that a goroutine holds.
type Hold struct {
	Thread  uint64 // goroutine
	Address uint64 // of the lock
	Shared  bool   // for reading
	Since   uint64 // as Event.Start
	Number  uint64 // tells the holds of one goroutine apart; unlike Since, it stays the same when the clock is known better
	// Place is the class of the code that got the lock, 0 if it is not known: it is known if somebody has waited for the lock.
	Place uint32
}

// HoldsRecorded reports whether it is recorded who holds locks that nobody waits for, and where.
func (r *Recording) HoldsRecorded() bool { return r.head().holds&1 != 0 }

// SetHoldsRecorded switches that on or off. Locks that are held at this moment are not known.
func (r *Recording) SetHoldsRecorded(on bool) error {
	level := r.head().holds &^ 1
	if on {
		level += 3
	}
	return r.set(uint64(unsafe.Offsetof(recHeader{}.holds)), Switches(level))
}

// Holds returns the locks that goroutines hold, if that is recorded: those of the first 2,047 goroutines, up to 8 of each. A lock that
// another goroutine has unlocked may still be among them.
func (r *Recording) Holds() []Hold {
	h := r.head()
	if h.holds&1 == 0 {
		return nil
	}
	places := map[[recHoldFrames]uint64]uint32{}
	for i, c := range r.Classes() {
		if c.Kind == HoldPlace {
			places[c.pcs] = uint32(i)
		}
	}
	owners := map[uint64]uint32{} // rows by goroutine
	for _, t := range r.Threads() {
		owners[t.ID] = t.slot
	}
	c := r.clock()
	var list []Hold
	r.stable(recAtHolds, recHoldsSize, int(min(h.threads, recMaxHolds)), false, func(i int, b []byte) {
		row := decode[recHolds](b)
		if slot, ok := owners[row.goid]; !ok || slot != uint32(i) || row.level != h.holds {
			return
		}
		for _, l := range row.locks[:min(row.n, recHoldLocks)] {
			list = append(list, Hold{
				Thread: row.goid, Address: l.address &^ 1, Shared: l.address&1 != 0, Since: c.since(l.ticks), Number: l.ticks, Place: places[l.pcs],
			})
		}
	})
	return list
}

// held adds to a lock what is known of the holder that did not wait for it.
func (l *Lock) held(holds []Hold) {
	for _, h := range holds {
		switch {
		case h.Address != l.Address:
		case h.Shared:
			l.Readers++
		case h.Thread == l.Holder:
			if l.Since == 0 {
				l.Since = h.Since
			}
			if l.Place == 0 {
				l.Place = h.Place
			}
		}
	}
}
