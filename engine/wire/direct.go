package wire

import (
	"io"
	"net"
	"os"
	"syscall"
)

// direct reads and writes a socket by system calls of which Go's scheduler is not notified. The
// socket never blocks; waiting for it happens in the network poller, as for any socket. In an idle
// program, the notification of the first call wakes the scheduler's monitor thread before the
// command has been read, which takes a third of the time of a short statement. Code that may take
// long calls processor.WakeScheduler, because the monitor preempts goroutines that run for too
// long. Reads and writes are owned by the connection's goroutine.
type direct struct {
	plain    net.Conn
	raw      syscall.RawConn
	from, to []byte // the buffer of the current read, and that of the current write
	moved    int    // bytes that the current call has moved
	errno    syscall.Errno
	read     func(fd uintptr) (done bool)
	write    func(fd uintptr) (done bool)
	answered bool // something has been written since the last read
}

// directMax is the longest write of which the scheduler is not notified, in bytes. Each further
// write of an answer notifies the scheduler.
const directMax = 64 << 10

// directTCP and directUnix are connections with the Read and Write of direct.
type (
	directTCP struct {
		*net.TCPConn
		direct
	}
	directUnix struct {
		*net.UnixConn
		direct
	}
)

// Read implements net.Conn.
func (c *directTCP) Read(p []byte) (int, error) { return c.direct.Read(p) }

// Write implements net.Conn.
func (c *directTCP) Write(p []byte) (int, error) { return c.direct.Write(p) }

// Read implements net.Conn.
func (c *directUnix) Read(p []byte) (int, error) { return c.direct.Read(p) }

// Write implements net.Conn.
func (c *directUnix) Write(p []byte) (int, error) { return c.direct.Write(p) }

// makeDirect returns a direct connection for a TCP or unix socket where there are direct calls,
// else c.
func makeDirect(c net.Conn) net.Conn {
	if s, ok := c.(syscall.Conn); ok && directCalls {
		if raw, err := s.SyscallConn(); err == nil {
			switch c := c.(type) {
			case *net.TCPConn:
				d := &directTCP{TCPConn: c, direct: direct{plain: c, raw: raw}}
				d.start()
				return d
			case *net.UnixConn:
				d := &directUnix{UnixConn: c, direct: direct{plain: c, raw: raw}}
				d.start()
				return d
			}
		}
	}
	return c
}

func (d *direct) start() {
	d.read = func(fd uintptr) bool {
		d.moved, d.errno = directRead(fd, d.from)
		return d.errno != syscall.EAGAIN
	}
	d.write = func(fd uintptr) bool {
		n, errno := directWrite(fd, d.to[d.moved:])
		d.moved, d.errno = d.moved+n, errno
		return d.errno != syscall.EAGAIN && (d.errno != 0 || d.moved == len(d.to))
	}
}

// Read implements net.Conn.
func (d *direct) Read(p []byte) (int, error) {
	d.answered = false
	if len(p) == 0 {
		return d.plain.Read(p)
	}
	d.from = p
	err := d.raw.Read(d.read)
	d.from = nil
	switch {
	case err != nil:
		return 0, err
	case d.errno != 0:
		return 0, d.failed("read")
	case d.moved == 0:
		return 0, io.EOF
	}
	return d.moved, nil
}

// Write implements net.Conn.
func (d *direct) Write(p []byte) (int, error) {
	if d.answered || len(p) == 0 || len(p) > directMax {
		return d.plain.Write(p)
	}
	d.answered = true
	d.to, d.moved = p, 0
	err := d.raw.Write(d.write)
	d.to = nil
	if err == nil && d.errno != 0 {
		err = d.failed("write")
	}
	return d.moved, err
}

// failed returns the error of a call.
func (d *direct) failed(call string) error {
	return &net.OpError{Op: call, Net: d.plain.LocalAddr().Network(), Source: d.plain.LocalAddr(), Addr: d.plain.RemoteAddr(), Err: os.NewSyscallError(call, d.errno)}
}
