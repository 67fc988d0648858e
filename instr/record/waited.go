package record

import "math"

// What a goroutine can wait for besides locks, and a Once that one is inside of.
type WaitedKind uint32

// The kinds.
const (
	Channel   WaitedKind = recWaitedChannel
	Condition WaitedKind = recWaitedCond
	Group     WaitedKind = recWaitedGroup
	Once      WaitedKind = recWaitedOnce
	Semaphore WaitedKind = recWaitedSemaphore
)

// Did is what a goroutine has done to one of them.
type Did uint32

// What can be done.
const (
	DidSend      Did = recDidSend
	DidReceive   Did = recDidReceive
	DidSignal    Did = recDidSignal
	DidBroadcast Did = recDidBroadcast
	DidDone      Did = recDidDone // or Add
	DidDo        Did = recDidDo   // of a Once, which the goroutine is inside of
)

// Waited is a channel, a condition variable, a WaitGroup or a semaphore that somebody waits for, or a Once that somebody is inside of.
type Waited struct {
	Address uint64 // as the Object of who waits; of a Once that of its mutex
	Kind    WaitedKind
	Size    uint64 // of a channel how many values it has room for, of a semaphore how many units it has
	Used    int64  // the values in the channel, the units that are taken, the counter of the WaitGroup
	// Signals is how often a condition variable was signalled.
	Signals uint64
	// Empty is true of a channel whose values have no size.
	Empty bool
	// Timer is true of the channel of a timer, to which no goroutine sends.
	Timer bool
	// Last is who has sent to a channel last, or signalled, called Done or Do. Received is who has received from a channel last. Their Did is 0
	// if nobody is known.
	Last, Received Last
}

// Last is what was done last.
type Last struct {
	Did    Did
	Thread uint64 // goroutine; it may have ended
	Since  uint64 // as Event.Start; of a channel up to a second too early
	Place  uint32 // the class of the code; 0 if it is not known
}

// Waited returns what somebody waits for or is inside of, by its address.
func (r *Recording) Waited() map[uint64]Waited {
	c := r.clock()
	all, written := map[uint64]Waited{}, map[uint64]uint64{}
	last := func(l recLatest) (x Last) {
		if l.goid != 0 && l.op != 0 && l.op < recDids {
			x = Last{Did: Did(l.op), Thread: l.goid, Since: c.since(l.ticks), Place: l.place}
		}
		return x
	}
	r.stable(recAtWaited, recWaitedSize, int(min(r.head().waited, recMaxWaited)), true, func(_ int, b []byte) {
		row := decode[recWaited](b)
		if row.waiters == 0 || row.address == 0 || row.kind == 0 || row.kind >= recWaitedKinds {
			return
		}
		w := Waited{Address: row.address, Kind: WaitedKind(row.kind), Size: min(row.size, math.MaxInt64), Used: int64(row.used), Last: last(row.last[0]), Received: last(row.last[1])}
		switch w.Kind {
		case Channel:
			w.Empty, w.Timer = row.count == 0, row.timer != 0
		case Condition:
			w.Signals = row.count
		}
		if ticks := row.last[0].ticks; w.Kind != Semaphore || ticks >= written[w.Address] {
			all[w.Address], written[w.Address] = w, ticks
		}
	})
	return all
}
