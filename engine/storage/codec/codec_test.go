package codec

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"
)

// sample is a type with a function that makes random values of it.
type sample struct {
	typ  sql.Type
	next func(*rand.Rand) any
}

// runes are the characters of random texts: letters in several cases and scripts, marks, spaces,
// control characters, and characters of several planes.
var runes = []rune("aAbBzZäÄßéÉeEñÑøØIıiİ 0919_-\x00\x01\t\u0301\u00ad\u200dЖжΣσςλאبไ日本語ｶカか\u3042\uffff\uFFFD😀𝒜")

func text(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		if r.IntN(4) == 0 {
			b.WriteRune(rune('a' + r.IntN(3)))
		} else {
			b.WriteRune(runes[r.IntN(len(runes))])
		}
	}
	return b.String()
}

func blob(r *rand.Rand, n int) []byte {
	b := make([]byte, r.IntN(n+1))
	for i := range b {
		b[i] = []byte{0, 1, 'a', 0xfe, 0xff}[r.IntN(5)]
	}
	return b
}

// integer returns a random integer; the ends of the range and zero are likely.
func integer(r *rand.Rand, bits uint) int64 {
	switch r.IntN(4) {
	case 0:
		return []int64{0, 1, -1, -1 << (bits - 1), 1<<(bits-1) - 1}[r.IntN(5)]
	case 1:
		return int64(r.IntN(7)) - 3
	}
	return int64(r.Uint64()) >> (64 - bits)
}

func digits(r *rand.Rand, precision, scale int) decimal.Decimal {
	n := 1 + r.IntN(precision)
	var b strings.Builder
	for range n {
		b.WriteByte(byte('0' + r.IntN(10)))
	}
	d, _ := decimal.NewFromString(b.String())
	d = d.Shift(int32(-scale))
	if r.IntN(2) == 0 {
		d = d.Neg()
	}
	return d
}

func samples(t *testing.T) []sample {
	t.Helper()
	var all []sample
	add := func(typ sql.Type, next func(*rand.Rand) any) { all = append(all, sample{typ, next}) }
	add(types.Int8, func(r *rand.Rand) any { return int8(integer(r, 8)) })
	add(types.Int16, func(r *rand.Rand) any { return int16(integer(r, 16)) })
	add(types.Int24, func(r *rand.Rand) any { return int32(integer(r, 24)) })
	add(types.Int32, func(r *rand.Rand) any { return int32(integer(r, 32)) })
	add(types.Int64, func(r *rand.Rand) any { return integer(r, 64) })
	add(types.Uint8, func(r *rand.Rand) any { return uint8(integer(r, 8)) })
	add(types.Uint16, func(r *rand.Rand) any { return uint16(integer(r, 16)) })
	add(types.Uint24, func(r *rand.Rand) any { return uint32(integer(r, 24)) & 0xffffff })
	add(types.Uint32, func(r *rand.Rand) any { return uint32(integer(r, 32)) })
	add(types.Uint64, func(r *rand.Rand) any { return uint64(integer(r, 64)) })
	add(types.Float32, func(r *rand.Rand) any { return float32(float(r)) })
	add(types.Float64, func(r *rand.Rand) any { return float(r) })
	for _, d := range [][2]int{{65, 30}, {20, 4}, {5, 0}, {65, 0}, {1, 1}, {18, 2}, {19, 2}} {
		typ := types.MustCreateDecimalType(uint8(d[0]), uint8(d[1]))
		add(typ, func(r *rand.Rand) any { return digits(r, d[0], d[1]) })
	}
	add(types.Year, func(r *rand.Rand) any { return int16([]int{0, 1901, 2155, 1970 + r.IntN(100)}[r.IntN(4)]) })
	add(types.MustCreateBitType(64), func(r *rand.Rand) any { return uint64(integer(r, 64)) })
	add(types.MustCreateBitType(5), func(r *rand.Rand) any { return r.Uint64() & 31 })
	add(types.MustCreateEnumType([]string{"b", "a", "c", "it's", "x,y"}, sql.Collation_utf8mb4_0900_ai_ci), func(r *rand.Rand) any { return uint16(1 + r.IntN(5)) })
	add(types.MustCreateSetType([]string{"b", "a", "c"}, sql.Collation_utf8mb4_0900_ai_ci), func(r *rand.Rand) any { return r.Uint64() & 7 })
	add(types.Date, func(r *rand.Rand) any { return moment(r).Truncate(24 * time.Hour) })
	add(types.MustCreateDatetimeType(querypb.Type_DATETIME, 6), func(r *rand.Rand) any { return moment(r) })
	add(types.MustCreateDatetimeType(querypb.Type_TIMESTAMP, 0), func(r *rand.Rand) any { return moment(r).Truncate(time.Second) })
	add(types.Time, func(r *rand.Rand) any { return types.Timespan(r.Int64N(2*3020399999999) - 3020399999999) })
	for _, c := range []sql.CollationID{
		sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_utf8mb4_0900_as_cs, sql.Collation_utf8mb4_0900_bin, sql.Collation_utf8mb4_bin,
		sql.Collation_utf8mb4_general_ci, sql.Collation_utf8mb4_unicode_ci, sql.Collation_utf8mb4_unicode_520_ci, sql.Collation_utf8mb3_general_ci,
		sql.Collation_utf8mb4_de_pb_0900_ai_ci, sql.Collation_utf8mb4_ja_0900_as_cs,
	} {
		add(types.MustCreateString(querypb.Type_VARCHAR, 100, c), func(r *rand.Rand) any { return text(r, 8) })
	}
	latin := func(r *rand.Rand) any {
		return strings.Map(func(c rune) rune {
			if c > 0xff || c >= 0x80 && c < 0xa0 {
				return 'x'
			}
			return c
		}, text(r, 8))
	}
	add(types.MustCreateString(querypb.Type_CHAR, 20, sql.Collation_latin1_swedish_ci), latin)
	add(types.MustCreateString(querypb.Type_TEXT, 1000, sql.Collation_latin1_general_cs), latin)
	add(types.MustCreateBinary(querypb.Type_VARBINARY, 20), func(r *rand.Rand) any { return blob(r, 6) })
	add(types.Blob, func(r *rand.Rand) any { return blob(r, 6) })
	return all
}

func float(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32}[r.IntN(7)]
	case 1:
		return float64(r.IntN(7)) - 3.5
	}
	return (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(60)-30))
}

func moment(r *rand.Rand) time.Time {
	if r.IntN(8) == 0 {
		return types.ZeroTime
	}
	return time.UnixMicro(r.Int64N(26e16) - 2e16).UTC() // up to the year 9575
}

// Keys sort like the types' own comparisons, NULL first, and no key is a prefix of another one.
func TestOrder(t *testing.T) {
	ctx := context.Background()
	for _, s := range samples(t) {
		t.Run(s.typ.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			c := NewColumn(s.typ)
			key := func(v any) []byte {
				k, err := c.AppendKey(ctx, nil, v)
				if err != nil {
					t.Fatalf("%#v: %v", v, err)
				}
				return k
			}
			readable := c.kind != kindText || c.weigh == nil
			if types.IsEnum(s.typ) || types.IsSet(s.typ) || types.IsBit(s.typ) {
				readable = false
			}
			for range 3000 {
				a, b := s.next(r), s.next(r)
				want, err := s.typ.Compare(ctx, a, b)
				if err != nil {
					t.Fatalf("%#v, %#v: %v", a, b, err)
				}
				ka, kb := key(a), key(b)
				if got := bytes.Compare(ka, kb); got != want {
					t.Fatalf("%#v, %#v: the keys compare as %d, the values as %d", a, b, got, want)
				}
				if want != 0 && (bytes.HasPrefix(ka, kb) || bytes.HasPrefix(kb, ka)) {
					t.Fatalf("%#v, %#v: one key begins the other", a, b)
				}
				v, rest, ok := c.ReadKey(append(bytes.Clone(ka), "rest"...))
				if ok != readable || ok && string(rest) != "rest" {
					t.Fatalf("the key of %#v is read as %v with %q behind: %v", a, v, rest, ok)
				}
				if n, err := s.typ.Compare(ctx, a, v); ok && (n != 0 || err != nil) {
					t.Fatalf("the key of %#v is read as %#v: %v", a, v, err)
				}
				if bytes.Compare(key(nil), ka) >= 0 {
					t.Fatalf("NULL is not below %#v", a)
				}
				if bound, place, err := c.Bound(ctx, a); err != nil || place != At || !bytes.Equal(bound, ka) {
					t.Fatalf("%#v as a bound: %x %d %v, want %x", a, bound, place, err, ka)
				}
			}
		})
	}
}

// The bound of a number that a column cannot have is between the keys of the values that it can
// have.
func TestBoundsOfForeignNumbers(t *testing.T) {
	ctx := context.Background()
	for _, typ := range []sql.Type{types.Int8, types.Int64, types.Uint64, types.MustCreateDecimalType(10, 2)} {
		c := NewColumn(typ)
		r := rand.New(rand.NewPCG(3, 4))
		for range 3000 {
			own, _, err := typ.Convert(ctx, r.IntN(100))
			if err != nil {
				t.Fatal(err)
			}
			foreign := decimal.New(r.Int64N(200000)-100000, -3)
			value, _ := decimal.NewFromString(fmt.Sprint(own))
			key, err := c.AppendKey(ctx, nil, own)
			if err != nil {
				t.Fatal(err)
			}
			bound, place, err := c.Bound(ctx, foreign)
			if err != nil {
				t.Fatal(err)
			}
			got := bytes.Compare(key, bound)
			switch place {
			case BelowAll:
				got = 1
			case AboveAll:
				got = -1
			case JustAbove:
				if got == 0 {
					got = -1
				}
			}
			if want := value.Cmp(foreign); got != want {
				t.Fatalf("%s: %s compares with %s as %d, its key with the bound as %d", typ, value, foreign, want, got)
			}
		}
		for _, c := range []struct {
			v    any
			want Place
		}{{math.Inf(1), AboveAll}, {decimal.New(1, 70), AboveAll}, {decimal.New(-1, 70), BelowAll}} {
			if f, is := c.v.(float64); is && math.IsInf(f, 0) {
				continue // only Convert decides these
			}
			column := NewColumn(typ)
			if _, place, err := column.Bound(ctx, c.v); err != nil || place != c.want {
				t.Errorf("%s: %v lies at %d (%v), want %d", typ, c.v, place, err, c.want)
			}
		}
	}
}

// Rows are read as they were written, whole and in part, also with columns that were added later.
func TestRows(t *testing.T) {
	ctx := context.Background()
	all := samples(t)
	all = append(all,
		sample{types.JSON, func(r *rand.Rand) any {
			return types.MustJSON([]string{`{"b": [1, 2.5, null], "a": "x"}`, `[]`, `"text"`, `12345678901234567890`, `null`}[r.IntN(5)])
		}},
		sample{types.PointType{}, func(r *rand.Rand) any { return types.Point{SRID: 4326, X: r.Float64(), Y: r.Float64()} }},
		sample{types.LineStringType{}, func(*rand.Rand) any {
			return types.LineString{Points: []types.Point{{X: 1, Y: 2}, {X: 3, Y: 4}}}
		}})
	columns := make([]Column, len(all))
	for i, s := range all {
		columns[i] = NewColumn(s.typ)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		row := make(sql.Row, len(all))
		for i, s := range all {
			if r.IntN(5) != 0 {
				row[i] = s.next(r)
			}
		}
		b, err := AppendRow(ctx, nil, columns, row, nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadRow(b, columns, nil, len(columns))
		if err != nil {
			t.Fatal(err)
		}
		again, err := AppendRow(ctx, nil, columns, back, nil)
		if err != nil || !bytes.Equal(b, again) {
			t.Fatalf("%v was read back as %v (%v)", row, back, err)
		}
		for i := range row {
			if row[i] == nil || back[i] == nil {
				if row[i] != back[i] {
					t.Fatalf("%s: %v, want %v", all[i].typ, back[i], row[i])
				}
				continue
			}
			if reflect.TypeOf(row[i]) != reflect.TypeOf(back[i]) && columns[i].kind != kindJSON {
				t.Fatalf("%s: a %T, want a %T", all[i].typ, back[i], row[i])
			}
			if n, err := all[i].typ.Compare(ctx, row[i], back[i]); err != nil || n != 0 {
				t.Fatalf("%s: %v, want %v (%v)", all[i].typ, back[i], row[i], err)
			}
		}
		want := make([]int, len(all))
		width := 0
		for i := range want {
			want[i] = -1
			if r.IntN(3) == 0 {
				want[i] = width
				width++
			}
		}
		part, err := ReadRow(b, columns, want, width)
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range want {
			if at >= 0 && fmt.Sprint(part[at]) != fmt.Sprint(back[i]) {
				t.Fatalf("column %d: %v, want %v", i, part[at], back[i])
			}
		}
		if cut := b[:r.IntN(len(b))]; len(cut) > 0 {
			_, _ = ReadRow(cut, columns, nil, len(columns)) // it must not panic
		}
		fewer := len(all) - 1 - r.IntN(5)
		short, err := AppendRow(ctx, nil, columns[:fewer], row[:fewer], nil)
		if err != nil {
			t.Fatal(err)
		}
		if wide, err := ReadRow(short, columns, nil, len(columns)); err != nil || wide[len(all)-1] != nil {
			t.Fatalf("a row from before columns were added: %v, %v", wide, err)
		}
	}
}

// The weights of two collations have different versions.
func TestWeightsVersion(t *testing.T) {
	a, b := WeightsVersion(sql.Collation_utf8mb4_0900_ai_ci), WeightsVersion(sql.Collation_utf8mb4_general_ci)
	if a == b || a != WeightsVersion(sql.Collation_utf8mb4_0900_ai_ci) {
		t.Errorf("versions %d and %d", a, b)
	}
}

func FuzzReadRow(f *testing.F) {
	columns := []Column{NewColumn(types.Int64), NewColumn(types.Text), NewColumn(types.MustCreateDecimalType(30, 4)), NewColumn(types.JSON), NewColumn(types.Datetime)}
	row := sql.Row{int64(5), "x", decimal.New(12345, -2), types.MustJSON(`{}`), types.ZeroTime}
	b, err := AppendRow(context.Background(), nil, columns, row, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = ReadRow(b, columns, nil, len(columns)) })
}
