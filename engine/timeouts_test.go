package engine

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"pfsd/engine/wire"
	"pfsd/tables"
)

// later has the server look at its clients as if this much time had passed since the last look.
func (r *running) later(d time.Duration) {
	now := time.Now()
	r.clients.Expire(now)
	r.clients.Expire(now.Add(d))
}

// A client that sends nothing for wait_timeout is told so and loses the connection; commands of any sort keep it.
func TestWaitTimeout(t *testing.T) {
	r := serve(t, Options{LogErrorVerbosity: 3}, tables.All()...)
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	c.write(commandOf(wire.ComQuery, []byte("SET wait_timeout = 100")...))
	c.ok()
	for range 3 {
		r.later(50 * time.Second) // and not nearly 100: real time counts, too
		c.write(commandOf(wire.ComPing))
		c.ok()
	}
	eventually(t, "the time is over", func() bool {
		r.later(100 * time.Second)
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		_, err := c.in.Peek(4)
		return err == nil
	})
	_ = c.SetReadDeadline(time.Time{})
	head, err := c.in.Peek(4)
	if err != nil || head[3] != 1 {
		t.Errorf("the packet has the head %v, %v", head, err)
	}
	const text = "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior."
	if p := c.read(); binary.LittleEndian.Uint16(p[1:]) != 4031 || string(p[3:]) != "#HY000"+text {
		t.Errorf("the client is told %q", p)
	}
	if rest := restOf(c); rest != nil {
		t.Errorf("the connection goes on with %q", rest)
	}
	want := []string{
		"MY-010914|localhost' (" + text + ").",
		"MY-013730|'wait_timeout' period of 100 seconds was exceeded for `root`@`localhost`. The idle time since last command was too long.",
	}
	const q = "SELECT ERROR_CODE, IF(ERROR_CODE = 'MY-010914', SUBSTR(DATA, LOCATE('localhost', DATA)), DATA) FROM error_log WHERE PRIO = 'Note' AND ERROR_CODE IN ('MY-010914', 'MY-013730') ORDER BY 1"
	eventually(t, "the log says so", func() bool { return slices.Equal(r.query(t, q), want) })
}

// interactive_timeout is wait_timeout of those who say that they are interactive.
func TestInteractiveTimeout(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "SET GLOBAL interactive_timeout = 77")
	for capabilities, want := range map[uint32]string{rawCapabilities: "28800", rawCapabilities | 1<<10 /* it is interactive */ : "77"} {
		c := dialRaw(t, r.addr, helloOf(capabilities, utf8mb4, "\x00", nil))
		c.write(commandOf(wire.ComPing))
		c.ok()
		r.want(t, "SELECT VARIABLE_VALUE FROM variables_by_thread JOIN threads USING (THREAD_ID) WHERE VARIABLE_NAME = 'wait_timeout' AND PROCESSLIST_ID <> CONNECTION_ID()", want)
		c.write(commandOf(wire.ComQuit))
		restOf(c)
		eventually(t, "the connection ends", func() bool {
			return r.query(t, "SELECT COUNT(*) FROM threads WHERE TYPE = 'FOREGROUND'")[0] == "1"
		})
	}
}

// A client that stops in the middle of a command is told so after net_read_timeout.
func TestNetReadTimeout(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	c.write([]byte{100, 0, 0, 0, wire.ComQuery, 'S'})
	eventually(t, "the time is over", func() bool {
		r.later(30 * time.Second)
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		_, err := c.in.Peek(4)
		return err == nil
	})
	_ = c.SetReadDeadline(time.Time{})
	if p := c.read(); binary.LittleEndian.Uint16(p[1:]) != 1159 || string(p[3:]) != "#08S01Got timeout reading communication packets" {
		t.Errorf("the client is told %q", p)
	}
}

// A client that takes no result loses the connection after net_write_timeout.
func TestNetWriteTimeout(t *testing.T) {
	r := serve(t, Options{LogErrorVerbosity: 3}, append(tables.All(), &fake{name: "numbers", rows: 1 << 40})...)
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	c.write(commandOf(wire.ComQuery, []byte("SELECT * FROM performance_schema.numbers")...))
	eventually(t, "the connection ends", func() bool {
		r.later(60 * time.Second)
		return r.query(t, "SELECT COUNT(*) FROM threads WHERE TYPE = 'FOREGROUND'")[0] == "1"
	})
	r.want(t, "SELECT SUBSTR(DATA, LOCATE('(', DATA)) FROM error_log WHERE ERROR_CODE = 'MY-010914'", "(Got timeout writing communication packets).")
}
