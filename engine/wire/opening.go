package wire

import (
	"bytes"
	"cmp"
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

	"pfsd/engine/config"
	"pfsd/engine/datadir"
	"pfsd/engine/errorlog"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sysvar"
	"pfsd/instr"
	"pfsd/tables"
)

// Conn does the parts of the opening of a connection that vitess's protocol layer cannot do. It
// offers TLS and decrypts it, so that the protocol layer sees a connection in clear text, with
// packet numbers as if the client had not asked for TLS. It refuses clients with MySQL's errors
// before they sign in.

// Transport is what the connections of a server have in common. Safe for concurrent use.
type Transport struct {
	Limit     int64 // the largest size of a command, bytes
	Channel   *Channel
	Hosts     *HostCache
	Log       *errorlog.Log
	variables *sysvar.Server // set before the first connection comes
	opens     *HalfOpen      // the connections whose clients have not signed in
	// adminOpens are those that came over the administrators' address.
	adminOpens *HalfOpen
	// AbortedConnects counts the connections that failed before their clients signed in,
	// AbortedClients those that ended without COM_QUIT.
	AbortedConnects, AbortedClients atomic.Uint64
	Status                          connectionStatus
}

// NewTransport reads the certificates of connections, or makes them in dir.
func NewTransport(reg *instr.Registry, o config.Options, dir *datadir.Dir, log *errorlog.Log) (*Transport, error) {
	c, err := openChannel(o, dir)
	if err != nil {
		return nil, err
	}
	c.report(log)
	return &Transport{
		opens: newHalfOpen(halfOpenMax), adminOpens: newHalfOpen(halfOpenMax), Limit: o.MaxAllowedPacket, Channel: c, Hosts: newHostCache(reg, log), Log: log,
	}, nil
}

// SetVariables gives the connections the system variables. Call it before the first connection
// comes.
func (t *Transport) SetVariables(s *sysvar.Server) { t.variables, t.Hosts.variables = s, s }

// connectionStatus counts connections. Safe for concurrent use.
type connectionStatus struct {
	Connections atomic.Uint64 // all of them
	NotAccepted atomic.Uint64 // not accepted because of a fault of the system
	Refused     atomic.Uint64 // refused because there were too many
}

// CapabilityOutParameters is the capability of a client that wants the values of OUT and INOUT
// parameters as a result.
const CapabilityOutParameters = 1 << 18

const (
	// sslRequestSize is the number of bytes in a client's first packet that asks for TLS.
	sslRequestSize = 32
	// helloMin is the smallest number of bytes that MySQL accepts as a client's first packet.
	helloMin = 6
)

// openingRead gives the protocol layer the packets of a client that has not signed in.
func (w *Conn) openingRead(p []byte) (int, error) {
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

// openingPacket returns the next packet, numbered for the protocol layer. It returns io.EOF if it
// has refused the client with an error.
func (w *Conn) openingPacket() ([]byte, error) {
	packet, err := w.readPacket()
	if err == nil && w.hello == nil {
		packet, err = w.begin(packet)
	}
	if err != nil {
		w.Fails(tables.HostHandshake, err)
		return nil, w.refused(err)
	}
	packet[3] -= w.lag
	return packet, nil
}

// Fails notes why the client cannot sign in. err is written to the log, unless it is nil.
func (w *Conn) Fails(sort tables.HostError, err error) {
	if w.failed {
		return
	}
	w.failed = true
	w.Hosts.failed(w.ip, sort)
	if err != nil {
		w.setLost(err, mysqlerr.Reading)
	}
}

// setLost notes why the connection ends, if it ends without COM_QUIT: err, or otherwise if err is
// not an error of MySQL.
func (w *Conn) setLost(err error, otherwise *mysql.SQLError) {
	if w.lost != nil || errors.Is(err, net.ErrClosed) {
		return
	}
	if !errors.As(err, &w.lost) {
		w.lost = otherwise
	}
}

// Ended counts how the connection id of a user ended, and writes it to the log. database is the
// connection's current database, "" for none.
func (w *Conn) Ended(id uint32, user, database string) {
	db := cmp.Or(database, "unconnected")
	if !w.ready {
		db, user = "unconnected", "unauthenticated"
	}
	switch {
	case w.Opening:
		w.AbortedConnects.Add(1)
	case w.lost != nil:
		w.AbortedClients.Add(1)
	}
	if w.lost == nil {
		return
	}
	w.Log.Write(errorlog.Aborted, id, db, user, w.Host, w.lost.Message)
}

// refused sends err to the client if it is an error of MySQL. It returns the error for the protocol
// layer.
func (w *Conn) refused(err error) error {
	var e *mysql.SQLError
	if errors.As(err, &e) {
		_ = writeError(w.Conn, w.out.sequence+1, e)
		return io.EOF
	}
	return err
}

// begin reads a client's first packet, and returns the packet with which the client logs in, as the protocol layer gets
// it. With TLS, the client logs in with the next packet.
func (w *Conn) begin(packet []byte) ([]byte, error) {
	payload := packet[len(w.in.head):]
	if len(payload) < helloMin {
		return nil, mysqlerr.BadHandshake
	}
	if flags := binary.LittleEndian.Uint32(payload); flags&mysql.CapabilityClientSSL != 0 && w.Transport.Channel.On() {
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
	h, ok := readHello(payload)
	if !ok {
		return nil, mysqlerr.BadHandshake
	}
	w.hello = &h
	return h.packet(packet[3]), nil
}

// encrypt begins TLS: from now on, packets go over it.
func (w *Conn) encrypt() error {
	c := w.Transport.Channel
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

// secure reports whether nobody can listen: the connection is encrypted, or does not leave the
// machine.
func (w *Conn) secure() bool { return w.tls != nil || w.socket.RemoteAddr().Network() == "unix" }

// readPacket reads one packet of the opening as the client sent it, and no byte more.
func (w *Conn) readPacket() ([]byte, error) {
	packet := make([]byte, len(w.in.head), 256)
	if _, err := io.ReadFull(w.Conn, packet); err != nil {
		return nil, openingError(err)
	}
	n := int(packet[0]) | int(packet[1])<<8 | int(packet[2])<<16
	w.out.sequence++ // the client's packet has this number
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

// openingError returns the error for a client whose packet could not be read; io.EOF if the client has gone.
func openingError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return mysqlerr.BadHandshake
	}
	return err
}

// openingWrite writes a packet of the opening. The protocol layer writes the header and then the
// payload; openingWrite sends them together, with the number that the client expects.
func (w *Conn) openingWrite(p []byte) error {
	if len(w.head) == 0 && len(p) == len(w.out.head) {
		w.head = append(w.head, p...)
		return nil
	}
	packet := append(w.head, p...)
	w.head = w.head[:0]
	packet[3] += w.lag
	if packet[3] == 0 {
		flags := uint32(CapabilityOutParameters)
		if w.Transport.Channel.On() {
			flags |= mysql.CapabilityClientSSL
		}
		offer(packet[len(w.out.head):], flags)
	}
	w.out.skip(packet)
	_, err := w.Conn.Write(packet)
	return err
}

// offer adds capabilities to the server's greeting.
func offer(greeting []byte, flags uint32) {
	const lower, upper = 4 + 8 + 1, 2 + 1 + 2 // connection, salt, filler; these flags, collation, status
	if end := bytes.IndexByte(greeting, 0); end >= 0 && len(greeting) >= end+1+lower+upper+2 {
		for at, part := range map[int]uint32{0: flags, upper: flags >> 16} {
			p := greeting[end+1+lower+at:]
			binary.LittleEndian.PutUint16(p, binary.LittleEndian.Uint16(p)|uint16(part))
		}
	}
}

// Attach connects the connection with its thread and its session; conn is the protocol layer's
// connection.
func (w *Conn) Attach(conn *mysql.Conn, thread *instr.Thread, s Session) {
	w.Status.Connections.Add(1)
	w.conn, w.thread, w.session = conn, thread, s
	w.socket.SetOwner(thread)
}

// SignInWithin limits the time that the client may take to sign in.
func (w *Conn) SignInWithin(d time.Duration) {
	if !w.ready {
		_ = w.socket.SetDeadline(time.Now().Add(d))
	}
}

// Enter looks up the host of the client. A client on a blocked host gets an error in place of the greeting.
func (w *Conn) Enter(ctx context.Context) {
	w.Host = "localhost"
	if w.ip = cacheable(w.RemoteAddr()); w.ip == "" {
		return
	}
	var ok bool
	if w.Host, ok = w.Hosts.enter(ctx, w.ip); !ok {
		w.failed = true
		_ = writeError(w.socket, 0, mysqlerr.HostBlocked(w.ip))
		_ = w.Close()
	}
}

// Login notes that the client has signed in: commands follow. It returns the database that the
// client named, "" for none, and the client's attributes as hello.connectAttrs does.
func (w *Conn) Login() (database string, attrs []instr.ConnectAttr, ok bool) {
	database, w.Capabilities = string(w.hello.schema), w.hello.capabilities
	attrs, ok = w.hello.connectAttrs()
	_ = w.socket.SetDeadline(time.Time{})
	w.ready, w.in.commands, w.in.Conn, w.hello = true, true, w, nil
	return database, attrs, ok
}

// securing adds to methods of signing in that they know which connections are secure. The protocol
// layer does not know: TLS is below it, and it treats a unix socket like any other. Safe for
// concurrent use.
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
	if w, ok := c.Conn.(*Conn); ok && (w.tls != nil || w.secure() && m.Name() == mysql.CachingSha2Password) {
		c.Capabilities |= mysql.CapabilityClientSSL
	}
	return m.AuthMethod.HandleUser(c, user)
}

// HandleAuthPluginData implements mysql.AuthMethod. A client that is refused is in the error log, as in MySQL.
func (m securingMethod) HandleAuthPluginData(c *mysql.Conn, user string, server, client []byte, remote net.Addr) (mysql.Getter, error) {
	data, err := m.AuthMethod.HandleAuthPluginData(c, user, server, client, remote)
	if w, ok := c.Conn.(*Conn); ok && err != nil && !w.failed {
		w.Fails(tables.HostAuthentication, nil)
		if e := (*mysql.SQLError)(nil); errors.As(err, &e) && e.Num == mysql.ERAccessDeniedError {
			w.Log.Write(errorlog.AccessDenied, e.Message)
		}
	}
	return data, err
}
