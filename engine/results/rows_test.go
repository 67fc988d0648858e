package results

import (
	"bytes"
	"encoding/binary"
	"math"
	"net"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/sqlvalue"
	"pfsd/engine/wire"
	"pfsd/tables"
)

const packetSize = 1<<24 - 1 // of a payload, bytes; a longer one goes on in the next packet

// written is a connection that keeps what is written to it.
type written struct {
	net.Conn
	bytes []byte
}

func (w *written) Write(p []byte) (int, error) {
	w.bytes = append(w.bytes, p...)
	return len(p), nil
}

// packet takes the next packet off p, the continuations of a long one included, and checks
// their numbers.
func packet(t *testing.T, p *[]byte, sequence *byte) []byte {
	t.Helper()
	var payload []byte
	for {
		head := *p
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		*sequence++
		if head[3] != *sequence {
			t.Fatalf("packet %d where %d is due", head[3], *sequence)
		}
		payload = append(payload, head[4:4+n]...)
		if *p = head[4+n:]; n < packetSize {
			return payload
		}
	}
}

// cell takes the next value off a row.
func cell(row *[]byte) (text string, null bool) {
	r := *row
	n, size := uint64(r[0]), 1
	switch r[0] {
	case 0xfb:
		*row = r[1:]
		return "", true
	case 0xfc:
		n, size = uint64(binary.LittleEndian.Uint16(r[1:])), 3
	case 0xfd:
		n, size = uint64(r[1])|uint64(r[2])<<8|uint64(r[3])<<16, 4
	case 0xfe:
		n, size = binary.LittleEndian.Uint64(r[1:]), 9
	}
	*row = r[uint64(size)+n:]
	return string(r[size : uint64(size)+n]), false
}

func TestTextRows(t *testing.T) {
	conn := &written{}
	w := &wire.Conn{Conn: conn}
	if _, err := w.Write([]byte{1, 0, 0, 7, 0}); err != nil { // what the protocol layer has written
		t.Fatal(err)
	}
	conn.bytes = nil

	texts := []string{"", "é", strings.Repeat("x", 250), strings.Repeat("y", 251), strings.Repeat("z", 1<<16-1), strings.Repeat("a", 1<<16),
		strings.Repeat("b", packetSize-8), strings.Repeat("c", packetSize), strings.Repeat("d", 2*packetSize+3)}
	rows := newRows(&Writer{Packets: wire.Packets{Conn: w}}, 0)
	rows.cols = make([]column, 7)
	rows.cols[5].digits, rows.cols[6].digits = 6, 6
	for range 2 {
		for _, s := range texts {
			if err := rows.Values([]tables.Value{tables.Text(s), tables.Null, tables.Uint(math.MaxUint64), tables.Int(math.MinInt64), tables.Uint(0), tables.Double(0.5), tables.Double(1)}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := rows.Flush(); err != nil {
		t.Fatal(err)
	}
	// The protocol layer ends the result with the number that it thinks is next.
	if _, err := w.Write([]byte{1, 0, 0, 8, 0xfe}); err != nil {
		t.Fatal(err)
	}

	got, sequence := conn.bytes, byte(7)
	for i := range 2 * len(texts) {
		row := packet(t, &got, &sequence)
		want := texts[i%len(texts)]
		if s, null := cell(&row); null || s != want {
			t.Fatalf("row %d: a text of %d bytes is one of %d", i, len(want), len(s))
		}
		if _, null := cell(&row); !null {
			t.Errorf("row %d: NULL is none", i)
		}
		for _, want := range []string{"18446744073709551615", "-9223372036854775808", "0", "0.500000", "1.000000"} {
			if s, _ := cell(&row); s != want {
				t.Errorf("row %d: %s is %s", i, want, s)
			}
		}
		if len(row) != 0 {
			t.Errorf("row %d: %d bytes too many", i, len(row))
		}
	}
	if end := packet(t, &got, &sequence); !bytes.Equal(end, []byte{0xfe}) || len(got) != 0 {
		t.Errorf("the result ends with %v, and %d bytes follow", end, len(got))
	}
}

// Values that are written as they are look to a client as those that go through their type's text.
func TestPlainValues(t *testing.T) {
	ctx := sql.NewEmptyContext()
	all := []any{"", "a", "é😀", int8(-128), int8(5), int16(-300), int32(math.MinInt32), int32(1 << 23), int64(math.MaxInt64), int64(-1), uint8(255), uint16(65535), uint32(math.MaxUint32), uint64(math.MaxUint64), uint64(7)}
	written := 0
	for _, typ := range []sql.Type{
		types.Int8, types.Int16, types.Int24, types.Int32, types.Int64, types.Uint8, types.Uint16, types.Uint24, types.Uint32, types.Uint64, types.Boolean, types.Year, types.Float64, types.Datetime,
		types.MustCreateStringWithDefaults(querypb.Type_VARCHAR, 20), types.MustCreateString(querypb.Type_CHAR, 20, sql.Collation_latin1_swedish_ci), types.MustCreateBinary(querypb.Type_VARBINARY, 20),
		types.MustCreateEnumType([]string{"a", "b"}, sql.Collation_Default),
	} {
		for _, binary := range []bool{false, true} {
			for _, v := range all {
				r := newRows(&Writer{Binary: binary}, 0)
				c := newColumn(typ, sql.CharacterSet_utf8mb4)
				if !r.plain(&c, v) {
					continue
				}
				written++
				text, err := sqlvalue.Sent(ctx, typ, nil, v)
				if err != nil {
					t.Fatal(err)
				}
				want := wire.AppendText(nil, text.ToString())
				if binary {
					if want, err = appendBinary(nil, typ.Type(), text.ToString()); err != nil {
						t.Fatal(err)
					}
				}
				if !bytes.Equal(r.Buf, want) {
					t.Errorf("%s %T %v, binary %v: got %x, want %x", typ, v, v, binary, r.Buf, want)
				}
			}
		}
	}
	if written < 100 {
		t.Errorf("%d values are written as they are", written)
	}
}
