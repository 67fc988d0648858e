package instr

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Each method of a packet connection counts once, with its bytes, from the line that calls it.
func TestPacketsCountExactly(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	th := r.Attach("test/worker")
	defer th.Detach()
	l := must(r.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, "test/server"))
	defer l.Close()
	at := l.LocalAddr().(*net.UDPAddr)
	c := must(r.DialUDP("udp", nil, at, "test/client"))
	defer c.Close()
	dir := t.TempDir()
	u := must(r.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "u"), Net: "unixgram"}, "test/unix"))
	defer u.Close()
	v := must(r.DialUnix("unixgram", nil, u.LocalAddr().(*net.UnixAddr), "test/dialed"))
	defer v.Close()
	from := must(r.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, "test/sender"))
	defer from.Close()
	check(t, l.SetDeadline(time.Now().Add(time.Minute)))
	check(t, u.SetDeadline(time.Now().Add(time.Minute)))
	if in := l.Instance(); in.IP() != "127.0.0.1" || in.Port() != at.Port || in.FD() < 0 || HasThreadLookup && in.Owner() != th.ID() {
		t.Errorf("the listening socket is %s:%d, %d, of %d", in.IP(), in.Port(), in.FD(), in.Owner())
	}
	if in := c.Instance(); in.Port() != at.Port {
		t.Errorf("the other end's port is %d", in.Port())
	}
	b := make([]byte, 10)
	ap := at.AddrPort()
	unixAt := u.LocalAddr().(*net.UnixAddr)
	w := must(r.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "w"), Net: "unixgram"}, "test/unixsender"))
	defer w.Close()
	// Each pair sends 3 bytes and receives them.
	for _, p := range []struct {
		name, send, receive string
		do                  func() (sent, received int)
	}{
		{"Write", "send", "recvfrom", func() (int, int) { c.Write(b[:3]); l.ReadFrom(b); return line(), line() }},
		{"WriteTo", "sendto", "recvfrom", func() (int, int) { from.WriteTo(b[:3], at); l.ReadFromUDP(b); return line(), line() }},
		{"WriteToUDP", "sendto", "recvfrom", func() (int, int) { from.WriteToUDP(b[:3], at); l.ReadFromUDPAddrPort(b); return line(), line() }},
		{"WriteToUDPAddrPort", "sendto", "recvfrom", func() (int, int) { from.WriteToUDPAddrPort(b[:3], ap); l.ReadMsgUDP(b, nil); return line(), line() }},
		{"WriteMsgUDP", "sendto", "recvfrom", func() (int, int) {
			from.WriteMsgUDP(b[:3], nil, at)
			l.ReadMsgUDPAddrPort(b, nil)
			return line() - 2, line() - 1
		}},
		{"WriteMsgUDPAddrPort", "sendto", "recv", func() (int, int) { from.WriteMsgUDPAddrPort(b[:3], nil, ap); l.Read(b); return line(), line() }},
		{"unix Write", "send", "recvfrom", func() (int, int) { v.Write(b[:3]); u.ReadFrom(b); return line(), line() }},
		{"unix WriteTo", "sendto", "recvfrom", func() (int, int) { w.WriteTo(b[:3], unixAt); u.ReadFromUnix(b); return line(), line() }},
		{"WriteToUnix", "sendto", "recvfrom", func() (int, int) { w.WriteToUnix(b[:3], unixAt); u.ReadMsgUnix(b, nil); return line(), line() }},
		{"WriteMsgUnix", "sendto", "recv", func() (int, int) { w.WriteMsgUnix(b[:3], nil, unixAt); u.Read(b); return line(), line() }},
	} {
		r.Reader().TruncateWaitsHistoryLong()
		sent, received := p.do()
		if !HasThreadLookup {
			continue
		}
		events := longEvents(r)
		if len(events) != 2 || events[0].Op.String() != p.send || events[1].Op.String() != p.receive || events[0].Bytes != 3 || events[1].Bytes != 3 {
			t.Errorf("%s: %+v", p.name, events)
			continue
		}
		for i, line := range []int{sent, received} {
			if got, want := events[i].Source(), "socket_packet_test.go:"; got != want+strconv.Itoa(line) {
				t.Errorf("%s: the source is %s, want line %d", p.name, got, line)
			}
		}
	}
	if got := countsOf(l.Instance().IO()); got != (counts{reads: 6, readBytes: 18, misc: 2}) { // bind, opt
		t.Errorf("the server counts %+v", got)
	}
	if got := countsOf(c.Instance().IO()); got != (counts{writes: 1, writeBytes: 3, misc: 1}) {
		t.Errorf("the client counts %+v", got)
	}
	if got := countsOf(w.Instance().IO()); got != (counts{writes: 3, writeBytes: 9, misc: 1}) {
		t.Errorf("the sender counts %+v", got)
	}
	check(t, l.Close())
	if n := len(r.Reader().ClassByName("wait/io/socket/test/server").Instances()); n != 0 {
		t.Errorf("%d sockets are left", n)
	}
}

// Through an interface, a method that another type has made records its caller all the same.
func TestPromotedMethodsKnowTheirCaller(t *testing.T) {
	if !HasThreadLookup || raceEnabled {
		t.Skip("needs wrappers that jump")
	}
	r := NewRegistry()
	watchAll(r)
	defer r.Attach("test/worker").Detach()
	var c net.Conn = must(r.DialUDP("udp", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}, "test/client"))
	defer c.Close()
	r.Reader().TruncateWaitsHistoryLong()
	for what, do := range map[string]func(){
		"Write": func() { c.Write([]byte("x")) }, "SetDeadline": func() { c.SetDeadline(time.Time{}) },
	} {
		do()
		e := longEvents(r)
		if got := e[len(e)-1].Source(); !strings.HasPrefix(got, "socket_packet_test.go:") {
			t.Errorf("%s: the source is %s", what, got)
		}
	}
}

// All methods of the plain types are there.
func TestPacketsHaveAllMethods(t *testing.T) {
	without := map[string]bool{"File": true, "MultipathTCP": true, "SetMultipathTCP": true}
	for _, c := range []struct{ plain, ours reflect.Type }{
		{reflect.TypeFor[*net.UDPConn](), reflect.TypeFor[*UDPConn]()},
		{reflect.TypeFor[*net.UnixConn](), reflect.TypeFor[*UnixConn]()},
		{reflect.TypeFor[*net.Dialer](), reflect.TypeFor[*Dialer]()},
		{reflect.TypeFor[*net.ListenConfig](), reflect.TypeFor[*ListenConfig]()},
	} {
		for m := range c.plain.Methods() {
			if _, ok := c.ours.MethodByName(m.Name); !ok && !without[m.Name] {
				t.Errorf("%v has no %s", c.ours, m.Name)
			}
		}
	}
}

func TestListenPacket(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	udp := must(r.ListenPacket("udp", "127.0.0.1:0", "test/packets")).(*UDPConn)
	unix := must(r.ListenPacket("unixgram", filepath.Join(t.TempDir(), "s"), "test/packets")).(*UnixConn)
	if _, err := r.ListenPacket("udp", "127.0.0.1:none", "test/packets"); err == nil {
		t.Error("a port without a number can be listened on")
	}
	wrapped := r.WrapPacketConn(memoryPackets{}, "test/memory")
	if n, addr, err := wrapped.ReadFrom(make([]byte, 5)); n != 5 || addr == nil || err != nil {
		t.Error(n, addr, err)
	}
	if _, err := wrapped.Read(nil); !errors.Is(err, syscall.ENOTCONN) {
		t.Errorf("Read of a connection without another end: %v", err)
	}
	if got := countsOf(wrapped.Instance().IO()); got != (counts{reads: 2, readBytes: 5}) {
		t.Errorf("counted %+v", got)
	}
	check(t, wrapped.Close())
	check(t, udp.Close())
	check(t, unix.Close())
	class := r.Reader().ClassByName("wait/io/socket/test/packets")
	if got := countsOf(class.IO()); got != (counts{misc: 5}) { // bind three times, close twice
		t.Errorf("counted %+v", got)
	}
	if len(class.Instances()) != 0 {
		t.Error("sockets are left")
	}
	for what, c := range map[string]interface {
		net.PacketConn
		net.Conn
	}{"packets": &PacketConn{}, "udp": &UDPConn{}, "unix": &UnixConn{}} {
		if _, _, err := c.ReadFrom(nil); err == nil {
			t.Errorf("%s: ReadFrom of nothing succeeds", what)
		}
		if _, err := c.WriteTo(nil, &net.UDPAddr{}); err == nil {
			t.Errorf("%s: WriteTo nowhere succeeds", what)
		}
		if c.Close() == nil || c.LocalAddr() != nil {
			t.Errorf("%s: it is there", what)
		}
	}
	var none UDPConn
	if _, _, err := none.ReadFromUDPAddrPort(nil); !errors.Is(err, syscall.EINVAL) {
		t.Error(err)
	}
}

type memoryPackets struct{ net.PacketConn }

func (memoryPackets) ReadFrom(b []byte) (int, net.Addr, error) { return len(b), &net.UDPAddr{}, nil }
func (memoryPackets) LocalAddr() net.Addr                      { return &net.UDPAddr{} }
func (memoryPackets) Close() error                             { return nil }

// A Dialer and a ListenConfig take the options of the plain ones.
func TestDialerAndListenConfig(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	controlled := 0
	control := func(string, string, syscall.RawConn) error { controlled++; return nil }
	lc := ListenConfig{ListenConfig: net.ListenConfig{Control: control}, Name: "test/listener", Registry: r}
	l := must(lc.Listen(context.Background(), "tcp", "127.0.0.1:0"))
	defer l.Close()
	d := Dialer{Dialer: net.Dialer{Control: control}, Name: "test/client", Registry: r}
	c := must(d.DialContext(context.Background(), "tcp", l.Addr().String())).(*Conn)
	defer c.Close()
	p := must(lc.ListenPacket(context.Background(), "udp", "127.0.0.1:0")).(*UDPConn)
	defer p.Close()
	if controlled != 3 {
		t.Errorf("the options are used %d times, want 3", controlled)
	}
	if got := countsOf(l.(*Listener).Instance().IO()); got != (counts{misc: 2}) {
		t.Errorf("the listener counts %+v", got)
	}
	if got := c.Instance().Class().Name(); got != "wait/io/socket/test/client" {
		t.Errorf("the connection is a %s", got)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if x, err := d.DialContext(ended, "tcp", l.Addr().String()); err == nil || x != nil {
		t.Errorf("dialled after the end: %v, %v", x, err)
	}
	if x, err := lc.Listen(ended, "none", ""); err == nil || x != nil {
		t.Errorf("listens: %v, %v", x, err)
	}
	var zero Dialer
	z := must(zero.Dial("tcp", l.Addr().String())).(*Conn)
	defer z.Close()
	if got := z.Instance().Class(); got.Name() != "wait/io/socket/net/dialer" || got.registry != Default {
		t.Errorf("a zero Dialer's connection is a %s", got.Name())
	}
	runtime.KeepAlive(l)
}
