package wire

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"golang.org/x/sys/unix"

	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

const (
	packetMax = 1<<24 - 1 // largest payload of a protocol packet; a longer command continues in the next packet
	// greetingMax is the largest packet, in bytes, of a client that has not logged in.
	greetingMax         = 1 << 20
	ComQuit             = 0x01
	ComInitDB           = 0x02
	ComQuery            = 0x03
	ComFieldList        = 0x04
	ComShutdown         = 0x08
	ComStatistics       = 0x09
	ComDebug            = 0x0d
	ComPing             = 0x0e
	ComChangeUser       = 0x11
	ComStmtPrepare      = 0x16
	ComStmtExec         = 0x17
	ComStmtSendLongData = 0x18
	ComStmtClose        = 0x19
	ComStmtReset        = 0x1a
	ComSetOption        = 0x1b
	ComStmtFetch        = 0x1c
	ComResetConnection  = 0x1f
	okSize              = 7 // payload of an OK packet without rows, in bytes
	stmtFlagsByte       = 5 // offset in COM_STMT_EXECUTE of the kind of cursor
	stmtIDEnd           = 5 // end of the statement's id in COM_STMT_CLOSE
	// drainTime and drainMax limit how long, and how many bytes of, the rest of a refused command
	// is read.
	drainTime = 30 * time.Second
	drainMax  = 1 << 30
)

// Session is the server's side of a connection. Only the connection's goroutine calls it.
type Session interface {
	// Received and Sent count bytes that went over the connection.
	Received(bytes int)
	Sent(bytes int)
	// Arrive notes a command when its first byte was read. EndSimple notes the end of a command
	// that the protocol layer executes.
	Arrive(command byte)
	EndSimple()
	// Refuses returns the error of a command that the client may not send at the moment, nil if it
	// may.
	Refuses(command byte) *mysql.SQLError
	// Refused notes that a command failed before the protocol layer saw it. Failed notes that a
	// command failed which Answer does not answer.
	Refused(command byte, err *mysql.SQLError)
	Failed(err *mysql.SQLError)
	// CloseStatement closes a prepared statement. DropClosed frees the memory of closed statements.
	// ResetStatement forgets the values that the client sent for a statement by
	// COM_STMT_SEND_LONG_DATA.
	CloseStatement(id uint32)
	DropClosed()
	ResetStatement(id uint32)
	// Wait notes that the command waits for its client. It returns a function, or nil, to call when
	// the wait ends.
	Wait() (goOn func())
	// Warnings returns the number of warnings of the last statement.
	Warnings() uint16
	// Answer answers a command that the protocol layer does not get. It reports false if it does
	// not know the command.
	Answer(command byte, payload []byte) (known bool, err error)
	// Inactive notes that the client has been idle for too long.
	Inactive()
}

// Conn is a client's connection as the protocol layer sees it. It follows the framing of the
// packets in both directions. So it can refuse a command that is too big before it is in memory,
// find out when the server waits for the next command, and end a result with an error. Reads and
// writes are owned by the connection's goroutine; any goroutine may call Close and RemoteAddr.
type Conn struct {
	net.Conn // carries the packets: the socket, or TLS over it
	socket   *instr.Conn
	thread   *instr.Thread
	session  Session     // the server's side of the connection; nil before Attach
	conn     *mysql.Conn // the protocol layer's connection
	*Transport
	// Capabilities are the capabilities that the client has sent.
	Capabilities uint32
	tls          *tls.Conn // TLS over the socket; nil if the connection is in clear text
	in, out      framer
	hello        *hello          // the packet with which the client logs in; nil before and after the login
	payload      []byte          // payload of a command that this package answers
	pending      []byte          // bytes that the protocol layer has not read yet
	verdict      verdict         // the verdict on the command that is being read
	ip           string          // the client's address as the cache of hosts knows it; "" if the cache does not know it
	from         string          // the client's address without its port; "" if it is on this machine
	Host         string          // the name of the client's host, or its address
	lost         *mysql.SQLError // the error with which the connection ends; nil if there is none
	failed       bool            // the client could not log in, and the reason has been counted
	waits        clientWaits
	watched      watched      // what the connection waited for when Expire last looked
	lag          byte         // number of packets of the opening or the command that the protocol layer has not seen
	ready        bool         // the client has logged in
	Admin        bool         // the client came over the administrators' address
	Opening      bool         // the client does not know yet that it has logged in
	LastCommand  atomic.Bool  // the client has asked for the server to stop, and gets an answer
	busy         bool         // a command is executed, so what is read belongs to it
	skip         bool         // drop the protocol layer's next packet: it ends a result that has ended
	Interrupted  bool         // the result has ended with an error
	shift        byte         // number of packets of the current answer that the protocol layer does not know, modulo 256
	layer        layerPackets // the protocol layer's packets of the current answer, since shift is not 0
	head         []byte       // header of a packet whose payload is not written yet
	late         *lateAnswer  // what the client gets when the statement has ended; nil if nothing
	lateRoom     lateAnswer   // memory for late
	once         sync.Once
	closed       error
}

func newWire(socket *instr.Conn, t *Transport) *Conn {
	w := &Conn{socket: socket, Transport: t, Opening: true}
	w.Conn = &metered{socket, w}
	return w
}

// metered counts the bytes of packets that go over a connection. Reads and writes are owned by the
// connection's goroutine.
type metered struct {
	net.Conn
	of *Conn
}

// Read implements net.Conn.
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if s := m.of.session; s != nil && n > 0 {
		s.Received(n)
	}
	return n, err
}

// Write implements net.Conn.
func (m *metered) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	if s := m.of.session; s != nil && n > 0 {
		s.Sent(n)
	}
	return n, err
}

// framer keeps track of the packets in one direction.
type framer struct {
	head     [4]byte
	nhead    int
	left     int   // payload bytes of the current packet still to come
	total    int64 // payload bytes of the current command that its headers have announced so far
	pos      int64 // payload bytes of the current command that have come
	more     bool  // the current packet is not the command's last
	sequence byte  // number of the current packet
	commands bool  // the packets are commands, not a login
	command  byte
	id       uint32 // the statement that COM_STMT_CLOSE closes
	Conn     *Conn  // the connection that learns of commands, nil for none
}

// between reports whether a command has ended and no packet of the next one has begun.
func (f *framer) between() bool { return f.nhead == 0 && f.left == 0 && !f.more }

var errTooBig = errors.New("engine: command is too big")

// scan follows the bytes p. It stops with errTooBig when a command's size passes limit.
func (f *framer) scan(p []byte, limit int64) error {
	for len(p) > 0 {
		n, err := f.next(p, limit)
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// next follows the bytes p up to the end of a command, and returns their number. It stops with
// errTooBig when the command's size passes limit.
func (f *framer) next(p []byte, limit int64) (int, error) {
	all := len(p)
	for len(p) > 0 {
		if f.left == 0 {
			n := copy(f.head[f.nhead:], p)
			p = p[n:]
			if f.nhead += n; f.nhead < len(f.head) {
				return all, nil
			}
			f.nhead = 0
			if !f.more {
				f.total, f.pos = 0, 0
			}
			f.left = int(f.head[0]) | int(f.head[1])<<8 | int(f.head[2])<<16
			f.sequence = f.head[3]
			if f.Conn != nil && !f.Conn.busy {
				f.Conn.packetBegins(f.sequence)
			}
			f.more = f.left == packetMax
			if f.total += int64(f.left); f.total > limit {
				f.skip(p)
				return all, errTooBig
			}
			if f.left == 0 && !f.more {
				break
			}
			continue
		}
		n := min(f.left, len(p))
		if f.pos == 0 {
			f.command = p[0]
			if f.Conn != nil && !f.Conn.busy {
				f.Conn.session.Arrive(f.command)
				if f.Conn.payload = nil; !Passed[f.command] || f.Conn.verdict.refused {
					p[0] = ComPing
				}
			}
		}
		if f.Conn != nil && !f.Conn.busy && keepsPayload(f.command) {
			f.Conn.keep(p[:n])
		}
		if f.command == ComStmtClose && f.Conn != nil && !f.Conn.busy {
			f.readClosedID(p[:n])
		}
		// All clients get the rows of a statement as a stream, in constant memory. A cursor would
		// need a goroutine of its own, so none is ever opened.
		if at := stmtFlagsByte - f.pos; f.commands && f.command == ComStmtExec && at >= 0 && at < int64(n) {
			p[at] = 0
		}
		f.left -= n
		f.pos += int64(n)
		if p = p[n:]; f.left == 0 && !f.more {
			break
		}
	}
	return all - len(p), nil
}

// keepsPayload reports whether a command that this package answers has data after its first byte.
func keepsPayload(command byte) bool {
	return command == ComChangeUser || command == ComStmtFetch || command == ComStmtPrepare || command == ComStmtReset || command == ComStmtSendLongData
}

// keep appends p, the next part of a command, to payload, up to greetingMax except for statements
// and their values.
func (w *Conn) keep(p []byte) {
	if w.in.command == ComStmtPrepare || w.in.command == ComStmtSendLongData || len(w.payload)+len(p) <= greetingMax {
		w.payload = append(w.payload, p...)
	}
}

// readClosedID reads p, the next part of a COM_STMT_CLOSE: the command, and 4 bytes of the
// statement's id.
func (f *framer) readClosedID(p []byte) {
	for i, b := range p[:min(len(p), stmtIDEnd)] {
		if at := f.pos + int64(i); at > 0 && at < stmtIDEnd {
			if f.id = f.id>>8 | uint32(b)<<24; at == stmtIDEnd-1 {
				f.Conn.session.CloseStatement(f.id)
			}
		}
	}
}

// skip follows p without looking at sizes.
func (f *framer) skip(p []byte) { _ = f.scan(p, NoLimit) }

// NoLimit is a limit that no command reaches, in bytes.
const NoLimit = int64(1)<<62 - 1

// Read implements net.Conn.
func (w *Conn) Read(p []byte) (int, error) {
	if !w.ready {
		return w.openingRead(p)
	}
	if w.Opening {
		w.Opening, w.lag = false, 0
		w.Hosts.succeeded(w.ip)
	}
	for {
		n, err := w.next(p)
		if err == nil && !w.busy && w.in.between() {
			n, err = w.hold(p, n)
		}
		if n == 0 && err != nil {
			if !(w.in.command == ComQuit && w.in.between()) {
				w.setLost(err, mysqlerr.Reading)
			}
			return n, err
		}
		if answered, err := w.refuseEmpty(p, n); !answered || err != nil {
			if err != nil {
				return 0, err
			}
			return w.follow(p, n)
		}
	}
}

// next reads the pending bytes, or from the socket if there are none.
func (w *Conn) next(p []byte) (int, error) {
	if len(w.pending) == 0 {
		return w.recv(p)
	}
	w.session.DropClosed()
	n := copy(p, w.pending)
	w.pending = w.pending[n:]
	return n, nil
}

// follow gives the first n bytes of p to the protocol layer, but nothing after the end of a
// command: the rest is read after the answer is written.
func (w *Conn) follow(p []byte, n int) (int, error) {
	seen, err := w.in.next(p[:n], w.Limit)
	if err != nil {
		w.refuse(p)
		return 0, io.EOF
	}
	if seen < n {
		w.pending = append(slices.Clone(p[seen:n]), w.pending...)
	}
	return seen, nil
}

// recv reads from the socket; while it waits for a command, the connection is idle.
func (w *Conn) recv(p []byte) (int, error) {
	if w.busy || w.thread == nil || !w.in.between() {
		n, err := w.await(waitsRest, p)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			w.setLost(errReadTooLong, nil)
			_ = w.socket.SetDeadline(time.Now().Add(farewellTime))
			_ = writeError(w.Conn, w.in.sequence+1, errReadTooLong)
		}
		return n, err
	}
	w.session.EndSimple()
	w.session.DropClosed()
	w.socket.SetIdle(true)
	idle := w.thread.StartIdle()
	n, err := w.await(waitsCommand, p)
	idle.End()
	w.socket.SetIdle(false)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.inactive()
	}
	return n, err
}

// await reads what the connection waits for. The error is os.ErrDeadlineExceeded if that takes too long.
func (w *Conn) await(what waiting, p []byte) (int, error) {
	w.waits.begin(what)
	defer w.waits.end()
	for {
		n, err := w.Conn.Read(p)
		if err != nil {
			if _, again := w.timedOut(err); again && n == 0 {
				continue
			}
		}
		return n, err
	}
}

// refuse reads the rest of a command that is too big, without keeping it, and answers with an
// error. The caller must then close the connection.
func (w *Conn) refuse(scratch []byte) {
	_ = w.Conn.SetReadDeadline(time.Now().Add(drainTime))
	for read := 0; !w.in.between() && read < drainMax; {
		n, err := w.Conn.Read(scratch)
		if err != nil {
			return
		}
		w.in.skip(scratch[:n])
		read += n
	}
	w.setLost(mysqlerr.PacketTooBig, nil)
	_ = writeError(w.Conn, w.in.sequence+1, mysqlerr.PacketTooBig)
}

// Write implements net.Conn.
func (w *Conn) Write(p []byte) (int, error) {
	own := !w.busy && w.in.Conn != nil && (!Passed[w.in.command] || w.verdict.refused)
	if w.session != nil && !own {
		w.session.EndSimple()
	}
	if w.Opening {
		return len(p), w.openingWrite(p)
	}
	all := len(p)
	if w.layer.on {
		if l := w.late; l != nil {
			w.late = nil
			defer l.release()
			p = w.renumber(l.end(w), p)
		} else {
			p = w.renumber(make([]byte, 0, len(p)+len(w.layer.head)), p)
		}
	}
	w.out.skip(p)
	switch {
	case w.busy:
	case own:
		return all, w.answer(p)
	case w.in.command == ComResetConnection && len(p) == okSize:
		// The protocol layer does not send the status of the new session.
		p = slices.Clone(p)
		p[3], p[4] = byte(w.conn.StatusFlags), byte(w.conn.StatusFlags>>8)
	}
	if len(p) > 0 {
		if _, err := w.send(p); err != nil {
			return 0, err
		}
	}
	return all, nil
}

// layerPackets keeps track of the packets that the protocol layer writes.
type layerPackets struct {
	on       bool
	head     [4]byte
	nhead    int
	left     int // payload bytes of the current packet still to come
	dropping bool
}

// renumber appends p, the next bytes of the protocol layer's packets, with the packet numbers that
// the client expects.
func (w *Conn) renumber(to, p []byte) []byte {
	a := &w.layer
	for len(p) > 0 {
		if a.left > 0 {
			n := min(a.left, len(p))
			if !a.dropping {
				to = append(to, p[:n]...)
			}
			a.left -= n
			p = p[n:]
			continue
		}
		n := copy(a.head[a.nhead:], p)
		p = p[n:]
		if a.nhead += n; a.nhead < len(a.head) {
			break
		}
		a.nhead, a.left = 0, int(a.head[0])|int(a.head[1])<<8|int(a.head[2])<<16
		if a.dropping = w.skip; a.dropping {
			w.skip = false
			w.shift--
			continue
		}
		to = append(to, a.head[0], a.head[1], a.head[2], a.head[3]+w.shift)
	}
	return to
}

// packetBegins notes that a packet of a command begins, and its number. The next packet to the
// client is that of the answer.
func (w *Conn) packetBegins(sequence byte) {
	w.out.sequence, w.shift, w.skip, w.Interrupted, w.layer = sequence, 0, false, false, layerPackets{}
}

// send writes to the client.
func (w *Conn) send(p []byte) (int, error) {
	if w.busy {
		if goOn := w.session.Wait(); goOn != nil {
			defer goOn()
		}
	}
	w.waits.begin(waitsWrite)
	defer w.waits.end()
	written := 0
	for {
		n, err := w.Conn.Write(p[written:])
		written += n
		if err == nil {
			return written, nil
		}
		over, again := w.timedOut(err)
		switch {
		case over:
			w.setLost(errWritingTooLong, nil)
		case again && w.tls == nil: // TLS cannot continue after an error
			continue
		default:
			w.setLost(err, mysqlerr.Writing)
		}
		return written, err
	}
}

// writePast writes packets past the protocol layer, which must have nothing in its buffer.
func (w *Conn) writePast(p []byte, packets byte) error {
	w.layer.on = true
	w.shift += packets
	w.out.skip(p)
	_, err := w.send(p)
	return err
}

// lateAnswer is a result, or its end. The client gets it after the statement has ended, in place of
// the protocol layer's next packet.
type lateAnswer struct {
	buf   []byte
	box   *[]byte // the box from which buf came
	more  bool    // another result follows
	count byte    // number of packets in buf, modulo 256
	ok    *OK     // in place of the end of a result; nil if the result has rows
}

// answerLate sends packets, and then the end of their result, after the statement has ended. From
// now on the Conn owns the packets.
func (w *Conn) answerLate(p Packets, more bool) {
	w.lateRoom = lateAnswer{buf: p.Buf[:p.start], box: p.box, more: more, count: p.count}
	w.late = &w.lateRoom
	w.layer.on, w.skip = true, true
	w.shift += p.count + 1
}

// end appends the end of the result, and returns all packets.
func (l *lateAnswer) end(w *Conn) []byte {
	flags := w.conn.StatusFlags
	if l.more {
		flags |= mysql.ServerMoreResultsExists
	}
	start := len(l.buf)
	l.buf = append(l.buf, 0, 0, 0, w.out.sequence+l.count+1)
	if l.ok != nil {
		l.buf = l.ok.append(l.buf, flags, w.session.Warnings())
	} else {
		l.buf = AppendEOF(l.buf, w.conn.Capabilities, flags, w.session.Warnings())
	}
	setPayloadSize(l.buf[start:], len(l.buf)-start-4)
	return l.buf
}

// release frees the memory of the packets, which have been written.
func (l *lateAnswer) release() {
	releasePackets(l.box, l.buf)
	*l = lateAnswer{}
}

// Fail ends the current result with err. It drops the protocol layer's next packet, the regular end
// of the result. The protocol layer must have nothing in its buffer.
func (w *Conn) Fail(err *mysql.SQLError) error {
	w.skip, w.Interrupted = true, true
	return w.writePast(errorPacket(w.out.sequence+1, err), 1)
}

// writeError writes an error packet.
func writeError(to io.Writer, sequence byte, err *mysql.SQLError) error {
	_, e := to.Write(errorPacket(sequence, err))
	return e
}

// errorPacket returns an error as a packet.
func errorPacket(sequence byte, err *mysql.SQLError) []byte {
	message := mysqlerr.Clip(err.Message)
	n := 1 + 2 + 1 + 5 + len(message)
	p := append(make([]byte, 0, 4+n), byte(n), byte(n>>8), byte(n>>16), sequence, 0xff, byte(err.Num), byte(err.Num>>8), '#')
	return append(append(p, err.State...), message...)
}

// StartCommand notes that the execution of a command begins.
func (w *Conn) StartCommand() { w.busy = true }

// EndCommand notes that the execution of a command has ended.
func (w *Conn) EndCommand() { w.busy = false }

// Command returns the first byte of the latest command.
func (w *Conn) Command() byte { return w.in.command }

// Encrypted reports whether packets go over TLS.
func (w *Conn) Encrypted() bool { return w.tls != nil }

// AnswersLast reports whether the client has asked for the server to stop. Then the client gets its
// answer, and no other.
func (w *Conn) AnswersLast() bool {
	if !w.LastCommand.Load() {
		return false
	}
	_ = w.socket.CloseRead()
	return true
}

// Gone reports whether the client has closed the connection. It reads nothing.
func (w *Conn) Gone() bool {
	raw, err := w.socket.SyscallConn()
	if err != nil {
		return true
	}
	closed := false
	var buf [1]byte
	err = raw.Control(func(fd uintptr) {
		n, _, err := unix.Recvfrom(int(fd), buf[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		closed = n == 0 && err == nil || err == unix.ECONNRESET || err == unix.EPIPE
	})
	return closed || err != nil
}

// Close implements net.Conn; only the first call closes.
func (w *Conn) Close() error {
	w.once.Do(func() { w.closed = w.socket.Close() })
	return w.closed
}

// HangUp closes the connection. A client with TLS is notified. Only the connection's goroutine may call it.
func (w *Conn) HangUp() {
	if w.tls != nil {
		_ = w.tls.CloseWrite()
	}
	_ = w.Close()
}

// RemoteAddr implements net.Conn.
func (w *Conn) RemoteAddr() net.Addr { return w.socket.RemoteAddr() }
