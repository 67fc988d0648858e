package wire

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"pfsd/engine/config"
	"pfsd/engine/errorlog"
	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

// Listener accepts connections of all sockets of the server, up to a limit. Safe for concurrent use.
type Listener struct {
	reg     *instr.Registry
	sockets []*instr.Listener
	admin   *instr.Listener // the administrators' socket among them; nil if there is none
	*Transport
	Count   *ConnectionCount
	conns   chan net.Conn
	Done    chan struct{}
	once    sync.Once
	workers sync.WaitGroup
}

// privateMode is the mode of a unix socket that only this process's user can use.
const privateMode = 0o600

// acceptPause is how long a socket that cannot accept pauses, so that it does not use a whole CPU.
const acceptPause = 10 * time.Millisecond

// Listen opens the sockets that o names. An error names the option and its value.
func Listen(reg *instr.Registry, o config.Options, t *Transport) (*Listener, error) {
	l := &Listener{
		reg: reg, Transport: t, Count: newConnectionCount(reg, o.MaxConnections),
		conns: make(chan net.Conn), Done: make(chan struct{}),
	}
	if o.Addr != "-" {
		s, err := reg.Listen("tcp", o.Addr, "sql/server_tcpip_socket")
		if err != nil {
			return nil, errorlog.NewStartError(fmt.Errorf("cannot listen on --bind-address and --port %s: %w", o.Addr, errorlog.Cause(err)), errorlog.CannotBindTCP)
		}
		l.sockets = append(l.sockets, s)
	}
	if o.Socket != "" {
		s, err := listenUnix(reg, o.Socket)
		if err != nil {
			l.closeSockets()
			return nil, errorlog.NewStartError(fmt.Errorf("cannot listen on --socket %s: %w", o.Socket, errorlog.Cause(err)), errorlog.CannotBindUnix)
		}
		l.sockets = append(l.sockets, s)
		if err := os.Chmod(o.Socket, privateMode); err != nil {
			l.closeSockets()
			return nil, fmt.Errorf("cannot set the mode of --socket %s: %w", o.Socket, errorlog.FileCause(err))
		}
	}
	if len(l.sockets) == 0 {
		return nil, errors.New("nothing to listen on: neither TCP nor --socket")
	}
	if o.AdminAddr != "" {
		s, err := listenAdmin(reg, o.AdminAddr)
		if err != nil {
			l.closeSockets()
			return nil, err
		}
		l.sockets, l.admin = append(l.sockets, s), s
	}
	for _, s := range l.sockets {
		s.SetConnClass("sql/client_connection")
		s.SetConnFunc(makeDirect)
	}
	return l, nil
}

// listenAdmin opens the administrators' address.
func listenAdmin(reg *instr.Registry, addr string) (*instr.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err == nil && (host == "" || config.EveryAddress(host)) {
		err = fmt.Errorf("'%s' is every address", host)
	}
	var s *instr.Listener
	if err == nil {
		s, err = reg.Listen("tcp", addr, "sql/server_tcpip_socket")
	}
	if err != nil {
		return nil, errorlog.NewStartError(fmt.Errorf("cannot listen on --admin-address and --admin-port %s: %w", addr, errorlog.Cause(err)), errorlog.CannotBindTCP)
	}
	return s, nil
}

// listenUnix opens the unix socket. It replaces the file of a server that has ended, but no other
// file.
func listenUnix(reg *instr.Registry, path string) (*instr.Listener, error) {
	s, err := reg.Listen("unix", path, "sql/server_unix_socket")
	if !errors.Is(err, syscall.EADDRINUSE) {
		return s, err
	}
	if info, e := os.Lstat(path); e != nil || info.Mode()&os.ModeSocket == 0 {
		return nil, err
	}
	if c, e := net.Dial("unix", path); e == nil {
		_ = c.Close()
		return nil, err
	} else if !errors.Is(e, syscall.ECONNREFUSED) {
		return nil, err
	}
	if err := os.Remove(path); err != nil {
		return nil, err
	}
	return reg.Listen("unix", path, "sql/server_unix_socket")
}

// Start begins to accept connections, with one goroutine for each socket.
func (l *Listener) Start() {
	for _, s := range l.sockets {
		l.workers.Add(1)
		class := "sql/acceptor"
		if s == l.admin {
			class = "sql/admin_interface"
		}
		l.reg.Go(class, func() {
			defer l.workers.Done()
			s.SetOwner(instr.Current())
			l.accept(s)
		})
	}
}

func (l *Listener) accept(s *instr.Listener) {
	for {
		c, err := s.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // there are no file descriptors left, or the client has gone
			l.Status.NotAccepted.Add(1)
			time.Sleep(acceptPause)
			continue
		}
		admin := s == l.admin
		if !admin && l.Count.full() {
			l.Status.Refused.Add(1)
			_ = c.SetWriteDeadline(time.Now().Add(farewellTime))
			_ = writeError(c, 0, mysqlerr.TooManyConnections)
			_ = c.Close()
			continue
		}
		l.Count.enter()
		w := newWire(c.(*instr.Conn), l.Transport)
		w.Admin = admin
		if a, ok := w.RemoteAddr().(*net.TCPAddr); ok {
			w.from = a.IP.String()
		}
		if tooMany := w.Half().add(w); tooMany != nil {
			_ = tooMany.Close()
		}
		select {
		case l.conns <- w:
		case <-l.Done:
			_ = c.Close()
			w.Half().Remove(w)
			l.Count.Leave()
		}
	}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.Done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. It returns when the workers have ended.
func (l *Listener) Close() error {
	l.once.Do(func() {
		close(l.Done)
		l.closeSockets()
	})
	l.workers.Wait()
	return nil
}

func (l *Listener) closeSockets() {
	for _, s := range l.sockets {
		_ = s.Close()
	}
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return l.sockets[0].Addr() }

// AdminAddr returns the administrators' address, nil if there is none.
func (l *Listener) AdminAddr() net.Addr {
	if l.admin == nil {
		return nil
	}
	return l.admin.Addr()
}

// Addrs returns the addresses of all sockets.
func (l *Listener) Addrs() (all []net.Addr) {
	for _, s := range l.sockets {
		all = append(all, s.Addr())
	}
	return all
}

// ConnectionCount counts the connections, and those whose clients have signed in, up to a limit.
// Safe for concurrent use.
type ConnectionCount struct {
	mu     *instr.Mutex
	cond   *instr.Cond // broadcast when n falls to 0
	n      int         // guarded by mu
	signed int         // how many of these have signed in; guarded by mu
	max    int         // limit of signed; guarded by mu
	// highest is the largest value of signed, and since is when it was reached. Guarded by mu.
	highest int
	since   time.Time
}

func newConnectionCount(reg *instr.Registry, max int) *ConnectionCount {
	c := &ConnectionCount{mu: reg.NewMutex("sql/LOCK_connection_count"), max: max}
	c.cond = reg.NewCond("sql/COND_connection_count", c.mu)
	return c
}

// enter counts a new connection.
func (c *ConnectionCount) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// full reports whether nobody else can sign in. There is one more place than the limit, for an
// administrator.
func (c *ConnectionCount) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.signed > c.max
}

// SignIn counts a client that has signed in. It reports false if there are too many. The last place
// is for an administrator.
func (c *ConnectionCount) SignIn(administrator bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	places := c.max
	if administrator {
		places++
	}
	if c.signed >= places {
		return false
	}
	if c.signed++; c.signed > c.highest {
		c.highest, c.since = c.signed, time.Now()
	}
	return true
}

// Limit sets the limit. Existing connections stay.
func (c *ConnectionCount) Limit(max int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.max = max
}

// Most returns the largest number of connections at a time, and when it was first reached; the zero
// time if there were no connections.
func (c *ConnectionCount) Most() (n int, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.highest, c.since
}

// Forget sets the largest number to the current one.
func (c *ConnectionCount) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.highest, c.since = c.signed, time.Now()
}

// SignOut counts that a client that had signed in has left.
func (c *ConnectionCount) SignOut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signed--
}

// Leave counts that a connection has ended.
func (c *ConnectionCount) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		c.cond.Broadcast()
	}
}

// Wait waits until there are no connections, or until a time. It reports whether there are none.
func (c *ConnectionCount) Wait(until time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.n > 0 {
		left := time.Until(until)
		if left <= 0 {
			return false
		}
		c.cond.WaitTimeout(left)
	}
	return true
}
