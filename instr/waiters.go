package instr

import (
	"sync"
	"time"
)

// waiters is a list of goroutines that wait for an object, in the order in which they began to wait. A lock of
// the object guards it.
type waiters struct{ first, last *waiter }

// waiter is a goroutine that waits. A goroutine that takes another one off the list must wake it: so each waiter is
// woken exactly once, or takes itself off the list.
type waiter struct {
	previous, next *waiter
	listed         bool
	wake           chan struct{} // buffered: waking does not wait
	units          int64         // what a user of a Semaphore wants
	timer          *time.Timer   // a Cond's; nil until the first wait with a limit
}

// freeWaiters keeps waiters that nobody uses.
var freeWaiters = sync.Pool{New: func() any { return &waiter{wake: make(chan struct{}, 1)} }}

// enlist makes the calling goroutine the last one that waits.
func (l *waiters) enlist() *waiter {
	w := freeWaiters.Get().(*waiter)
	w.previous, w.next, w.listed = l.last, nil, true
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
	return w
}

// unlist takes a waiter off the list.
func (l *waiters) unlist(w *waiter) {
	if w.previous == nil {
		l.first = w.next
	} else {
		w.previous.next = w.next
	}
	if w.next == nil {
		l.last = w.previous
	} else {
		w.next.previous = w.previous
	}
	w.previous, w.next, w.listed = nil, nil, false
}
