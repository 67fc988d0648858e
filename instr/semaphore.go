package instr

import (
	"context"
	"sync"
	"weak"
)

// Semaphore has a number of units, of which each user takes some and gives them back, as
// golang.org/x/sync/semaphore.Weighted. Users get them in the order in which they ask. Safe for
// concurrent use. The zero Semaphore has no units, in a class that is named after the package that
// first uses it. It must not be copied after first use.
type Semaphore struct {
	synch
	size int64

	mu      sync.Mutex // guards the rest
	used    int64
	waiters waiters
}

// NewSemaphore returns a semaphore with size units, of the class wait/synch/semaphore/NAME.
func (r *Registry) NewSemaphore(name string, size int64) *Semaphore {
	s := &Semaphore{size: size}
	s.init(r, synchSemaphore, name, s.weakRoom())
	return s
}

// NewSemaphore returns a semaphore with size units, of the default registry's class wait/synch/semaphore/NAME.
func NewSemaphore(name string, size int64) *Semaphore { return Default.NewSemaphore(name, size) }

func (s *Semaphore) weakRoom() roomReporter { return weakRoom[Semaphore, *Semaphore]{weak.Make(s)} }

// Acquire takes n units, and waits for them until ctx ends, the operation acquire. If it returns an error, which is that of ctx,
// it has taken none. If n is more than the semaphore has, it waits until ctx ends, and makes nobody else wait.
//
//go:noinline
func (s *Semaphore) Acquire(ctx context.Context, n int64) error {
	in := s.ensureInstance(synchSemaphore, s.weakRoom)
	w := in.begin(OpAcquire, callerPC())
	err := s.acquire(ctx, n)
	in.end(w)
	s.keepAlive()
	return err
}

// TryAcquire takes n units if they are free and nobody waits for units, and reports whether it has taken them: the operation
// try_acquire.
//
//go:noinline
func (s *Semaphore) TryAcquire(n int64) bool {
	in := s.ensureInstance(synchSemaphore, s.weakRoom)
	w := in.begin(OpTryAcquire, callerPC())
	s.mu.Lock()
	ok := s.waiters.first == nil && s.fits(n)
	if ok {
		s.used += n
	}
	s.mu.Unlock()
	in.end(w)
	s.keepAlive()
	return ok
}

// Release gives n units back. It panics if fewer than n are taken.
func (s *Semaphore) Release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.used {
		panic("instr: more units of a semaphore are released than were acquired")
	}
	s.used -= n
	s.wakeFirst()
}

// fits reports whether n units are free. The caller holds mu.
func (s *Semaphore) fits(n int64) bool { return n <= s.size-s.used }

func (s *Semaphore) acquire(ctx context.Context, n int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.waiters.first == nil && s.fits(n) {
		s.used += n
		s.mu.Unlock()
		return nil
	}
	if n > s.size {
		s.mu.Unlock()
		<-ctx.Done()
		return ctx.Err()
	}
	waiter := s.waiters.enlist()
	waiter.units = n
	s.mu.Unlock()
	defer freeWaiters.Put(waiter)
	select {
	case <-waiter.wake:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	listed := waiter.listed
	if listed {
		s.waiters.unlist(waiter)
		// Those behind it may want fewer units.
		s.wakeFirst()
	}
	s.mu.Unlock()
	if !listed {
		// wakeFirst took the waiter off the list before ctx ended.
		<-waiter.wake
		return nil
	}
	return ctx.Err()
}

// wakeFirst gives units to the waiters that have waited longest, as long as there are enough. The
// caller holds mu.
func (s *Semaphore) wakeFirst() {
	for s.waiters.first != nil && s.fits(s.waiters.first.units) {
		waiter := s.waiters.first
		s.used += waiter.units
		s.waiters.unlist(waiter)
		waiter.wake <- struct{}{}
	}
}

// room implements roomReporter.
func (s *Semaphore) room() (used, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.size
}
