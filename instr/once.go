package instr

import (
	"sync"
	"sync/atomic"
)

// Once is a sync.Once that can be watched. Its zero value works too, in a class that is named after the package that first uses it. It must not be
// copied after first use.
//
// Until the function has returned, each call of Do counts once, the operation wait, whether it runs the function or waits for it.
// Afterwards Do costs as much as sync.Once.Do, and counts nothing.
type Once struct {
	done atomic.Bool
	mu   sync.Mutex // held while the function runs
	synch
}

// NewOnce returns a Once of the class wait/synch/once/NAME.
func (r *Registry) NewOnce(name string) *Once {
	o := new(Once)
	o.init(r, synchOnce, name, nil)
	return o
}

// NewOnce returns a Once of the default registry's class wait/synch/once/NAME.
func NewOnce(name string) *Once { return Default.NewOnce(name) }

// Do calls f if it is the first call, as sync.Once.Do does: when Do returns, the first f has returned or panicked.
//
//go:noinline
func (o *Once) Do(f func()) {
	if o.done.Load() {
		return
	}
	in := o.ensureInstance(synchOnce, nil)
	w := in.begin(OpWait, callerPC())
	o.mu.Lock()
	in.end(w)
	defer o.mu.Unlock()
	if !o.done.Load() {
		defer o.done.Store(true)
		f()
	}
}
