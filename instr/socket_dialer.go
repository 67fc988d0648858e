package instr

import (
	"cmp"
	"context"
	"net"
)

// Dialer is a net.Dialer, with its options, whose connections are sockets of the class wait/io/socket/NAME. Safe for concurrent
// use; its fields must not change once it dials.
//
//	transport.DialContext = (&instr.Dialer{Name: "web/upstream"}).DialContext
type Dialer struct {
	net.Dialer
	// Name is that of the connections, net/dialer if it is "".
	Name string
	// Registry is nil for Default.
	Registry *Registry
}

// Dial is net.Dialer.Dial, the operation connect; it returns a *Conn. The calling thread owns the socket.
//
//go:noinline
func (d *Dialer) Dial(network, addr string) (net.Conn, error) {
	return d.dial(context.Background(), network, addr, callerPC())
}

// DialContext is Dial, given up when the context ends.
//
//go:noinline
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return d.dial(ctx, network, addr, callerPC())
}

func (d *Dialer) dial(ctx context.Context, network, addr string, caller uintptr) (net.Conn, error) {
	c, err := cmp.Or(d.Registry, Default).dial(ctx, &d.Dialer, network, addr, cmp.Or(d.Name, "net/dialer"), caller)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// ListenConfig is a net.ListenConfig, with its options, whose sockets are of the class wait/io/socket/NAME. Safe for concurrent
// use; its fields must not change once it listens.
type ListenConfig struct {
	net.ListenConfig
	// Name is that of the sockets, net/listener if it is "".
	Name string
	// Registry is nil for Default.
	Registry *Registry
}

// Listen is net.ListenConfig.Listen, and counts as [Registry.Listen] does; it returns a *Listener. The calling thread owns the
// socket.
//
//go:noinline
func (l *ListenConfig) Listen(ctx context.Context, network, addr string) (net.Listener, error) {
	out, err := cmp.Or(l.Registry, Default).listen(ctx, &l.ListenConfig, network, addr, cmp.Or(l.Name, "net/listener"), callerPC())
	if err != nil {
		return nil, err
	}
	return out, nil
}

// ListenPacket is net.ListenConfig.ListenPacket, and counts as [Registry.ListenPacket] does. The calling thread owns the socket.
//
//go:noinline
func (l *ListenConfig) ListenPacket(ctx context.Context, network, addr string) (net.PacketConn, error) {
	caller := callerPC()
	class := cmp.Or(l.Registry, Default).class(KindSocket, cmp.Or(l.Name, "net/listener"))
	return listenPacket(class, caller, func() (net.PacketConn, error) { return l.ListenConfig.ListenPacket(ctx, network, addr) })
}
