package instr

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Mutex is a sync.Mutex that can be watched. Its zero value works too, in a class that is
// named after the package that first uses it. It must not be copied after first use.
type Mutex struct {
	mu       sync.Mutex
	instance atomic.Pointer[MutexInstance]
}

var _ sync.Locker = (*Mutex)(nil)

// MutexInstance is what is known of a mutex, a row of mutex_instances.
type MutexInstance struct {
	identity
	exclusive
	// failedTries is the calls of TryLock that failed. Goroutines count them that do not hold the
	// mutex.
	failedTries sharedStat
}

// lostMutex is the instance of all mutexes that are lost.
var lostMutex = &MutexInstance{identity: identity{class: off}}

// NewMutex returns a mutex of the class wait/synch/mutex/NAME.
func (r *Registry) NewMutex(name string) *Mutex {
	m := new(Mutex)
	m.init(r.class(KindMutex, name))
	return m
}

// NewMutex returns a mutex of the default registry's class wait/synch/mutex/NAME.
func NewMutex(name string) *Mutex { return Default.NewMutex(name) }

// init gives the mutex its instance. When the mutex is collected the class keeps its counts.
func (m *Mutex) init(c *Class) *MutexInstance {
	in := lostMutex
	if c.register(func(id uint64) Instance {
		in = &MutexInstance{identity: identity{c, id}}
		return in
	}) {
		watch(m, in)
	}
	m.instance.Store(in)
	return in
}

// ensureInstance returns the mutex's instance, made if need be.
func (m *Mutex) ensureInstance() *MutexInstance {
	if in := m.instance.Load(); in != nil {
		return in
	}
	return m.initZero()
}

// initZero gives a zero mutex its instance, unless another goroutine has been faster.
//
//go:noinline
func (m *Mutex) initZero() *MutexInstance {
	name := callerPackage() + "/Mutex"
	zeroMu.Lock()
	defer zeroMu.Unlock()
	if in := m.instance.Load(); in != nil {
		return in
	}
	return m.init(Default.class(KindMutex, name))
}

// Lock locks m, as sync.Mutex.Lock does.
//
//go:noinline
func (m *Mutex) Lock() {
	in := m.ensureInstance()
	if sw := in.class.switches.Load(); sw != 0 {
		pc := callerPC()
		w := in.class.begin(switches(sw), OpLock, in.id, pc)
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
func (m *Mutex) LockAs(t *Thread) {
	in := m.ensureInstance()
	if sw := in.class.switches.Load(); sw != 0 {
		pc := callerPC()
		w := in.class.beginHandle(t, switches(sw), OpLock, in.id, pc)
		m.mu.Lock()
		if w.counted() {
			in.locked(in.class, w, pc)
		}
		return
	}
	m.mu.Lock()
}

// TryLock locks m if that is possible at once, as sync.Mutex.TryLock does.
//
//go:noinline
func (m *Mutex) TryLock() bool {
	in := m.ensureInstance()
	sw := switches(in.class.switches.Load())
	if sw == 0 {
		return m.mu.TryLock()
	}
	pc := callerPC()
	w := in.class.begin(sw, OpTryLock, in.id, pc)
	ok := m.mu.TryLock()
	switch {
	case !w.counted() || !ok && sw&swEnabled == 0:
	case ok:
		in.locked(in.class, w, pc)
	default:
		in.failedTries.record(w.timed(), w.end(in.class, 0))
	}
	return ok
}

// Unlock unlocks m, as sync.Mutex.Unlock does.
func (m *Mutex) Unlock() {
	if in := m.instance.Load(); in != nil {
		in.unlocking(in.class)
	}
	m.mu.Unlock()
}

// Waits implements Instance.
func (in *MutexInstance) Waits() Stat {
	s := in.waits.read()
	s.Add(in.failedTries.read())
	return s
}

// resetWaits implements Instance.
func (in *MutexInstance) resetWaits() {
	in.waits.reset()
	in.failedTries.reset()
}

// bytes implements Instance.
func (in *MutexInstance) bytes() int { return in.failedTries.bytes() + in.holds.bytes() }

// callerPackage returns the last part of the path of the package that calls the method of an object
// without a name. Between them are ensureInstance and initZero.
func callerPackage() string {
	const callersItself, here, initZero, known, method = 1, 1, 1, 1, 1
	var pc [1]uintptr
	runtime.Callers(callersItself+here+initZero+known+method, pc[:])
	frame, _ := runtime.CallersFrames(pc[:]).Next()
	path := frame.Function
	path = path[strings.LastIndex(path, "/")+1:]
	name, _, _ := strings.Cut(path, ".")
	if name == "" || strings.ContainsFunc(name, notInName) {
		return "unknown"
	}
	return name
}
