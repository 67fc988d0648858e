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

// What is no number, and what is no date or time, is refused, with the number that a literal has; what is merely in no calendar is up to the SQL mode.
func TestValuesThatAreNone(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "CREATE TABLE test.t (d DATETIME(6), h TIME)")
	c := dialRaw(t, r.addr, helloOf(rawMulti, utf8mb4, "\x00", nil))
	date, duration := c.prepareAny("INSERT INTO test.t (d) VALUES (?)"), c.prepareAny("INSERT INTO test.t (h) VALUES (?)")
	for _, test := range []struct {
		id    uint32
		value binaryValue
		want  string
	}{
		{date, binaryValue{5, 0, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}}, "1367 Illegal double 'nan' value found during parsing"},
		{date, binaryValue{4, 0, []byte{0, 0, 0x80, 0xff}}, "1367 Illegal double '-inf' value found during parsing"},
		{date, binaryValue{12, 0, []byte{4, 0xea, 7, 13, 1}}, "1292 Incorrect datetime value: '2026-13-01 00:00:00'"},
		{date, binaryValue{10, 0, []byte{4, 0xea, 7, 1, 32}}, "1292 Incorrect date value: '2026-01-32'"},
		{date, binaryValue{7, 0, []byte{7, 0xea, 7, 1, 1, 25, 0, 0}}, "1292 Incorrect datetime value: '2026-01-01 25:00:00'"},
		{date, binaryValue{12, 0, []byte{4, 0x10, 0x27, 1, 1}}, "1292 Incorrect datetime value: '10000-01-01 00:00:00'"},
		{date, binaryValue{12, 0, []byte{11, 0xea, 7, 1, 1, 0, 0, 0, 0x40, 0x42, 0x0f, 0}}, "1292 Incorrect datetime value: '2026-01-01 00:00:00.1000000'"},
		{date, binaryValue{12, 0, []byte{4, 0xea, 7, 2, 30}}, "1292 Incorrect datetime value: '2026-02-30' for column 'd' at row 1"},
		{date, binaryValue{12, 0, []byte{11, 0xea, 7, 1, 1, 0, 0, 0, 0x3f, 0x42, 0x0f, 0}}, ""},
		{duration, binaryValue{11, 0, []byte{8, 0, 0, 0, 0, 0, 0, 60, 0}}, "1292 Incorrect time value: '00:60:00'"},
		{duration, binaryValue{11, 0, []byte{8, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0}}, "1292 Incorrect time value: '-103079215080:00:00'"},
		{duration, binaryValue{11, 0, []byte{8, 1, 40, 0, 0, 0, 0, 1, 2}}, ""},
	} {
		c.write(execution(test.id, test.value))
		if got := c.answer(); got != test.want {
			t.Errorf("%s: %q, want %q", test.value, got, test.want)
		}
	}
	r.want(t, "SELECT d, h FROM test.t ORDER BY h", "2026-01-01 00:00:00.999999|NULL", "NULL|-838:59:59")
}
