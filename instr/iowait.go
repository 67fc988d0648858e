package instr

import (
	"runtime"

	"pfsd/ringbuf"
)

// ioHandle leads from files and sockets to the record of their instance. Everything that can still
// count in an instance refers to its handle. When nothing does any more, the garbage collector
// finds that out, and only then the class takes over what the record has counted. So an operation
// that ends after its file was deleted or its connection closed is not lost, and an operation needs
// no reference count. The record itself must not refer to the handle.
type ioHandle struct {
	class *Class
	id    uint64
	stat  *sharedIOStat
}

// switches is the packed word of the instance's class; 0 for a nil handle.
func (h *ioHandle) switches() switches {
	if h == nil {
		return 0
	}
	return switches(h.class.switches.Load())
}

// start starts an operation on the instance. sw is its class's switches, not 0. Reads and writes
// use start and finish, because only a wait has to be kept between them.
func (h *ioHandle) start(sw switches, op Op, caller uintptr) wait {
	return h.class.begin(sw, op, h.id, caller)
}

// finish ends an operation that start has started, which moved n bytes.
func (h *ioHandle) finish(w wait, op Op, n int) {
	if w.counted() {
		bytes := uint64(max(n, 0))
		cycles := w.end(h.class, bytes)
		h.stat.record(op, w.timed(), cycles, bytes)
		h.class.recordIO(w.sw, op, cycles)
		runtime.KeepAlive(h)
	}
}

// begin starts an operation on the instance, or none if its class is off.
func (h *ioHandle) begin(op Op, caller uintptr) ioWait {
	if sw := h.switches(); sw != 0 {
		return ioWait{h.start(sw, op, caller), h.class, h, op}
	}
	return ioWait{}
}

// beginIO starts an operation that belongs to no instance, or to one that is not known yet.
func (c *Class) beginIO(op Op, caller uintptr) ioWait {
	if c != nil {
		if sw := switches(c.switches.Load()); sw != 0 {
			return ioWait{c.begin(sw, op, 0, caller), c, nil, op}
		}
	}
	return ioWait{}
}

// ioWait is an operation in progress on a file or a socket. The zero ioWait counts nothing.
type ioWait struct {
	wait
	class  *Class
	handle *ioHandle // nil: only the class counts it
	op     Op
}

// setHandle says which instance the operation belongs to.
func (w *ioWait) setHandle(h *ioHandle) {
	w.handle = h
	if w.thread != nil && w.sw&swCurrent != 0 {
		ringbuf.Store(&w.thread.ownWait(w.thread.depth - 1)[eventObject], h.id)
	}
}

// done ends the operation, which moved n bytes.
func (w *ioWait) done(n int64) {
	if !w.counted() {
		return
	}
	bytes := uint64(max(n, 0))
	cycles := w.end(w.class, bytes)
	stat := &w.class.directIO
	if w.handle != nil {
		stat = w.handle.stat
	}
	stat.record(w.op, w.timed(), cycles, bytes)
	w.class.recordIO(w.sw, w.op, cycles)
	runtime.KeepAlive(w.handle)
}
