package wire

import (
	"encoding/binary"
	"sync"
)

// Packets are packets that go to a client past the protocol layer, which must have nothing in its
// buffer. The Conn corrects the numbers of the protocol layer's later packets. Owned by the
// connection's goroutine.
type Packets struct {
	Conn  *Conn
	Buf   []byte  // nil if there are no packets
	box   *[]byte // the box from which Buf came
	start int     // where the current packet begins, after all complete ones
	count byte    // number of packets in Buf, modulo 256
	Sent  bool    // some have been written
}

const (
	// packetsMax is how many bytes of packets are written at a time.
	packetsMax = 16 << 10
	// packetsBytes is the room for these packets and for the row that exceeds them.
	packetsBytes = packetsMax + packetsMax/4
)

// packetBuffers has buffers of packetsBytes as *[]byte, for packets that are not written yet.
var packetBuffers = sync.Pool{New: func() any { b := make([]byte, 0, packetsBytes); return &b }}

// releasePackets frees the memory of packets, and the box from which it came; box is nil if there
// is none. It leaves a buffer that has grown much to the garbage collector.
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

// Begin begins a packet: all that is appended to Buf from now on is its payload.
func (p *Packets) Begin() {
	if p.Buf == nil {
		p.box = packetBuffers.Get().(*[]byte)
		p.Buf = *p.box
	}
	p.Buf = append(p.Buf[:p.start], 0, 0, 0, 0)
}

// End makes a packet of the payload, or several if it is long. It writes them at once or together
// with the next packets.
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

// add makes a packet of a payload, as Begin and End do.
func (p *Packets) add(payload ...byte) error {
	p.Begin()
	p.Buf = append(p.Buf, payload...)
	return p.End()
}

// Copy adds packets, and corrects their numbers.
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

// Flush writes the complete packets.
func (p *Packets) Flush() error {
	if p.start == 0 {
		return nil
	}
	err := p.Conn.writePast(p.Buf[:p.start], p.count)
	p.Buf, p.start, p.count, p.Sent = p.Buf[:0], 0, 0, true
	return err
}

// Late sends the packets to the client when the statement has ended, and then the end of their
// result. p is empty afterwards.
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
