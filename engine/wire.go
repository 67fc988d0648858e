package engine

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

	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

const (
	packetMax = 1<<24 - 1 // payload of a protocol packet; a longer command goes on in the next
	// greetingMax bounds what a client may send before it has logged in.
	greetingMax         = 1 << 20
	comQuit             = 0x01
	comInitDB           = 0x02
	comQuery            = 0x03
	comFieldList        = 0x04
	comShutdown         = 0x08
	comStatistics       = 0x09
	comDebug            = 0x0d
	comPing             = 0x0e
	comChangeUser       = 0x11
	comStmtPrepare      = 0x16
	comStmtExec         = 0x17
	comStmtSendLongData = 0x18
	comStmtClose        = 0x19
	comStmtReset        = 0x1a
	comSetOption        = 0x1b
	comStmtFetch        = 0x1c
	comResetConnection  = 0x1f
	okSize              = 7 // payload of an OK packet that tells of no rows
	stmtFlagsByte       = 5 // of COM_STMT_EXECUTE: the kind of cursor
	stmtIDEnd           = 5 // of COM_STMT_CLOSE: the statement's id ends before it
	// drainTime and drainMax bound how long the rest of a refused command is read.
	drainTime = 30 * time.Second
	drainMax  = 1 << 30
)

// wire is a client's connection as the protocol layer sees it. It follows the framing of
// the packets in both directions, which lets it refuse a command that is too big before
// it is in memory, tell when the server waits for the next command, and end a result with
// an error. Reads and writes are owned by the connection's goroutine, Close and RemoteAddr
// by anyone.
type wire struct {
	net.Conn // what packets go over: the socket, or TLS over it
	socket   *instr.Conn
	thread   *instr.Thread
	handler  *handler
	conn     *mysql.Conn // the protocol layer's
	work     *work       // what the connection is doing
	*transport
	// capabilities are what the client says that it can do.
	capabilities uint32
	tls          *tls.Conn // over the socket; nil if it is in clear text
	in, out      framer
	hello        []byte          // payload of the packet with which the client logs in; nil before and after
	payload      []byte          // of a command that it answers itself
	pending      []byte          // that the protocol layer is to read
	verdict      verdict         // on the command that it reads
	ip           string          // of the client, as the cache of hosts knows it; "" if it does not
	from         string          // the address of the client without its port; "" if it is on this machine
	lost         *mysql.SQLError // why it ends otherwise than it should; nil if it does not
	failed       bool            // not logged in, for a reason that has been counted
	waits        clientWaits
	lag          byte        // how many packets the protocol layer has not seen, of the opening or the command
	ready        bool        // logged in
	admin        bool        // over the administrators' address
	opening      bool        // the client has not been told so yet
	lastCommand  atomic.Bool // the client has asked for the server to stop, and gets an answer
	busy         bool        // a command is being carried out: what is read belongs to it
	skip         bool        // drop the protocol layer's next packet: the end of a result that has ended
	interrupted  bool        // the result has ended with an error
	shift        byte        // packets of the current answer that the protocol layer does not know of, modulo 256
	above        above       // what the protocol layer writes of the current answer since there are such
	head         []byte      // of a packet whose payload is still to be written
	late         *lateAnswer // what the client gets when the statement has ended
	once         sync.Once
	closed       error
}

func newWire(socket *instr.Conn, t *transport) *wire {
	w := &wire{socket: socket, transport: t, opening: true}
	w.Conn = &metered{socket, w}
	return w
}

// metered counts the bytes of packets that go over a connection. Reads and writes are owned by
// the connection's goroutine.
type metered struct {
	net.Conn
	wire *wire
}

// Read implements net.Conn.
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if w := m.wire.work; w != nil && n > 0 {
		w.status.bytesReceived.AddTo(w.thread, uint64(n))
	}
	return n, err
}

// Write implements net.Conn.
func (m *metered) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	if w := m.wire.work; w != nil && n > 0 {
		w.status.bytesSent.AddTo(w.thread, uint64(n))
	}
	return n, err
}

// framer follows the packets of one direction.
type framer struct {
	head     [4]byte
	nhead    int
	left     int   // payload of the current packet still to come
	total    int64 // payload of the current command so far announced
	pos      int64 // payload of the current command seen
	more     bool  // the current packet is not the command's last
	sequence byte  // of the current packet
	commands bool  // the packets are commands, not a login
	command  byte
	id       uint32 // of the statement that COM_STMT_CLOSE closes
	wire     *wire  // whose commands these are; nil if they are nobody's concern
}

// between tells whether no packet has begun after a whole command.
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

// next follows the bytes p up to the end of a command, and returns how many these are. It stops
// with errTooBig when the command's size passes limit.
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
			if f.wire != nil && !f.wire.busy {
				f.wire.begins(f.sequence)
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
			if f.wire != nil && !f.wire.busy {
				f.wire.work.arrive(f.command)
				if f.wire.payload = nil; !passed[f.command] || f.wire.verdict.refused {
					p[0] = comPing
				}
			}
		}
		if f.wire != nil && !f.wire.busy && keepsPayload(f.command) {
			f.wire.keep(p[:n])
		}
		if f.command == comStmtClose && f.wire != nil && !f.wire.busy {
			f.closes(p[:n])
		}
		// Rows of a statement stream to every client alike, in constant memory; a cursor,
		// which would need a goroutine of its own, is therefore never opened.
		if at := stmtFlagsByte - f.pos; f.commands && f.command == comStmtExec && at >= 0 && at < int64(n) {
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

// keepsPayload tells whether a command of the wire's own has more to it than its first byte.
func keepsPayload(command byte) bool {
	return command == comChangeUser || command == comStmtFetch || command == comStmtPrepare || command == comStmtReset || command == comStmtSendLongData
}

// keep keeps p, the next part of a command; what is too much for all but a statement is left out.
func (w *wire) keep(p []byte) {
	if w.in.command == comStmtPrepare || w.in.command == comStmtSendLongData || len(w.payload)+len(p) <= greetingMax {
		w.payload = append(w.payload, p...)
	}
}

// closes follows p, the next part of a COM_STMT_CLOSE: the command, and 4 bytes of the
// statement's id.
func (f *framer) closes(p []byte) {
	for i, b := range p[:min(len(p), stmtIDEnd)] {
		if at := f.pos + int64(i); at > 0 && at < stmtIDEnd {
			if f.id = f.id>>8 | uint32(b)<<24; at == stmtIDEnd-1 {
				f.wire.work.preparations.close(f.id)
			}
		}
	}
}

// skip follows p without looking at sizes.
func (f *framer) skip(p []byte) { _ = f.scan(p, noLimit) }

const noLimit = int64(1)<<62 - 1

// Read implements net.Conn.
func (w *wire) Read(p []byte) (int, error) {
	if !w.ready {
		return w.openingRead(p)
	}
	if w.opening {
		w.opening, w.lag = false, 0
		w.hosts.succeeded(w.ip)
	}
	for {
		n, err := w.next(p)
		if err == nil && !w.busy && w.in.between() {
			n, err = w.hold(p, n)
		}
		if n == 0 && err != nil {
			if !(w.in.command == comQuit && w.in.between()) {
				w.lose(err, mysqlerr.Reading)
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

// next reads what comes next: what is pending, or from the socket.
func (w *wire) next(p []byte) (int, error) {
	if len(w.pending) == 0 {
		return w.recv(p)
	}
	w.work.preparations.dropClosed()
	n := copy(p, w.pending)
	w.pending = w.pending[n:]
	return n, nil
}

// follow hands the first n bytes of p to the protocol layer, no further than to the end of a
// command: what is behind it is not looked at before its answer has been written.
func (w *wire) follow(p []byte, n int) (int, error) {
	seen, err := w.in.next(p[:n], w.limit)
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
func (w *wire) recv(p []byte) (int, error) {
	if w.busy || w.thread == nil || !w.in.between() {
		n, err := w.await(waitsRest, p)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			w.lose(errReadTooLong, nil)
			_ = w.socket.SetDeadline(time.Now().Add(farewellTime))
			_ = writeError(w.Conn, w.in.sequence+1, errReadTooLong)
		}
		return n, err
	}
	w.work.endSimple()
	w.work.preparations.dropClosed()
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
func (w *wire) await(what waiting, p []byte) (int, error) {
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

// refuse reads what is left of a command that is too big, without keeping it, and
// answers with an error. The connection is of no further use.
func (w *wire) refuse(scratch []byte) {
	_ = w.Conn.SetReadDeadline(time.Now().Add(drainTime))
	for read := 0; !w.in.between() && read < drainMax; {
		n, err := w.Conn.Read(scratch)
		if err != nil {
			return
		}
		w.in.skip(scratch[:n])
		read += n
	}
	w.lose(mysqlerr.PacketTooBig, nil)
	_ = writeError(w.Conn, w.in.sequence+1, mysqlerr.PacketTooBig)
}

// Write implements net.Conn.
func (w *wire) Write(p []byte) (int, error) {
	own := !w.busy && w.in.wire != nil && (!passed[w.in.command] || w.verdict.refused)
	if w.work != nil && !own {
		w.work.endSimple()
	}
	if w.opening {
		return len(p), w.openingWrite(p)
	}
	all := len(p)
	if w.above.on {
		if l := w.late; l != nil {
			w.late = nil
			defer l.release()
			p = w.renumber(l.end(w), p)
		} else {
			p = w.renumber(make([]byte, 0, len(p)+len(w.above.head)), p)
		}
	}
	w.out.skip(p)
	switch {
	case w.busy:
	case w.in.command == comResetConnection && len(p) == okSize:
		// The protocol layer does not say what the new session is like.
		p = slices.Clone(p)
		p[3], p[4] = byte(w.conn.StatusFlags), byte(w.conn.StatusFlags>>8)
	case own:
		return all, w.answer(p)
	}
	if len(p) > 0 {
		if _, err := w.send(p); err != nil {
			return 0, err
		}
	}
	return all, nil
}

// above follows the packets that the protocol layer writes.
type above struct {
	on       bool
	head     [4]byte
	nhead    int
	left     int // payload of the current packet still to come
	dropping bool
}

// renumber appends p, the next bytes of the protocol layer's packets, as they go to the client: under
// the numbers that it expects.
func (w *wire) renumber(to, p []byte) []byte {
	a := &w.above
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

// begins notes that a command's packet with this number begins; the next one that goes to the client is
// its answer's.
func (w *wire) begins(sequence byte) {
	w.out.sequence, w.shift, w.skip, w.interrupted, w.above = sequence, 0, false, false, above{}
}

// send writes to the client.
func (w *wire) send(p []byte) (int, error) {
	if w.busy && w.work.processor != nil {
		defer w.work.processor.Wait()()
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
			w.lose(errWritingTooLong, nil)
		case again && w.tls == nil: // which does not go on after an error
			continue
		default:
			w.lose(err, mysqlerr.Writing)
		}
		return written, err
	}
}

// writePast writes packets that the protocol layer, which must have nothing buffered, does not know of.
func (w *wire) writePast(p []byte, packets byte) error {
	w.above.on = true
	w.shift += packets
	w.out.skip(p)
	_, err := w.send(p)
	return err
}

// lateAnswer is a result, or the end of one, that goes to the client when its statement has ended, in place of the protocol layer's
// next packet.
type lateAnswer struct {
	buf   []byte
	more  bool // another result follows
	count byte // of packets in buf, modulo 256
}

// answerLate has the client get packets, and then the end of their result, when the statement has ended. They are the wire's from now on.
func (w *wire) answerLate(p packets, more bool) {
	w.late = &lateAnswer{p.buf[:p.start], more, p.count}
	w.above.on, w.skip = true, true
	w.shift += p.count + 1
}

// end adds the end of the result.
func (l *lateAnswer) end(w *wire) []byte {
	flags := w.conn.StatusFlags
	if l.more {
		flags |= mysql.ServerMoreResultsExists
	}
	start := len(l.buf)
	l.buf = appendEOF(append(l.buf, 0, 0, 0, w.out.sequence+l.count+1), w.conn.Capabilities, flags, w.handler.WarningCount(w.conn))
	setPayloadSize(l.buf[start:], len(l.buf)-start-4)
	return l.buf
}

// release gives back the memory of what has been written.
func (l *lateAnswer) release() { releasePackets(l.buf) }

// fail ends the result that is being written with err. What the protocol layer writes
// next, the regular end of the result, is dropped; nothing may be buffered above.
func (w *wire) fail(err *mysql.SQLError) error {
	w.skip, w.interrupted = true, true
	return w.writePast(errorPacket(w.out.sequence+1, err), 1)
}

// writeError writes an error packet.
func writeError(to io.Writer, sequence byte, err *mysql.SQLError) error {
	_, e := to.Write(errorPacket(sequence, err))
	return e
}

// errorPacket is an error as a packet.
func errorPacket(sequence byte, err *mysql.SQLError) []byte {
	n := 1 + 2 + 1 + 5 + len(err.Message)
	p := append(make([]byte, 0, 4+n), byte(n), byte(n>>8), byte(n>>16), sequence, 0xff, byte(err.Num), byte(err.Num>>8), '#')
	return append(append(p, err.State...), err.Message...)
}

// Close implements net.Conn; only the first call closes.
func (w *wire) Close() error {
	w.once.Do(func() { w.closed = w.socket.Close() })
	return w.closed
}

// hangUp closes the connection, and tells the client so if it is encrypted. It is for the
// connection's goroutine.
func (w *wire) hangUp() {
	if w.tls != nil {
		_ = w.tls.CloseWrite()
	}
	_ = w.Close()
}

// RemoteAddr implements net.Conn.
func (w *wire) RemoteAddr() net.Addr { return w.socket.RemoteAddr() }
