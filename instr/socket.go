package instr

import (
	"net"
	"sync/atomic"
	"syscall"
)

// SocketInstance is what is known of a socket, a row of socket_instances, from when it is
// open until it is closed. Safe for concurrent use.
type SocketInstance struct {
	identity
	fd    int
	ip    string
	port  int
	owner atomic.Uint64
	idle  atomic.Bool
	io    sharedIOStat
}

// FD is the socket's descriptor, SOCKET_ID; -1 if it has none.
func (in *SocketInstance) FD() int { return in.fd }

// IP is the address of a listener, or of the other end of a connection; "" for a Unix socket.
func (in *SocketInstance) IP() string { return in.ip }

// Port is the port that belongs to IP; 0 for a Unix socket.
func (in *SocketInstance) Port() int { return in.port }

// Owner is the id of the thread that the socket works for, 0 if there is none.
func (in *SocketInstance) Owner() uint64 { return in.owner.Load() }

// Idle reports whether STATE is IDLE: the other end is not expected to send anything soon.
func (in *SocketInstance) Idle() bool { return in.idle.Load() }

// IO is the statistics of all operations on the socket.
func (in *SocketInstance) IO() IOStat { return in.io.read() }

// Waits implements Instance.
func (in *SocketInstance) Waits() Stat { return in.io.read().All() }

// resetWaits implements Instance.
func (in *SocketInstance) resetWaits() { in.io.reset() }

// bytes implements Instance.
func (in *SocketInstance) bytes() int { return in.io.bytes() + len(in.ip) }

// socketHandle keeps a socket's instance alive. A nil handle counts nothing: a lost socket has it.
type socketHandle struct {
	ioHandle
	instance *SocketInstance
	raw      syscall.RawConn // nil if the socket has no descriptor
	arrived  func(fd uintptr) bool
	waited   atomic.Bool // something has arrived since arrived was called
}

// switches is the packed word of the socket's class.
func (h *socketHandle) switches() switches {
	if h == nil {
		return 0
	}
	return h.ioHandle.switches()
}

// begin starts an operation on the socket.
func (h *socketHandle) begin(op Op, caller uintptr) ioWait {
	sw := h.switches()
	if sw == 0 {
		return ioWait{}
	}
	if op == OpRecv {
		sw = h.idleUntil(sw)
	}
	return ioWait{h.start(sw, op, caller), h.class, &h.ioHandle, op}
}

// idleUntil waits until there is something to read from an idle socket: the time before is not part
// of an operation. If that cannot be found out, it returns sw without swTimed, so that the reading
// is not timed.
func (h *socketHandle) idleUntil(sw switches) switches {
	if !h.instance.idle.Load() {
		return sw
	}
	if h.raw == nil || !canPeek {
		return sw &^ swTimed
	}
	// If there is an error, reading returns it too.
	_ = h.raw.Read(h.arrived)
	return sw
}

// hasArrived reports whether a read would return at once. RawConn.Read calls it, and once more when something has arrived: then it needs
// no system call. One goroutine at a time is in there.
func (h *socketHandle) hasArrived(fd uintptr) bool {
	if h.waited.Swap(false) || readable(fd) {
		return true
	}
	h.waited.Store(true)
	return false
}

// instanceInfo returns the instance of the socket.
func (h *socketHandle) instanceInfo() *SocketInstance {
	if h == nil {
		return nil
	}
	return h.instance
}

// opened says that the operation w has made the socket.
func (h *socketHandle) opened(w *ioWait) {
	if h != nil {
		w.setHandle(&h.ioHandle)
	}
	w.done(0)
}

// newSocket makes the instance of an open socket; it returns nil if that is lost. addr is what IP
// and Port show; socket may have a descriptor.
func newSocket(c *Class, socket any, addr net.Addr, owner *Thread) *socketHandle {
	var in *SocketInstance
	raw, fd := descriptor(socket)
	ip, port := "", 0
	switch a := addr.(type) {
	case *net.TCPAddr:
		ip, port = a.AddrPort().Addr().Unmap().String(), a.Port
	case *net.UDPAddr:
		ip, port = a.AddrPort().Addr().Unmap().String(), a.Port
	}
	if !c.register(func(id uint64) Instance {
		in = &SocketInstance{identity: identity{c, id}, fd: fd, ip: ip, port: port}
		return in
	}) {
		return nil
	}
	h := &socketHandle{ioHandle: ioHandle{c, in.id, &in.io}, instance: in, raw: raw}
	h.arrived = h.hasArrived
	h.setOwner(owner)
	watch(h, in)
	return h
}

func (h *socketHandle) setOwner(t *Thread) {
	if h == nil {
		return
	}
	id := uint64(0)
	if t != nil && t.registry == h.class.registry {
		id = t.ID()
	}
	h.instance.owner.Store(id)
}

// closed hides the instance.
func (h *socketHandle) closed() {
	if h != nil {
		h.class.hide(h.instance)
	}
}

// descriptor is a socket's file descriptor and its number, nil and -1 if it has none.
func descriptor(socket any) (raw syscall.RawConn, fd int) {
	fd = -1
	if s, ok := socket.(syscall.Conn); ok {
		var err error
		if raw, err = s.SyscallConn(); err != nil {
			return nil, fd
		}
		// An error leaves fd as it is.
		_ = raw.Control(func(n uintptr) { fd = int(n) })
	}
	return raw, fd
}
