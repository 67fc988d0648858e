package instr

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// Listener is a net.Listener that can be watched. Safe for concurrent use. A nil *Listener
// and the zero Listener are closed.
type Listener struct {
	listener net.Listener
	handle   *socketHandle
	accepted atomic.Pointer[Class] // of the connections
	below    atomic.Pointer[func(net.Conn) net.Conn]
}

var _ interface {
	net.Listener
	syscall.Conn
} = (*Listener)(nil)

// Listen is net.Listen of a socket of the class wait/io/socket/NAME, which the calling
// thread owns. One call of net makes the socket, binds it and listens: it counts as one
// bind, which lasts as long as the call, and one listen, which takes no time. If it fails
// the bind alone counts, in the class.
//
//go:noinline
func (r *Registry) Listen(network, addr, name string) (*Listener, error) {
	return r.listen(context.Background(), new(net.ListenConfig), network, addr, name, callerPC())
}

// Listen is Registry.Listen of the default registry.
//
//go:noinline
func Listen(network, addr, name string) (*Listener, error) {
	return Default.listen(context.Background(), new(net.ListenConfig), network, addr, name, callerPC())
}

func (r *Registry) listen(ctx context.Context, config *net.ListenConfig, network, addr, name string, caller uintptr) (*Listener, error) {
	class := r.class(KindSocket, name)
	w := class.beginIO(OpBind, caller)
	l, err := config.Listen(ctx, network, addr)
	if err != nil {
		w.done(0)
		return nil, err
	}
	out := newListener(class, l, Current())
	out.handle.opened(&w)
	w = out.handle.begin(OpListen, caller)
	w.done(0)
	return out, nil
}

// WrapListener makes a Listener of the class wait/io/socket/NAME of one that listens
// already. Nobody owns it.
func (r *Registry) WrapListener(l net.Listener, name string) *Listener {
	return newListener(r.class(KindSocket, name), l, nil)
}

// WrapListener is Registry.WrapListener of the default registry.
func WrapListener(l net.Listener, name string) *Listener { return Default.WrapListener(l, name) }

func newListener(class *Class, l net.Listener, owner *Thread) *Listener {
	out := &Listener{listener: l, handle: newSocket(class, l, l.Addr(), owner)}
	out.accepted.Store(class)
	return out
}

// SetConnClass sets the class wait/io/socket/NAME of the connections that are accepted from now on;
// without it they have the class of the listener.
func (l *Listener) SetConnClass(name string) {
	if l.ok() {
		l.accepted.Store(l.accepted.Load().registry.class(KindSocket, name))
	}
}

// SetConnFunc makes Accept pass each connection to f, and watch the connection that f returns.
func (l *Listener) SetConnFunc(f func(net.Conn) net.Conn) {
	if l.ok() {
		l.below.Store(&f)
	}
}

// SetOwner says which thread the listener works for, nil for none.
func (l *Listener) SetOwner(t *Thread) {
	if l.ok() {
		l.handle.setOwner(t)
	}
}

// Instance is what is known of the listener, nil if nothing is.
func (l *Listener) Instance() *SocketInstance {
	if !l.ok() {
		return nil
	}
	return l.handle.instanceInfo()
}

func (l *Listener) ok() bool { return l != nil && l.listener != nil }

// Accept implements net.Listener, the operation accept; it returns a *Conn.
//
//go:noinline
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.accept(callerPC())
	if err != nil {
		return nil, err
	}
	return c, nil
}

// AcceptConn is Accept. Nobody owns the connection.
//
//go:noinline
func (l *Listener) AcceptConn() (*Conn, error) { return l.accept(callerPC()) }

func (l *Listener) accept(caller uintptr) (*Conn, error) {
	if !l.ok() {
		return nil, net.ErrClosed
	}
	w := l.handle.begin(OpAccept, caller)
	c, err := l.listener.Accept()
	w.done(0)
	if err != nil {
		return nil, err
	}
	if f := l.below.Load(); f != nil {
		c = (*f)(c)
	}
	return &Conn{c, newSocket(l.accepted.Load(), c, c.RemoteAddr(), nil)}, nil
}

// Close implements net.Listener, the operation close. The instance goes, and its class
// keeps what it has counted.
//
//go:noinline
func (l *Listener) Close() error {
	if !l.ok() {
		return net.ErrClosed
	}
	w := l.handle.begin(OpSocketClose, callerPC())
	l.handle.closed()
	err := l.listener.Close()
	w.done(0)
	return err
}

// SetDeadline is net.TCPListener.SetDeadline, the operation opt; it fails if the transport
// has none.
//
//go:noinline
func (l *Listener) SetDeadline(t time.Time) error {
	if !l.ok() {
		return net.ErrClosed
	}
	d, ok := l.listener.(interface{ SetDeadline(time.Time) error })
	if !ok {
		return errors.ErrUnsupported
	}
	w := l.handle.begin(OpOpt, callerPC())
	err := d.SetDeadline(t)
	w.done(0)
	return err
}

// Addr implements net.Listener; nil if there is no listener.
func (l *Listener) Addr() net.Addr {
	if !l.ok() {
		return nil
	}
	return l.listener.Addr()
}

// NetListener is the listener below; nil if there is none.
func (l *Listener) NetListener() net.Listener {
	if l == nil {
		return nil
	}
	return l.listener
}

// SyscallConn is the SyscallConn of the listener below; it fails if that has none.
func (l *Listener) SyscallConn() (syscall.RawConn, error) {
	if !l.ok() {
		return nil, net.ErrClosed
	}
	if s, ok := l.listener.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
