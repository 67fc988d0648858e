package engine

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"pfsd/engine/wire"
	"pfsd/instr"
)

// BenchmarkStatement measures statements over a connection: text, never the same twice in a row, and prepared, with
// everything off, with what is on by default and with everything on. The client allocates nothing.
func BenchmarkStatement(b *testing.B) {
	const rows, inserts = 10, 64
	for _, watched := range []struct {
		name    string
		options Options
	}{
		{"off", Options{PerformanceSchema: Off, Instruments: []string{"%=OFF"}, Consumers: consumers(false)}},
		{"default", Options{}},
		{"all", Options{Instruments: []string{"%=ON"}, Consumers: consumers(true)}},
	} {
		b.Run("watched="+watched.name, func(b *testing.B) {
			o := watched.options
			o.Registry = instr.NewRegistry()
			addr := serveBench(b, o)
			c := &benchClient{rawClient: dialRaw(b, addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))}
			var values []string
			for i := range rows {
				values = append(values, fmt.Sprintf("(%d, 'row %d')", i, i))
			}
			for _, q := range []string{
				"CREATE DATABASE bench", "USE bench", "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20))", "CREATE TABLE u (a INT, b VARCHAR(20))",
				"INSERT INTO t VALUES " + strings.Join(values, ", "),
			} {
				c.ask(commandOf(wire.ComQuery, []byte(q)...))
			}
			truncate := commandOf(wire.ComQuery, []byte("TRUNCATE TABLE u")...)
			for _, s := range []struct{ name, text string }{
				{"point", "SELECT b FROM t WHERE a = ?"},
				{"range", "SELECT a, b FROM t WHERE a BETWEEN ? AND 9 ORDER BY a"},
				{"insert", "INSERT INTO u VALUES (?, 'row')"},
			} {
				c.write(commandOf(wire.ComStmtPrepare, []byte(s.text)...))
				id := c.statement()
				var texts, prepared [rows][]byte
				for i := range rows {
					texts[i] = commandOf(wire.ComQuery, []byte(strings.Replace(s.text, "?", strconv.Itoa(i), 1))...)
					prepared[i] = statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0, 0, 1, 3, 0, byte(i), 0, 0, 0) // an INT
				}
				for _, protocol := range []struct {
					name    string
					packets [rows][]byte
				}{{"text", texts}, {"prepared", prepared}} {
					b.Run("protocol="+protocol.name+"/statement="+s.name, func(b *testing.B) {
						c.ask(truncate)
						b.ReportAllocs()
						for i := 0; b.Loop(); i++ {
							if s.name == "insert" && i%inserts == inserts-1 { // the table stays small
								b.StopTimer()
								c.ask(truncate)
								b.StartTimer()
							}
							c.ask(protocol.packets[i%rows])
						}
					})
				}
			}
		})
	}
}

// consumers switches each consumer on or off.
func consumers(on bool) map[string]bool {
	all := map[string]bool{}
	for c := range instr.ConsumerCount {
		all[c.String()] = on
	}
	return all
}

// benchClient is a client that reads its answers without keeping them.
type benchClient struct {
	*rawClient
	packet []byte
}

// next is the payload of the next packet, until the one after it.
func (c *benchClient) next() []byte {
	c.packet = append(c.packet[:0], 0, 0, 0, 0)
	_, err := io.ReadFull(c.in, c.packet)
	if err == nil {
		n := int(c.packet[0]) | int(c.packet[1])<<8 | int(c.packet[2])<<16
		for len(c.packet) < n {
			c.packet = append(c.packet, 0)
		}
		c.packet = c.packet[:n]
		_, err = io.ReadFull(c.in, c.packet)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return c.packet
}

// ask sends a command and reads its answer: OK, or columns and rows, each of which ends with an EOF packet.
func (c *benchClient) ask(command []byte) {
	if _, err := c.Write(command); err != nil {
		c.t.Fatal(err)
	}
	for ends := 0; ends < 2; {
		switch p := c.next(); {
		case p[0] == 0xff:
			c.t.Fatalf("%q is answered with %q", command, p)
		case p[0] == 0 && ends == 0:
			return
		case p[0] == 0xfe && len(p) < 9:
			ends++
		}
	}
}

// statement is the id of a prepared statement, read from the answer with its parameters and columns.
func (c *benchClient) statement() uint32 {
	p := c.next()
	id := binary.LittleEndian.Uint32(p[1:])
	for _, many := range []uint16{binary.LittleEndian.Uint16(p[7:]), binary.LittleEndian.Uint16(p[5:])} {
		for range many {
			c.next()
		}
		if many > 0 {
			c.next()
		}
	}
	return id
}
