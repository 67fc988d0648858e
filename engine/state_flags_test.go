package engine

import (
	"bytes"
	"net"
	"testing"

	"pfsd/engine/wire"
	"pfsd/tables"
)

// TestStateFlags: the greeting and each OK say what drivers take from them, whether autocommit is on
// and whether a transaction is open.
func TestStateFlags(t *testing.T) {
	const inTransaction, autocommit = 1, 2
	r := serve(t, Options{}, tables.All()...)
	greeted := func() byte {
		t.Helper()
		conn, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		p := (&rawClient{t, conn, newReader(conn)}).read()
		return p[bytes.IndexByte(p, 0)+1+4+8+1+2+1]
	}
	if got := greeted(); got != autocommit {
		t.Errorf("the greeting says %d", got)
	}
	c := dialRaw(t, r.addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))
	answer := func(command byte, q string, want byte) {
		t.Helper()
		c.write(commandOf(command, []byte(q)...))
		if p := c.read(); len(p) < 5 || p[0] != 0 || p[3] != want {
			t.Errorf("%d %s: the answer is %v, want the flags %d", command, q, p, want)
		}
	}
	answer(wire.ComQuery, "SET @a = 0", autocommit)
	answer(wire.ComQuery, "BEGIN", inTransaction|autocommit)
	answer(wire.ComPing, "", inTransaction|autocommit)
	answer(wire.ComQuery, "SET @a = 1", inTransaction|autocommit)
	answer(wire.ComQuery, "COMMIT", autocommit)
	answer(wire.ComQuery, "SET autocommit = 0", 0)
	answer(wire.ComInitDB, "test", 0)
	answer(wire.ComQuery, "CREATE TABLE test.t (a INT)", 0)
	answer(wire.ComQuery, "INSERT INTO test.t VALUES (1)", inTransaction)
	answer(wire.ComQuery, "SAVEPOINT s", inTransaction)
	answer(wire.ComQuery, "ROLLBACK TO s", inTransaction)
	answer(wire.ComQuery, "ROLLBACK", 0)
	answer(wire.ComQuery, "SET autocommit = 1", autocommit)
	answer(wire.ComQuery, "INSERT INTO test.t VALUES (1)", autocommit)
	answer(wire.ComQuery, "SET autocommit = 0, @b = 1", 0)
	answer(wire.ComResetConnection, "", autocommit)
	r.exec(t, "SET GLOBAL autocommit = OFF")
	answer(wire.ComResetConnection, "", 0)
	if got := greeted(); got != 0 {
		t.Errorf("without autocommit the greeting says %d", got)
	}
}
