package recorded

import (
	"sync"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
)

// reading is the model of one statement or one sample: it reads the goroutines once, and shows them as they were then.
type reading struct {
	*Model

	mu     sync.Mutex
	found  int // goroutines that were looked up
	list   []thread
	shared []tables.Thread
	byID   map[uint64]int
	busy   []record.Thread // nil until they are asked for
}

// fewLookups is how many goroutines one statement looks up before it reads all.
const fewLookups = 16

// Reading is the model for one statement. It is not for a second one, which would read what is no longer so.
func (m *Model) Reading() tables.Model { return &reading{Model: m} }

// Threads returns the goroutines. The list must not be changed.
func (r *reading) Threads() []tables.Thread {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readLocked()
}

func (r *reading) readLocked() []tables.Thread {
	if r.list == nil {
		r.list = r.threads(r.rec.Threads())
		r.shared = shared(r.list)
	}
	return r.shared
}

// ThreadsOf returns the goroutines, which have neither user nor host.
func (r *reading) ThreadsOf(f instr.ActorFilter) []tables.Thread {
	if !ofNobody(f) {
		return nil
	}
	return r.Threads()
}

// ThreadByID is the goroutine with this number.
func (r *reading) ThreadByID(id uint64) tables.Thread {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list == nil {
		if r.found++; r.found <= fewLookups {
			return r.Model.ThreadByID(id)
		}
	}
	r.readLocked()
	if r.byID == nil {
		r.byID = make(map[uint64]int, len(r.list))
		for i := range r.list {
			r.byID[r.list[i].Thread.ID] = i
		}
	}
	if i, ok := r.byID[id]; ok {
		return r.shared[i]
	}
	return nil
}

// ThreadByGoroutine is the same as ThreadByID.
func (r *reading) ThreadByGoroutine(id uint64) tables.Thread { return r.ThreadByID(id) }

// Busy are the goroutines that may do something for somebody.
func (r *reading) Busy() []tables.Thread { return shared(r.threads(r.readBusy())) }

func (r *reading) readBusy() []record.Thread {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy == nil {
		r.busy = r.rec.Busy()
	}
	return r.busy
}

// LockWaits returns which goroutines wait for locks: of those that a sample has found busy, if this is a sample's. Each is read again.
func (r *reading) LockWaits() []tables.LockWait {
	r.mu.Lock()
	busy := r.busy
	r.mu.Unlock()
	if busy == nil {
		return r.Model.LockWaits()
	}
	return r.lockWaits(func() []record.Thread { return busy })
}

var (
	_ tables.Reading = (*Model)(nil)
	_ tables.Model   = (*reading)(nil)
)
