package engine

import (
	"testing"

	"pfsd/instr"
)

// TestLongScansGoPast: a long table scan is not written in the pieces of the protocol layer, which are all of one size.
func TestLongScansGoPast(t *testing.T) {
	const piece = 16 << 10
	for _, c := range []struct {
		query string
		args  []any
	}{
		{"SELECT EVENT_NAME, ID, DOC FROM numbers", nil},
		{"SELECT EVENT_NAME, ID, DOC FROM numbers LIMIT 9000", nil},
		{"SELECT EVENT_NAME, ID, LEVEL, DOC FROM numbers WHERE ID >= ?", []any{0}},
	} {
		r := serve(t, Options{Instruments: []string{"wait/io/socket/%=ON"}, Consumers: map[string]bool{"events_waits_current": true, "events_waits_history_long": true}},
			&fake{name: "numbers", rows: 10_000})
		rows := len(r.query(t, c.query, c.args...))
		if rows < 9000 {
			t.Fatalf("%s: %d rows", c.query, rows)
		}
		pieces := 0
		buf := make([]instr.WaitEvent, 64)
		for events, n := r.reg.Reader().WaitsHistoryLong(), 1; n > 0; {
			n = events.Next(buf)
			for _, e := range buf[:n] {
				if e.Op == instr.OpSend && e.Bytes == piece {
					pieces++
				}
			}
		}
		// A few may be of that size by chance; the protocol layer makes some fifteen.
		if pieces >= 5 {
			t.Errorf("%s: %d pieces of the protocol layer", c.query, pieces)
		}
	}
}
