package instr

import (
	"context"
	"time"
)

// ContextWait is waits for the end of contexts, and for time to pass until then. Safe for concurrent use. Its zero value works too, in a class that is named after
// the package that first uses it. It must not be copied after first use.
type ContextWait struct{ synch }

// NewContextWait returns waits of the class wait/synch/context/NAME.
func (r *Registry) NewContextWait(name string) *ContextWait {
	w := new(ContextWait)
	w.init(r, sortContext, name, nil)
	return w
}

// NewContextWait returns waits of the default registry's class wait/synch/context/NAME.
func NewContextWait(name string) *ContextWait { return Default.NewContextWait(name) }

// Done waits until ctx ends, as <-ctx.Done() does, and returns its error: the operation wait.
//
//go:noinline
func (c *ContextWait) Done(ctx context.Context) error {
	in := c.known(sortContext, nil)
	w := in.begin(OpWait, callerPC())
	<-ctx.Done()
	in.end(w)
	c.keep()
	return ctx.Err()
}

// Sleep waits for d, and returns nil, or until ctx ends, and returns its error: the operation timed_wait.
//
//go:noinline
func (c *ContextWait) Sleep(ctx context.Context, d time.Duration) error {
	in := c.known(sortContext, nil)
	w := in.begin(OpTimedWait, callerPC())
	defer c.keep()
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

// WithThread returns a context of what is done for thread t, which may be nil: [ThreadOf] finds it where the goroutine is another one, and on platforms without
// thread lookup.
func WithThread(ctx context.Context, t *Thread) context.Context {
	return context.WithValue(ctx, threadKey{}, t)
}

// ThreadOf returns the thread that WithThread has put into the context, nil if there is none. Other goroutines must not record events of it.
func ThreadOf(ctx context.Context) *Thread {
	t, _ := ctx.Value(threadKey{}).(*Thread)
	return t
}
