package instr

import "sync"

// Pool is a sync.Pool that can be watched. Its zero value works too, in a class that is named after the package that first has something made. It must not be
// copied after first use.
//
// What counts is when Get finds nothing in the pool: to make a new one is the operation create, which lasts as long as New. A Get that finds something
// waits for nothing, and costs what sync.Pool.Get does. Connections that are lent and given back are a [ConnPool].
type Pool struct {
	// New makes what Get returns when the pool is empty; nil has Get return nil. It must not change any more when Get is called.
	New func() any

	pool sync.Pool // without New
	synch
}

// NewPool returns a pool of the class wait/synch/pool/NAME.
func (r *Registry) NewPool(name string, create func() any) *Pool {
	p := &Pool{New: create}
	p.init(r, sortPool, name, nil)
	return p
}

// NewPool returns a pool of the default registry's class wait/synch/pool/NAME.
func NewPool(name string, create func() any) *Pool { return Default.NewPool(name, create) }

// Get is sync.Pool.Get.
//
//go:noinline
func (p *Pool) Get() any {
	if x := p.pool.Get(); x != nil || p.New == nil {
		return x
	}
	in := p.known(sortPool, nil)
	defer p.keep()
	defer in.end(in.begin(OpCreate, callerPC()))
	return p.New()
}

// Put is sync.Pool.Put.
func (p *Pool) Put(x any) { p.pool.Put(x) }
