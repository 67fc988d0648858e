package record

// Lock is a mutex or a readers-writer lock that was waited for.
type Lock struct {
	Address uint64
	Class   uint32 // of a wait for it
	// Holder is the goroutine that holds it while another one waits for it, else 0. Hold tells its holds apart: as long as somebody waits for
	// the lock, it changes when the lock is unlocked or locked.
	Holder, Hold uint64
	// Pending is the goroutine that waits for the end of the readers, which are WaitedFor: nobody holds the lock exclusively. It is in
	// front of all others that wait. 0 if there is none.
	Pending   uint64
	WaitedFor int
	Since     uint64 // when the holder got it, as Event.Start; 0 if unknown
	Place     uint32 // the class of the holder's wait for it, or of kind HoldPlace; 0 if unknown
	Stat      Stat
	// Readers is how many goroutines are known to hold it for reading. Stray is when a goroutine has last unlocked it that was not known to,
	// as Event.Start; those that got it earlier may no longer hold it.
	Readers int
	Stray   uint64
}

// waiter is what the waits for one lock say of it.
type waiter struct {
	class  uint32 // of one of the waits
	writer uint64 // the goroutine that waits for the end of readers, 0 if there is none
}

// waitedFor are the locks that these goroutines wait for, by their rows.
func (r *Recording) waitedFor(waiters []Thread) map[uint32]waiter {
	all := map[uint32]waiter{}
	classes := r.Classes()
	for _, t := range waiters {
		if t.Running.Class == 0 || t.object == 0 {
			continue
		}
		w := all[t.object]
		w.class = t.Running.Class
		if int(w.class) < len(classes) && classes[w.class].Kind == WriteLock {
			w.writer = t.ID
		}
		all[t.object] = w
	}
	return all
}

// Locks returns the locks that goroutines have waited for.
func (r *Recording) Locks() []Lock { return r.LocksOf(r.LockWaiters()) }

// LocksOf is Locks for who has read LockWaiters just now.
func (r *Recording) LocksOf(waiters []Thread) []Lock {
	waited, holds := r.waitedFor(waiters), r.Holds()
	var list []Lock
	c := r.clock()
	r.stable(recAtObjects, recObjectSize, recMaxObjects, true, func(i int, b []byte) {
		row := decode[recObject](b)
		if row.address == 0 || i == 0 {
			return
		}
		l := Lock{Address: row.address, Class: row.class, Stat: c.stat(row.stat), Hold: row.changes}
		if w := waited[uint32(i)]; w.class != 0 {
			if l.Class == 0 {
				l.Class = w.class
			}
			// A writer takes the mutex within the lock first, and has the lock when the readers have left.
			switch {
			case w.writer != 0:
				l.Pending, l.WaitedFor = w.writer, int(row.readers)
			case row.readers != 0:
				l.Pending, l.WaitedFor = row.holder, int(row.readers)
			default:
				l.Holder, l.Place = row.holder, row.place
				if row.since != 0 {
					l.Since = c.since(row.since)
				}
			}
		}
		if row.stray != 0 {
			l.Stray = c.since(row.stray)
		}
		l.held(holds)
		list = append(list, l)
	})
	return list
}
