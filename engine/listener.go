package engine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"pfsd/engine/errorlog"
	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

// listener merges the server's sockets and holds the number of connections down. Safe
// for concurrent use.
type listener struct {
	reg     *instr.Registry
	sockets []*instr.Listener
	admin   *instr.Listener // the administrators' among them; nil if there is none
	*transport
	count   *connectionCount
	conns   chan net.Conn
	done    chan struct{}
	once    sync.Once
	workers sync.WaitGroup
}

// acceptPause keeps a socket that cannot accept from taking a whole processor.
const acceptPause = 10 * time.Millisecond

// listen opens the sockets that o asks for. An error names the option and its value.
func listen(reg *instr.Registry, o Options, t *transport) (*listener, error) {
	l := &listener{
		reg: reg, transport: t, count: newConnectionCount(reg, o.MaxConnections),
		conns: make(chan net.Conn), done: make(chan struct{}),
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
		if err := os.Chmod(o.Socket, privateSocketMode); err != nil {
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

// listenUnix replaces the file of a server that is gone, and no other.
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

// start begins to accept, one worker a socket.
func (l *listener) start() {
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

func (l *listener) accept(s *instr.Listener) {
	for {
		c, err := s.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors, or the client has gone
			l.status.notAccepted.Add(1)
			time.Sleep(acceptPause)
			continue
		}
		admin := s == l.admin
		if !admin && l.count.full() {
			l.status.refused.Add(1)
			_ = c.SetWriteDeadline(time.Now().Add(farewellTime))
			_ = writeError(c, 0, mysqlerr.TooManyConnections)
			_ = c.Close()
			continue
		}
		l.count.enter()
		w := newWire(c.(*instr.Conn), l.transport)
		w.admin = admin
		if a, ok := w.RemoteAddr().(*net.TCPAddr); ok {
			w.from = a.IP.String()
		}
		if tooMany := w.half().add(w); tooMany != nil {
			_ = tooMany.Close()
		}
		select {
		case l.conns <- w:
		case <-l.done:
			_ = c.Close()
			w.half().remove(w)
			l.count.leave()
		}
	}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. It returns when the workers have ended.
func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.closeSockets()
	})
	l.workers.Wait()
	return nil
}

func (l *listener) closeSockets() {
	for _, s := range l.sockets {
		_ = s.Close()
	}
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return l.sockets[0].Addr() }

// connectionCount counts the connections, and those whose clients have signed in, up to a limit. Safe for
// concurrent use.
type connectionCount struct {
	mu     *instr.Mutex
	cond   *instr.Cond // broadcast when n falls to 0
	n      int         // guarded by mu
	signed int         // of these have signed in; guarded by mu
	max    int         // of those that have signed in; guarded by mu
	// highest is the most that had signed in at a time, and since when. Guarded by mu.
	highest int
	since   time.Time
}

func newConnectionCount(reg *instr.Registry, max int) *connectionCount {
	c := &connectionCount{mu: reg.NewMutex("sql/LOCK_connection_count"), max: max}
	c.cond = reg.NewCond("sql/COND_connection_count", c.mu)
	return c
}

// enter counts one more.
func (c *connectionCount) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// full tells whether nobody can sign in any more: there is one place more than the limit, for an administrator.
func (c *connectionCount) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.signed > c.max
}

// signIn counts a client that has signed in. It reports false if there are too many; the last place is for
// an administrator.
func (c *connectionCount) signIn(administrator bool) bool {
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

// limit lets there be max from now on; those that there are stay.
func (c *connectionCount) limit(max int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.max = max
}

// most is how many connections there were at a time at the most, and when that was first so; the
// zero time if there were none.
func (c *connectionCount) most() (n int, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.highest, c.since
}

// forget makes the connections that there are the most that there were.
func (c *connectionCount) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.highest, c.since = c.signed, time.Now()
}

// signOut counts a client less of those that have signed in.
func (c *connectionCount) signOut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signed--
}

// leave counts one less.
func (c *connectionCount) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		c.cond.Broadcast()
	}
}

// wait returns when there are none, or at a time. It reports whether there are none.
func (c *connectionCount) wait(until time.Time) bool {
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
