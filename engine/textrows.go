package engine

import (
	"time"

	"pfsd/tables"
)

// textRows writes rows of a table to a client in the text protocol, past the protocol layer,
// which takes each value three times in its hands. Owned by the connection's goroutine.
type textRows struct {
	packets
	digits []int // of each column's values behind the point
	zone   *time.Location
}

func newTextRows(w *wire) *textRows { return &textRows{packets: newPackets(w)} }

// add writes a row, or keeps it to be written with the next ones.
func (t *textRows) add(values []tables.Value) error {
	t.begin()
	for i, v := range values {
		switch {
		case v.IsNull():
			t.buf = append(t.buf, textNull)
		case v.IsText():
			t.buf = appendText(t.buf, v.Str())
		default:
			// No number has as many digits as would need a longer length.
			at := len(t.buf)
			t.buf = appendPlain(append(t.buf, 0), v, t.digits[i], t.zone)
			t.buf[at] = byte(len(t.buf) - at - 1)
		}
	}
	return t.end()
}
