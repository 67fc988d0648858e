package instr

import "sync"

// Pool is a sync.Pool that can be watched. Its zero value works too, in a class that is named after the package that first calls
// New through Get. It must not be copied after first use.
//
// It counts the calls of New, which Get makes when the pool is empty: the operation create, which lasts as long as New. A Get
// that finds something in the pool is not counted, and costs as much as sync.Pool.Get. For pools of connections see [ConnPool].
type Pool struct {
	// New makes what Get returns when the pool is empty; if New is nil, Get returns nil then. New must not be changed any more
	// when Get is called.
	New func() any

	pool sync.Pool // without New
	synch
}

// NewPool returns a pool of the class wait/synch/pool/NAME.
func (r *Registry) NewPool(name string, create func() any) *Pool {
	p := &Pool{New: create}
	p.init(r, synchPool, name, nil)
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
	in := p.ensureInstance(synchPool, nil)
	defer p.keepAlive()
	defer in.end(in.begin(OpCreate, callerPC()))
	return p.New()
}

// Put is sync.Pool.Put.
func (p *Pool) Put(x any) { p.pool.Put(x) }
