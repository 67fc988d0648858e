package engine

import (
	"strings"
	"testing"

	"pfsd/engine/wire"
)

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
