package engine

import (
	"encoding/binary"
	"sync"
)

// packets are packets that go to a client past the protocol layer, which must have nothing buffered;
// the wire puts the numbers of its later packets right. Owned by the connection's goroutine.
type packets struct {
	wire  *wire
	buf   []byte // nil while there are none
	start int    // of the packet that is being made, behind all whole ones
	count byte   // of those in buf, modulo 256
	sent  bool   // some have been written
}

const (
	// packetsMax is how many bytes of packets are written at a time.
	packetsMax = 16 << 10
	// packetsBytes is how much room there is for them, and for the row that is one too many.
	packetsBytes = packetsMax + packetsMax/4
)

// packetBuffers are *[]byte of packetsBytes, for packets until they are written.
var packetBuffers = sync.Pool{New: func() any { b := make([]byte, 0, packetsBytes); return &b }}

// releasePackets gives back the memory of packets that are not written any more. Some that has grown is left to the collector.
func releasePackets(buf []byte) {
	if cap(buf) >= packetsBytes && cap(buf) <= 4*packetsBytes {
		buf = buf[:0]
		packetBuffers.Put(&buf)
	}
}

// reset forgets all packets.
func (p *packets) reset() {
	releasePackets(p.buf)
	*p = packets{wire: p.wire}
}

// begin begins a packet: what is appended to buf from now on is its payload.
func (p *packets) begin() {
	if p.buf == nil {
		p.buf = *packetBuffers.Get().(*[]byte)
	}
	p.buf = append(p.buf[:p.start], 0, 0, 0, 0)
}

// end makes a packet of what has been appended, or several if it is long, and writes it at once or with
// the next ones.
func (p *packets) end() error {
	payload := p.buf[p.start+4:]
	if len(payload) < packetMax {
		p.header(p.buf[p.start:], len(payload))
	} else {
		p.split(payload)
	}
	p.start = len(p.buf)
	if len(p.buf) < packetsMax {
		return nil
	}
	return p.flush()
}

// add makes a packet of a payload, as end does.
func (p *packets) add(payload ...byte) error {
	p.begin()
	p.buf = append(p.buf, payload...)
	return p.end()
}

// copy adds packets, whose numbers it puts right.
func (p *packets) copy(all []byte) error {
	p.begin()
	p.buf = append(p.buf[:p.start], all...)
	for rest := p.buf[p.start:]; len(rest) > 0; {
		size := payloadSize(rest)
		p.header(rest, size)
		rest = rest[4+size:]
	}
	p.start = len(p.buf)
	if len(p.buf) < packetsMax {
		return nil
	}
	return p.flush()
}

// split makes packets of a long payload.
func (p *packets) split(payload []byte) {
	payload = append([]byte(nil), payload...)
	p.buf = p.buf[:p.start]
	for {
		n := min(len(payload), packetMax)
		at := len(p.buf)
		p.buf = append(append(p.buf, 0, 0, 0, 0), payload[:n]...)
		p.header(p.buf[at:], n)
		if payload = payload[n:]; n < packetMax {
			return
		}
	}
}

// header fills in the header of the next packet.
func (p *packets) header(to []byte, size int) {
	p.count++
	to[0], to[1], to[2], to[3] = byte(size), byte(size>>8), byte(size>>16), p.wire.out.sequence+p.count
}

// flush writes the whole packets that are kept.
func (p *packets) flush() error {
	if p.start == 0 {
		return nil
	}
	err := p.wire.writePast(p.buf[:p.start], p.count)
	p.buf, p.start, p.count, p.sent = p.buf[:0], 0, 0, true
	return err
}

const textNull = 0xfb

// appendLength appends a length as the protocol encodes it.
func appendLength(to []byte, n int) []byte {
	switch {
	case n < textNull:
		return append(to, byte(n))
	case n < 1<<16:
		return binary.LittleEndian.AppendUint16(append(to, 0xfc), uint16(n))
	case n < 1<<24:
		return append(to, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(to, 0xfe), uint64(n))
}

// appendText appends a text with its length.
func appendText(to []byte, s string) []byte { return append(appendLength(to, len(s)), s...) }
