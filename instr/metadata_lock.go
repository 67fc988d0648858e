package instr

import (
	"slices"
	"sync"
	"sync/atomic"

	"pfsd/ringbuf"
	"pfsd/timers"
)

// MetadataLockType is how much a metadata lock lets others do, the column LOCK_TYPE.
type MetadataLockType uint8

// The types, from those that let others do most. The first one is for what contains other
// things, such as a database.
const (
	NoMetadataLock MetadataLockType = iota
	IntentionExclusive
	Shared
	SharedHighPrio
	SharedRead
	SharedWrite
	SharedWriteLowPrio
	SharedUpgradable
	SharedReadOnly
	SharedNoWrite
	SharedNoReadWrite
	Exclusive
	MetadataLockTypeCount
)

var metadataLockTypes = [MetadataLockTypeCount]string{
	"", "INTENTION_EXCLUSIVE", "SHARED", "SHARED_HIGH_PRIO", "SHARED_READ", "SHARED_WRITE", "SHARED_WRITE_LOW_PRIO",
	"SHARED_UPGRADABLE", "SHARED_READ_ONLY", "SHARED_NO_WRITE", "SHARED_NO_READ_WRITE", "EXCLUSIVE",
}

// String is the type's name in SQL.
func (t MetadataLockType) String() string { return metadataLockTypes[t] }

// MetadataLockDuration is until when a metadata lock is held, the column LOCK_DURATION.
type MetadataLockDuration uint8

// The durations: until the end of the statement, until the end of the transaction, or until it is
// released.
const (
	StatementDuration MetadataLockDuration = iota
	TransactionDuration
	ExplicitDuration
	MetadataLockDurationCount
)

// String is the duration's name in SQL.
func (d MetadataLockDuration) String() string {
	return [MetadataLockDurationCount]string{"STATEMENT", "TRANSACTION", "EXPLICIT"}[d]
}

// MetadataLockStatus is what has become of a request for a metadata lock, the column LOCK_STATUS.
type MetadataLockStatus uint8

// The states.
const (
	metadataFree MetadataLockStatus = iota
	MetadataPending
	MetadataGranted
	MetadataVictim  // of a deadlock
	MetadataTimeout // the wait for it took too long
	MetadataKilled  // the statement was
	metadataStatusCount
)

// String is the state's name in SQL.
func (s MetadataLockStatus) String() string {
	return [metadataStatusCount]string{"", "PENDING", "GRANTED", "VICTIM", "TIMEOUT", "KILLED"}[s]
}

// MetadataObject is what a metadata lock is on. Type is TABLE, SCHEMA and the like; Column is set if the
// lock is about one column. For a lock on a row it is the table, and Index is the index whose entry is
// locked. It must not be changed once it is used.
type MetadataObject struct{ Type, Schema, Name, Column, Index string }

// MetadataLockClass is a kind of locks on names, wait/lock/metadata/NAME. Safe for concurrent use.
type MetadataLockClass struct {
	class *Class
	mu    sync.Mutex
	locks []*MetadataLock // guarded by mu
	last  uint64          // number of a lock; guarded by mu
}

// metadataLocks is what a registry keeps of metadata locks.
type metadataLocks struct {
	mu      sync.Mutex
	classes map[*Class]*MetadataLockClass // guarded by mu
	// The objects of the last waits by the ids in the events, and these ids; ids[place] is the
	// oldest. Guarded by mu.
	waited map[uint64]*MetadataObject
	ids    []uint64
	place  int
	last   uint64 // id's number
}

// metadataWaited is for how many waits the object is remembered.
const metadataWaited = 16_384

// NewMetadataLockClass returns the class of metadata locks wait/lock/metadata/NAME.
func (r *Registry) NewMetadataLockClass(name string) *MetadataLockClass {
	c := r.class(KindMetadataLock, name)
	m := &r.metadata
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.classes == nil {
		m.classes = map[*Class]*MetadataLockClass{}
	}
	if m.classes[c] == nil {
		m.classes[c] = &MetadataLockClass{class: c}
	}
	return m.classes[c]
}

// NewMetadataLockClass returns the default registry's class of metadata locks wait/lock/metadata/NAME.
func NewMetadataLockClass(name string) *MetadataLockClass { return Default.NewMetadataLockClass(name) }

// Class is the instrument.
func (c *MetadataLockClass) Class() *Class { return c.class }

// MetadataLock is the record of one lock, or of the request for it: a row of metadata_locks from
// Request to Release. It locks nothing itself: it shows what a lock manager does. It can be used
// for one lock after another, which costs less than a new one. Owned by one goroutine at a time;
// a nil *MetadataLock shows nothing.
//
// The owner makes seq odd, changes the words, and makes seq even and larger by 2; a reader whose
// copy has seen an odd or a changed seq copies again.
type MetadataLock struct {
	class  *MetadataLockClass
	thread *Thread
	place  int    // in the class's list; guarded by class.mu
	number uint64 // of the lock in its class
	placed bool   // it takes a place of the limit

	seq    uint64
	state  uint64 // status, type, duration; 0 if there is no row
	id     uint64
	owner  uint64 // thread id
	event  uint64
	caller uint64
	since  uint64 // cycles: when it was requested, or granted
	object atomic.Pointer[MetadataObject]
}

// The parts of the word state.
const (
	metadataType     = 8
	metadataDuration = 16
)

// NewLock returns a record for locks of thread t; if t is nil, for locks of the thread that calls
// Request.
func (c *MetadataLockClass) NewLock(t *Thread) *MetadataLock {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	l := &MetadataLock{class: c, thread: t, place: len(c.locks), number: c.last}
	c.locks = append(c.locks, l)
	return l
}

// Close gives the record back; it shows nothing any more.
func (l *MetadataLock) Close() {
	if l == nil {
		return
	}
	l.Release()
	if l.placed {
		l.class.class.registry.release(LimitMetadataLocks)
		l.placed = false
	}
	c := l.class
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.place < len(c.locks) && c.locks[l.place] == l {
		last := c.locks[len(c.locks)-1]
		c.locks[l.place], last.place = last, l.place
		c.locks[len(c.locks)-1] = nil
		c.locks = c.locks[:len(c.locks)-1]
	}
}

// Request shows that the lock is requested and not granted yet.
//
//go:noinline
func (l *MetadataLock) Request(o *MetadataObject, t MetadataLockType, d MetadataLockDuration) {
	if l == nil || l.class.class.switches.Load() == 0 {
		return
	}
	c := l.class.class
	if !l.placed {
		if !c.registry.acquire(LimitMetadataLocks) {
			return
		}
		l.placed = true
	}
	owner := l.thread
	if owner == nil {
		owner = Current()
	}
	l.begin()
	replace(&l.object, o)
	ringbuf.Store(&l.id, uint64(c.id)<<classIDShift|l.number*instanceIDStep)
	if owner != nil && owner.registry == c.registry {
		ringbuf.Store(&l.owner, owner.ID())
		ringbuf.Store(&l.event, owner.nextEvent-1)
	} else {
		ringbuf.Store(&l.owner, 0)
		ringbuf.Store(&l.event, 0)
	}
	ringbuf.Store(&l.caller, uint64(callerPC()))
	ringbuf.Store(&l.since, timers.ReadCycle())
	ringbuf.Store(&l.state, uint64(MetadataPending)|uint64(t)<<metadataType|uint64(d)<<metadataDuration)
	l.end()
}

func (l *MetadataLock) begin() { ringbuf.Publish(&l.seq, ringbuf.Load(&l.seq)|1) }

func (l *MetadataLock) end() { ringbuf.Publish(&l.seq, ringbuf.Load(&l.seq)+1) }

// hasRow reports whether there is a row.
func (l *MetadataLock) hasRow() bool { return l != nil && ringbuf.Load(&l.state) != 0 }

// set changes the state, if there is a row.
func (l *MetadataLock) set(change func(state uint64) uint64) {
	if l.hasRow() {
		l.begin()
		ringbuf.Store(&l.state, change(ringbuf.Load(&l.state)))
		l.end()
	}
}

// SetStatus says what has become of the request.
func (l *MetadataLock) SetStatus(s MetadataLockStatus) {
	l.set(func(state uint64) uint64 {
		if s == MetadataGranted {
			ringbuf.Store(&l.since, timers.ReadCycle())
		}
		return state&^0xff | uint64(s)
	})
}

// SetType says that the lock has another type now.
func (l *MetadataLock) SetType(t MetadataLockType) {
	l.set(func(state uint64) uint64 { return state&^(0xff<<metadataType) | uint64(t)<<metadataType })
}

// SetDuration says that the lock has another duration now.
func (l *MetadataLock) SetDuration(d MetadataLockDuration) {
	l.set(func(state uint64) uint64 { return state&^(0xff<<metadataDuration) | uint64(d)<<metadataDuration })
}

// Release removes the row.
func (l *MetadataLock) Release() {
	if !l.hasRow() {
		return
	}
	l.begin()
	ringbuf.Store(&l.state, 0)
	l.end()
	if r := l.class.class.registry; r.Setup().Limit(LimitMetadataLocks) >= 0 {
		r.release(LimitMetadataLocks)
		l.placed = false
	}
}

// MetadataWait is a wait for a metadata lock in progress. The zero value is none.
type MetadataWait struct {
	class *Class
	wait  wait
}

// Wait begins a wait for the lock that Request has requested. The goroutine that waits calls Wait,
// and ends the wait. The row and the event have the same OBJECT_INSTANCE_BEGIN, which no other wait
// has.
//
//go:noinline
func (l *MetadataLock) Wait() MetadataWait {
	if !l.hasRow() {
		return MetadataWait{}
	}
	c := l.class.class
	sw := switches(c.switches.Load())
	if sw == 0 {
		return MetadataWait{}
	}
	id := c.registry.metadata.remember(c, l.object.Load())
	l.begin()
	ringbuf.Store(&l.id, id)
	l.end()
	if l.thread != nil {
		return MetadataWait{c, c.beginHandle(l.thread, sw, OpMetadataLock, id, callerPC())}
	}
	return MetadataWait{c, c.begin(sw, OpMetadataLock, id, callerPC())}
}

// End ends the wait.
func (w MetadataWait) End() {
	if w.wait.counted() {
		w.class.direct.record(w.wait.timed(), w.wait.end(w.class, 0))
	}
}

// remember gives a wait for o an id of its own.
func (m *metadataLocks) remember(c *Class, o *MetadataObject) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waited == nil {
		m.waited = map[uint64]*MetadataObject{}
	}
	m.last++
	// The ids of records are multiples of the step; those of waits are between them.
	id := uint64(c.id)<<classIDShift | m.last*instanceIDStep | instanceIDStep/2
	if len(m.ids) < metadataWaited {
		m.ids = append(m.ids, id)
	} else {
		delete(m.waited, m.ids[m.place])
		m.ids[m.place] = id
		m.place = (m.place + 1) % metadataWaited
	}
	m.waited[id] = o
	return id
}

// MetadataObject returns the object that a wait was for, by the Object of its event; nil if it is
// not known, or not any more.
func (h Reader) MetadataObject(id uint64) *MetadataObject {
	m := &h.r.metadata
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waited[id]
}

// MetadataLockInfo is a copy of what is known of a metadata lock, a row of metadata_locks.
type MetadataLockInfo struct {
	ID       uint64
	Class    *Class
	Object   *MetadataObject
	Type     MetadataLockType
	Duration MetadataLockDuration
	Status   MetadataLockStatus
	Caller   uintptr // return address into the code that requested it
	Thread   uint64  // the id of the owner, 0 if that is no thread of the registry
	Event    uint64  // the id of the last event of the thread when it requested the lock
	// Number tells the requests for locks apart.
	Number uint64
	// Since is for how long it has been requested, or granted, picoseconds.
	Since uint64
}

// Info is a copy of the row; false if there is none. Safe for concurrent use.
func (l *MetadataLock) Info() (info MetadataLockInfo, ok bool) {
	if l == nil {
		return info, false
	}
	ok = l.snapshot(&info)
	return info, ok
}

// Source is the file and line of the code that requested the lock, as file.go:123; "" if unknown.
func (i *MetadataLockInfo) Source() string { return i.Class.registry.source(i.Caller) }

// snapshot copies the row; false if there is none.
func (l *MetadataLock) snapshot(to *MetadataLockInfo) bool {
	for try := 0; ; try++ {
		letWriterFinish(try)
		seq := ringbuf.Load(&l.seq)
		state := ringbuf.Load(&l.state)
		if seq&1 == 0 && state == 0 {
			return false
		}
		*to = MetadataLockInfo{
			ID: ringbuf.Load(&l.id), Class: l.class.class, Object: l.object.Load(), Caller: uintptr(ringbuf.Load(&l.caller)),
			Thread: ringbuf.Load(&l.owner), Event: ringbuf.Load(&l.event),
			Number: ringbuf.Load(&l.since), Type: MetadataLockType(state >> metadataType), Duration: MetadataLockDuration(state >> metadataDuration), Status: MetadataLockStatus(state),
		}
		if seq&1 == 0 && ringbuf.Load(&l.seq) == seq {
			to.Since = timers.Cycle.PicosecondsSaturated(max(timers.ReadCycle(), to.Number) - to.Number)
			return true
		}
	}
}

// MetadataLocks returns the metadata locks that are held, and those that threads wait for.
func (h Reader) MetadataLocks() []MetadataLockInfo {
	var records []*MetadataLock
	for _, c := range h.Classes() {
		if c.kind != KindMetadataLock {
			continue
		}
		h.r.metadata.mu.Lock()
		m := h.r.metadata.classes[c]
		h.r.metadata.mu.Unlock()
		if m == nil {
			continue
		}
		m.mu.Lock()
		records = append(records, m.locks...)
		m.mu.Unlock()
	}
	all := make([]MetadataLockInfo, 0, len(records))
	for _, l := range records {
		all = append(all, MetadataLockInfo{})
		if !l.snapshot(&all[len(all)-1]) {
			all = all[:len(all)-1]
		}
	}
	return slices.Clip(all)
}
