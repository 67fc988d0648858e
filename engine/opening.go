package engine

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/errorlog"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sysvar"
	"pfsd/instr"
	"pfsd/tables"
)

// What of the opening of a connection the protocol layer cannot do, its wire does: it offers
// TLS and ends it, so that the protocol layer above sees a connection in clear text whose
// packets are numbered as if the client had not asked for TLS; and it refuses, with MySQL's
// errors, who may not come in before they are asked who they are.

// transport is what the connections of a server have in common. Safe for concurrent use.
type transport struct {
	limit     int64 // of a command, bytes
	channel   *channel
	hosts     *hostCache
	log       *errorlog.Log
	variables *sysvar.Server // set before the first connection comes
	opens     *halfOpen      // the connections whose clients have not signed in
	// adminOpens are those over the administrators' address.
	adminOpens *halfOpen
	// abortedConnects are the connections that failed before they were logged in, abortedClients
	// those that ended otherwise than clients should.
	abortedConnects, abortedClients atomic.Uint64
	status                          connectionStatus
}

const (
	// sslRequestSize is how many bytes a client's first packet has that asks for TLS.
	sslRequestSize = 32
	// helloMin is how many bytes MySQL wants of a client's first packet, at least.
	helloMin = 6
)

// openingRead hands the protocol layer what a client says before it has logged in.
func (w *wire) openingRead(p []byte) (int, error) {
	if len(w.pending) == 0 {
		packet, err := w.openingPacket()
		if err != nil {
			return 0, err
		}
		w.pending = packet
	}
	n := copy(p, w.pending)
	w.pending = w.pending[n:]
	return n, nil
}

// openingPacket returns the next packet, numbered for the protocol layer; io.EOF if the client
// is not let in, and has been told why.
func (w *wire) openingPacket() ([]byte, error) {
	packet, err := w.readPacket()
	if err == nil && w.hello == nil {
		if packet, err = w.begin(packet); err == nil {
			w.hello = bytes.Clone(packet[len(w.in.head):])
		}
	}
	if err != nil {
		w.fails(tables.HostHandshake, err)
		return nil, w.refused(err)
	}
	packet[3] -= w.lag
	return packet, nil
}

// fails notes why the client is not let in. err is what the log says of it, nil if it says nothing.
func (w *wire) fails(sort tables.HostError, err error) {
	if w.failed {
		return
	}
	w.failed = true
	w.hosts.failed(w.ip, sort)
	if err != nil {
		w.lose(err, mysqlerr.Reading)
	}
}

// lose notes why the connection ends, if a client's connection should not end so: err, or
// otherwise if that is no error of MySQL's. The server closes connections, too.
func (w *wire) lose(err error, otherwise *mysql.SQLError) {
	if w.lost != nil || errors.Is(err, net.ErrClosed) {
		return
	}
	if !errors.As(err, &w.lost) {
		w.lost = otherwise
	}
}

// ended counts how the connection of cl has ended, and says so in the log.
func (w *wire) ended(cl *client) {
	db, user := "unconnected", "unauthenticated"
	switch {
	case w.opening:
		w.abortedConnects.Add(1)
	case w.lost != nil:
		w.abortedClients.Add(1)
	}
	if w.lost == nil {
		return
	}
	if w.ready {
		user = cl.user
		if current := cl.session.GetCurrentDatabase(); current != "" {
			db = current
		}
	}
	w.log.Write(errorlog.Aborted, cl.id, db, user, cl.from, w.lost.Message)
}

// refused tells the client err if it is an error of MySQL's. It returns what the protocol
// layer gets to know.
func (w *wire) refused(err error) error {
	var e *mysql.SQLError
	if errors.As(err, &e) {
		_ = writeError(w.Conn, w.out.sequence+1, e)
		return io.EOF
	}
	return err
}

// begin takes a client's first packet, and returns the one with which it logs in.
func (w *wire) begin(packet []byte) ([]byte, error) {
	payload := packet[len(w.in.head):]
	if len(payload) < helloMin {
		return nil, mysqlerr.BadHandshake
	}
	if flags := binary.LittleEndian.Uint32(payload); flags&mysql.CapabilityClientSSL != 0 && w.transport.channel.on() {
		if len(payload) < sslRequestSize {
			return nil, mysqlerr.BadHandshake
		}
		if err := w.encrypt(); err != nil {
			return nil, err
		}
		w.lag++
		var err error
		if packet, err = w.readPacket(); err != nil {
			return nil, err
		}
		payload = packet[len(w.in.head):]
	}
	if len(payload) < sslRequestSize || binary.LittleEndian.Uint32(payload)&mysql.CapabilityClientProtocol41 == 0 {
		return nil, mysqlerr.BadHandshake
	}
	if !w.secure() && w.variables.Integer("require_secure_transport") != 0 {
		return nil, mysqlerr.InsecureTransport
	}
	return packet, nil
}

// encrypt goes on in TLS.
func (w *wire) encrypt() error {
	c := w.transport.channel
	c.accepts.Add(1)
	over := tls.Server(w.socket, c.current.Load().config)
	if err := over.HandshakeContext(context.Background()); err != nil {
		return err
	}
	c.finished.Add(1)
	if over.ConnectionState().DidResume {
		c.reused.Add(1)
	}
	w.Conn, w.tls = &metered{over, w}, over
	return nil
}

// secure tells whether nobody can listen: the connection is encrypted, or does not leave
// the machine.
func (w *wire) secure() bool { return w.tls != nil || w.socket.RemoteAddr().Network() == "unix" }

// readPacket reads a packet of the opening, as it comes, and no byte more.
func (w *wire) readPacket() ([]byte, error) {
	packet := make([]byte, len(w.in.head), 256)
	if _, err := io.ReadFull(w.Conn, packet); err != nil {
		return nil, openingError(err)
	}
	n := int(packet[0]) | int(packet[1])<<8 | int(packet[2])<<16
	w.out.sequence++ // the number that the client's packet has, too
	switch {
	case packet[3] != w.out.sequence:
		return nil, mysqlerr.OutOfOrder
	case n > greetingMax:
		return nil, mysqlerr.PacketTooBig
	}
	packet = append(packet, make([]byte, n)...)
	if _, err := io.ReadFull(w.Conn, packet[len(w.in.head):]); err != nil {
		return nil, openingError(err)
	}
	return packet, nil
}

// openingError is what a client is told whose packet could not be read; io.EOF is nothing, it
// has gone.
func openingError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return mysqlerr.BadHandshake
	}
	return err
}

// openingWrite writes a packet of the opening. The protocol layer writes header and payload
// one after the other; they go out together, under the number that the client expects.
func (w *wire) openingWrite(p []byte) error {
	if len(w.head) == 0 && len(p) == len(w.out.head) {
		w.head = append(w.head, p...)
		return nil
	}
	packet := append(w.head, p...)
	w.head = w.head[:0]
	packet[3] += w.lag
	if packet[3] == 0 {
		flags := uint32(capabilityOutParameters)
		if w.transport.channel.on() {
			flags |= mysql.CapabilityClientSSL
		}
		offer(packet[len(w.out.head):], flags)
	}
	w.out.skip(packet)
	_, err := w.Conn.Write(packet)
	return err
}

// offer says in the server's greeting what else clients may use.
func offer(greeting []byte, flags uint32) {
	const lower, upper = 4 + 8 + 1, 2 + 1 + 2 // connection, salt, filler; these flags, collation, status
	if end := bytes.IndexByte(greeting, 0); end >= 0 && len(greeting) >= end+1+lower+upper+2 {
		for at, part := range map[int]uint32{0: flags, upper: flags >> 16} {
			p := greeting[end+1+lower+at:]
			binary.LittleEndian.PutUint16(p, binary.LittleEndian.Uint16(p)|uint16(part))
		}
	}
}

// login tells that what follows are commands. It returns what the client has said of itself,
// as connectAttrs does.
func (w *wire) login() (attrs []instr.ConnectAttr, ok bool) {
	attrs, ok = connectAttrs(w.hello)
	w.capabilities = binary.LittleEndian.Uint32(w.hello)
	_ = w.socket.SetDeadline(time.Time{})
	w.ready, w.in.commands, w.in.wire, w.hello = true, true, w, nil
	return attrs, ok
}

// securing are methods to log in that know which connections are secure: the protocol layer
// has TLS done below it, and does not tell a unix socket among the others. Safe for concurrent use.
type securing struct{ mysql.AuthServer }

// AuthMethods implements mysql.AuthServer.
func (s securing) AuthMethods() (all []mysql.AuthMethod) {
	for _, m := range s.AuthServer.AuthMethods() {
		all = append(all, securingMethod{m})
	}
	return all
}

type securingMethod struct{ mysql.AuthMethod }

// HandleUser implements mysql.AuthMethod.
func (m securingMethod) HandleUser(c *mysql.Conn, user string) bool {
	if w, ok := c.Conn.(*wire); ok && (w.tls != nil || w.secure() && m.Name() == mysql.CachingSha2Password) {
		c.Capabilities |= mysql.CapabilityClientSSL
	}
	return m.AuthMethod.HandleUser(c, user)
}

// HandleAuthPluginData implements mysql.AuthMethod. Who is not let in is in the error log, as in MySQL.
func (m securingMethod) HandleAuthPluginData(c *mysql.Conn, user string, server, client []byte, remote net.Addr) (mysql.Getter, error) {
	data, err := m.AuthMethod.HandleAuthPluginData(c, user, server, client, remote)
	if w, ok := c.Conn.(*wire); ok && err != nil && !w.failed {
		w.fails(tables.HostAuthentication, nil)
		if e := (*mysql.SQLError)(nil); errors.As(err, &e) && e.Num == mysql.ERAccessDeniedError {
			w.log.Write(errorlog.AccessDenied, e.Message)
		}
	}
	return data, err
}
