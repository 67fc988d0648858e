package engine

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	vitess "github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/wire"
)

// A binaryValue is a value of a marker, as COM_STMT_EXECUTE has it.
type binaryValue struct {
	kind, flags byte
	bytes       []byte
}

func (v binaryValue) String() string { return fmt.Sprintf("type %d/%#x % x", v.kind, v.flags, v.bytes) }

// execution is the packet that executes a statement with these values.
func execution(id uint32, values ...binaryValue) []byte {
	p := []byte{0, 1, 0, 0, 0}
	if len(values) > 0 {
		p = append(append(p, make([]byte, (len(values)+7)/8)...), 1)
	}
	for _, v := range values {
		p = append(p, v.kind, v.flags)
	}
	for _, v := range values {
		p = append(p, v.bytes...)
	}
	return statementOf(wire.ComStmtExec, id, p...)
}

// answer reads the whole answer to a statement, and returns its error, "" if it has none.
func (c *rawClient) answer() string {
	c.t.Helper()
	failed := func(p []byte) string { return fmt.Sprint(binary.LittleEndian.Uint16(p[1:]), " ", string(p[9:])) }
	for more := true; more; {
		p := c.read()
		switch {
		case p[0] == 0xff:
			return failed(p)
		case p[0] == 0:
			more = okStatus(p)&vitess.ServerMoreResultsExists != 0
			continue
		}
		for range int(p[0]) + 1 {
			c.read()
		}
		for {
			p = c.read()
			if p[0] == 0xff {
				return failed(p)
			}
			if p[0] == 0xfe && len(p) < 9 {
				more = binary.LittleEndian.Uint16(p[3:])&vitess.ServerMoreResultsExists != 0
				break
			}
		}
	}
	return ""
}

// okStatus is the status in an OK packet.
func okStatus(p []byte) uint16 {
	at := 1
	for range 2 { // rows, and the last id
		switch p[at] {
		case 0xfc:
			at += 3
		case 0xfd:
			at += 4
		case 0xfe:
			at += 9
		default:
			at++
		}
	}
	return binary.LittleEndian.Uint16(p[at:])
}

// refusal is the number of the error for a value that no literal of its type can have, wherever the marker is: 1367 for what is no number,
// 1292 for a date or a time with a part that is larger than any. It is "" for other values, which a place may have errors for or not.
func (v binaryValue) refusal() string {
	le := binary.LittleEndian
	part := func(at, size int) (n uint64) { // 0 behind the end
		for i := range size {
			if at+i < len(v.bytes) {
				n |= uint64(v.bytes[at+i]) << (8 * i)
			}
		}
		return n
	}
	switch v.kind {
	case 4, 5:
		f := float64(math.Float32frombits(uint32(part(0, 4))))
		if v.kind == 5 {
			f = math.Float64frombits(le.Uint64(v.bytes))
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return "1367 "
		}
	case 7, 10, 12:
		if part(1, 2) > 9999 || part(3, 1) > 12 || part(4, 1) > 31 || part(5, 1) > 23 || part(6, 1) > 59 || part(7, 1) > 59 || part(8, 4) > 999_999 {
			return "1292 "
		}
	case 11:
		if part(1, 1) > 1 || part(2, 4)*24+part(6, 1) > math.MaxUint32 || part(7, 1) > 59 || part(8, 1) > 59 || part(9, 4) > 999_999 {
			return "1292 "
		}
	}
	return ""
}

// hostileValues are values of all types of the binary protocol that no ordinary client sends: numbers that are none, dates
// that are none, texts that the type does not have.
func hostileValues() (all []binaryValue) {
	le := binary.LittleEndian
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), 1e19, -1e19} {
		all = append(all, binaryValue{5, 0, le.AppendUint64(nil, math.Float64bits(f))}, binaryValue{4, 0, le.AppendUint32(nil, math.Float32bits(float32(f)))})
	}
	for _, flags := range []byte{0, 0x80, 0x7f, 0xff} {
		for _, n := range []uint64{0, 1 << 63, 1<<63 - 1, math.MaxUint64} {
			eight := le.AppendUint64(nil, n)
			for kind, size := range map[byte]int{1: 1, 2: 2, 3: 4, 8: 8, 9: 4, 13: 2} {
				all = append(all, binaryValue{kind, flags, eight[8-size:]})
			}
		}
	}
	date := func(year uint16, rest ...byte) []byte {
		return append(le.AppendUint16([]byte{byte(2 + len(rest))}, year), rest...)
	}
	for _, kind := range []byte{7, 10, 12} {
		for _, p := range [][]byte{
			{0}, date(0, 0, 0), date(2026, 0, 0), date(2026, 0, 1), date(2026, 1, 0), date(2026, 13, 1), date(2026, 1, 32), date(2026, 2, 30), date(2025, 2, 29), date(2026, 4, 31), date(10000, 1, 1), date(65535, 255, 255),
			date(0, 0, 0, 0, 0, 0), date(0, 0, 0, 1, 2, 3), date(2026, 11, 1, 24, 0, 0), date(2026, 11, 1, 25, 0, 0), date(2026, 11, 1, 0, 60, 0), date(2026, 11, 1, 0, 0, 60), date(2026, 11, 1, 255, 255, 255), date(9999, 12, 31, 23, 59, 59),
			date(2026, 11, 1, 1, 2, 3, 0x3f, 0x42, 0x0f, 0), date(2026, 11, 1, 1, 2, 3, 0x40, 0x42, 0x0f, 0), date(2026, 11, 1, 1, 2, 3, 255, 255, 255, 255), date(9999, 12, 31, 23, 59, 59, 0x3f, 0x42, 0x0f, 0), date(65535, 255, 255, 255, 255, 255, 255, 255, 255, 255),
		} {
			all = append(all, binaryValue{kind, 0, p})
		}
	}
	duration := func(sign byte, days uint32, rest ...byte) []byte {
		p := le.AppendUint32([]byte{byte(5 + len(rest)), sign}, days)
		return append(p, rest...)
	}
	for _, p := range [][]byte{
		{0}, duration(0, 0, 0, 0, 0), duration(1, 0, 0, 0, 0), duration(0, 34, 22, 59, 59), duration(0, 34, 23, 0, 0), duration(1, 35, 0, 0, 0), duration(0, math.MaxUint32, 0, 0, 0), duration(1, math.MaxUint32, 255, 255, 255), duration(0, 1<<31, 1, 0, 0),
		duration(0, 178956970, 17, 0, 0), duration(2, 1, 1, 1, 1), duration(255, 1, 1, 1, 1), duration(0, 0, 24, 0, 0), duration(0, 0, 255, 0, 0), duration(0, 0, 0, 60, 0), duration(0, 0, 0, 0, 60), duration(0, 0, 0, 255, 255),
		duration(0, 1, 1, 1, 1, 0x3f, 0x42, 0x0f, 0), duration(0, 1, 1, 1, 1, 0x40, 0x42, 0x0f, 0), duration(1, 1, 1, 1, 1, 255, 255, 255, 255), duration(1, math.MaxUint32, 255, 255, 255, 255, 255, 255, 255),
	} {
		all = append(all, binaryValue{11, 0, p})
	}
	for _, kind := range []byte{0, 246, 15, 16, 245, 247, 248, 249, 250, 251, 252, 253, 254, 255} {
		for _, s := range []string{
			"", "NaN", "inf", "-", "1e999999999", "-1e-999999999", strings.Repeat("9", 200), "0x", "\x00", "\xff\xfe\xc0", "\x00\x00\x00\x00\x01\x07\x00\x00\x00\x03\x00\x00\x00", "{\"a\": [", "2026-13-45 25:61:61", "9999999-1-1", "-839:00:00", "'",
		} {
			all = append(all, binaryValue{kind, 0, wire.AppendText(nil, s)})
		}
	}
	all = append(all, binaryValue{6, 0, nil}) // NULL
	slices.SortFunc(all, func(a, b binaryValue) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// hostileColumns are the types of the columns that hostile values go into.
var hostileColumns = []string{
	"TINYINT", "TINYINT UNSIGNED", "SMALLINT", "MEDIUMINT", "INT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED", "FLOAT", "DOUBLE", "DECIMAL(10, 2)", "DECIMAL(65, 30)", "BIT(1)", "BIT(64)", "YEAR",
	"DATE", "TIME", "TIME(6)", "DATETIME", "DATETIME(6)", "TIMESTAMP(6)", "CHAR(10)", "VARCHAR(100)", "BINARY(10)", "VARBINARY(100)", "TEXT", "BLOB", "ENUM('a', 'b')", "SET('a', 'b')", "JSON", "GEOMETRY", "POINT",
}

// hostileUses are statements with markers for hostile values.
func hostileUses() (texts []string) {
	for i := range hostileColumns {
		texts = append(texts, fmt.Sprintf("INSERT INTO test.c (c%d) VALUES (?)", i), fmt.Sprintf("INSERT IGNORE INTO test.c (c%d) VALUES (?)", i), fmt.Sprintf("UPDATE test.c SET c%d = ?", i),
			fmt.Sprintf("SELECT c%d FROM test.c WHERE c%[1]d = ? OR c%[1]d < ? OR c%[1]d IN (?, 1) OR c%[1]d BETWEEN ? AND ?", i), fmt.Sprintf("SELECT IFNULL(c%d, ?), COALESCE(c%[1]d, ?), c%[1]d + ?, c%[1]d <=> ? FROM test.c", i))
	}
	texts = append(texts,
		"SELECT ?", "SELECT ? + 1, -?, ? * ?, ? / 3, ? DIV 2, ? % 3, ? & 1, ~?, ? << ?", "SELECT ? = ?, ? < 1, ? > 'a', ? LIKE ?, ? IN (1, 2.5, 'a', NULL), ? BETWEEN 1 AND 2, NOT ?, ? XOR 1", "SELECT DISTINCT ? FROM test.k", "SELECT 1 UNION SELECT ?", "SELECT ? UNION ALL SELECT 'a'",
		"SELECT * FROM test.k LIMIT ?", "SELECT * FROM test.k LIMIT 1 OFFSET ?", "SELECT * FROM test.k ORDER BY ? LIMIT ? OFFSET ?", "SELECT 1 UNION SELECT 2 LIMIT ?", "SELECT * FROM (SELECT id FROM test.k LIMIT ?, ?) t", "SELECT (SELECT id FROM test.k ORDER BY ?, id LIMIT ?)",
		"INSERT INTO test.c (c0) SELECT id FROM test.k LIMIT ?", "UPDATE test.c SET c0 = 1 ORDER BY ? LIMIT ?", "DELETE FROM test.c ORDER BY ? LIMIT ?", "SELECT * FROM test.k WHERE id = ?", "SELECT * FROM test.k WHERE id IN (?, ?)", "SELECT * FROM test.k WHERE s = ? OR d = ? OR n = ?", "SELECT * FROM test.k ORDER BY ?", "SELECT COUNT(*) FROM test.k GROUP BY id + ?", "SELECT COUNT(*) FROM test.k HAVING COUNT(*) > ?",
		"SELECT CASE ? WHEN 1 THEN 2 ELSE ? END, IF(?, 1, 2)", "SELECT SUM(?), AVG(?), MIN(?), MAX(?), COUNT(DISTINCT ?), GROUP_CONCAT(?), BIT_OR(?), STDDEV(?) FROM test.k", "SELECT SUM(id + ?) OVER (ORDER BY d) FROM test.k",
		"SELECT DATE_ADD(d, INTERVAL ? DAY), DATE_ADD(?, INTERVAL 1 MONTH), ? + INTERVAL ? MICROSECOND FROM test.k", "SELECT EXTRACT(YEAR_MONTH FROM ?), EXTRACT(HOUR_MICROSECOND FROM ?)", "SELECT * FROM test.k WHERE d BETWEEN ? AND ?",
		"SELECT * FROM performance_schema.threads WHERE THREAD_ID = ?", "SELECT * FROM performance_schema.events_waits_history_long WHERE TIMER_WAIT > ?", "SELECT * FROM performance_schema.error_log WHERE LOGGED > ?", "SELECT * FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?",
		"SET @a = ?", "DO ?", "CALL test.p(?)", "SET SESSION max_execution_time = ?", "KILL QUERY ?", "DELETE FROM test.c WHERE c0 = ?", "INSERT INTO test.c (c0, c9, c21) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE c0 = ?", "SELECT * FROM (SELECT ? AS x) t WHERE x = ?",
		"INSERT INTO test.c (c0, c9, c16) SELECT ?, ?, ?", "SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS (a INT PATH '$')) j")
	for _, to := range []string{"SIGNED", "UNSIGNED", "CHAR", "CHAR(3)", "BINARY(3)", "DATE", "TIME(6)", "DATETIME(6)", "DECIMAL(10, 2)", "DOUBLE", "FLOAT", "JSON", "YEAR"} {
		texts = append(texts, "SELECT CAST(? AS "+to+")")
	}
	functions := registeredFunctions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if withoutCalls[name] || strings.ContainsFunc(name, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
			continue
		}
		counts := []int{1, 2, 3, 4}
		if f := functions[name]; f != nil && argumentsOf(f) >= 0 {
			counts = []int{argumentsOf(f)}
		}
		for _, n := range counts {
			if n > 0 {
				texts = append(texts, "SELECT "+name+"(?"+strings.Repeat(", ?", n-1)+")")
			}
		}
	}
	return texts
}

// TestHostileParameters: no value of a marker costs a panic, and what is no value is refused, wherever the marker is. PFSD_SOAK has it try each value in each place, else it takes a sample.
func TestHostileParameters(t *testing.T) {
	r := serveAll(t, Options{})
	r.exec(t, "CREATE TABLE test.k (id INT PRIMARY KEY, d DATETIME(6), n DECIMAL(20, 5), s VARCHAR(20), KEY (d), KEY (n), KEY (s))")
	r.exec(t, "INSERT INTO test.k VALUES (1, '2026-01-01', 1.5, 'a'), (2, '2025-02-03', 2.5, 'b')")
	columns := ""
	for i, kind := range hostileColumns {
		columns += fmt.Sprintf(", c%d %s", i, kind)
	}
	r.exec(t, "CREATE TABLE test.c (id INT AUTO_INCREMENT PRIMARY KEY"+columns+")")
	r.exec(t, "CREATE PROCEDURE test.p(x DOUBLE) SET @x = x")
	values, all := hostileValues(), os.Getenv("PFSD_SOAK") != ""
	var c *rawClient
	tried, found := 0, map[string]bool{}
	for n, text := range hostileUses() {
		function := strings.HasPrefix(text, "SELECT ") && strings.Contains(text, "(?")
		if sum := fnv.New32a(); function && !all {
			if fmt.Fprint(sum, text); sum.Sum32()%4 != 0 {
				continue
			}
		}
		if c == nil || n%100 == 0 { // prepared statements are bounded
			if c != nil {
				_ = c.Close()
			}
			c = dialRaw(t, r.addr, helloOf(rawMulti, utf8mb4, "\x00", nil))
			c.write(commandOf(wire.ComQuery, []byte("SET SESSION max_execution_time = 5000")...))
			c.ok()
		}
		c.write(commandOf(wire.ComStmtPrepare, []byte(text)...))
		p := c.read()
		if p[0] != 0 {
			continue // too few arguments, or too many
		}
		markers := int(binary.LittleEndian.Uint16(p[7:]))
		for _, n := range []uint16{binary.LittleEndian.Uint16(p[5:]), uint16(markers)} {
			if n > 0 {
				for range n + 1 {
					c.read()
				}
			}
		}
		id := binary.LittleEndian.Uint32(p[1:])
		sparse := uint32(4)
		if function {
			sparse = 16
		}
		for _, v := range values {
			sum := fnv.New32a()
			fmt.Fprint(sum, text, v)
			if !all && sum.Sum32()%sparse != 0 && v.kind != 6 {
				continue
			}
			tried++
			c.write(execution(id, slices.Repeat([]binaryValue{v}, markers)...))
			err, refusal := c.answer(), v.refusal()
			if !strings.HasPrefix(err, refusal) && !found[text] {
				t.Errorf("%s with %s: %q, want %s", text, v, err, refusal)
				found[text] = true
			}
			if strings.HasPrefix(err, "1815 ") {
				if !found[text] {
					t.Errorf("%s with %s: %s", text, v, err)
				}
				found[text] = true
			}
		}
		if strings.Contains(text, "test.c") {
			c.write(commandOf(wire.ComQuery, []byte("DELETE FROM test.c")...))
			c.answer()
		}
		c.write(statementOf(wire.ComStmtClose, id))
	}
	t.Logf("%d executions", tried)
	r.noPanic(t, "hostile values")
	r.want(t, "SELECT 1", "1")
}
