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

// userNameMax is how many characters of a user's name count. MySQL cuts the rest off.
const userNameMax = 32

// A hello is the content of the packet with which a client logs in.
type hello struct {
	capabilities               uint32
	charset                    byte
	user, auth, schema, plugin []byte
	attrs                      []byte // the attributes as the client has encoded them, with their length
}

// readHello reads the payload of a client's first packet. It reports false if a field that comes before the name of
// the method of signing in is missing or incomplete; MySQL calls that a bad handshake.
func readHello(payload []byte) (h hello, ok bool) {
	p := fields{payload, false}
	h.capabilities = p.flags()
	p.take(4) // the largest packet
	charset := p.take(1)
	p.take(23) // reserved
	h.user = clipUser(p.zeroEnded())
	switch {
	case h.capabilities&mysql.CapabilityClientPluginAuthLenencClientData != 0:
		h.auth = p.text()
	case h.capabilities&mysql.CapabilityClientSecureConnection != 0:
		if n := p.take(1); n != nil {
			h.auth = p.take(uint64(n[0]))
		}
	default:
		h.auth = p.zeroEnded()
	}
	if h.capabilities&mysql.CapabilityClientConnectWithDB != 0 {
		h.schema = p.zeroEnded()
	}
	if p.bad {
		return hello{}, false
	}
	h.charset = charset[0]
	if h.capabilities&mysql.CapabilityClientPluginAuth != 0 {
		h.plugin = p.terminated()
	}
	if h.capabilities&mysql.CapabilityClientConnAttr != 0 {
		h.attrs = p.rest
	}
	return h, true
}

// clipUser returns as much of a user's name as counts.
func clipUser(name []byte) []byte {
	end := 0
	for n := 0; n < userNameMax && end < len(name); n++ {
		_, size := utf8.DecodeRune(name[end:])
		end += size
	}
	return name[:end]
}

// packet encodes h for the protocol layer, after room for the header of a packet. The protocol layer believes the
// lengths in a packet, so it gets these, and none that a client has written. It does not get the attributes, of which it makes no use.
func (h *hello) packet(sequence byte) []byte {
	const lengthAhead, absent = mysql.CapabilityClientPluginAuthLenencClientData, mysql.CapabilityClientConnAttr
	p := make([]byte, 4, 64+len(h.user)+len(h.auth)+len(h.schema)+len(h.plugin))
	p = binary.LittleEndian.AppendUint32(p, h.capabilities&^absent|lengthAhead)
	p = append(append(p, 0, 0, 0, 0, h.charset), make([]byte, 23)...)
	p = append(append(p, h.user...), 0)
	p = append(AppendLength(p, len(h.auth)), h.auth...)
	if h.capabilities&mysql.CapabilityClientConnectWithDB != 0 {
		p = append(append(p, h.schema...), 0)
	}
	if h.capabilities&mysql.CapabilityClientPluginAuth != 0 {
		p = append(append(p, h.plugin...), 0)
	}
	setPayloadSize(p, len(p)-4)
	p[3] = sequence
	return p
}

// hasNoPassword reports whether the client sends no password. h is nil after the login.
func (h *hello) hasNoPassword() bool { return h != nil && len(h.auth) == 0 }

// connectAttrs reads the connection attributes. If it cannot read some of them, it reports false, and returns the
// others.
func (h *hello) connectAttrs() (attrs []instr.ConnectAttr, ok bool) {
	if h.capabilities&mysql.CapabilityClientProtocol41 == 0 || h.capabilities&mysql.CapabilityClientConnAttr == 0 {
		return nil, true
	}
	return readAttrs(&fields{h.attrs, false}, []byte{h.charset})
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
