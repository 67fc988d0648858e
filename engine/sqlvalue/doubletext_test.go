package sqlvalue

import (
	"math"
	"strconv"
	"testing"
)

// TestDoublesAreShownAsInMySQL compares the texts of DOUBLEs and FLOATs with those of MySQL.
func TestDoublesAreShownAsInMySQL(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1": 1, "-1.5": -1.5, "1000000": 1e6, "15000000000": 1.5e10, "2147483648": 1 << 31,
		"100000000000000": 1e14, "1e15": 1e15, "-1e15": -1e15, "1.5e15": 1.5e15, "1.234567890123456e15": 1234567890123456, "1234567890123456.8": 1234567890123456.75,
		"9.007199254740992e15": 1 << 53, "0.1": 0.1, "0.00001": 1e-5, "-0.00000000025": -2.5e-10, "0.00000000000001": 1e-14, "0.000000000000001": 1e-15,
		"1e-16": 1e-16, "1.5e-16": 1.5e-16, "0.3333333333333333": 1. / 3, "1e300": 1e300, "-1.7976931348623157e308": -math.MaxFloat64, "5e-324": 5e-324,
	} {
		if got := string(AppendDouble(nil, f)); got != want {
			t.Errorf("%v is shown as %s, want %s", f, got, want)
		}
	}
	for want, f := range map[string]float32{"0.1": 0.1, "16777200": 1 << 24, "3.40282e38": math.MaxFloat32, "0.333333": 1. / 3, "-2.5": -2.5, "1.17549e-38": 1.17549435e-38} {
		if got := string(appendFloat(nil, f)); got != want {
			t.Errorf("%v is shown as %s, want %s", f, got, want)
		}
	}
}

// FuzzAppendDouble checks that the text of a DOUBLE reads back as the same DOUBLE.
func FuzzAppendDouble(f *testing.F) {
	f.Add(1.5e10)
	f.Add(-1e-15)
	f.Fuzz(func(t *testing.T, v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Skip("MySQL has none")
		}
		got, err := strconv.ParseFloat(string(AppendDouble(nil, v)), 64)
		if err != nil || math.Float64bits(got) != math.Float64bits(v) {
			t.Errorf("%v is shown as %s", v, AppendDouble(nil, v))
		}
	})
}
