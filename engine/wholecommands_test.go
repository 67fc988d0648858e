package engine

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pfsd/engine/wire"
)

// prepareAny prepares a statement with markers, and returns its id.
func (c *rawClient) prepareAny(q string) uint32 {
	c.t.Helper()
	c.write(commandOf(wire.ComStmtPrepare, []byte(q)...))
	p := c.read()
	if p[0] != 0 || len(p) < 9 {
		c.t.Fatalf("%s: the answer is %q", q, p)
	}
	columns, markers := binary.LittleEndian.Uint16(p[5:]), binary.LittleEndian.Uint16(p[7:])
	for _, n := range []uint16{columns, markers} {
		if n > 0 {
			for range n + 1 { // and a packet behind them
				c.read()
			}
		}
	}
	return binary.LittleEndian.Uint32(p[1:])
}

// logOf is the error log of a server.
func (r *running) logOf(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(r.options.LogError)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMalformedCommands: what is wrong with a command has MySQL's number, and costs neither the connection
// nor a stack in the log. The bytes of a command may come one by one.
func TestMalformedCommands(t *testing.T) {
	r := serveAll(t, Options{})
	head := []byte{0, 1, 0, 0, 0} // no cursor, once
	execute := func(payload ...byte) []byte { return append(slices.Clone(head), payload...) }
	text := func(length ...byte) []byte { return append(execute(0, 1, 0xfd, 0), length...) }
	tests := []struct {
		name    string
		command func(id uint32) []byte
		number  uint16 // 0 is OK or rows, none is no answer
	}{
		{"nothing", func(uint32) []byte { return frame(0, nil) }, 1047},
		{"an unknown command", func(uint32) []byte { return commandOf(0x77, 1, 2, 3) }, 1047},
		{"reset of an unknown id", func(uint32) []byte { return statementOf(wire.ComStmtReset, 99) }, 1243},
		{"reset without an id", func(uint32) []byte { return commandOf(wire.ComStmtReset, 1) }, 1835},
		{"reset", func(id uint32) []byte { return statementOf(wire.ComStmtReset, id) }, 0},
		{"execution of an unknown id", func(uint32) []byte { return statementOf(wire.ComStmtExec, 99, head...) }, 1243},
		{"execution without an id", func(uint32) []byte { return commandOf(wire.ComStmtExec, 1, 2) }, 1835},
		{"execution without a count", func(id uint32) []byte { return statementOf(wire.ComStmtExec, id, 0, 1) }, 1835},
		{"execution without values", func(id uint32) []byte { return statementOf(wire.ComStmtExec, id, head...) }, 1835},
		{"execution with half a type", func(id uint32) []byte { return statementOf(wire.ComStmtExec, id, execute(0, 1, 0xfd)...) }, 1835},
		{"execution with no such type", func(id uint32) []byte { return statementOf(wire.ComStmtExec, id, execute(0, 1, 0x42, 0, 0)...) }, 1835},
		{"a text of 2^64-1 bytes", func(id uint32) []byte {
			return statementOf(wire.ComStmtExec, id, text(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 'a')...)
		}, 1835},
		{"a text of 2^63-1 bytes", func(id uint32) []byte {
			return statementOf(wire.ComStmtExec, id, text(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 'a')...)
		}, 1835},
		{"a text without a length", func(id uint32) []byte { return statementOf(wire.ComStmtExec, id, text(0xff)...) }, 1835},
		{"a text that is too short", func(id uint32) []byte { return statementOf(wire.ComStmtExec, id, text(5, 'a')...) }, 1835},
		{"a time of 3 bytes", func(id uint32) []byte {
			return statementOf(wire.ComStmtExec, id, execute(0, 1, 0x0b, 0, 3, 1, 2, 3)...)
		}, 1835},
		{"fetch from no cursor", func(id uint32) []byte { return statementOf(wire.ComStmtFetch, id, 1, 0, 0, 0) }, 1421},
		{"a text", func(id uint32) []byte { return statementOf(wire.ComStmtExec, id, text(2, 'a', 'b')...) }, 0},
	}
	for _, pieces := range []bool{false, true} {
		for _, test := range tests {
			c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
			id := c.prepareAny("DO ?")
			p := test.command(id)
			if pieces {
				for i := range p {
					c.write(p[i : i+1])
				}
			} else {
				c.write(slices.Concat(p, statementOf(wire.ComStmtSendLongData, 77, 0, 0, 'x'), statementOf(wire.ComStmtSendLongData, id, 9, 9, 'x'), commandOf(wire.ComStmtSendLongData, 1), commandOf(wire.ComPing)))
			}
			got := uint16(0)
			if answer := c.read(); answer[0] == 0xff {
				got = binary.LittleEndian.Uint16(answer[1:])
			}
			if got != test.number {
				t.Errorf("%s: the answer is %d, want %d", test.name, got, test.number)
			}
			if pieces {
				c.write(commandOf(wire.ComPing))
			}
			c.ok()
			_ = c.Close()
		}
	}
	if log := r.logOf(t); strings.Contains(log, "goroutine") || strings.Contains(log, "Internal error") {
		t.Errorf("the log has a panic:\n%s", log)
	}
	r.want(t, "SELECT SUM_ERRORS > 5 FROM performance_schema.events_statements_summary_global_by_event_name WHERE EVENT_NAME = 'statement/com/Execute'", "1")
}

// FuzzCommands: whatever a client sends once it has signed in, the server does not panic, and goes on.
func FuzzCommands(f *testing.F) {
	for _, seed := range [][]byte{
		{0}, {5, wire.ComStmtReset, 9, 0, 0, 0}, {5, wire.ComStmtReset, 1, 0, 0, 0}, {1, wire.ComQuery}, {1, wire.ComInitDB}, {2, wire.ComFieldList, 0}, {1, wire.ComSetOption},
		append([]byte{23, wire.ComStmtExec, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0xfd, 0, 0xfe}, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		{17, wire.ComStmtExec, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0xfd, 0, 1, 'a'}, {8, wire.ComStmtSendLongData, 1, 0, 0, 0, 0, 0, 'x'}, {1, wire.ComStmtClose}, {5, wire.ComStmtClose, 1, 0, 0, 0},
		{9, wire.ComStmtFetch, 1, 0, 0, 0, 1, 0, 0, 0}, {9, wire.ComQuery, 'S', 'E', 'L', 'E', 'C', 'T', ' ', '1'}, {8, wire.ComStmtPrepare, 'D', 'O', ' ', '?', '+', '?', 0}, {3, wire.ComChangeUser, 'a', 0},
		{1, wire.ComResetConnection}, {1, wire.ComStatistics}, {1, wire.ComDebug}, {255, 1},
	} {
		f.Add(seed)
	}
	r := serveFor(f, Options{})
	f.Fuzz(func(t *testing.T, data []byte) {
		c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
		c.prepareAny("DO ?")
		go func() {
			for rest := data; len(rest) > 0; {
				n := min(int(rest[0]), len(rest)-1)
				p := frame(0, rest[1:1+n])
				if rest[0] == 255 { // no packets at all
					p = rest[1 : 1+n]
				}
				if _, err := c.Write(p); err != nil {
					break
				}
				rest = rest[1+n:]
			}
			_ = c.Conn.(*net.TCPConn).CloseWrite()
		}()
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.Copy(io.Discard, c.in); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Fatal("the server neither answers nor closes the connection")
		}
		_ = c.Close()
		if log := r.logOf(t); strings.Contains(log, "Internal error") {
			t.Fatalf("the log has a panic:\n%s", log)
		}
	})
}

// TestPanicsAreLoggedOnce: the stack of a panic is in the log once for each place, then how often there were such.
func TestPanicsAreLoggedOnce(t *testing.T) {
	r := serve(t, Options{}, &fake{name: "numbers", rows: 10, at: func(int) { panic("boom") }})
	for range 9 {
		if _, err := r.db.Exec("SELECT ID FROM numbers"); !strings.HasPrefix(code(err), "1815 HY000 ") {
			t.Errorf("got %s", code(err))
		}
	}
	log := r.logOf(t)
	if n := strings.Count(log, "[running]"); n != 1 {
		t.Errorf("%d stacks are in the log:\n%s", n, log)
	}
	for _, times := range []string{"for the 2th time", "for the 4th time", "for the 8th time"} {
		if !strings.Contains(log, times) {
			t.Errorf("%q is not in the log:\n%s", times, log)
		}
	}
}
