package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Values that name a count or a length that is not there, or that are nested deeply. Whoever believes the count allocates as much, and
// whoever follows the nesting by recursion needs as much stack. Neither can be caught: the process ends.

// hostileNest is how deep the nested values are, and hostileNestStack is how large a stack may get in the server that gets them, bytes: a
// recursion on them needs more.
const (
	hostileNest      = 20000
	hostileNestStack = 3 << 20
)

// A hostileValue is head, then unit n times, then tail n times.
type hostileValue struct {
	name             string
	head, unit, tail []byte
	n                int
}

// bytes returns the value.
func (v hostileValue) bytes() []byte {
	return slices.Concat(v.head, bytes.Repeat(v.unit, v.n), bytes.Repeat(v.tail, v.n))
}

// sql returns an expression for the value.
func (v hostileValue) sql() string {
	if v.n == 0 {
		return fmt.Sprintf("x'%x'", v.head)
	}
	return fmt.Sprintf("CONCAT(x'%x', REPEAT(x'%x', %d), REPEAT(x'%x', %[3]d))", v.head, v.unit, v.n, v.tail)
}

// wkbHeader returns the beginning of a geometry: the order of its bytes, its type, and counts.
func wkbHeader(big bool, numbers ...uint32) []byte {
	b, order := []byte{1}, binary.AppendByteOrder(binary.LittleEndian)
	if big {
		b, order = []byte{0}, binary.BigEndian
	}
	for _, n := range numbers {
		b = order.AppendUint32(b, n)
	}
	return b
}

// hostileHeaders are beginnings of geometries of all types in both byte orders, with a count of members that are not there: of the geometry,
// of its last member, and of a geometry in a collection.
func hostileHeaders() (all []hostileValue) {
	add := func(name string, head []byte) {
		head = append(head, make([]byte, 100)...) // go-mysql-server reads some counts only if a smallest geometry may follow
		all = append(all, hostileValue{name: name, head: head})
	}
	for _, big := range []bool{false, true} {
		for kind := uint32(1); kind <= 7; kind++ {
			for _, n := range []uint32{1<<31 - 1, 1<<32 - 1, 8} {
				name := fmt.Sprintf("type %d, %d members, big endian %v", kind, n, big)
				one := wkbHeader(big, kind, n)
				add(name, one)
				add(name+", in a collection", slices.Concat(wkbHeader(big, 7, 1), one))
				switch kind {
				case 3: // the points of a ring
					add(name+" in a ring", wkbHeader(big, kind, 1, n))
				case 4, 5, 6: // the members of a member
					add(name+" in a member", slices.Concat(wkbHeader(big, kind, 1), wkbHeader(big, kind-3, n)))
				}
			}
		}
	}
	return all
}

// hostileCollection is the shortest of them.
var hostileCollection = hostileValue{name: "a collection", head: wkbHeader(false, 7, 1<<31-1)}

// internal returns a geometry as a column has it: behind its SRID.
func (v hostileValue) internal() hostileValue {
	v.name, v.head = v.name+", behind a SRID", append([]byte{0, 0, 0, 0}, v.head...)
	return v
}

// hostileNests are values of all formats that can be nested, and beginnings of those that name a length.
func hostileNests() []hostileValue {
	wkb := hostileValue{name: "collections", head: wkbHeader(true, 7, 1), unit: wkbHeader(false, 7, 1), n: hostileNest}
	text := func(name, head, unit, tail string) hostileValue {
		return hostileValue{name, []byte(head), []byte(unit), []byte(tail), hostileNest}
	}
	return []hostileValue{
		wkb, wkb.internal(), text("collections in a text", "", "GEOMETRYCOLLECTION(", ")"), text("GeoJSON", "", `{"type":"GeometryCollection","geometries":[`, "]}"),
		text("arrays", "", "[", "]"), text("a path", "$", "[0]", ""), text("parentheses", "", "(", ")"),
		text("objects", "", `{"a":`, "}"), text("an array that does not end", "", "[", ""), text("a path of names", "$", "**.a", ""),
		{name: "compressed, 1 GiB", head: []byte{0xff, 0xff, 0xff, 0x3f, 0x78, 0x9c, 0x4b, 0x04, 0, 0, 0x62, 0, 0x62}}, {name: "compressed, nothing", head: []byte{0xff, 0xff, 0xff, 0x7f}},
		{name: "a vector of odd bytes", head: []byte{1, 2, 3, 4, 5, 6, 7}}, {name: "a vector of NaN", head: bytes.Repeat([]byte{0xff}, 8)},
	}
}

// A hostileSender sends statements to a server with little stack, and starts another one when it has died.
type hostileSender struct {
	*testing.T
	h       *hostile
	s       *hostileSession
	prepare func(s *hostileSession)
	sent    int
	found   map[string]int
}

func newHostileSender(t *testing.T, prepare func(*hostileSession)) *hostileSender {
	c := &hostileSender{T: t, prepare: prepare, found: map[string]int{}}
	c.start()
	t.Cleanup(func() { c.s.close() })
	return c
}

func (c *hostileSender) start() {
	c.Helper()
	c.h = attack(c.T, fmt.Sprintf("%s=%d", hostileStackLimit, hostileNestStack))
	var err error
	if c.s, err = c.h.session(3); err != nil { // root
		c.Fatal(err)
	}
	c.prepare(c.s)
}

// do sends a statement, and says what is wrong with the answer, if anything is. about says what the statement has in it.
func (c *hostileSender) do(about, q string, args ...any) {
	c.sent++
	f := c.s.watch(q, hostileTime, func() error {
		rows, err := c.s.conn.QueryContext(context.Background(), q, args...)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		return errors.Join(rows.Err(), rows.Close())
	})
	if f == nil {
		return
	}
	if f.isFirst(c.found) {
		c.Errorf("%s: %v", about, f)
	}
	if len(c.found) == 20 {
		c.Fatal("too many")
	}
	if !c.h.alive() || strings.HasPrefix(f.what, "KILL") {
		c.h.stop()
		c.s.close()
		c.start()
	}
}

// refused tells whether the last statement had an error that says that there is no such call.
func (c *hostileSender) refused() bool {
	var e *mysql.MySQLError
	return errors.As(c.s.outcome, &e) && slices.Contains([]uint16{1582, 1064, 1318, 1305}, e.Number)
}

// No function believes a count, a length or a nesting that its argument names.
func TestFunctionsOfHostileArguments(t *testing.T) {
	if raceEnabled {
		t.Skip("runs without the race detector: with it the server's memory has no limit")
	}
	oneAtATime(t)
	core := append([]hostileValue{hostileCollection, hostileCollection.internal()}, hostileNests()...)
	const most = 9 // of them for calls with more than one argument
	headers := hostileHeaders()
	c := newHostileSender(t, func(s *hostileSession) {
		for i, v := range core {
			if s.run(fmt.Sprintf("SET @v%d = %s", i, v.sql())); s.outcome != nil {
				t.Fatalf("%s: %v", v.name, s.outcome)
			}
		}
	})
	functions := registeredFunctions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if withoutCalls[name] {
			continue
		}
		quoted, over := calledAs(name, functions[name])
		for n := 1; n <= 3; n++ {
			for _, behind := range slices.Compact([]string{"", over}) {
				args := slices.Repeat([]string{"'1'"}, n)
				call := func() string { return "SELECT " + quoted + "(" + strings.Join(args, ", ") + ")" + behind }
				if c.do(name, call()); c.refused() {
					continue
				}
				for i := range min(n, 2) {
					for k, v := range core {
						if n > 1 && k >= most {
							break
						}
						args[i] = fmt.Sprintf("@v%d", k)
						c.do(v.name, call())
					}
					args[i] = "'1'"
				}
				if n == 1 && strings.HasPrefix(name, "st_") {
					for _, v := range headers {
						args[0] = v.sql()
						c.do(v.name, call())
					}
				}
			}
		}
	}
	for _, form := range forms {
		n := strings.Count(form, "%s")
		for k, v := range core[:most] {
			for i := range n {
				args := slices.Repeat([]any{"'1'"}, n)
				args[i] = fmt.Sprintf("@v%d", k)
				c.do(v.name, "SELECT "+fmt.Sprintf(form, args...))
			}
		}
	}
	t.Logf("%d statements", c.sent)
}

// spatialTypes are the types of columns with geometries.
var spatialTypes = []string{"GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"}

// hostileWays are how a value gets to a column of type T, besides those of exponentWays.
var hostileWays = []string{
	"CREATE TABLE w (d T); INSERT INTO w VALUES ('V'); INSERT IGNORE INTO w VALUES ('V'); REPLACE INTO w VALUES ('V'); INSERT INTO w VALUES (NULL); UPDATE w SET d = 'V'; UPDATE IGNORE w SET d = 'V'",
	"CREATE TABLE w (a INT, d T NOT NULL DEFAULT ('V')); INSERT INTO w (a) VALUES (1); INSERT INTO w VALUES (1, DEFAULT)",
	"CREATE TABLE w (b LONGBLOB); INSERT INTO w VALUES ('V'); ALTER TABLE w ADD d T DEFAULT ('V'); ALTER TABLE w MODIFY b T; SELECT * FROM w",
	"CREATE TABLE w (b LONGBLOB, d T AS (b) STORED); INSERT INTO w (b) VALUES ('V')",
}

// No conversion into a column, a variable or a parameter believes a count, a length or a nesting that the value names.
func TestHostileValuesIntoColumns(t *testing.T) {
	if raceEnabled {
		t.Skip("runs without the race detector: with it the server's memory has no limit")
	}
	oneAtATime(t)
	c := newHostileSender(t, func(*hostileSession) {})
	run := func(v hostileValue, typ string, ways []string) {
		if err := os.WriteFile(filepath.Join(c.h.dir, "values"), append(v.bytes(), '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		about := v.name + " as " + typ
		for _, q := range []string{"DROP TABLE IF EXISTS s", "CREATE TABLE s (s LONGBLOB, b LONGTEXT)", "INSERT INTO s (s) VALUES (" + v.sql() + ")", "UPDATE s SET b = " + v.sql(), "SET @v = " + v.sql()} {
			c.do(about, q)
		}
		texts := strings.NewReplacer("T", typ, "C", exponentCasts.Replace(typ), "V", v.sql(), "P", c.h.dir)
		for _, way := range ways {
			way = strings.NewReplacer("'V'", "V", "VARCHAR(40)", "LONGBLOB").Replace(way)
			c.s.run("DROP TABLE IF EXISTS w")
			for _, q := range strings.Split(way, "; ") {
				c.do(about, replaceWords(q, texts))
			}
		}
	}
	headers := hostileHeaders()
	collection := hostileCollection.internal()
	for _, v := range headers {
		run(v.internal(), "GEOMETRY", hostileWays[:1])
	}
	for i, v := range append(hostileNests(), collection) {
		for _, typ := range slices.Concat(spatialTypes, exponentTypes, []string{"VECTOR(2)", "LONGTEXT", "VARBINARY(10)"}) {
			if i == 0 || slices.Contains([]string{"GEOMETRY", "GEOMETRYCOLLECTION", "JSON", "VECTOR(2)"}, typ) {
				run(v, typ, hostileWays)
			}
		}
	}
	run(collection, "GEOMETRY", exponentWays)
	run(hostileNests()[1], "GEOMETRYCOLLECTION", exponentWays)
	run(hostileNests()[4], "JSON", exponentWays)
	for _, typ := range []string{"GEOMETRY", "JSON", "VECTOR(2)"} { // parameters of the binary protocol
		c.s.run("DROP TABLE IF EXISTS w")
		c.s.run("CREATE TABLE w (d " + typ + ")")
		for _, v := range append(hostileNests(), collection) {
			c.do(v.name, "INSERT INTO w VALUES (?)", v.bytes())
			c.do(v.name, "SELECT * FROM w WHERE d = ? OR d IN (?, NULL) OR COALESCE(d, ?) IS NULL", v.bytes(), v.bytes(), v.bytes())
		}
	}
	t.Logf("%d statements", c.sent)
}
