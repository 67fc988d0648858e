package tables

import (
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unsafe"
)

type valueKind uint8

const (
	kindNull valueKind = iota
	kindUint
	kindInt
	kindText
	kindDouble
	kindTime
)

// Value is one SQL value, held without an allocation. The zero Value is NULL.
type Value struct {
	kind valueKind
	n    uint64
	s    string
}

// Null is SQL NULL.
var Null = Value{}

// Uint is an unsigned number.
func Uint(n uint64) Value { return Value{kind: kindUint, n: n} }

// Int is a signed number.
func Int(n int64) Value { return Value{kind: kindInt, n: uint64(n)} }

// Double is a floating-point number, for TypeDouble: it must not have more digits than the type
// shows.
func Double(f float64) Value { return Value{kind: kindDouble, n: math.Float64bits(f)} }

// Time is a moment, for TypeTimestamp and TypeDate, cut to microseconds.
func Time(t time.Time) Value { return Value{kind: kindTime, n: uint64(t.UnixMicro())} }

// Text is a string; also a value of an ENUM or SET column, as its name.
func Text(s string) Value { return Value{kind: kindText, s: s} }

// IsNull reports whether v is NULL.
func (v Value) IsNull() bool { return v.kind == kindNull }

// IsText reports whether v is a string.
func (v Value) IsText() bool { return v.kind == kindText }

// IsDouble reports whether v is a floating-point number.
func (v Value) IsDouble() bool { return v.kind == kindDouble }

// IsTime reports whether v is a moment.
func (v Value) IsTime() bool { return v.kind == kindTime }

// Time returns a moment, in UTC; the zero time for any other value.
func (v Value) Time() time.Time {
	if v.kind != kindTime {
		return time.Time{}
	}
	return time.UnixMicro(int64(v.n)).UTC()
}

// Float returns a floating-point number, 0 for any other value.
func (v Value) Float() float64 {
	if v.kind != kindDouble {
		return 0
	}
	return math.Float64frombits(v.n)
}

// IsSigned reports whether v is a signed number.
func (v Value) IsSigned() bool { return v.kind == kindInt }

// Str returns the string of a text value, "" for any other.
func (v Value) Str() string { return v.s }

// AppendExact appends bytes that only the same value of a column has.
func (v Value) AppendExact(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(append(to, byte(v.kind)), v.n)
	if v.kind == kindText {
		to = append(binary.LittleEndian.AppendUint64(to, uint64(len(v.s))), v.s...)
	}
	return to
}

// Place is a number that is the same for the same number, and for a text in the same place of memory; others seldom have it.
func (v Value) Place() uint64 { return v.n + uint64(uintptr(unsafe.Pointer(unsafe.StringData(v.s)))) }

// Clone returns the value with a text of its own.
func (v Value) Clone() Value {
	v.s = strings.Clone(v.s)
	return v
}

// Bits returns the 64 bits of a number; a signed one is in two's complement. For a moment it
// returns the microseconds since 1970 as a signed number.
func (v Value) Bits() uint64 { return v.n }

// Uint returns v as an unsigned number, if it is a number that is not negative.
func (v Value) Uint() (uint64, bool) {
	switch v.kind {
	case kindUint:
		return v.n, true
	case kindInt:
		return v.n, int64(v.n) >= 0
	}
	return 0, false
}

// number returns v as a floating-point number, if it is a number.
func (v Value) number() (float64, bool) {
	switch v.kind {
	case kindUint:
		return float64(v.n), true
	case kindInt:
		return float64(int64(v.n)), true
	case kindDouble:
		return v.Float(), true
	}
	return 0, false
}

// equal is SQL's = on values of one column: NULL equals nothing. Text is compared byte by
// byte if the column is a binary one, else without regard to the case of ASCII letters: as
// utf8mb4_0900_ai_ci and ascii_general_ci do with ASCII.
func equal(v, o Value, exact bool) bool {
	if v.kind == kindText || o.kind == kindText {
		return v.kind == o.kind && (v.s == o.s || !exact && sameButCase(v.s, o.s))
	}
	if v.kind == kindTime || o.kind == kindTime {
		return v == o
	}
	if v.kind == kindDouble || o.kind == kindDouble {
		a, aok := v.number()
		b, bok := o.number()
		return aok && bok && a == b
	}
	a, aok := v.Uint()
	b, bok := o.Uint()
	if aok && bok {
		return a == b
	}
	return v.kind == kindInt && o.kind == kindInt && v.n == o.n
}

// sameButCase reports whether two texts are equal but for the case of ASCII letters.
func sameButCase(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if x, y := a[i], b[i]; x != y && (x|0x20 != y|0x20 || x|0x20 < 'a' || x|0x20 > 'z') {
			return false
		}
	}
	return true
}

// yes is the value of a YES/NO column.
func yes(b bool) Value {
	if b {
		return Text("YES")
	}
	return Text("NO")
}
