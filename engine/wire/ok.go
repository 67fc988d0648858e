package wire

import (
	"encoding/binary"

	"github.com/dolthub/vitess/go/mysql"
)

// OK is what a client is told of a statement without rows.
//
// vitess: writes the number 35 where the length of the text is, and neither text nor warnings for a prepared statement. MySQL: writes the length
// and the text, and the number of warnings.
type OK struct {
	Affected, ID uint64
	Info         string // "" for none
}

// append appends the payload of the packet.
func (o *OK) append(to []byte, flags, warnings uint16) []byte {
	to = append(to, mysql.OKPacket)
	to = appendNumber(appendNumber(to, o.Affected), o.ID)
	to = binary.LittleEndian.AppendUint16(to, flags)
	to = binary.LittleEndian.AppendUint16(to, warnings)
	if o.Info != "" {
		to = AppendText(to, o.Info)
	}
	return to
}

// appendNumber appends a number as the protocol encodes it.
func appendNumber(to []byte, n uint64) []byte {
	switch {
	case n < 251:
		return append(to, byte(n))
	case n < 1<<16:
		return binary.LittleEndian.AppendUint16(append(to, 0xfc), uint16(n))
	case n < 1<<24:
		return append(to, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(to, 0xfe), n)
}

// LateOK has the client get OK when the statement has ended, in place of the protocol layer's next packet. The protocol layer must have
// nothing in its buffer. p is empty afterwards.
func (p *Packets) LateOK(ok *OK, more bool) {
	p.Begin()
	w := p.Conn
	w.answerLate(*p, more)
	w.lateRoom.ok = ok
	*p = Packets{Conn: w}
}
