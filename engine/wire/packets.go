package wire

import (
	"encoding/binary"
	"sync"
)

// Packets are packets that go to a client past the protocol layer, whose buffer must be empty;
// the wire puts the numbers of its later packets right. Owned by the connection's goroutine.
type Packets struct {
	Conn  *Conn
	Buf   []byte  // nil while there are none
	box   *[]byte // that Buf came in
	start int     // of the packet that is being made, behind all whole ones
	count byte    // of those in buf, modulo 256
	Sent  bool    // some have been written
}

const (
	// packetsMax is how many bytes of packets are written at a time.
	packetsMax = 16 << 10
	// packetsBytes is how much room there is for them, and for the row that is one too many.
	packetsBytes = packetsMax + packetsMax/4
)

// packetBuffers are *[]byte of packetsBytes, for packets until they are written.
var packetBuffers = sync.Pool{New: func() any { b := make([]byte, 0, packetsBytes); return &b }}

// releasePackets gives back the memory of packets that are not written any more, and the box that it came in, nil if there is none. Some that
// has grown is left to the collector.
func releasePackets(box *[]byte, buf []byte) {
	if box != nil && cap(buf) >= packetsBytes && cap(buf) <= 4*packetsBytes {
		*box = buf[:0]
		packetBuffers.Put(box)
	}
}

// Reset forgets all packets.
func (p *Packets) Reset() {
	releasePackets(p.box, p.Buf)
	*p = Packets{Conn: p.Conn}
}

// Begin begins a packet: what is appended to buf from now on is its payload.
func (p *Packets) Begin() {
	if p.Buf == nil {
		p.box = packetBuffers.Get().(*[]byte)
		p.Buf = *p.box
	}
	p.Buf = append(p.Buf[:p.start], 0, 0, 0, 0)
}

// End makes a packet of what has been appended, or several if it is long, and writes it at once or with
// the next ones.
func (p *Packets) End() error {
	payload := p.Buf[p.start+4:]
	if len(payload) < packetMax {
		p.header(p.Buf[p.start:], len(payload))
	} else {
		p.split(payload)
	}
	p.start = len(p.Buf)
	if len(p.Buf) < packetsMax {
		return nil
	}
	return p.Flush()
}

// add makes a packet of a payload, as end does.
func (p *Packets) add(payload ...byte) error {
	p.Begin()
	p.Buf = append(p.Buf, payload...)
	return p.End()
}

// Copy adds packets, whose numbers it puts right.
func (p *Packets) Copy(all []byte) error {
	p.Begin()
	p.Buf = append(p.Buf[:p.start], all...)
	for rest := p.Buf[p.start:]; len(rest) > 0; {
		size := payloadSize(rest)
		p.header(rest, size)
		rest = rest[4+size:]
	}
	p.start = len(p.Buf)
	if len(p.Buf) < packetsMax {
		return nil
	}
	return p.Flush()
}

// split makes packets of a long payload.
func (p *Packets) split(payload []byte) {
	payload = append([]byte(nil), payload...)
	p.Buf = p.Buf[:p.start]
	for {
		n := min(len(payload), packetMax)
		at := len(p.Buf)
		p.Buf = append(append(p.Buf, 0, 0, 0, 0), payload[:n]...)
		p.header(p.Buf[at:], n)
		if payload = payload[n:]; n < packetMax {
			return
		}
	}
}

// header fills in the header of the next packet.
func (p *Packets) header(to []byte, size int) {
	p.count++
	to[0], to[1], to[2], to[3] = byte(size), byte(size>>8), byte(size>>16), p.Conn.out.sequence+p.count
}

// Flush writes the whole packets that are kept.
func (p *Packets) Flush() error {
	if p.start == 0 {
		return nil
	}
	err := p.Conn.writePast(p.Buf[:p.start], p.count)
	p.Buf, p.start, p.count, p.Sent = p.Buf[:0], 0, 0, true
	return err
}

// Late has the client get the packets, and then the end of their result, when the statement has ended. It leaves none.
func (p *Packets) Late(more bool) {
	p.Conn.answerLate(*p, more)
	*p = Packets{Conn: p.Conn}
}

const TextNull = 0xfb

// AppendLength appends a length as the protocol encodes it.
func AppendLength(to []byte, n int) []byte {
	switch {
	case n < TextNull:
		return append(to, byte(n))
	case n < 1<<16:
		return binary.LittleEndian.AppendUint16(append(to, 0xfc), uint16(n))
	case n < 1<<24:
		return append(to, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(to, 0xfe), uint64(n))
}

// AppendText appends a text with its length.
func AppendText(to []byte, s string) []byte { return append(AppendLength(to, len(s)), s...) }
