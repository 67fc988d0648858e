package tables

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// second is a moment a second after the beginning of 1970.
var second = Time(time.Unix(1, 0))

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b        Value
		same, exact bool
	}{
		{Text("Anna"), Text("Anna"), true, true},
		{Text("Anna"), Text("aNNA"), true, false},
		{Text("anna"), Text("anna "), false, false},
		{Text("[@"), Text("{`"), false, false}, // one bit apart, as the cases of a letter are
		{Text("ä"), Text("Ä"), false, false},
		{Text("k"), Text("\u212A"), false, false}, // the Kelvin sign
		{Text("1"), Uint(1), false, false},
		{Null, Null, false, false},
		{Null, Uint(0), false, false},
		{Null, Double(0), false, false},
		{Text(""), Null, false, false},
		{Uint(1), Int(1), true, true},
		{Int(-1), Int(-1), true, true},
		{Int(-1), Uint(1<<64 - 1), false, false},
		{Double(0.5), Double(0.5), true, true},
		{Double(1), Uint(1), true, true},
		{Double(-1), Int(-1), true, true},
		{Double(0.5), Uint(0), false, false},
		{Double(1), Text("1"), false, false},
		{second, Time(time.Unix(1, 999)), true, true},
		{second, Time(time.Unix(1, 1000)), false, false},
		{second, Uint(1e6), false, false},
		{second, Text(""), false, false},
		{second, Null, false, false},
	} {
		for _, p := range [][2]Value{{c.a, c.b}, {c.b, c.a}} {
			if got := equal(p[0], p[1], false); got != c.same {
				t.Errorf("%s = %s: %v", text(p[0]), text(p[1]), got)
			}
			if got := equal(p[0], p[1], true); got != c.exact {
				t.Errorf("%s = %s, exactly: %v", text(p[0]), text(p[1]), got)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		v    Value
		want Value
		err  error
	}{
		{varchar(3), Text("äöü"), Text("äöü"), nil},
		{varchar(3), Text("abcd"), Null, ErrTooLong},
		{varchar(3), Text("ab    "), Text("ab "), nil},
		{varchar(3), Text("ab  x"), Null, ErrTooLong},
		{varchar(3), Uint(1), Null, ErrBadValue},
		{varchar(3), Null, Null, ErrNull},
		{timestamp(6), second, second, nil},
		{timestamp(6), Uint(1e6), Null, ErrBadValue},
		{timestamp(6), Text("1970-01-01 00:00:01"), Null, ErrBadValue},
		{timestamp(6), Null, Null, ErrNull},
		{timestamp(6).nullable(), Null, Null, nil},
		{bigint, second, Null, ErrBadValue},
		{varchar(3).nullable(), Null, Null, nil},
		{char(3), Text("ab    "), Text("ab"), nil},
		{char(3), Text("abcd"), Null, ErrTooLong},
		{char(3).asciiText(), Text("ä"), Null, ErrBadValue},
		{longtext, Text("any ä "), Text("any ä "), nil},
		{yesNo, Text("yEs"), Text("YES"), nil},
		{yesNo, Text("YES "), Text("YES"), nil},
		{yesNo, Text(" YES"), Null, ErrBadValue},
		{yesNo, Text(""), Null, ErrBadValue},
		{yesNo, Uint(1), Null, ErrBadValue},
		{set("a", "b", "c"), Text("C,a,A"), Text("a,c"), nil},
		{set("a", "b"), Text(""), Text(""), nil},
		{set("a", "b"), Text("a,"), Null, ErrBadValue},
		{bigint, Int(-1), Int(-1), nil},
		{bigint, Text("1"), Null, ErrBadValue},
		{quantile, Double(0.5), Double(0.5), nil},
	} {
		if got, err := c.kind.check(c.v); !errors.Is(err, c.err) || err == nil && got != c.want {
			t.Errorf("%s takes %q: %q, %v, want %q, %v", c.kind, text(c.v), text(got), err, text(c.want), c.err)
		}
	}
}

// Two texts are equal if they only differ in the case of ASCII letters.
func FuzzSameButCase(f *testing.F) {
	f.Add("Anna", "aNNA")
	f.Add("k\u212A", "K\u212A")
	f.Add("@[`{", "`{@[")
	lower := func(s string) string {
		b := []byte(s)
		for i, c := range b {
			if 'A' <= c && c <= 'Z' {
				b[i] = c + 'a' - 'A'
			}
		}
		return string(b)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, p := range [][2]string{{a, b}, {a, strings.ToUpper(a)}, {b, lower(b)}} {
			if got, want := sameButCase(p[0], p[1]), lower(p[0]) == lower(p[1]); got != want {
				t.Errorf("%q and %q: %v", p[0], p[1], got)
			}
		}
	})
}

func TestTime(t *testing.T) {
	at := time.Date(2024, 2, 29, 23, 59, 59, 123456789, time.FixedZone("", 3600))
	want := time.Date(2024, 2, 29, 22, 59, 59, 123456000, time.UTC)
	if v := Time(at); !v.IsTime() || v.Time() != want || v.IsNull() || v.IsText() || v.IsDouble() {
		t.Errorf("%v, want %v", v.Time(), want)
	}
	if early := time.Unix(-1, 0).UTC(); Time(early).Time() != early {
		t.Errorf("before 1970: %v", Time(early).Time())
	}
	if v := Uint(7); v.IsTime() || !v.Time().IsZero() {
		t.Errorf("a number is the moment %v", v.Time())
	}
	if _, ok := Time(at).Uint(); ok {
		t.Error("a moment is a number")
	}
	for n, want := range map[int]string{0: "timestamp", 6: "timestamp(6)"} {
		if got := timestamp(n).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
