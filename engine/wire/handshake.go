package wire

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/instr"
)

// connectAttrsMax is the largest size of the attributes in bytes that MySQL accepts. It refuses a
// client that sends more.
const connectAttrsMax = 1<<16 - 1

// connectAttrs reads the connection attributes in the payload of a client's first packet. If it
// cannot read some of them, it reports false, and returns the others.
func connectAttrs(payload []byte) (attrs []instr.ConnectAttr, ok bool) {
	p := fields{payload, false}
	capabilities, charset, _ := handshakeHead(&p)
	if capabilities&mysql.CapabilityClientPluginAuth != 0 {
		p.terminated()
	}
	if capabilities&mysql.CapabilityClientProtocol41 == 0 || capabilities&mysql.CapabilityClientConnAttr == 0 {
		return nil, true
	}
	return readAttrs(&p, charset)
}

// handshakeHead reads a client's first packet up to the name of its database, "" if it names none.
func handshakeHead(p *fields) (capabilities uint32, charset []byte, schema string) {
	capabilities = p.flags()
	p.take(4) // the largest packet
	charset = p.take(1)
	p.take(23) // reserved
	p.terminated()
	switch {
	case capabilities&mysql.CapabilityClientPluginAuthLenencClientData != 0:
		p.text()
	case capabilities&mysql.CapabilityClientSecureConnection != 0:
		if n := p.take(1); n != nil {
			p.take(uint64(n[0]))
		}
	default:
		p.terminated()
	}
	if capabilities&mysql.CapabilityClientConnectWithDB != 0 {
		schema = string(p.terminated())
	}
	return capabilities, charset, schema
}

// hasNoPassword reports whether a first packet with this payload has no password.
func hasNoPassword(payload []byte) bool {
	p := fields{payload, false}
	capabilities := p.flags()
	p.take(4 + 1 + 23) // the largest packet, collation, reserved
	p.terminated()
	next := p.take(1) // the length of the answer, or the zero that ends an empty one
	return next != nil && next[0] == 0 && capabilities&mysql.CapabilityClientProtocol41 != 0
}

// readAttrs reads the attributes that come next in p, in the character set of a collation, as
// connectAttrs does.
func readAttrs(p *fields, charset []byte) (attrs []instr.ConnectAttr, ok bool) {
	all := fields{p.text(), false}
	if p.bad || len(all.rest) > connectAttrsMax {
		return nil, false
	}
	for len(all.rest) > 0 {
		name, value := all.text(), all.text()
		if all.bad {
			return attrs, false
		}
		attrs = append(attrs, instr.ConnectAttr{Name: decoded(name, charset[0]), Value: decoded(value, charset[0])})
	}
	return attrs, true
}

// decoded returns a text in the character set of a collation, up to the first invalid character.
func decoded(p []byte, collation byte) string {
	if e := sql.CollationID(collation).CharacterSet().Encoder(); e != nil {
		if d, ok := e.Decode(p); ok {
			p = d
		}
	}
	end := 0
	for end < len(p) {
		r, n := utf8.DecodeRune(p[end:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		end += n
	}
	return string(p[:end])
}

// fields reads the fields of a packet one after the other.
type fields struct {
	rest []byte
	bad  bool // a field was missing
}

// take returns the next n bytes, nil if there are fewer.
func (f *fields) take(n uint64) []byte {
	if f.bad || n > uint64(len(f.rest)) {
		f.rest, f.bad = nil, true
		return nil
	}
	p := f.rest[:n]
	f.rest = f.rest[n:]
	return p
}

// flags returns the next 4 bytes as a number, 0 if there are fewer.
func (f *fields) flags() uint32 {
	if p := f.take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

// terminated returns the text before the next zero, or the rest if there is no zero.
func (f *fields) terminated() (text []byte) {
	from := f.rest
	for p := f.take(1); p != nil && p[0] != 0; p = f.take(1) {
		text = from[:len(text)+1]
	}
	return text
}

// text returns a text that follows its length, nil if there is none.
func (f *fields) text() []byte {
	first := f.take(1)
	if first == nil {
		return nil
	}
	size := 0
	switch first[0] {
	case 0xfc:
		size = 2
	case 0xfd:
		size = 3
	case 0xfe:
		size = 8
	case 0xfb, 0xff: // NULL, and a byte that is not a length
		f.rest, f.bad = nil, true
		return nil
	default:
		return f.take(uint64(first[0]))
	}
	var length [8]byte
	copy(length[:], f.take(uint64(size)))
	return f.take(binary.LittleEndian.Uint64(length[:]))
}
