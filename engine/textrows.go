package engine

import (
	"encoding/binary"
	"time"

	"pfsd/tables"
)

// textRows writes rows of a table to a client in the text protocol, past the protocol layer,
// which takes each value three times in its hands. Owned by the connection's goroutine; the
// protocol layer must have nothing buffered, and writes nothing but the end of the result
// afterwards, whose packet number the wire puts right.
type textRows struct {
	wire    *wire
	buf     []byte
	packets byte  // in buf, modulo 256
	digits  []int // of each column's values behind the point
	zone    *time.Location
}

// textRowsMax is how many bytes of rows are written at a time.
const textRowsMax = 16 << 10

// textRowsBytes is how much room there is for them, and for the row that is one too many.
const textRowsBytes = textRowsMax + textRowsMax/4

func newTextRows(w *wire) *textRows {
	return &textRows{wire: w, buf: make([]byte, 0, textRowsBytes)}
}

// add writes a row, or keeps it to be written with the next ones.
func (t *textRows) add(values []tables.Value) error {
	start := len(t.buf)
	t.buf = append(t.buf, 0, 0, 0, 0)
	for i, v := range values {
		switch {
		case v.IsNull():
			t.buf = append(t.buf, textNull)
		case v.IsText():
			t.buf = append(appendLength(t.buf, len(v.Str())), v.Str()...)
		default:
			// No number has as many digits as would need a longer length.
			at := len(t.buf)
			t.buf = appendPlain(append(t.buf, 0), v, t.digits[i], t.zone)
			t.buf[at] = byte(len(t.buf) - at - 1)
		}
	}
	t.frame(start)
	if len(t.buf) < textRowsMax {
		return nil
	}
	return t.flush()
}

// frame makes packets of the row whose header's place is at start.
func (t *textRows) frame(start int) {
	payload := t.buf[start+4:]
	if len(payload) < packetMax {
		t.header(t.buf[start:], len(payload))
		return
	}
	row := append([]byte(nil), payload...)
	t.buf = t.buf[:start]
	for {
		n := min(len(row), packetMax)
		at := len(t.buf)
		t.buf = append(append(t.buf, 0, 0, 0, 0), row[:n]...)
		t.header(t.buf[at:], n)
		if row = row[n:]; n < packetMax {
			return
		}
	}
}

// header fills in the header of the next packet.
func (t *textRows) header(to []byte, size int) {
	t.packets++
	to[0], to[1], to[2], to[3] = byte(size), byte(size>>8), byte(size>>16), t.wire.out.sequence+t.packets
}

// flush writes the rows that are kept.
func (t *textRows) flush() error {
	if len(t.buf) == 0 {
		return nil
	}
	err := t.wire.writePast(t.buf, t.packets)
	t.buf, t.packets = t.buf[:0], 0
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
