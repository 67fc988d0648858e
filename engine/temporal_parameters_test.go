package engine

import (
	"strings"
	"testing"

	"pfsd/engine/wire"
)

func TestPadded(t *testing.T) {
	for s, want := range map[string]string{
		"1970-1-1 0:0:0.5": "1970-01-01 00:00:00.000005", "2026-11-22 1:2:3.456000": "2026-11-22 01:02:03.456000", "33-1-2": "0033-01-02", "2026-11-22 10:20:30": "2026-11-22 10:20:30",
		" ": "0000-00-00 00:00:00",
	} {
		if got := padded(s, 4); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"-1:2:3.7": "-01:02:03.000007", "838:59:59": "838:59:59", "00:00:00": "00:00:00", "100:0:0.100": "100:00:00.000100"} {
		if got := padded(s, 2); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

// A client's microseconds stay microseconds.
func TestTemporalParameters(t *testing.T) {
	r, _ := calls(t, "")
	c := dialRaw(t, r.addr, helloOf(rawMulti, utf8mb4, "\x00", nil))
	c.write(commandOf(wire.ComStmtPrepare, []byte("SELECT CONCAT(?), CONCAT(?)")...))
	for range 1 + 3 + 3 {
		c.read()
	}
	const datetime, duration = 12, 11 // types
	c.write(statementOf(wire.ComStmtExec, 1, 0, 1, 0, 0, 0, 0, 1, datetime, 0, duration, 0,
		11, 0xea, 7, 11, 5, 1, 2, 3, 0x88, 0x13, 0, 0, 12, 1, 1, 0, 0, 0, 1, 2, 3, 5, 0, 0, 0))
	for range 4 { // columns
		c.read()
	}
	if got := string(c.read()); !strings.Contains(got, "2026-11-05 01:02:03.005000") || !strings.Contains(got, "-25:02:03.000005") {
		t.Errorf("got %q", got)
	}
}
