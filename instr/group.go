package instr

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"weak"
)

// Group runs goroutines that work on one task, and returns the first error, as golang.org/x/sync/errgroup.Group does. Its
// goroutines are threads of the group's name. The zero Group has no limit and cancels nothing; its goroutines become threads at
// their first waits, and its waits are in a class that is named after the package that first uses it. A Group must not be copied
// after first use.
type Group struct {
	synch
	registry *Registry
	threads  *ThreadClass // nil of the zero Group
	cancel   context.CancelCauseFunc
	wg       sync.WaitGroup
	places   chan struct{} // nil: no limit
	running  atomic.Int64
	failed   sync.Once
	err      error // the first one; set by failed, read after wg.Wait
}

// NewGroup returns a group whose goroutines are threads thread/NAME, and whose waits are wait/synch/group/NAME.
func (r *Registry) NewGroup(name string) *Group {
	g := &Group{registry: r, threads: r.NewThreadClass(name)}
	g.init(r, synchGroup, strings.TrimPrefix(name, threadPrefix), g.weakRoom())
	return g
}

// NewGroup returns a group of the default registry.
func NewGroup(name string) *Group { return Default.NewGroup(name) }

// NewGroupContext is NewGroup, and a context that ends when a function returns an error, which is its cause, or Wait returns.
func (r *Registry) NewGroupContext(ctx context.Context, name string) (*Group, context.Context) {
	g := r.NewGroup(name)
	ctx, g.cancel = context.WithCancelCause(ctx)
	return g, ctx
}

// NewGroupContext is Registry.NewGroupContext of the default registry.
func NewGroupContext(ctx context.Context, name string) (*Group, context.Context) {
	return Default.NewGroupContext(ctx, name)
}

func (g *Group) weakRoom() roomReporter { return weakRoom[Group, *Group]{weak.Make(g)} }

// SetLimit sets how many goroutines run at a time. A negative limit is no limit; with 0 none can start. It panics while any
// runs.
func (g *Group) SetLimit(n int) {
	if running := g.running.Load(); running != 0 {
		panic(fmt.Sprintf("instr: the limit of a group is set while %d goroutines run", running))
	}
	if n < 0 {
		g.places = nil
		return
	}
	g.places = make(chan struct{}, n)
}

// Go waits until the limit allows one more goroutine, the operation acquire, and runs f in a new one. The first error that a
// function returns is that of Wait.
//
//go:noinline
func (g *Group) Go(f func() error) {
	if g.places != nil {
		in := g.ensureInstance(synchGroup, g.weakRoom)
		w := in.begin(OpAcquire, callerPC())
		g.places <- struct{}{}
		in.end(w)
	}
	g.start(f)
}

// TryGo is Go if the limit allows it at once, and reports whether it does.
func (g *Group) TryGo(f func() error) bool {
	if g.places != nil {
		select {
		case g.places <- struct{}{}:
		default:
			return false
		}
	}
	g.start(f)
	return true
}

// start runs f in a new goroutine. isWrapper knows the goroutine's start function.
//
//go:noinline
func (g *Group) start(f func() error) {
	g.wg.Add(1)
	g.running.Add(1)
	parent := uint64(0)
	if g.threads != nil {
		parent = g.registry.currentID()
	}
	go func() {
		defer g.finish()
		if g.threads != nil {
			defer g.registry.attach(g.threads, parent, 0).Detach()
		}
		if err := f(); err != nil {
			g.fail(err)
		}
	}()
}

func (g *Group) fail(err error) {
	g.failed.Do(func() {
		g.err = err
		if g.cancel != nil {
			g.cancel(err)
		}
	})
}

func (g *Group) finish() {
	g.running.Add(-1)
	if g.places != nil {
		<-g.places
	}
	g.wg.Done()
}

// Wait waits until all functions have returned, the operation wait, then ends the group's context and returns the first
// error.
//
//go:noinline
func (g *Group) Wait() error {
	in := g.ensureInstance(synchGroup, g.weakRoom)
	w := in.begin(OpWait, callerPC())
	g.wg.Wait()
	in.end(w)
	if g.cancel != nil {
		g.cancel(g.err)
	}
	return g.err
}

// room implements roomReporter.
func (g *Group) room() (used, size int64) {
	if g.places == nil {
		return g.running.Load(), -1
	}
	return g.running.Load(), int64(cap(g.places))
}
