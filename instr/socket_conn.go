package instr

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// Conn is a net.Conn that can be watched. Safe for concurrent use, as a net.Conn is. A nil *Conn
// and the zero Conn have no connection: their methods fail.
//
// Every operation counts once, with the bytes that it moved: reading is recv, writing send,
// Close close, CloseRead and CloseWrite shutdown, and every Set method of the transport opt.
type Conn struct {
	conn   net.Conn
	handle *socketHandle
}

var _ interface {
	net.Conn
	io.ReaderFrom
	io.WriterTo
	syscall.Conn
} = (*Conn)(nil)

// Dial is net.Dial, the operation connect of a socket of the class wait/io/socket/NAME. The
// calling thread owns the socket.
//
//go:noinline
func (r *Registry) Dial(network, addr, name string) (*Conn, error) {
	return r.dial(context.Background(), new(net.Dialer), network, addr, name, callerPC())
}

// DialContext is Dial, but gives up when the context ends.
//
//go:noinline
func (r *Registry) DialContext(ctx context.Context, network, addr, name string) (*Conn, error) {
	return r.dial(ctx, new(net.Dialer), network, addr, name, callerPC())
}

// Dial is Registry.Dial of the default registry.
//
//go:noinline
func Dial(network, addr, name string) (*Conn, error) {
	return Default.dial(context.Background(), new(net.Dialer), network, addr, name, callerPC())
}

// DialContext is Registry.DialContext of the default registry.
//
//go:noinline
func DialContext(ctx context.Context, network, addr, name string) (*Conn, error) {
	return Default.dial(ctx, new(net.Dialer), network, addr, name, callerPC())
}

func (r *Registry) dial(ctx context.Context, d *net.Dialer, network, addr, name string, caller uintptr) (*Conn, error) {
	class := r.class(KindSocket, name)
	w := class.beginIO(OpConnect, caller)
	conn, err := d.DialContext(ctx, network, addr)
	if err != nil {
		w.done(0)
		return nil, err
	}
	h := newSocket(class, conn, conn.RemoteAddr(), Current())
	h.opened(&w)
	return &Conn{conn, h}, nil
}

// WrapConn makes a Conn of the class wait/io/socket/NAME of an open connection. Nobody owns
// it.
func (r *Registry) WrapConn(conn net.Conn, name string) *Conn {
	return &Conn{conn, newSocket(r.class(KindSocket, name), conn, conn.RemoteAddr(), nil)}
}

// WrapConn is Registry.WrapConn of the default registry.
func WrapConn(conn net.Conn, name string) *Conn { return Default.WrapConn(conn, name) }

// NetConn is the connection below; nil if there is none.
func (c *Conn) NetConn() net.Conn {
	if c == nil {
		return nil
	}
	return c.conn
}

// Instance is what is known of the connection, nil if nothing is.
func (c *Conn) Instance() *SocketInstance {
	if c == nil {
		return nil
	}
	return c.handle.instanceInfo()
}

// SetOwner says which thread the connection works for, nil for none.
func (c *Conn) SetOwner(t *Thread) {
	if c != nil {
		c.handle.setOwner(t)
	}
}

// SetIdle says whether the connection is idle: the other end is not expected to send anything soon.
// While it is idle, a read counts as an operation from the moment at which there is something to
// read; record the time before with [Thread.StartIdle]. If the connection below has no descriptor
// that shows that moment, reads are counted but not timed.
func (c *Conn) SetIdle(idle bool) {
	if in := c.Instance(); in != nil {
		in.idle.Store(idle)
	}
}

func (c *Conn) ok() bool { return c != nil && c.conn != nil }

func (c *Conn) below() io.ReadWriter {
	if !c.ok() {
		return nil
	}
	return c.conn
}

func (c *Conn) operations() (read, write Op) { return OpRecv, OpSend }

// begin starts an operation on the connection.
func (c *Conn) begin(op Op, caller uintptr) ioWait {
	if c == nil {
		return ioWait{}
	}
	return c.handle.begin(op, caller)
}

// Read implements net.Conn, the operation recv.
//
//go:noinline
func (c *Conn) Read(b []byte) (int, error) {
	if !c.ok() {
		return 0, syscall.EINVAL
	}
	sw := c.handle.switches()
	if sw == 0 {
		return c.conn.Read(b)
	}
	w := c.handle.start(c.handle.idleUntil(sw), OpRecv, callerPC())
	n, err := c.conn.Read(b)
	c.handle.finish(w, OpRecv, n)
	return n, err
}

func (c *Conn) read(b []byte, caller uintptr) (int, error) {
	if !c.ok() {
		return 0, syscall.EINVAL
	}
	w := c.begin(OpRecv, caller)
	n, err := c.conn.Read(b)
	w.done(int64(n))
	return n, err
}

// Write implements net.Conn, the operation send.
//
//go:noinline
func (c *Conn) Write(b []byte) (int, error) {
	if !c.ok() {
		return 0, syscall.EINVAL
	}
	sw := c.handle.switches()
	if sw == 0 {
		return c.conn.Write(b)
	}
	w := c.handle.start(sw, OpSend, callerPC())
	n, err := c.conn.Write(b)
	c.handle.finish(w, OpSend, n)
	return n, err
}

func (c *Conn) write(b []byte, caller uintptr) (int, error) {
	if !c.ok() {
		return 0, syscall.EINVAL
	}
	w := c.begin(OpSend, caller)
	n, err := c.conn.Write(b)
	w.done(int64(n))
	return n, err
}

// ReadFrom implements io.ReaderFrom. What the kernel copies, from a file or a connection,
// is one send here and one read or recv there; else each piece is a send.
//
//go:noinline
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if !c.ok() {
		return 0, syscall.EINVAL
	}
	return transfer(c, r, callerPC())
}

// WriteTo implements io.WriterTo. What the kernel copies, to a file or a connection, is one
// recv here and one write or send there; else each piece is a recv.
//
//go:noinline
func (c *Conn) WriteTo(w io.Writer) (int64, error) {
	if !c.ok() {
		return 0, syscall.EINVAL
	}
	return transferTo(w, c, callerPC())
}

// Close implements net.Conn, the operation close. The instance goes, and its class keeps
// what it has counted.
//
//go:noinline
func (c *Conn) Close() error {
	if !c.ok() {
		return syscall.EINVAL
	}
	w := c.begin(OpSocketClose, callerPC())
	// Hide the instance first: when the socket is closed, another socket may get the same
	// descriptor number.
	c.handle.closed()
	err := c.conn.Close()
	w.done(0)
	return err
}

// set calls f, which sets an option of a transport of type T, as the operation op.
func set[T any](c *Conn, op Op, caller uintptr, f func(T) error) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	t, ok := c.conn.(T)
	if !ok {
		return &net.OpError{Op: op.String(), Net: c.conn.LocalAddr().Network(), Addr: c.conn.RemoteAddr(), Err: errors.ErrUnsupported}
	}
	w := c.begin(op, caller)
	err := f(t)
	w.done(0)
	return err
}

// CloseRead shuts down the reading side, the operation shutdown; it fails if the transport
// has none.
//
//go:noinline
func (c *Conn) CloseRead() error {
	return set(c, OpShutdown, callerPC(), func(t interface{ CloseRead() error }) error { return t.CloseRead() })
}

// CloseWrite shuts down the writing side, as CloseRead.
//
//go:noinline
func (c *Conn) CloseWrite() error {
	return set(c, OpShutdown, callerPC(), func(t interface{ CloseWrite() error }) error { return t.CloseWrite() })
}

// SetDeadline implements net.Conn, the operation opt.
//
//go:noinline
func (c *Conn) SetDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	w := c.begin(OpOpt, callerPC())
	err := c.conn.SetDeadline(t)
	w.done(0)
	return err
}

// SetReadDeadline implements net.Conn, the operation opt.
//
//go:noinline
func (c *Conn) SetReadDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	w := c.begin(OpOpt, callerPC())
	err := c.conn.SetReadDeadline(t)
	w.done(0)
	return err
}

// SetWriteDeadline implements net.Conn, the operation opt.
//
//go:noinline
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if !c.ok() {
		return syscall.EINVAL
	}
	w := c.begin(OpOpt, callerPC())
	err := c.conn.SetWriteDeadline(t)
	w.done(0)
	return err
}

// SetNoDelay is net.TCPConn.SetNoDelay, the operation opt; it fails if the transport does not have
// this option. So do the other Set methods.
//
//go:noinline
func (c *Conn) SetNoDelay(on bool) error {
	return set(c, OpOpt, callerPC(), func(t interface{ SetNoDelay(bool) error }) error { return t.SetNoDelay(on) })
}

// SetKeepAlive is net.TCPConn.SetKeepAlive, the operation opt.
//
//go:noinline
func (c *Conn) SetKeepAlive(on bool) error {
	return set(c, OpOpt, callerPC(), func(t interface{ SetKeepAlive(bool) error }) error { return t.SetKeepAlive(on) })
}

// SetKeepAlivePeriod is net.TCPConn.SetKeepAlivePeriod, the operation opt.
//
//go:noinline
func (c *Conn) SetKeepAlivePeriod(d time.Duration) error {
	return set(c, OpOpt, callerPC(), func(t interface{ SetKeepAlivePeriod(time.Duration) error }) error {
		return t.SetKeepAlivePeriod(d)
	})
}

// SetKeepAliveConfig is net.TCPConn.SetKeepAliveConfig, the operation opt.
//
//go:noinline
func (c *Conn) SetKeepAliveConfig(config net.KeepAliveConfig) error {
	return set(c, OpOpt, callerPC(), func(t interface {
		SetKeepAliveConfig(net.KeepAliveConfig) error
	}) error {
		return t.SetKeepAliveConfig(config)
	})
}

// SetLinger is net.TCPConn.SetLinger, the operation opt.
//
//go:noinline
func (c *Conn) SetLinger(seconds int) error {
	return set(c, OpOpt, callerPC(), func(t interface{ SetLinger(int) error }) error { return t.SetLinger(seconds) })
}

// SetReadBuffer is net.TCPConn.SetReadBuffer, the operation opt.
//
//go:noinline
func (c *Conn) SetReadBuffer(bytes int) error {
	return set(c, OpOpt, callerPC(), func(t interface{ SetReadBuffer(int) error }) error { return t.SetReadBuffer(bytes) })
}

// SetWriteBuffer is net.TCPConn.SetWriteBuffer, the operation opt.
//
//go:noinline
func (c *Conn) SetWriteBuffer(bytes int) error {
	return set(c, OpOpt, callerPC(), func(t interface{ SetWriteBuffer(int) error }) error { return t.SetWriteBuffer(bytes) })
}

// LocalAddr implements net.Conn; nil if there is no connection.
func (c *Conn) LocalAddr() net.Addr {
	if !c.ok() {
		return nil
	}
	return c.conn.LocalAddr()
}

// RemoteAddr implements net.Conn; nil if there is no connection.
func (c *Conn) RemoteAddr() net.Addr {
	if !c.ok() {
		return nil
	}
	return c.conn.RemoteAddr()
}

// SyscallConn is the SyscallConn of the transport; it fails if the transport has none.
func (c *Conn) SyscallConn() (syscall.RawConn, error) {
	if !c.ok() {
		return nil, syscall.EINVAL
	}
	if s, ok := c.conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
