package engine

import (
	"fmt"
	"strings"
	"testing"

	"pfsd/engine/wire"
	"pfsd/instr"
)

// BenchmarkRanges measures what sysbench's read_only asks for besides single rows, on its table: prepared, 100 rows each.
func BenchmarkRanges(b *testing.B) {
	addr := serveBench(b, Options{Registry: instr.NewRegistry()})
	c := &benchClient{rawClient: dialRaw(b, addr, helloOf(rawCapabilities, utf8mb4, "\x00", nil))}
	query := func(q string) { c.ask(commandOf(wire.ComQuery, []byte(q)...)) }
	query("CREATE DATABASE bench")
	query("USE bench")
	query("CREATE TABLE s (id INT NOT NULL AUTO_INCREMENT, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', PRIMARY KEY (id), KEY k_1 (k))")
	for i := range 20 {
		var rows []string
		for j := range 50 {
			n := i*50 + j + 1
			var groups []string
			for g := range 10 {
				groups = append(groups, fmt.Sprintf("%011d", uint64(n*7919+g*104729)*2654435761%100_000_000_000))
			}
			rows = append(rows, fmt.Sprintf("(%d, %d, '%s', '%s')", n, n*37%1000, strings.Join(groups, "-"), strings.Join(groups[:5], "-")))
		}
		query("INSERT INTO s VALUES " + strings.Join(rows, ", "))
	}
	for _, s := range []struct{ name, text string }{
		{"simple", "SELECT c FROM s WHERE id BETWEEN ? AND ?"},
		{"sum", "SELECT SUM(k) FROM s WHERE id BETWEEN ? AND ?"},
		{"order", "SELECT c FROM s WHERE id BETWEEN ? AND ? ORDER BY c"},
		{"distinct", "SELECT DISTINCT c FROM s WHERE id BETWEEN ? AND ? ORDER BY c"},
	} {
		c.write(commandOf(wire.ComStmtPrepare, []byte(s.text)...))
		id := c.statement()
		var packets [10][]byte
		for i := range packets {
			from := 300 + i*7
			to := from + 99
			packets[i] = statementOf(wire.ComStmtExec, id, 0, 1, 0, 0, 0, 0, 1, 3, 0, 3, 0, byte(from), byte(from>>8), 0, 0, byte(to), byte(to>>8), 0, 0)
		}
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.ask(packets[i%len(packets)])
			}
		})
	}
}
