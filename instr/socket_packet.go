package instr

import (
	"net"
	"net/netip"
	"syscall"
)

// PacketConn is a net.PacketConn that can be watched, and has the other methods of a [Conn]. Safe for concurrent use. The zero
// PacketConn is no connection: its methods fail.
//
// Every packet counts once, with its bytes: reading one with its sender is recvfrom, writing one to an address sendto; Read and
// Write, of a connection that has another end, are recv and send.
type PacketConn struct {
	Conn
	packets net.PacketConn
}

var (
	_ net.PacketConn = (*PacketConn)(nil)
	_ net.PacketConn = (*UDPConn)(nil)
	_ net.PacketConn = (*UnixConn)(nil)
)

// packetsOnly is a net.PacketConn as a net.Conn without another end.
type packetsOnly struct{ net.PacketConn }

func (packetsOnly) Read([]byte) (int, error)  { return 0, syscall.ENOTCONN }
func (packetsOnly) Write([]byte) (int, error) { return 0, syscall.ENOTCONN }
func (packetsOnly) RemoteAddr() net.Addr      { return nil }

// newPacketConn makes a PacketConn of the class of one that is open.
func newPacketConn(class *Class, c net.PacketConn, owner *Thread) PacketConn {
	conn, ok := c.(net.Conn)
	if !ok {
		conn = packetsOnly{c}
	}
	addr := conn.RemoteAddr()
	if addr == nil {
		addr = conn.LocalAddr()
	}
	return PacketConn{Conn{conn, newSocket(class, c, addr, owner)}, c}
}

// WrapPacketConn makes a PacketConn of the class wait/io/socket/NAME of one that is open. Nobody owns it.
func (r *Registry) WrapPacketConn(c net.PacketConn, name string) *PacketConn {
	w := newPacketConn(r.class(KindSocket, name), c, nil)
	return &w
}

// WrapPacketConn is Registry.WrapPacketConn of the default registry.
func WrapPacketConn(c net.PacketConn, name string) *PacketConn {
	return Default.WrapPacketConn(c, name)
}

// ListenPacket is net.ListenPacket of a socket of the class wait/io/socket/NAME, the operation bind. The calling thread owns the
// socket. It returns a *UDPConn, a *UnixConn, or of other networks a *PacketConn.
//
//go:noinline
func (r *Registry) ListenPacket(network, addr, name string) (net.PacketConn, error) {
	caller := callerPC()
	return listenPacket(r.class(KindSocket, name), caller, func() (net.PacketConn, error) { return net.ListenPacket(network, addr) })
}

// ListenPacket is Registry.ListenPacket of the default registry.
//
//go:noinline
func ListenPacket(network, addr, name string) (net.PacketConn, error) {
	caller := callerPC()
	return listenPacket(Default.class(KindSocket, name), caller, func() (net.PacketConn, error) { return net.ListenPacket(network, addr) })
}

func listenPacket(class *Class, caller uintptr, open func() (net.PacketConn, error)) (net.PacketConn, error) {
	p, c, err := openPackets(class, OpBind, caller, open)
	if err != nil {
		return nil, err
	}
	switch c := c.(type) {
	case *net.UDPConn:
		return &UDPConn{p, c}, nil
	case *net.UnixConn:
		return &UnixConn{p, c}, nil
	}
	return &p, nil
}

// openPackets opens a connection, as the operation op.
func openPackets[C net.PacketConn](class *Class, op Op, caller uintptr, open func() (C, error)) (p PacketConn, c C, err error) {
	w := class.beginIO(op, caller)
	if c, err = open(); err != nil {
		w.done(0)
		return p, c, err
	}
	p = newPacketConn(class, c, Current())
	p.handle.opened(&w)
	return p, c, nil
}

// ReadFrom implements net.PacketConn, the operation recvfrom.
//
//go:noinline
func (c *PacketConn) ReadFrom(b []byte) (int, net.Addr, error) {
	if !c.ok() {
		return 0, nil, syscall.EINVAL
	}
	w := c.begin(OpRecvFrom, callerPC())
	n, addr, err := c.packets.ReadFrom(b)
	w.done(int64(n))
	return n, addr, err
}

// WriteTo implements net.PacketConn, the operation sendto.
//
//go:noinline
func (c *PacketConn) WriteTo(b []byte, addr net.Addr) (int, error) {
	if !c.ok() {
		return 0, syscall.EINVAL
	}
	w := c.begin(OpSendTo, callerPC())
	n, err := c.packets.WriteTo(b, addr)
	w.done(int64(n))
	return n, err
}

// UDPConn is a net.UDPConn that can be watched: [PacketConn] says how. Safe for concurrent use. The zero UDPConn is no
// connection: its methods fail.
type UDPConn struct {
	PacketConn
	udp *net.UDPConn
}

// plain is the connection below, one that is closed if there is none.
func (c *UDPConn) plain() *net.UDPConn {
	if c.udp == nil {
		return new(net.UDPConn)
	}
	return c.udp
}

// ListenUDP is net.ListenUDP of a socket of the class wait/io/socket/NAME, the operation bind. The calling thread owns the socket.
//
//go:noinline
func (r *Registry) ListenUDP(network string, laddr *net.UDPAddr, name string) (*UDPConn, error) {
	return r.listenUDP(network, laddr, name, callerPC())
}

// ListenUDP is Registry.ListenUDP of the default registry.
//
//go:noinline
func ListenUDP(network string, laddr *net.UDPAddr, name string) (*UDPConn, error) {
	return Default.listenUDP(network, laddr, name, callerPC())
}

func (r *Registry) listenUDP(network string, laddr *net.UDPAddr, name string, caller uintptr) (*UDPConn, error) {
	p, c, err := openPackets(r.class(KindSocket, name), OpBind, caller, func() (*net.UDPConn, error) { return net.ListenUDP(network, laddr) })
	if err != nil {
		return nil, err
	}
	return &UDPConn{p, c}, nil
}

// DialUDP is net.DialUDP, the operation connect of a socket of the class wait/io/socket/NAME. The calling thread owns the socket.
//
//go:noinline
func (r *Registry) DialUDP(network string, laddr, raddr *net.UDPAddr, name string) (*UDPConn, error) {
	return r.dialUDP(network, laddr, raddr, name, callerPC())
}

// DialUDP is Registry.DialUDP of the default registry.
//
//go:noinline
func DialUDP(network string, laddr, raddr *net.UDPAddr, name string) (*UDPConn, error) {
	return Default.dialUDP(network, laddr, raddr, name, callerPC())
}

func (r *Registry) dialUDP(network string, laddr, raddr *net.UDPAddr, name string, caller uintptr) (*UDPConn, error) {
	p, c, err := openPackets(r.class(KindSocket, name), OpConnect, caller, func() (*net.UDPConn, error) { return net.DialUDP(network, laddr, raddr) })
	if err != nil {
		return nil, err
	}
	return &UDPConn{p, c}, nil
}

// WrapUDPConn makes a UDPConn of the class wait/io/socket/NAME of one that is open. Nobody owns it.
func (r *Registry) WrapUDPConn(c *net.UDPConn, name string) *UDPConn {
	return &UDPConn{newPacketConn(r.class(KindSocket, name), c, nil), c}
}

// WrapUDPConn is Registry.WrapUDPConn of the default registry.
func WrapUDPConn(c *net.UDPConn, name string) *UDPConn { return Default.WrapUDPConn(c, name) }

// ReadFromUDP is net.UDPConn.ReadFromUDP, the operation recvfrom.
//
//go:noinline
func (c *UDPConn) ReadFromUDP(b []byte) (n int, addr *net.UDPAddr, err error) {
	w := c.begin(OpRecvFrom, callerPC())
	n, addr, err = c.plain().ReadFromUDP(b)
	w.done(int64(n))
	return n, addr, err
}

// ReadFromUDPAddrPort is net.UDPConn.ReadFromUDPAddrPort, the operation recvfrom.
//
//go:noinline
func (c *UDPConn) ReadFromUDPAddrPort(b []byte) (n int, addr netip.AddrPort, err error) {
	w := c.begin(OpRecvFrom, callerPC())
	n, addr, err = c.plain().ReadFromUDPAddrPort(b)
	w.done(int64(n))
	return n, addr, err
}

// ReadMsgUDP is net.UDPConn.ReadMsgUDP, the operation recvfrom; its bytes are those of the packet.
//
//go:noinline
func (c *UDPConn) ReadMsgUDP(b, oob []byte) (n, oobn, flags int, addr *net.UDPAddr, err error) {
	w := c.begin(OpRecvFrom, callerPC())
	n, oobn, flags, addr, err = c.plain().ReadMsgUDP(b, oob)
	w.done(int64(n))
	return n, oobn, flags, addr, err
}

// ReadMsgUDPAddrPort is net.UDPConn.ReadMsgUDPAddrPort, as ReadMsgUDP.
//
//go:noinline
func (c *UDPConn) ReadMsgUDPAddrPort(b, oob []byte) (n, oobn, flags int, addr netip.AddrPort, err error) {
	w := c.begin(OpRecvFrom, callerPC())
	n, oobn, flags, addr, err = c.plain().ReadMsgUDPAddrPort(b, oob)
	w.done(int64(n))
	return n, oobn, flags, addr, err
}

// WriteToUDP is net.UDPConn.WriteToUDP, the operation sendto.
//
//go:noinline
func (c *UDPConn) WriteToUDP(b []byte, addr *net.UDPAddr) (int, error) {
	w := c.begin(OpSendTo, callerPC())
	n, err := c.plain().WriteToUDP(b, addr)
	w.done(int64(n))
	return n, err
}

// WriteToUDPAddrPort is net.UDPConn.WriteToUDPAddrPort, the operation sendto.
//
//go:noinline
func (c *UDPConn) WriteToUDPAddrPort(b []byte, addr netip.AddrPort) (int, error) {
	w := c.begin(OpSendTo, callerPC())
	n, err := c.plain().WriteToUDPAddrPort(b, addr)
	w.done(int64(n))
	return n, err
}

// WriteMsgUDP is net.UDPConn.WriteMsgUDP, the operation sendto; its bytes are those of the packet.
//
//go:noinline
func (c *UDPConn) WriteMsgUDP(b, oob []byte, addr *net.UDPAddr) (n, oobn int, err error) {
	w := c.begin(OpSendTo, callerPC())
	n, oobn, err = c.plain().WriteMsgUDP(b, oob, addr)
	w.done(int64(n))
	return n, oobn, err
}

// WriteMsgUDPAddrPort is net.UDPConn.WriteMsgUDPAddrPort, as WriteMsgUDP.
//
//go:noinline
func (c *UDPConn) WriteMsgUDPAddrPort(b, oob []byte, addr netip.AddrPort) (n, oobn int, err error) {
	w := c.begin(OpSendTo, callerPC())
	n, oobn, err = c.plain().WriteMsgUDPAddrPort(b, oob, addr)
	w.done(int64(n))
	return n, oobn, err
}

// UnixConn is a net.UnixConn that can be watched, a stream or packets: [PacketConn] says how. Safe for concurrent use. The zero
// UnixConn is no connection: its methods fail.
type UnixConn struct {
	PacketConn
	unix *net.UnixConn
}

// plain is the connection below, one that is closed if there is none.
func (c *UnixConn) plain() *net.UnixConn {
	if c.unix == nil {
		return new(net.UnixConn)
	}
	return c.unix
}

// DialUnix is net.DialUnix, the operation connect of a socket of the class wait/io/socket/NAME. The calling thread owns the socket.
//
//go:noinline
func (r *Registry) DialUnix(network string, laddr, raddr *net.UnixAddr, name string) (*UnixConn, error) {
	return r.dialUnix(network, laddr, raddr, name, callerPC())
}

// DialUnix is Registry.DialUnix of the default registry.
//
//go:noinline
func DialUnix(network string, laddr, raddr *net.UnixAddr, name string) (*UnixConn, error) {
	return Default.dialUnix(network, laddr, raddr, name, callerPC())
}

func (r *Registry) dialUnix(network string, laddr, raddr *net.UnixAddr, name string, caller uintptr) (*UnixConn, error) {
	p, c, err := openPackets(r.class(KindSocket, name), OpConnect, caller, func() (*net.UnixConn, error) { return net.DialUnix(network, laddr, raddr) })
	if err != nil {
		return nil, err
	}
	return &UnixConn{p, c}, nil
}

// ListenUnixgram is net.ListenUnixgram of a socket of the class wait/io/socket/NAME, the operation bind. The calling thread owns
// the socket.
//
//go:noinline
func (r *Registry) ListenUnixgram(network string, laddr *net.UnixAddr, name string) (*UnixConn, error) {
	return r.listenUnixgram(network, laddr, name, callerPC())
}

// ListenUnixgram is Registry.ListenUnixgram of the default registry.
//
//go:noinline
func ListenUnixgram(network string, laddr *net.UnixAddr, name string) (*UnixConn, error) {
	return Default.listenUnixgram(network, laddr, name, callerPC())
}

func (r *Registry) listenUnixgram(network string, laddr *net.UnixAddr, name string, caller uintptr) (*UnixConn, error) {
	p, c, err := openPackets(r.class(KindSocket, name), OpBind, caller, func() (*net.UnixConn, error) { return net.ListenUnixgram(network, laddr) })
	if err != nil {
		return nil, err
	}
	return &UnixConn{p, c}, nil
}

// WrapUnixConn makes a UnixConn of the class wait/io/socket/NAME of one that is open. Nobody owns it.
func (r *Registry) WrapUnixConn(c *net.UnixConn, name string) *UnixConn {
	return &UnixConn{newPacketConn(r.class(KindSocket, name), c, nil), c}
}

// WrapUnixConn is Registry.WrapUnixConn of the default registry.
func WrapUnixConn(c *net.UnixConn, name string) *UnixConn { return Default.WrapUnixConn(c, name) }

// ReadFromUnix is net.UnixConn.ReadFromUnix, the operation recvfrom.
//
//go:noinline
func (c *UnixConn) ReadFromUnix(b []byte) (int, *net.UnixAddr, error) {
	w := c.begin(OpRecvFrom, callerPC())
	n, addr, err := c.plain().ReadFromUnix(b)
	w.done(int64(n))
	return n, addr, err
}

// ReadMsgUnix is net.UnixConn.ReadMsgUnix, the operation recvfrom; its bytes are those of the packet.
//
//go:noinline
func (c *UnixConn) ReadMsgUnix(b, oob []byte) (n, oobn, flags int, addr *net.UnixAddr, err error) {
	w := c.begin(OpRecvFrom, callerPC())
	n, oobn, flags, addr, err = c.plain().ReadMsgUnix(b, oob)
	w.done(int64(n))
	return n, oobn, flags, addr, err
}

// WriteToUnix is net.UnixConn.WriteToUnix, the operation sendto.
//
//go:noinline
func (c *UnixConn) WriteToUnix(b []byte, addr *net.UnixAddr) (int, error) {
	w := c.begin(OpSendTo, callerPC())
	n, err := c.plain().WriteToUnix(b, addr)
	w.done(int64(n))
	return n, err
}

// WriteMsgUnix is net.UnixConn.WriteMsgUnix, the operation sendto; its bytes are those of the packet.
//
//go:noinline
func (c *UnixConn) WriteMsgUnix(b, oob []byte, addr *net.UnixAddr) (n, oobn int, err error) {
	w := c.begin(OpSendTo, callerPC())
	n, oobn, err = c.plain().WriteMsgUnix(b, oob, addr)
	w.done(int64(n))
	return n, oobn, err
}
