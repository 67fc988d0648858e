package results

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

func TestBinaryValues(t *testing.T) {
	for _, test := range []struct {
		kind querypb.Type
		text string
		want string
	}{
		{querypb.Type_INT8, "-1", "\xff"}, {querypb.Type_UINT16, "65535", "\xff\xff"}, {querypb.Type_INT24, "-2", "\xfe\xff\xff\xff"},
		{querypb.Type_YEAR, "2026", "\xea\x07"}, {querypb.Type_UINT64, "18446744073709551615", strings.Repeat("\xff", 8)},
		{querypb.Type_FLOAT64, "1", string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1)))},
		{querypb.Type_DATE, "2026-11-22", "\x04\xea\x07\x0b\x16"}, {querypb.Type_DATETIME, "2026-11-22 00:00:00", "\x04\xea\x07\x0b\x16"},
		{querypb.Type_DATETIME, "2026-11-22 01:02:03", "\x07\xea\x07\x0b\x16\x01\x02\x03"}, {querypb.Type_DATETIME, "0000-00-00 00:00:00", "\x00"},
		{querypb.Type_TIMESTAMP, "2026-11-22 01:02:03.000456", "\x0b\xea\x07\x0b\x16\x01\x02\x03\xc8\x01\x00\x00"},
		{querypb.Type_TIME, "00:00:00.000000", "\x00"}, {querypb.Type_TIME, "-25:02:03", "\x08\x01\x01\x00\x00\x00\x01\x02\x03"},
		{querypb.Type_TIME, "01:02:03.5", "\x0c\x00\x00\x00\x00\x00\x01\x02\x03\x20\xa1\x07\x00"},
		{querypb.Type_VARCHAR, "ab", "\x02ab"}, {querypb.Type_DECIMAL, "1.50", "\x041.50"}, {querypb.Type_NULL_TYPE, "", "\x00"},
	} {
		if got, err := appendBinary(nil, test.kind, test.text); err != nil || string(got) != test.want {
			t.Errorf("%v %q: got %q, %v, want %q", test.kind, test.text, got, err, test.want)
		}
	}
	for _, test := range []struct {
		kind querypb.Type
		text string
	}{{querypb.Type_INT32, "x"}, {querypb.Type_FLOAT32, ""}, {querypb.Type_DATE, "2026"}, {querypb.Type_TIME, "noon"}, {querypb.Type_DATE, "2026-11-99999999999"}} {
		if got, err := appendBinary(nil, test.kind, test.text); err == nil {
			t.Errorf("%v %q is %q", test.kind, test.text, got)
		}
	}
}
