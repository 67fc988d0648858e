package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"

	"pfsd/instr"
)

const (
	latin1  = 8
	utf8mb4 = 255
)

// fakeSession remembers the statements that a connection closes.
type fakeSession struct{ closed []uint32 }

func (*fakeSession) Received(int)                      {}
func (*fakeSession) Sent(int)                          {}
func (*fakeSession) Arrive(byte)                       {}
func (*fakeSession) EndSimple()                        {}
func (*fakeSession) Refuses(byte) *vitess.SQLError     { return nil }
func (*fakeSession) Refused(byte, *vitess.SQLError)    {}
func (*fakeSession) Failed(*vitess.SQLError)           {}
func (s *fakeSession) CloseStatement(id uint32)        { s.closed = append(s.closed, id) }
func (*fakeSession) DropClosed()                       {}
func (*fakeSession) ResetStatement(uint32)             {}
func (*fakeSession) Wait() func()                      { return nil }
func (*fakeSession) Warnings() uint16                  { return 0 }
func (*fakeSession) Answer(byte, []byte) (bool, error) { return false, nil }
func (*fakeSession) Inactive()                         {}

// recorder is a connection that keeps what is written to it.
type recorder struct {
	net.Conn
	bytes []byte
}

func (w *recorder) Write(p []byte) (int, error) {
	w.bytes = append(w.bytes, p...)
	return len(p), nil
}

func frame(sequence byte, payload []byte) []byte {
	return append([]byte{byte(len(payload)), byte(len(payload) >> 8), byte(len(payload) >> 16), sequence}, payload...)
}

func commandOf(command byte, payload ...byte) []byte {
	return frame(0, append([]byte{command}, payload...))
}

func statementOf(command byte, id uint32, payload ...byte) []byte {
	return commandOf(command, append(binary.LittleEndian.AppendUint32(nil, id), payload...)...)
}

// helloOf returns the payload of a client's first packet.
func helloOf(capabilities uint32, charset byte, auth string, attrs []byte) []byte {
	p := binary.LittleEndian.AppendUint32(nil, capabilities)
	p = binary.LittleEndian.AppendUint32(p, 1<<24)
	p = append(append(p, charset), make([]byte, 23)...)
	p = append(p, "root\x00"...)
	p = append(p, auth...)
	if capabilities&vitess.CapabilityClientConnectWithDB != 0 {
		p = append(p, "test\x00"...)
	}
	if capabilities&vitess.CapabilityClientPluginAuth != 0 {
		p = append(p, "mysql_native_password\x00"...)
	}
	return append(p, attrs...)
}

func encodedAttrs(texts ...string) []byte {
	var all []byte
	for _, s := range texts {
		all = AppendText(all, s)
	}
	return append(AppendLength(nil, len(all)), all...)
}

// changeUserOf returns the payload of COM_CHANGE_USER to a user without a password.
func changeUserOf(user, database, plugin string, attrs []byte) []byte {
	p := append([]byte{ComChangeUser}, user...)
	p = append(p, 0, 0)
	p = append(append(p, database...), 0)
	p = append(p, utf8mb4, 0)
	p = append(append(p, plugin...), 0)
	return append(p, attrs...)
}

func TestFramerTakesTheCursorFlagOut(t *testing.T) {
	f := framer{commands: true}
	packet := []byte{7, 0, 0, 0, ComStmtExec, 1, 0, 0, 0, 1, 1}
	for i := range packet {
		if err := f.scan(packet[i:i+1], 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if packet[9] != 0 || packet[10] != 1 || !f.between() {
		t.Errorf("the packet is %v, want one without a cursor", packet)
	}
}

func FuzzFramer(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 3}, byte(1))
	f.Fuzz(func(t *testing.T, p []byte, cut byte) {
		whole, parts := framer{}, framer{}
		a := whole.scan(slices.Clone(p), 1000)
		var b error
		for q := slices.Clone(p); len(q) > 0 && b == nil; {
			n := min(len(q), int(cut)+1)
			b = parts.scan(q[:n], 1000)
			q = q[n:]
		}
		if a != b {
			t.Fatalf("whole %v, in parts %v", a, b)
		}
		if a == nil && whole != parts {
			t.Fatalf("whole %+v, in parts %+v", whole, parts)
		}
	})
}

// TestHalfOpenOfOneAddress checks that a new connection beyond the limit replaces only one of the
// address with the most connections.
func TestHalfOpenOfOneAddress(t *testing.T) {
	h := newHalfOpen(4)
	var all []*Conn
	for _, from := range []string{"a", "b", "b", "b"} {
		w := &Conn{from: from}
		all = append(all, w)
		if h.add(w) != nil {
			t.Fatal("add found no room below the limit")
		}
	}
	if got := h.add(&Conn{from: "c"}); got != all[1] {
		t.Error("the victim is not the oldest connection of the address with the most")
	}
	if h.Remove(all[1]) || !h.Remove(all[0]) {
		t.Error("Remove reported a wrong result")
	}
	if h.add(&Conn{from: "d"}) != nil {
		t.Error("add found no room after Remove")
	}
}

// TestFramerReadsClosedStatements checks that the id of COM_STMT_CLOSE is read however the packet
// is cut.
func TestFramerReadsClosedStatements(t *testing.T) {
	ids := []uint32{1, 0x04030201, 1 << 31, 258}
	for range 50 {
		var stream []byte
		for _, id := range ids {
			stream = append(stream, statementOf(ComStmtClose, id)...)
			stream = append(stream, statementOf(ComStmtExec, id+1, 0, 1, 0, 0, 0)...)
			stream = append(stream, commandOf(ComStmtClose, 1, 2)...) // too short
		}
		s := &fakeSession{}
		f := framer{commands: true, Conn: &Conn{session: s}}
		for len(stream) > 0 {
			n := 1 + rand.IntN(len(stream))
			if err := f.scan(stream[:n], 1<<20); err != nil {
				t.Fatal(err)
			}
			stream = stream[n:]
		}
		if !slices.Equal(s.closed, ids) {
			t.Fatalf("closed: %x", s.closed)
		}
	}
}

// FuzzRenumber checks that the client sees the protocol layer's packets under the right numbers,
// and none of the dropped packets, however the packets are cut into writes.
func FuzzRenumber(f *testing.F) {
	f.Add([]byte{1, 0, 5, 3}, byte(7), byte(3), true)
	f.Fuzz(func(t *testing.T, sizes []byte, cut, past byte, skip bool) {
		conn := &recorder{}
		w := &Conn{Conn: conn}
		w.packetBegins(0)
		want := byte(0)
		for range past {
			want++
			if err := w.writePast([]byte{1, 0, 0, want, 'p'}, 1); err != nil {
				t.Fatal(err)
			}
		}
		conn.bytes = nil
		w.skip = skip && past > 0
		var stream []byte
		for i, n := range sizes {
			stream = append(stream, frame(byte(i+1), make([]byte, int(n)))...)
		}
		for len(stream) > 0 {
			n := min(int(cut)+1, len(stream))
			if done, err := w.Write(stream[:n]); err != nil || done != n {
				t.Fatal(done, err)
			}
			stream = stream[n:]
		}
		rest := conn.bytes
		for i, n := range sizes {
			if skip && past > 0 && i == 0 {
				continue
			}
			if want++; len(rest) < 4 || rest[0] != n || rest[3] != want {
				t.Fatalf("packet %d is %v, want number %d", i, rest[:min(4, len(rest))], want)
			}
			rest = rest[4+int(n):]
		}
		if len(rest) > 0 || past > 0 && len(sizes) > 0 && (!skip || len(sizes) > 1) && w.out.sequence != want {
			t.Errorf("%d bytes are left, and the last number is %d, want %d", len(rest), w.out.sequence, want)
		}
	})
}

// attrsOf reads the attributes in the payload of a client's first packet.
func attrsOf(payload []byte) ([]instr.ConnectAttr, bool) {
	h, _ := readHello(payload)
	return h.connectAttrs()
}

func TestConnectAttrsOfHandshake(t *testing.T) {
	const base, with = vitess.CapabilityClientProtocol41, vitess.CapabilityClientConnAttr
	long := strings.Repeat("v", 300)
	sent := encodedAttrs("_os", "Linux", "program_name", "", "long", long)
	want := []instr.ConnectAttr{{Name: "_os", Value: "Linux"}, {Name: "program_name"}, {Name: "long", Value: long}}
	for _, c := range []struct {
		name    string
		payload []byte
		want    []instr.ConnectAttr
		bad     bool
	}{
		{name: "length before the answer", payload: helloOf(base|with|vitess.CapabilityClientPluginAuthLenencClientData, utf8mb4, "\xfc\x02\x00ab", sent), want: want},
		{name: "byte before the answer", payload: helloOf(base|with|vitess.CapabilityClientSecureConnection, utf8mb4, "\x02ab", sent), want: want},
		{name: "zero behind the answer", payload: helloOf(base|with, utf8mb4, "ab\x00", sent), want: want},
		{name: "everything", payload: helloOf(base|with|vitess.CapabilityClientSecureConnection|vitess.CapabilityClientConnectWithDB|vitess.CapabilityClientPluginAuth, utf8mb4, "\x00", sent), want: want},
		{name: "none", payload: helloOf(base|with|vitess.CapabilityClientSecureConnection, utf8mb4, "\x00", encodedAttrs())},
		{name: "none told of", payload: helloOf(base|vitess.CapabilityClientSecureConnection, utf8mb4, "\x00", sent)},
		{name: "another protocol", payload: helloOf(with, utf8mb4, "\x00", sent)},
		{name: "latin1", payload: helloOf(base|with, latin1, "\x00", encodedAttrs("n", "caf\xe9")), want: []instr.ConnectAttr{{Name: "n", Value: "café"}}},
		{name: "no utf8", payload: helloOf(base|with, utf8mb4, "\x00", encodedAttrs("n", "caf\xe9!", "m", "é")), want: []instr.ConnectAttr{{Name: "n", Value: "caf"}, {Name: "m", Value: "é"}}},
		{name: "no collation", payload: helloOf(base|with, 0, "\x00", encodedAttrs("n", "v")), want: []instr.ConnectAttr{{Name: "n", Value: "v"}}},
		{name: "most", payload: helloOf(base|with, utf8mb4, "\x00", encodedAttrs("n", strings.Repeat("x", connectAttrsMax-5))), want: []instr.ConnectAttr{{Name: "n", Value: strings.Repeat("x", connectAttrsMax-5)}}},
		{name: "too many", payload: helloOf(base|with, utf8mb4, "\x00", encodedAttrs("n", strings.Repeat("x", connectAttrsMax-4))), bad: true},
		{name: "no length", payload: helloOf(base|with, utf8mb4, "\x00", nil), bad: true},
		{name: "NULL", payload: helloOf(base|with, utf8mb4, "\x00", []byte{0xfb}), bad: true},
		{name: "cut off", payload: helloOf(base|with, utf8mb4, "\x00", sent[:len(sent)-1]), bad: true},
		{name: "no value", payload: helloOf(base|with, utf8mb4, "\x00", encodedAttrs("a", "b", "c")), want: []instr.ConnectAttr{{Name: "a", Value: "b"}}, bad: true},
		{name: "a value beyond the end", payload: helloOf(base|with, utf8mb4, "\x00", []byte{5, 1, 'a', 9, 'b', 'c'}), bad: true},
		{name: "a length beyond all", payload: helloOf(base|with, utf8mb4, "\x00", []byte{0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 1, 'a'}), bad: true},
		{name: "nothing", bad: false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := attrsOf(c.payload)
			if !slices.Equal(got, c.want) || ok == c.bad {
				t.Errorf("got %.200v, %v", got, ok)
			}
		})
	}
}

// FuzzHello checks that what the protocol layer gets of a client's first packet is complete, and says the same.
func FuzzHello(f *testing.F) {
	for _, capabilities := range []uint32{
		vitess.CapabilityClientProtocol41, vitess.CapabilityClientPluginAuthLenencClientData | vitess.CapabilityClientConnectWithDB | vitess.CapabilityClientPluginAuth,
		vitess.CapabilityClientSecureConnection | vitess.CapabilityClientConnAttr,
	} {
		for _, auth := range []string{"\x00", "\x02ab", "\xfe\xff\xff\xff\xff\xff\xff\xff\xff", "\xfe\xff\xff\xff\xff\xff\xff\xff\x7fab", "\xfb", "\xff", "\xfc\x01"} {
			f.Add(helloOf(capabilities, utf8mb4, auth, encodedAttrs("a", "b")))
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		h, ok := readHello(payload)
		if !ok {
			return
		}
		p := h.packet(7)
		if payloadSize(p) != len(p)-4 || p[3] != 7 || len(p) > len(payload)+64 {
			t.Fatalf("a packet of %d bytes says %d, from %d", len(p), payloadSize(p), len(payload))
		}
		again, ok := readHello(p[4:])
		if !ok || !bytes.Equal(again.user, h.user) || !bytes.Equal(again.auth, h.auth) || !bytes.Equal(again.schema, h.schema) || !bytes.Equal(again.plugin, h.plugin) || again.attrs != nil {
			t.Errorf("%+v became %+v", h, again)
		}
	})
}

// FuzzConnectAttrs checks that reading attributes never panics, and keeps no more of them than
// MySQL does.
func FuzzConnectAttrs(f *testing.F) {
	const capabilities = vitess.CapabilityClientProtocol41 | vitess.CapabilityClientConnAttr
	for _, charset := range []byte{latin1, utf8mb4, 1, 28, 54} {
		f.Add(helloOf(capabilities, charset, "\x00", encodedAttrs("_os", "Linux", "\x82\xa0", "\xd8\x00")))
		f.Add(helloOf(capabilities|vitess.CapabilityClientPluginAuthLenencClientData|vitess.CapabilityClientConnectWithDB|vitess.CapabilityClientPluginAuth, charset, "\x01a", encodedAttrs("", "")))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		attrs, _ := attrsOf(payload)
		size := 0
		for _, a := range attrs {
			size += len(a.Name) + len(a.Value)
		}
		if size > 4*connectAttrsMax { // the longest encoding of a byte
			t.Errorf("%d bytes of attributes from %d", size, len(payload))
		}
		r := instr.NewRegistry()
		th := r.Attach("test/client")
		defer th.Detach()
		th.SetConnectAttrs(attrs)
		for _, a := range th.ConnectAttrs(nil) {
			if a.Name == "" {
				t.Error("an attribute has no name")
			}
		}
	})
}

// FuzzChangeUser checks that reading COM_CHANGE_USER never panics.
func FuzzChangeUser(f *testing.F) {
	const capabilities = (vitess.CapabilityClientProtocol41 | vitess.CapabilityClientSecureConnection) | vitess.CapabilityClientConnAttr
	f.Add(changeUserOf("ann", "test", "caching_sha2_password", encodedAttrs("a", "b")), uint32(capabilities))
	f.Add(changeUserOf("", "", "", nil), uint32(vitess.CapabilityClientConnAttr))
	f.Add([]byte{ComChangeUser, 'a', 0, 200, 1}, uint32(0))
	f.Fuzz(func(t *testing.T, payload []byte, capabilities uint32) {
		u, ok := (&Conn{Capabilities: capabilities}).ChangedUser(payload)
		if ok && len(u.User)+len(u.Database)+len(u.Plugin) > len(payload) {
			t.Errorf("%+v of %d bytes", u, len(payload))
		}
		if slices.ContainsFunc(u.Attrs, func(a instr.ConnectAttr) bool { return len(a.Name) > connectAttrsMax*4 }) {
			t.Error("an attribute is too long")
		}
	})
}

// TestStaleDeadline checks that a deadline that comes after its wait has ended does not end
// anything.
func TestStaleDeadline(t *testing.T) {
	reg := instr.NewRegistry()
	l, err := reg.Listen("tcp", "127.0.0.1:0", "sql/server_tcpip_socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	socket, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	w := newWire(socket.(*instr.Conn), &Transport{Limit: 1 << 20})
	w.session, w.ready, w.Opening, w.in.commands, w.in.Conn = &fakeSession{}, true, false, true, w
	w.waits.expired.Store(w.waits.word.Load() + uint32(waitingKinds)) // the word of another wait
	if err := w.socket.SetDeadline(longPast); err != nil {
		t.Fatal(err)
	}
	sent := commandOf(ComQuery, []byte("SELECT 1")...)
	if _, err := client.Write(sent); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(w, got); err != nil || !slices.Equal(got, sent) {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestExpire checks that a wait ends when it takes longer than its variable allows, and not before.
func TestExpire(t *testing.T) {
	reg := instr.NewRegistry()
	l, err := reg.Listen("tcp", "127.0.0.1:0", "sql/server_tcpip_socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	socket, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	w := newWire(socket.(*instr.Conn), &Transport{Limit: 1 << 20})
	expired := func() bool { return w.waits.expired.Load() == w.waits.word.Load() }
	seconds := func(variable string) (uint64, bool) { return 10, variable == "wait_timeout" }
	now := time.Unix(1000, 0)
	w.waits.begin(waitsCommand)
	w.Expire(now, seconds)
	if w.Expire(now.Add(9*time.Second), seconds); expired() {
		t.Error("the wait ended too early")
	}
	if w.Expire(now.Add(10*time.Second), seconds); !expired() {
		t.Error("the wait did not end")
	}
	w.waits.begin(waitsRest) // the test gives this kind of wait no limit
	w.Expire(now, seconds)
	if w.Expire(now.Add(time.Hour), seconds); expired() {
		t.Error("a wait without a limit ended")
	}
}

// TestHostCacheSize checks the size that the server computes from max_connections.
func TestHostCacheSize(t *testing.T) {
	for connections, want := range map[int]int64{151: 279, 500: 628, 1000: 653, 100_000: 2000} {
		if got := autoHostCacheSize(connections); got != want {
			t.Errorf("%d connections: %d, want %d", connections, got, want)
		}
	}
}
