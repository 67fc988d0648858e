package instr

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pfsd/timers"
)

// socketPair listens, dials and accepts.
func socketPair(t *testing.T, r *Registry, network, addr string) (l *Listener, client, server *Conn) {
	t.Helper()
	l = must(r.Listen(network, addr, "test/listener"))
	l.SetConnClass("test/server")
	client = must(r.Dial(network, l.Addr().String(), "test/client"))
	server = must(l.AcceptConn())
	t.Cleanup(func() {
		client.Close()
		server.Close()
		l.Close()
	})
	return l, client, server
}

func TestSocketCountsExactly(t *testing.T) {
	for _, network := range []string{"tcp", "tcp4", "unix"} {
		t.Run(network, func(t *testing.T) {
			r := NewRegistry()
			watchAll(r)
			addr := "127.0.0.1:0"
			if network == "unix" {
				addr = filepath.Join(t.TempDir(), "s")
			}
			th := r.Attach("test/worker")
			defer th.Detach()
			l, client, server := socketPair(t, r, network, addr)
			classOf := func(name string) *Class { return r.Reader().ClassByName("wait/io/socket/test/" + name) }

			must(client.Write([]byte("hello")))
			buf := make([]byte, 3)
			must(server.Read(buf))
			must(server.Read(buf)) // 2 bytes
			deadline := time.Now().Add(time.Minute)
			check(t, server.SetDeadline(deadline))
			check(t, server.SetReadDeadline(deadline))
			check(t, server.SetWriteDeadline(deadline))
			opts := uint64(3)
			check(t, server.SetReadBuffer(8192))
			check(t, server.SetWriteBuffer(8192))
			opts += 2
			for _, err := range []error{
				server.SetNoDelay(true), server.SetKeepAlive(true), server.SetKeepAlivePeriod(time.Minute),
				server.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true}), server.SetLinger(-1),
			} {
				if network == "unix" {
					if !errors.Is(err, errors.ErrUnsupported) {
						t.Errorf("an option of TCP: %v", err)
					}
				} else {
					check(t, err)
					opts++
				}
			}
			check(t, client.CloseWrite())
			if n, err := server.Read(buf); n != 0 || err != io.EOF {
				t.Errorf("Read at the end = %d, %v", n, err)
			}
			check(t, server.CloseRead())
			check(t, l.SetDeadline(time.Now().Add(-time.Second)))
			if _, err := l.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Accept after the deadline: %v", err)
			}

			want := map[string]counts{
				"listener": {misc: 5}, // bind, listen, accept, opt, accept
				"client":   {writes: 1, writeBytes: 5, misc: 2},
				"server":   {reads: 3, readBytes: 5, misc: opts + 1},
			}
			ids := map[string]uint64{"listener": l.Instance().ID(), "client": client.Instance().ID(), "server": server.Instance().ID()}
			for name, want := range want {
				c := classOf(name)
				if got := countsOf(c.Instances()[0].(*SocketInstance).IO()); got != want {
					t.Errorf("the %s counts %+v, want %+v", name, got, want)
				}
				if got := th.classWaits(c).Count; HasThreadLookup && got != want.all() {
					t.Errorf("the thread counts %d for the %s, want %d", got, name, want.all())
				}
				for _, e := range longEvents(r) {
					if e.Class == c && (e.Object != ids[name] || e.HasBytes() != (e.Op == OpSend || e.Op == OpRecv)) {
						t.Errorf("%s: %v: %+v", name, e.Op, e)
					}
				}
			}
			check(t, client.Close())
			check(t, server.Close())
			check(t, l.Close())
			if err := client.Close(); err == nil {
				t.Error("the second Close succeeds")
			}
			if n := len(instancesOf[*SocketInstance](r, KindSocket)); n != 0 {
				t.Errorf("%d sockets are left", n)
			}
			for name, want := range want {
				want.misc++
				if name == "client" {
					want.misc++
				}
				if got := countsOf(classOf(name).IO()); got != want {
					t.Errorf("the class of the %s counts %+v, want %+v", name, got, want)
				}
			}
			ops := opsOf(r, classOf("listener"))
			if want := (map[string]int{"bind": 1, "listen": 1, "accept": 2, "opt": 1, "close": 1}); HasThreadLookup && !equalMaps(ops, want) {
				t.Errorf("events of the listener: %v", ops)
			}
			ops = opsOf(r, classOf("client"))
			if want := (map[string]int{"connect": 1, "send": 1, "shutdown": 1, "close": 2}); HasThreadLookup && !equalMaps(ops, want) {
				t.Errorf("events of the client: %v", ops)
			}
		})
	}
}

func TestSocketInstance(t *testing.T) {
	r := NewRegistry()
	th := r.Attach("test/owner")
	defer th.Detach()
	l, client, server := socketPair(t, r, "tcp", "127.0.0.1:0")
	at := l.Addr().(*net.TCPAddr)
	from := client.LocalAddr().(*net.TCPAddr)
	maker := th.ID()
	if !HasThreadLookup {
		maker = 0
	}
	for _, c := range []struct {
		what  string
		in    *SocketInstance
		port  int
		owner uint64
	}{
		{"listener", l.Instance(), at.Port, maker},
		{"client", client.Instance(), at.Port, maker},
		{"server", server.Instance(), from.Port, 0},
	} {
		if c.in.IP() != "127.0.0.1" || c.in.Port() != c.port || c.in.Owner() != c.owner || c.in.FD() < 0 || c.in.Idle() {
			t.Errorf("%s: %s:%d, owner %d, descriptor %d, idle %v", c.what, c.in.IP(), c.in.Port(), c.in.Owner(), c.in.FD(), c.in.Idle())
		}
	}
	server.SetOwner(th)
	if got := server.Instance().Owner(); got != th.ID() {
		t.Errorf("the owner is %d, want %d", got, th.ID())
	}
	server.SetOwner(nil)
	if got := server.Instance().Owner(); got != 0 {
		t.Errorf("the owner is %d, want none", got)
	}
	u, _, _ := socketPair(t, r, "unix", filepath.Join(t.TempDir(), "s"))
	if in := u.Instance(); in.IP() != "" || in.Port() != 0 || in.FD() < 0 {
		t.Errorf("a Unix socket: %q:%d, descriptor %d", in.IP(), in.Port(), in.FD())
	}
	if n := len(instancesOf[*SocketInstance](r, KindSocket)); n != 6 {
		t.Errorf("%d sockets, want 6", n)
	}
}

// While a connection is idle, reading from it is an operation from when there is something to read.
// Before that the thread is in no wait but idle.
func TestSocketIdle(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			r := NewRegistry()
			watchAll(r)
			addr := "127.0.0.1:0"
			if network == "unix" {
				addr = filepath.Join(t.TempDir(), "s")
			}
			_, client, server := socketPair(t, r, network, addr)
			server.Instance().resetWaits()
			server.SetIdle(true)
			if !server.Instance().Idle() {
				t.Error("it is not idle")
			}
			th, done := make(chan *Thread), make(chan error)
			r.Go("test/reader", func() {
				th <- Current()
				defer Current().StartIdle().End()
				n, err := server.Read(make([]byte, 10))
				if n != 3 {
					t.Errorf("%d bytes read, %v", n, err)
				}
				done <- err
			})
			reader := <-th
			eventually(t, "the reader is idle", func() bool { return len(reader.CurrentWaits(nil)) > 0 })
			for range 1000 { // as many chances as it takes to be in the middle of Read
				for _, e := range reader.CurrentWaits(nil) {
					if e.Op == OpRecv {
						t.Fatal("it waits for the socket")
					}
				}
				runtime.Gosched()
			}
			idle := timers.ReadCycle()
			eventually(t, "time goes by", func() bool { return timers.ReadCycle()-idle > 1e7 })
			must(client.Write([]byte("abc")))
			check(t, <-done)
			got := server.Instance().IO()
			if got.Read.Untimed != 0 || !got.Read.Timed() {
				t.Errorf("the read is %+v", got.Read)
			}
			if counted := countsOf(got); counted != (counts{reads: 1, readBytes: 3}) {
				t.Errorf("counted %+v", counted)
			}

			// Errors are those without the instrument.
			check(t, server.SetReadDeadline(time.Now().Add(-time.Second)))
			if _, err := server.Read(make([]byte, 10)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Read after the deadline: %v", err)
			}
			check(t, server.SetReadDeadline(time.Time{}))
			check(t, client.CloseWrite())
			if n, err := server.Read(make([]byte, 10)); n != 0 || err != io.EOF {
				t.Errorf("Read at the end: %d, %v", n, err)
			}
			check(t, server.Close())
			if _, err := server.Read(make([]byte, 10)); !errors.Is(err, net.ErrClosed) {
				t.Errorf("Read after Close: %v", err)
			}
		})
	}
}

// Without a descriptor it is not known when there is something to read: such reads of an idle
// connection count, but are not timed.
func TestSocketIdleWithoutDescriptor(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	a, b := net.Pipe()
	defer b.Close()
	pipe := r.WrapConn(a, "test/pipe")
	defer pipe.Close()
	for i, idle := range []bool{true, false} {
		pipe.SetIdle(idle)
		go b.Write([]byte("abc"))
		must(pipe.Read(make([]byte, 10)))
		if got := pipe.Instance().IO().Read; got.Count != uint64(i+1) || got.Untimed != 1 {
			t.Errorf("idle %v: %+v", idle, got)
		}
	}
}

func TestSocketOff(t *testing.T) {
	r := NewRegistry()
	l, client, server := socketPair(t, r, "tcp", "127.0.0.1:0")
	must(client.Write([]byte("abc")))
	must(server.Read(make([]byte, 10)))
	check(t, server.SetNoDelay(true))
	if len(instancesOf[*SocketInstance](r, KindSocket)) != 3 {
		t.Errorf("%d instances with the instruments off, want 3", len(instancesOf[*SocketInstance](r, KindSocket)))
	}
	watchAll(r)
	must(client.Write([]byte("de")))
	must(server.Read(make([]byte, 10)))
	if got := countsOf(server.Instance().IO()); got != (counts{reads: 1, readBytes: 2}) {
		t.Errorf("counted %+v", got)
	}
	check(t, l.Close())
}

func TestSocketFailures(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	defer r.Attach("test/worker").Detach()
	l := must(r.Listen("tcp", "127.0.0.1:0", "test/listener"))
	if _, err := r.Listen("tcp", l.Addr().String(), "test/listener"); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a used port: %v", err)
	}
	check(t, l.Close())
	if _, err := r.Dial("tcp", l.Addr().String(), "test/client"); err == nil {
		t.Error("nobody listens, but Dial succeeds")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.DialContext(ctx, "tcp", l.Addr().String(), "test/client"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Dial: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept after Close: %v", err)
	}
	for name, want := range map[string]counts{"listener": {misc: 5}, "client": {misc: 2}} { // bind, listen, bind, close, accept
		if got := countsOf(r.Reader().ClassByName("wait/io/socket/test/" + name).IO()); got != want {
			t.Errorf("the class of the %s counts %+v, want %+v", name, got, want)
		}
	}
}

func TestSocketZeroValues(t *testing.T) {
	var noConn *Conn
	for _, c := range []*Conn{noConn, {}} {
		if _, err := c.Read(nil); err == nil {
			t.Error("Read succeeds")
		}
		if _, err := c.Write(nil); err == nil {
			t.Error("Write succeeds")
		}
		if _, err := c.ReadFrom(strings.NewReader("x")); err == nil {
			t.Error("ReadFrom succeeds")
		}
		if _, err := c.WriteTo(io.Discard); err == nil {
			t.Error("WriteTo succeeds")
		}
		if _, err := c.SyscallConn(); err == nil {
			t.Error("SyscallConn succeeds")
		}
		// The same at the other end of a copy.
		f := must(NewRegistry().NewFileClass("test/data").Create(filepath.Join(t.TempDir(), "f")))
		must(f.WriteString("x"))
		must(f.Seek(0, io.SeekStart))
		if _, err := f.ReadFrom(c); err == nil {
			t.Error("a File's ReadFrom succeeds")
		}
		if _, err := f.WriteTo(c); err == nil {
			t.Error("a File's WriteTo succeeds")
		}
		check(t, f.Close())
		if _, err := f.ReadFrom((*File)(nil)); err == nil {
			t.Error("a closed File's ReadFrom succeeds")
		}
		for what, err := range map[string]error{
			"Close": c.Close(), "CloseWrite": c.CloseWrite(), "SetDeadline": c.SetDeadline(time.Time{}), "SetNoDelay": c.SetNoDelay(true),
		} {
			if err == nil {
				t.Errorf("%s succeeds", what)
			}
		}
		c.SetIdle(true)
		c.SetOwner(nil)
		if c.LocalAddr() != nil || c.RemoteAddr() != nil || c.NetConn() != nil || c.Instance() != nil {
			t.Error("it has an address")
		}
	}
	var noListener *Listener
	for _, l := range []*Listener{noListener, {}} {
		if _, err := l.Accept(); err == nil {
			t.Error("Accept succeeds")
		}
		if l.Close() == nil || l.SetDeadline(time.Time{}) == nil || l.Addr() != nil || l.NetListener() != nil || l.Instance() != nil {
			t.Error("a listener that is none does something")
		}
		l.SetOwner(nil)
		l.SetConnClass("test/x")
	}
}

// Two goroutines use a connection at a time, each as its own thread; a third one closes it
// while one of them waits.
func TestSocketClosedWhileReading(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	_, client, server := socketPair(t, r, "tcp", "127.0.0.1:0")
	class := server.handle.class
	class.Reset()
	const rounds = 200
	var wg sync.WaitGroup
	read := make(chan uint64, 1)
	wg.Add(2)
	r.Go("test/reader", func() {
		defer wg.Done()
		n := uint64(0)
		for buf := make([]byte, 100); ; n++ {
			if _, err := server.Read(buf); err != nil {
				if !errors.Is(err, net.ErrClosed) {
					t.Error(err)
				}
				read <- n + 1
				return
			}
		}
	})
	r.Go("test/writer", func() {
		defer wg.Done()
		for range rounds {
			must(server.Write([]byte("ab")))
			must(client.Write([]byte("cde")))
		}
	})
	in := server.Instance()
	eventually(t, "all is read", func() bool { return in.IO().ReadBytes == 3*rounds && in.IO().Write.Count == rounds })
	eventually(t, "the reader waits", func() bool {
		for _, th := range r.Reader().Threads() {
			for _, e := range th.CurrentWaits(nil) {
				if !e.Ended && e.Op == OpRecv {
					return true
				}
			}
		}
		return !HasThreadLookup
	})
	check(t, server.Close())
	wg.Wait()
	if got, want := countsOf(class.IO()), (counts{<-read, 3 * rounds, rounds, 2 * rounds, 1}); got != want {
		t.Errorf("the class counts %+v, want %+v", got, want)
	}
}

// What a connection has counted belongs to its class when the connection has become unreachable,
// closed or not.
func TestSocketCollected(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	func() {
		l := must(r.Listen("tcp", "127.0.0.1:0", "test/listener"))
		defer l.Close()
		client := must(r.Dial("tcp", l.Addr().String(), "test/client"))
		must(l.AcceptConn()).Close()
		must(client.Write([]byte("abc"))) // and it is forgotten
	}()
	class := r.Reader().ClassByName("wait/io/socket/test/client")
	collected(t, "the forgotten connection", func() bool { return len(instancesOf[*SocketInstance](r, KindSocket)) == 0 })
	for _, name := range []string{"client", "listener"} {
		class := r.Reader().ClassByName("wait/io/socket/test/" + name)
		collected(t, name, func() bool {
			class.mu.Lock()
			defer class.mu.Unlock()
			return len(class.hidden) == 0
		})
	}
	if got := countsOf(class.IO()); got != (counts{writes: 1, writeBytes: 3, misc: 1}) {
		t.Errorf("the class has kept %+v", got)
	}
}

func TestSocketCopies(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	defer r.Attach("test/worker").Detach()
	c := r.NewFileClass("test/data")
	name := filepath.Join(t.TempDir(), "f")
	text := strings.Repeat("0123456789", 1000)
	check(t, os.WriteFile(name, []byte(text), 0o600))
	size := uint64(len(text))

	_, client, server := socketPair(t, r, "tcp", "127.0.0.1:0")
	f := must(c.Open(name))
	defer f.Close()
	c.Class().Reset()
	client.handle.class.Reset()
	server.handle.class.Reset()
	if n := must(client.ReadFrom(f)); n != int64(size) {
		t.Errorf("%d bytes sent", n)
	}
	if got := countsOf(f.handle.instance.IO()); got != (counts{reads: 1, readBytes: size}) {
		t.Errorf("the file counts %+v", got)
	}
	if got := countsOf(client.Instance().IO()); got != (counts{writes: 1, writeBytes: size}) {
		t.Errorf("the client counts %+v", got)
	}
	check(t, client.CloseWrite())
	g := must(c.Create(name + "2"))
	defer g.Close()
	if n := must(server.WriteTo(g)); n != int64(size) {
		t.Errorf("%d bytes received", n)
	}
	if got := countsOf(server.Instance().IO()); got != (counts{reads: 1, readBytes: size}) {
		t.Errorf("the server counts %+v", got)
	}
	if got := countsOf(g.handle.instance.IO()); got != (counts{writes: 1, writeBytes: size, misc: 1}) {
		t.Errorf("the new file counts %+v", got)
	}
	if got := must(os.ReadFile(name + "2")); string(got) != text {
		t.Errorf("%d bytes arrived", len(got))
	}

	// If one end is memory, each piece is an operation.
	_, client, server = socketPair(t, r, "tcp", "127.0.0.1:0")
	must(client.ReadFrom(struct{ io.Reader }{strings.NewReader("abc")}))
	check(t, client.CloseWrite())
	var memory bytes.Buffer
	must(server.WriteTo(struct{ io.Writer }{&memory}))
	if got := countsOf(server.Instance().IO()); memory.String() != "abc" || got != (counts{reads: 2, readBytes: 3}) {
		t.Errorf("%q received, counted %+v", memory.String(), got)
	}
	if got := countsOf(client.Instance().IO()); got != (counts{writes: 1, writeBytes: 3, misc: 2}) {
		t.Errorf("counted %+v", got)
	}
}

func TestSocketWrapped(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	l := r.WrapListener(must(net.Listen("tcp", "127.0.0.1:0")), "test/listener")
	defer l.Close()
	client := r.WrapConn(must(net.Dial("tcp", l.Addr().String())), "test/client")
	defer client.Close()
	server := must(l.Accept())
	defer server.Close()
	must(client.Write([]byte("abc")))
	must(server.Read(make([]byte, 3)))
	if got := countsOf(client.Instance().IO()); got != (counts{writes: 1, writeBytes: 3}) {
		t.Errorf("counted %+v", got)
	}
	// A transport without a descriptor.
	a, b := net.Pipe()
	defer b.Close()
	pipe := r.WrapConn(a, "test/pipe")
	defer pipe.Close()
	if in := pipe.Instance(); in.FD() != -1 || in.IP() != "" || in.Port() != 0 {
		t.Errorf("a pipe has %d %s:%d", in.FD(), in.IP(), in.Port())
	}
	if err := pipe.CloseWrite(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("CloseWrite of a pipe: %v", err)
	}
	if _, err := pipe.SyscallConn(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("SyscallConn of a pipe: %v", err)
	}
}

func TestSocketAllocatesNothing(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	defer r.Attach("test/worker").Detach()
	_, client, server := socketPair(t, r, "tcp", "127.0.0.1:0")
	b := make([]byte, 10)
	wantNoAllocs(t, "Conn", func() {
		client.Write(b)
		server.Read(b)
		server.SetNoDelay(true)
		server.SetIdle(true)
		server.SetIdle(false)
	})
}
