package engine

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"testing"

	vitess "github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/wire"
)

// rawClient is a connection whose packets a test writes itself.
type rawClient struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

// dialRaw connects and answers the server's greeting with a packet.
func dialRaw(t testing.TB, addr string, response []byte) *rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := &rawClient{t, conn, bufio.NewReader(conn)}
	c.read()
	c.write(frame(1, response))
	if p := c.read(); p[0] != 0 {
		t.Fatalf("login is answered with %q", p)
	}
	return c
}

// frame makes a packet with a sequence number.
func frame(sequence byte, payload []byte) []byte {
	return append([]byte{byte(len(payload)), byte(len(payload) >> 8), byte(len(payload) >> 16), sequence}, payload...)
}

// What a server says while a client signs in with caching_sha2_password.
const (
	moreOfAuth = 0x01 // in front of the rest
	askForAuth = 0x04 // the password is asked for
)

// commandOf makes the packet of a command.
func commandOf(command byte, payload ...byte) []byte {
	return frame(0, append([]byte{command}, payload...))
}

// statementOf makes the packet of a command about a prepared statement.
func statementOf(command byte, id uint32, payload ...byte) []byte {
	return commandOf(command, append(binary.LittleEndian.AppendUint32(nil, id), payload...)...)
}

func (c *rawClient) write(packets ...[]byte) {
	c.t.Helper()
	var all []byte
	for _, p := range packets {
		all = append(all, p...)
	}
	if _, err := c.Write(all); err != nil {
		c.t.Fatal(err)
	}
}

// read returns the payload of the next packet.
func (c *rawClient) read() []byte {
	c.t.Helper()
	var head [4]byte
	_, err := io.ReadFull(c.in, head[:])
	p := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	if err == nil {
		_, err = io.ReadFull(c.in, p)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}

// ok reads a packet that must be OK.
func (c *rawClient) ok() {
	c.t.Helper()
	if p := c.read(); len(p) == 0 || p[0] != 0 {
		c.t.Fatalf("the answer is %q", p)
	}
}

// prepare prepares a statement without parameters and rows, and returns its id.
func (c *rawClient) prepare(q string) uint32 {
	c.t.Helper()
	c.write(commandOf(wire.ComStmtPrepare, []byte(q)...))
	p := c.read()
	if p[0] != 0 || len(p) < 9 || p[5]|p[6]|p[7]|p[8] != 0 {
		c.t.Fatalf("%s: the answer is %q", q, p)
	}
	return binary.LittleEndian.Uint32(p[1:])
}

// The greeting's answer, whose parts the capabilities tell.
const rawCapabilities = vitess.CapabilityClientProtocol41 | vitess.CapabilityClientSecureConnection | vitess.CapabilityClientPluginAuth

// helloOf is what a client answers the server's greeting with: root, without a password.
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

// encodedAttrs are names and values as a client sends them.
func encodedAttrs(texts ...string) []byte {
	var all []byte
	for _, s := range texts {
		all = append(wire.AppendLength(all, len(s)), s...)
	}
	return append(wire.AppendLength(nil, len(all)), all...)
}

func newReader(from io.Reader) *bufio.Reader { return bufio.NewReader(from) }
