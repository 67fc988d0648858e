package instr

import "sync"

// WaitGroup is a sync.WaitGroup that can be watched. Its zero value works too, in a class that is named after the package that
// first calls Wait. It must not be copied after first use.
type WaitGroup struct {
	wg sync.WaitGroup
	synch
}

// NewWaitGroup returns a WaitGroup of the class wait/synch/waitgroup/NAME.
func (r *Registry) NewWaitGroup(name string) *WaitGroup {
	g := new(WaitGroup)
	g.init(r, synchWaitGroup, name, nil)
	return g
}

// NewWaitGroup returns a WaitGroup of the default registry's class wait/synch/waitgroup/NAME.
func NewWaitGroup(name string) *WaitGroup { return Default.NewWaitGroup(name) }

// Add is sync.WaitGroup.Add.
func (g *WaitGroup) Add(delta int) { g.wg.Add(delta) }

// Done is sync.WaitGroup.Done.
func (g *WaitGroup) Done() { g.wg.Done() }

// Go is sync.WaitGroup.Go. The goroutine becomes a thread at its first wait, named after f; [Go] gives it a better name.
func (g *WaitGroup) Go(f func()) { g.wg.Go(f) }

// Wait is sync.WaitGroup.Wait, the operation wait.
//
//go:noinline
func (g *WaitGroup) Wait() {
	in := g.ensureInstance(synchWaitGroup, nil)
	w := in.begin(OpWait, callerPC())
	g.wg.Wait()
	in.end(w)
	g.keepAlive()
}
