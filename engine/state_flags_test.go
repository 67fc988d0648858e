package engine

import (
	"bytes"
	"net"
	"testing"

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
	answer(comQuery, "SET @a = 0", autocommit)
	answer(comQuery, "BEGIN", inTransaction|autocommit)
	answer(comPing, "", inTransaction|autocommit)
	answer(comQuery, "SET @a = 1", inTransaction|autocommit)
	answer(comQuery, "COMMIT", autocommit)
	answer(comQuery, "SET autocommit = 0", 0)
	answer(comInitDB, "test", 0)
	answer(comQuery, "CREATE TABLE test.t (a INT)", 0)
	answer(comQuery, "INSERT INTO test.t VALUES (1)", inTransaction)
	answer(comQuery, "SAVEPOINT s", inTransaction)
	answer(comQuery, "ROLLBACK TO s", inTransaction)
	answer(comQuery, "ROLLBACK", 0)
	answer(comQuery, "SET autocommit = 1", autocommit)
	answer(comQuery, "INSERT INTO test.t VALUES (1)", autocommit)
	answer(comQuery, "SET autocommit = 0, @b = 1", 0)
	answer(comResetConnection, "", autocommit)
	r.exec(t, "SET GLOBAL autocommit = OFF")
	answer(comResetConnection, "", 0)
	if got := greeted(); got != 0 {
		t.Errorf("without autocommit the greeting says %d", got)
	}
}
