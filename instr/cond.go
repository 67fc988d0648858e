package instr

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Cond is a sync.Cond that can be watched, and whose waits can have a time limit. Its zero value
// works once L is set, in a class that is named after the package that first waits. It must not be
// copied after first use.
//
// Until the first WaitTimeout it is a sync.Cond. The first WaitTimeout may wake goroutines that are in
// Wait already, as if by Broadcast; from then on the Cond keeps its waiters in a list.
type Cond struct {
	// L is held while the condition is looked at or changed. It stays the same from the first wait on.
	L sync.Locker

	instance atomic.Pointer[condInstance]
	plain    sync.Cond   // its L is set with the instance
	listed   atomic.Bool // whether new waiters are in the list

	mu      sync.Mutex // guards waiters
	waiters waiters
}

// condInstance is what is known of a condition variable, a row of cond_instances.
type condInstance struct {
	identity
	waits sharedStat
}

// lostCond is the instance of all condition variables that are lost.
var lostCond = &condInstance{identity: identity{class: off}}

// NewCond returns a condition variable of the class wait/synch/cond/NAME, whose L is l.
func (r *Registry) NewCond(name string, l sync.Locker) *Cond {
	c := &Cond{L: l}
	c.init(r.class(KindCond, name))
	return c
}

// NewCond returns a condition variable of the default registry's class wait/synch/cond/NAME.
func NewCond(name string, l sync.Locker) *Cond { return Default.NewCond(name, l) }

// init gives the condition variable its instance. When it is collected the class keeps its
// counts.
func (c *Cond) init(class *Class) *condInstance {
	in := lostCond
	if class.register(func(id uint64) Instance {
		in = &condInstance{identity: identity{class, id}}
		return in
	}) {
		watch(c, in)
	}
	c.plain.L = c.L
	c.instance.Store(in)
	return in
}

// ensureInstance returns the condition variable's instance, made if need be.
func (c *Cond) ensureInstance() *condInstance {
	if in := c.instance.Load(); in != nil {
		return in
	}
	return c.initZero()
}

// initZero gives a zero condition variable its instance, unless another goroutine has been
// faster.
//
//go:noinline
func (c *Cond) initZero() *condInstance {
	name := callerPackage() + "/Cond"
	zeroMu.Lock()
	defer zeroMu.Unlock()
	if in := c.instance.Load(); in != nil {
		return in
	}
	return c.init(Default.class(KindCond, name))
}

// Wait unlocks L, waits to be woken by Signal or Broadcast, and locks L, as sync.Cond.Wait
// does. If L is instrumented its locking is a wait within this one.
//
//go:noinline
func (c *Cond) Wait() {
	in := c.ensureInstance()
	if in.class.switches.Load() == 0 && !c.listed.Load() {
		c.plain.Wait()
		return
	}
	c.wait(in, callerPC())
}

func (c *Cond) wait(in *condInstance, caller uintptr) {
	var w wait
	if sw := in.class.switches.Load(); sw != 0 {
		w = in.class.begin(switches(sw), OpWait, in.id, caller)
	}
	if c.listed.Load() {
		waiter := c.enlist()
		c.L.Unlock()
		<-waiter.wake
		freeWaiters.Put(waiter)
		c.L.Lock()
	} else {
		c.plain.Wait()
	}
	in.record(w)
	runtime.KeepAlive(c)
}

// WaitTimeout is Wait for at most d. It reports whether Signal or Broadcast woke it; if not, it has
// used up no signal.
//
//go:noinline
func (c *Cond) WaitTimeout(d time.Duration) bool {
	in := c.ensureInstance()
	var w wait
	if sw := in.class.switches.Load(); sw != 0 {
		w = in.class.begin(switches(sw), OpTimedWait, in.id, callerPC())
	}
	if !c.listed.Load() {
		c.listed.Store(true)
		c.plain.Broadcast()
	}
	waiter := c.enlist()
	c.L.Unlock()
	woken := c.sleep(waiter, d)
	freeWaiters.Put(waiter)
	c.L.Lock()
	in.record(w)
	runtime.KeepAlive(c)
	return woken
}

// sleep waits for at most d until waiter is woken, and reports whether it was.
func (c *Cond) sleep(waiter *waiter, d time.Duration) bool {
	if waiter.timer == nil {
		waiter.timer = time.NewTimer(d)
	} else {
		waiter.timer.Reset(d)
	}
	select {
	case <-waiter.wake:
		waiter.timer.Stop()
		return true
	case <-waiter.timer.C:
	}
	c.mu.Lock()
	listed := waiter.listed
	if listed {
		c.waiters.unlist(waiter)
	}
	c.mu.Unlock()
	if !listed {
		// Signal or Broadcast took the waiter off the list before the timer ended the wait, and
		// wakes this goroutine.
		<-waiter.wake
	}
	return !listed
}

// Signal wakes the goroutine that has waited longest, if there is one, as sync.Cond.Signal
// does.
func (c *Cond) Signal() {
	if c.listed.Load() {
		c.signalListed()
		return
	}
	c.plain.Signal()
}

func (c *Cond) signalListed() {
	c.flush()
	c.mu.Lock()
	waiter := c.waiters.first
	if waiter != nil {
		c.waiters.unlist(waiter)
	}
	c.mu.Unlock()
	if waiter != nil {
		waiter.wake <- struct{}{}
	}
}

// Broadcast wakes all goroutines that wait, as sync.Cond.Broadcast does.
func (c *Cond) Broadcast() {
	c.flush()
	if !c.listed.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.waiters.first != nil {
		waiter := c.waiters.first
		c.waiters.unlist(waiter)
		waiter.wake <- struct{}{}
	}
}

// flush wakes goroutines that wait without being in the list. If L can be held by several goroutines at a
// time, one of them may have begun to wait at the moment of the first WaitTimeout.
func (c *Cond) flush() { c.plain.Broadcast() }

// enlist makes the calling goroutine the last one that waits.
func (c *Cond) enlist() *waiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiters.enlist()
}

// record ends a wait and counts it.
func (in *condInstance) record(w wait) {
	if w.counted() {
		in.waits.record(w.timed(), w.end(in.class, 0))
	}
}

// Waits implements Instance.
func (in *condInstance) Waits() Stat { return in.waits.read() }

// resetWaits implements Instance.
func (in *condInstance) resetWaits() { in.waits.reset() }

// bytes implements Instance.
func (in *condInstance) bytes() int { return in.waits.bytes() }
