package tables

import (
	"math"
	"strings"
)

type valueKind uint8

const (
	kindNull valueKind = iota
	kindUint
	kindInt
	kindText
	kindDouble
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

// Double is a fraction, for TypeDouble.
func Double(f float64) Value { return Value{kind: kindDouble, n: math.Float64bits(f)} }

// Text is a string; also the value of an ENUM or SET column, by name.
func Text(s string) Value { return Value{kind: kindText, s: s} }

// IsNull tells whether v is NULL.
func (v Value) IsNull() bool { return v.kind == kindNull }

// IsText tells whether v is a string.
func (v Value) IsText() bool { return v.kind == kindText }

// IsDouble tells whether v is a fraction.
func (v Value) IsDouble() bool { return v.kind == kindDouble }

// Float returns a fraction, 0 for any other value.
func (v Value) Float() float64 {
	if v.kind != kindDouble {
		return 0
	}
	return math.Float64frombits(v.n)
}

// IsSigned tells whether v is a signed number.
func (v Value) IsSigned() bool { return v.kind == kindInt }

// Str returns the string of a text value, "" for any other.
func (v Value) Str() string { return v.s }

// Bits returns a number's 64 bits: of a signed one, in two's complement.
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

// equal is SQL's = on values of one column: NULL equals nothing, text is compared
// without regard to case, as utf8mb4_0900_ai_ci does with the ASCII names kept here.
func (v Value) equal(o Value) bool {
	if v.kind == kindText || o.kind == kindText {
		return v.kind == o.kind && strings.EqualFold(v.s, o.s)
	}
	a, aok := v.Uint()
	b, bok := o.Uint()
	if aok && bok {
		return a == b
	}
	return v.kind == kindInt && o.kind == kindInt && v.n == o.n
}

// yes is the value of a YES/NO column.
func yes(b bool) Value {
	if b {
		return Text("YES")
	}
	return Text("NO")
}
