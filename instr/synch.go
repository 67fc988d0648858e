package instr

import (
	"runtime"
	"strings"
	"sync/atomic"
	"weak"
)

// SynchInstance is what is known of a channel, a semaphore, a group or another object of synchronisation that MySQL
// does not have, a row of synch_instances. Safe for concurrent use.
type SynchInstance struct {
	identity
	waits sharedStat
	room  roomReporter // nil if the object has no limited room
}

// roomReporter reports how much of the room of an object is taken.
type roomReporter interface {
	room() (used, size int64, ok bool)
}

// weakRoom is the room of an object that can be collected.
type weakRoom[T any, P interface {
	*T
	room() (used, size int64)
}] struct{ object weak.Pointer[T] }

func (w weakRoom[T, P]) room() (used, size int64, ok bool) {
	if o := w.object.Value(); o != nil {
		used, size = P(o).room()
		return used, size, true
	}
	return 0, 0, false
}

// Room is how much of the object is taken, and how much of it there is: values in a channel's buffer, units of a
// semaphore, running goroutines of a group, whose size is -1 without a limit. ok is false for objects without such a
// limit.
func (in *SynchInstance) Room() (used, size int64, ok bool) {
	if in.room == nil {
		return 0, 0, false
	}
	return in.room.room()
}

// Waits implements Instance.
func (in *SynchInstance) Waits() Stat { return in.waits.read() }

// resetWaits implements Instance.
func (in *SynchInstance) resetWaits() { in.waits.reset() }

// bytes implements Instance.
func (in *SynchInstance) bytes() int {
	n := in.waits.bytes()
	if in.room != nil {
		n += size[weak.Pointer[Group]]() // which the interface refers to
	}
	return n
}

// begin starts a wait for the object, or none if its class is off.
func (in *SynchInstance) begin(op Op, caller uintptr) wait {
	if sw := in.class.switches.Load(); sw != 0 {
		return in.class.begin(switches(sw), op, in.id, caller)
	}
	return wait{}
}

// end ends a wait for the object and counts it.
func (in *SynchInstance) end(w wait) {
	if w.counted() {
		in.waits.record(w.timed(), w.end(in.class, 0))
	}
}

// lostSynch is the instance of all objects that are lost.
var lostSynch = &SynchInstance{identity: identity{class: off}}

// synchType is a type of objects: name is the third part of the names of their instruments, zero is
// the last part for objects that were not given a name.
type synchType struct{ name, zero string }

// The types.
var (
	synchChan      = synchType{"chan", "Chan"}
	synchContext   = synchType{"context", "ContextWait"}
	synchGroup     = synchType{"group", "Group"}
	synchOnce      = synchType{"once", "Once"}
	synchPool      = synchType{"pool", "Pool"}
	synchSemaphore = synchType{"semaphore", "Semaphore"}
	synchWaitGroup = synchType{"waitgroup", "WaitGroup"}
)

// synch is embedded in an object, and leads to its instance.
type synch struct{ instance atomic.Pointer[SynchInstance] }

// init gives an object its instance in the class wait/synch/TYPE/NAME. When the object is collected the class keeps its counts.
func (s *synch) init(r *Registry, sort synchType, name string, room roomReporter) {
	name = strings.TrimPrefix(name, kinds[KindSynch].prefix+sort.name+"/")
	s.initClass(r.class(KindSynch, sort.name+"/"+name), room)
}

func (s *synch) initClass(c *Class, room roomReporter) *SynchInstance {
	in := lostSynch
	if c.register(func(id uint64) Instance {
		in = &SynchInstance{identity: identity{c, id}, room: room}
		return in
	}) {
		watch(s, in)
	}
	s.instance.Store(in)
	return in
}

// ensureInstance returns the object's instance, made if need be. It must be called by the object's
// exported method: see callerPackage.
func (s *synch) ensureInstance(sort synchType, room func() roomReporter) *SynchInstance {
	if in := s.instance.Load(); in != nil {
		return in
	}
	return s.initZero(sort, room)
}

// initZero gives a zero object its instance, unless another goroutine has been faster.
//
//go:noinline
func (s *synch) initZero(sort synchType, room func() roomReporter) *SynchInstance {
	name := sort.name + "/" + callerPackage() + "/" + sort.zero
	zeroMu.Lock()
	defer zeroMu.Unlock()
	if in := s.instance.Load(); in != nil {
		return in
	}
	var teller roomReporter
	if room != nil {
		teller = room()
	}
	return s.initClass(Default.class(KindSynch, name), teller)
}

// keepAlive keeps the object alive until here, so that its instance counts what has just ended.
func (s *synch) keepAlive() { runtime.KeepAlive(s) }
