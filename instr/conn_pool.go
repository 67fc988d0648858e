package instr

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/ringbuf"
)

// ConnPool shows who has which connection of a pool. A pool of anything else whose parts are taken and given back works as well.
// The code of the pool calls the methods; they make nobody wait. Safe for concurrent use.
type ConnPool struct {
	registry *Registry
	waits    *Class
	name     string
	hidden   []string

	mu     sync.Mutex // guards the rest
	open   map[*PoolConn]struct{}
	lastID uint64
}

// NewConnPool makes a pool of this name; waits for its connections are wait/synch/cond/CLASS. A function whose full name begins
// with one of hidden, such as database/sql., is part of the pool's own code: what counts as the line that takes a connection is
// the line that called such code.
func (r *Registry) NewConnPool(class, name string, hidden ...string) *ConnPool {
	return &ConnPool{registry: r, waits: r.class(KindCond, class), name: name, hidden: slices.Clone(hidden), open: map[*PoolConn]struct{}{}}
}

// NewConnPool is Registry.NewConnPool of the default registry.
func NewConnPool(class, name string, hidden ...string) *ConnPool {
	return Default.NewConnPool(class, name, hidden...)
}

// Waited records that the calling goroutine has waited for a connection for d, until now. Waits are recorded afterwards because
// waiting inside a pool can often not be observed from outside. SOURCE is the line that called the pool.
//
//go:noinline
func (p *ConnPool) Waited(d time.Duration) {
	c := p.waits
	sw := switches(c.switches.Load())
	if sw == 0 {
		return
	}
	var pcs [poolCallers]uintptr
	callers(&pcs[0], len(pcs))
	pc, _ := p.caller(pcs[:])
	w := c.begin(sw, OpWait, 0, pc)
	if !w.counted() {
		return
	}
	if w.timed() {
		// Whoever reads the event meanwhile sees one that has just begun.
		w.start -= min(w.start, uint64(d.Seconds()*float64(w.sw.timer().Frequency())))
		if w.thread != nil && w.sw&swCurrent != 0 {
			ringbuf.Store(&w.thread.waitAt(uint64(w.sw >> swDepthShift))[eventStart], w.start)
		}
	}
	c.direct.record(w.timed(), w.end(c, 0))
}

// Open adds a connection, which nobody has yet. The pool is among Reader.PoolConnections as long as it has connections.
func (p *ConnPool) Open() *PoolConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastID++
	c := &PoolConn{pool: p, id: p.lastID, opened: time.Now()}
	p.open[c] = struct{}{}
	p.registry.pools.Store(p, struct{}{})
	return c
}

// PoolConn is a connection of a pool. One goroutine at a time may call Take, GiveBack or Close, as one at a time has a connection;
// any may call Taken.
type PoolConn struct {
	pool   *ConnPool
	id     uint64
	opened time.Time

	// state counts how often the connection was taken and given back; its lowest bits are one of the states below. Whoever takes the
	// connection writes user, between two changes of state. Whoever reads user reads state before and after: it is whole if that is the same.
	state   atomic.Uint64
	user    poolUser
	callers [poolCallers]uintptr // memory for Take
}

// States of a connection.
const (
	connFree   = 0
	connTaking = 1 // user is being written
	connTaken  = 2
	connStates = 4
)

// poolUser is who has a connection.
type poolUser struct {
	thread, goroutine uint64
	since             uint64 // nanoseconds since 1970
	callers           [poolCallers]uint64
}

// poolCallers is how many return addresses are kept when a connection is taken; those in the pool's
// own code come first.
const poolCallers = 16

// Take says that the calling goroutine has the connection from now on.
//
//go:noinline
func (c *PoolConn) Take() {
	callers(&c.callers[0], len(c.callers))
	_, goroutine := goroutine(goidOffset)
	thread := uint64(0)
	if t := Current(); t != nil && t.registry == c.pool.registry {
		thread = t.ID()
	}
	next := c.state.Load()/connStates*connStates + connStates
	c.state.Store(next + connTaking)
	ringbuf.Store(&c.user.thread, thread)
	ringbuf.Store(&c.user.goroutine, goroutine)
	ringbuf.Store(&c.user.since, uint64(time.Now().UnixNano()))
	for i, pc := range c.callers {
		ringbuf.Store(&c.user.callers[i], uint64(pc))
	}
	c.state.Store(next + connTaken)
}

// Taken reports whether somebody has the connection.
func (c *PoolConn) Taken() bool { return c.state.Load()%connStates != connFree }

// GiveBack says that nobody has the connection any more.
func (c *PoolConn) GiveBack() {
	c.state.Store(c.state.Load()/connStates*connStates + connStates + connFree)
}

// takenBy copies who has the connection; false if nobody has it, or it changes hands all the time.
func (c *PoolConn) takenBy() (u poolUser, ok bool) {
	for range readRetries {
		state := c.state.Load()
		switch state % connStates {
		case connFree:
			return u, false
		case connTaking:
			continue
		}
		u.thread, u.goroutine, u.since = ringbuf.Load(&c.user.thread), ringbuf.Load(&c.user.goroutine), ringbuf.Load(&c.user.since)
		for i := range u.callers {
			u.callers[i] = ringbuf.Load(&c.user.callers[i])
		}
		if c.state.Load() == state {
			return u, true
		}
	}
	return u, false
}

// Close takes the connection out of the pool.
func (c *PoolConn) Close() {
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
	if len(p.open) == 0 {
		p.registry.pools.Delete(p)
	}
}

// PoolConnection is a copy of a connection of a pool.
type PoolConnection struct {
	Pool   string
	ID     uint64 // from 1, in the order in which the pool has opened them
	Opened time.Time

	// Who has it, and since when; zero values if nobody has. ThreadID is 0 of a goroutine that is no thread, GoroutineID where
	// HasThreadLookup is false.
	Taken                 bool
	ThreadID, GoroutineID uint64
	Since                 time.Time
	Source                string // the line that has taken it, as file.go:123; "" if it is not known

	// Held is for how long it is taken, picoseconds; 0 if that is the time from Since until now. Statement is what it was last used for since it
	// was taken, "" if that is not known. Body is true if it is kept by the body of a response that is neither read to its end nor closed.
	Held      uint64
	Statement string
	Body      bool
}

// PoolConnections returns the open connections of all pools, ordered by the pools' names and by their ids. Safe for concurrent
// use.
func (h Reader) PoolConnections() []PoolConnection {
	var all []PoolConnection
	h.r.pools.Range(func(key, _ any) bool {
		all = key.(*ConnPool).appendConnections(all)
		return true
	})
	slices.SortStableFunc(all, func(a, b PoolConnection) int { return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID)) })
	return all
}

func (p *ConnPool) appendConnections(to []PoolConnection) []PoolConnection {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		x := PoolConnection{Pool: p.name, ID: c.id, Opened: c.opened}
		if u, ok := c.takenBy(); ok {
			x.Taken, x.ThreadID, x.GoroutineID, x.Since = true, u.thread, u.goroutine, time.Unix(0, int64(u.since))
			var pcs [poolCallers]uintptr
			for i, pc := range u.callers {
				pcs[i] = uintptr(pc)
			}
			_, x.Source = p.caller(pcs[:])
		}
		to = append(to, x)
	}
	return to
}

// caller is the return address into the first function of the callers that does not belong to the pool, and its line; 0 and "" if
// there is none.
func (p *ConnPool) caller(callers []uintptr) (pc uintptr, source string) {
	if end := slices.Index(callers, 0); end >= 0 {
		callers = callers[:end]
	}
	for frames := runtime.CallersFrames(callers); ; {
		f, more := frames.Next()
		own := slices.ContainsFunc(p.hidden, func(prefix string) bool { return strings.HasPrefix(f.Function, prefix) })
		if f.File != "" && !own {
			return f.PC + 1, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return 0, ""
		}
	}
}
