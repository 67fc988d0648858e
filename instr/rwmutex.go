package instr

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"pfsd/ringbuf"
)

// RWMutex is a sync.RWMutex that can be watched. Its zero value works too, in a class that
// is named after the package that first uses it. It must not be copied after first use.
type RWMutex struct {
	mu       sync.RWMutex
	instance atomic.Pointer[RWMutexInstance]
}

var _ sync.Locker = (*RWMutex)(nil)

// RWMutexInstance is what is known of a readers-writer lock, a row of rwlock_instances.
type RWMutexInstance struct {
	identity
	mutex     weak.Pointer[RWMutex] // weak, so that the lock can be collected
	exclusive                       // of the holder for writing
	// shared is the waits of readers, and the attempts of TryLock that failed.
	shared sharedStat

	readHolds sharedStat // ended holds for reading

	pushed atomic.Bool // a thread has recorded that it holds the lock for reading
	stray  uint64      // waits.n + 1 at the time when a goroutine unlocked that was not known to hold the lock; 0 if none has
}

// lostRWMutex is the instance of all locks that are lost.
var lostRWMutex = &RWMutexInstance{identity: identity{class: off}}

// NewRWMutex returns a lock of the class wait/synch/rwlock/NAME.
func (r *Registry) NewRWMutex(name string) *RWMutex {
	m := new(RWMutex)
	m.init(r.class(KindRWMutex, name))
	return m
}

// NewRWMutex returns a lock of the default registry's class wait/synch/rwlock/NAME.
func NewRWMutex(name string) *RWMutex { return Default.NewRWMutex(name) }

// init gives the lock its instance. When the lock is collected the class keeps its counts.
func (m *RWMutex) init(c *Class) *RWMutexInstance {
	in := lostRWMutex
	if c.register(func(id uint64) Instance {
		in = &RWMutexInstance{identity: identity{c, id}, mutex: weak.Make(m)}
		return in
	}) {
		watch(m, in)
	}
	m.instance.Store(in)
	return in
}

// ensureInstance returns the lock's instance, made if need be.
func (m *RWMutex) ensureInstance() *RWMutexInstance {
	if in := m.instance.Load(); in != nil {
		return in
	}
	return m.initZero()
}

// initZero gives a zero lock its instance, unless another goroutine has been faster.
//
//go:noinline
func (m *RWMutex) initZero() *RWMutexInstance {
	name := callerPackage() + "/RWMutex"
	zeroMu.Lock()
	defer zeroMu.Unlock()
	if in := m.instance.Load(); in != nil {
		return in
	}
	return m.init(Default.class(KindRWMutex, name))
}

// Lock locks m for writing, as sync.RWMutex.Lock does.
//
//go:noinline
func (m *RWMutex) Lock() {
	in := m.ensureInstance()
	if sw := in.class.switches.Load(); sw != 0 {
		pc := callerPC()
		w := in.class.begin(switches(sw), OpWriteLock, in.id, pc)
		m.mu.Lock()
		if w.counted() {
			in.locked(in.class, w, pc)
		}
		return
	}
	m.mu.Lock()
}

// LockAs is Lock for a goroutine whose thread is t: for platforms without thread lookup.
//
//go:noinline
func (m *RWMutex) LockAs(t *Thread) {
	in := m.ensureInstance()
	if sw := in.class.switches.Load(); sw != 0 {
		pc := callerPC()
		w := in.class.beginHandle(t, switches(sw), OpWriteLock, in.id, pc)
		m.mu.Lock()
		if w.counted() {
			in.locked(in.class, w, pc)
		}
		return
	}
	m.mu.Lock()
}

// TryLock locks m for writing if that is possible at once, as sync.RWMutex.TryLock does.
//
//go:noinline
func (m *RWMutex) TryLock() bool {
	in := m.ensureInstance()
	sw := switches(in.class.switches.Load())
	if sw == 0 {
		return m.mu.TryLock()
	}
	pc := callerPC()
	w := in.class.begin(sw, OpTryWriteLock, in.id, pc)
	ok := m.mu.TryLock()
	switch {
	case !w.counted() || !ok && sw&swEnabled == 0:
	case ok:
		in.locked(in.class, w, pc)
	default:
		in.shared.record(w.timed(), w.end(in.class, 0))
	}
	return ok
}

// Unlock unlocks m after writing, as sync.RWMutex.Unlock does.
func (m *RWMutex) Unlock() {
	if in := m.instance.Load(); in != nil {
		in.unlocking(in.class)
	}
	m.mu.Unlock()
}

// RLock locks m for reading, as sync.RWMutex.RLock does.
//
//go:noinline
func (m *RWMutex) RLock() {
	in := m.ensureInstance()
	if sw := in.class.switches.Load(); sw != 0 {
		pc := callerPC()
		m.rlock(in, in.class.begin(switches(sw), OpReadLock, in.id, pc), pc)
		return
	}
	m.mu.RLock()
}

// RLockAs is RLock for a goroutine whose thread is t: for platforms without thread lookup.
//
//go:noinline
func (m *RWMutex) RLockAs(t *Thread) {
	in := m.ensureInstance()
	if sw := in.class.switches.Load(); sw != 0 {
		pc := callerPC()
		w := in.class.beginHandle(t, switches(sw), OpReadLock, in.id, pc)
		if w.thread != nil && w.thread != Current() {
			pc = 0
		}
		m.rlock(in, w, pc)
		return
	}
	m.mu.RLock()
}

// rlock locks m for reading, and ends the wait for that. pc is the code that locks; 0 if the thread of the wait is not
// the calling goroutine's, so that RUnlock would not find it.
func (m *RWMutex) rlock(in *RWMutexInstance, w wait, pc uintptr) {
	m.mu.RLock()
	if w.counted() {
		in.rlocked(w, pc)
	}
}

// rlocked ends the wait of the goroutine that has just got the lock for reading.
func (in *RWMutexInstance) rlocked(w wait, pc uintptr) {
	t, since := w.thread, uint64(0)
	if w.sw&swEnabled != 0 {
		cycles := w.end(in.class, 0)
		in.shared.record(w.timed(), cycles)
		since = w.since(cycles)
	} else if t = Current(); t != nil && t.registry != in.class.registry {
		t = nil
	}
	if t == nil || pc == 0 || !HasThreadLookup || ringbuf.Load(&t.id) != w.holder {
		return
	}
	if w.sw&swHold != 0 {
		since = in.class.holdBegins(since)
	}
	in.readLocked(t, pc, since, w.sw&swHold != 0)
}

// TryRLock locks m for reading if that is possible at once, as sync.RWMutex.TryRLock does.
//
//go:noinline
func (m *RWMutex) TryRLock() bool {
	in := m.ensureInstance()
	sw := switches(in.class.switches.Load())
	if sw == 0 {
		return m.mu.TryRLock()
	}
	pc := callerPC()
	w := in.class.begin(sw, OpTryReadLock, in.id, pc)
	ok := m.mu.TryRLock()
	switch {
	case !w.counted() || !ok && sw&swEnabled == 0:
	case ok:
		in.rlocked(w, pc)
	default:
		in.shared.record(w.timed(), w.end(in.class, 0))
	}
	return ok
}

// RUnlock unlocks m after reading, as sync.RWMutex.RUnlock does.
func (m *RWMutex) RUnlock() {
	if in := m.instance.Load(); in != nil && in.pushed.Load() {
		in.readUnlocking()
	}
	m.mu.RUnlock()
}

// RLocker returns a sync.Locker whose Lock and Unlock are m's RLock and RUnlock.
func (m *RWMutex) RLocker() sync.Locker { return (*rlocker)(m) }

type rlocker RWMutex

//go:noinline
func (l *rlocker) Lock() {
	m := (*RWMutex)(l)
	in := m.ensureInstance()
	if sw := in.class.switches.Load(); sw != 0 {
		pc := callerPC()
		m.rlock(in, in.class.begin(switches(sw), OpReadLock, in.id, pc), pc)
		return
	}
	m.mu.RLock()
}

func (l *rlocker) Unlock() { (*RWMutex)(l).RUnlock() }

// Waits implements Instance.
func (in *RWMutexInstance) Waits() Stat {
	s := in.waits.read()
	s.Add(in.shared.read())
	return s
}

// resetWaits implements Instance.
func (in *RWMutexInstance) resetWaits() {
	in.waits.reset()
	in.shared.reset()
}

// bytes implements Instance.
func (in *RWMutexInstance) bytes() int {
	return in.shared.bytes() + in.holds.bytes() + in.readHolds.bytes()
}

// Readers is how many readers hold the lock. The sync.RWMutex itself counts them: so the number is
// right whenever the instrument was switched on, and costs readers nothing.
func (in *RWMutexInstance) Readers() int {
	m := in.mutex.Value()
	if m == nil {
		return 0
	}
	n := readersOf(&m.mu)
	runtime.KeepAlive(m)
	return n
}

// writerWaits reports whether a writer holds the lock or waits for readers. New readers wait for this
// writer.
func (in *RWMutexInstance) writerWaits() bool {
	m := in.mutex.Value()
	if m == nil {
		return false
	}
	waits := readerCount(&m.mu) < 0
	runtime.KeepAlive(m)
	return waits
}

// sync.RWMutex counts its readers in two private fields. While readerCount is not negative, it is
// the number of readers. A writer that waits or holds the lock makes it negative; then readerWait
// is the number of readers that the writer still waits for.
var (
	readerCount, hasCount = int32Field("readerCount")
	readerWait, hasWait   = int32Field("readerWait")

	// countsReaders reports whether a lock's number of readers is known.
	countsReaders = hasCount && hasWait
)

// int32Field returns where a sync.RWMutex has an atomic.Int32 with this name; false if it has none.
func int32Field(name string) (func(*sync.RWMutex) int32, bool) {
	f, ok := reflect.TypeFor[sync.RWMutex]().FieldByName(name)
	if !ok || f.Type != reflect.TypeFor[atomic.Int32]() {
		// This Go release counts readers in another way: their number is not known. The tests fail
		// with such a release.
		return func(*sync.RWMutex) int32 { return 0 }, false
	}
	return func(m *sync.RWMutex) int32 {
		return (*atomic.Int32)(unsafe.Add(unsafe.Pointer(m), f.Offset)).Load()
	}, true
}

func readersOf(m *sync.RWMutex) int {
	if n := readerCount(m); n >= 0 {
		return int(n)
	}
	return int(max(readerWait(m), 0))
}
