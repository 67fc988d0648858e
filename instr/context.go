package instr

import (
	"context"
	"time"
)

// ContextWait records waits for the end of a context, and sleeps that the end of a context interrupts. Safe for concurrent use.
// Its zero value works too, in a class that is named after the package that first uses it. It must not be copied after first use.
type ContextWait struct{ synch }

// NewContextWait returns waits of the class wait/synch/context/NAME.
func (r *Registry) NewContextWait(name string) *ContextWait {
	w := new(ContextWait)
	w.init(r, synchContext, name, nil)
	return w
}

// NewContextWait returns waits of the default registry's class wait/synch/context/NAME.
func NewContextWait(name string) *ContextWait { return Default.NewContextWait(name) }

// Done waits until ctx ends, as <-ctx.Done() does, and returns its error: the operation wait.
//
//go:noinline
func (c *ContextWait) Done(ctx context.Context) error {
	in := c.ensureInstance(synchContext, nil)
	w := in.begin(OpWait, callerPC())
	<-ctx.Done()
	in.end(w)
	c.keepAlive()
	return ctx.Err()
}

// Sleep waits for d and returns nil; if ctx ends before, it returns the error of ctx: the operation
// timed_wait.
//
//go:noinline
func (c *ContextWait) Sleep(ctx context.Context, d time.Duration) error {
	in := c.ensureInstance(synchContext, nil)
	w := in.begin(OpTimedWait, callerPC())
	defer c.keepAlive()
	defer in.end(w)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// threadKey is the key of a context's thread.
type threadKey struct{}

// WithThread returns a context that carries thread t, which may be nil. [ThreadOf] finds it there, in other goroutines too and on
// platforms without thread lookup.
func WithThread(ctx context.Context, t *Thread) context.Context {
	return context.WithValue(ctx, threadKey{}, t)
}

// ThreadOf returns the thread that WithThread has put into the context, nil if there is none. Only the thread's own goroutine may
// record events with it.
func ThreadOf(ctx context.Context) *Thread {
	t, _ := ctx.Value(threadKey{}).(*Thread)
	return t
}
