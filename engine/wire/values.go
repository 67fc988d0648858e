package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// The protocol layer and the SQL engine believe that a number is a number and that a date has a month. So a Conn refuses values of
// COM_STMT_EXECUTE that no literal can have, before they see them.

// checkValue reads a value of a type in the binary protocol. It returns an error if the type does not have such a value, and
// sets f.bad if the value is incomplete. A date that is in no calendar, such as 30 February, is left to the SQL engine and the SQL mode.
func checkValue(f *fields, kind querypb.Type) *mysql.SQLError {
	switch kind {
	case sqltypes.Null:
	case sqltypes.Int8, sqltypes.Uint8:
		f.take(1)
	case sqltypes.Int16, sqltypes.Uint16, sqltypes.Year:
		f.take(2)
	case sqltypes.Int24, sqltypes.Uint24, sqltypes.Int32, sqltypes.Uint32:
		f.take(4)
	case sqltypes.Float32:
		if p := f.take(4); p != nil {
			return checkNumber(float64(math.Float32frombits(binary.LittleEndian.Uint32(p))))
		}
	case sqltypes.Int64, sqltypes.Uint64:
		f.take(8)
	case sqltypes.Float64:
		if p := f.take(8); p != nil {
			return checkNumber(math.Float64frombits(binary.LittleEndian.Uint64(p)))
		}
	case sqltypes.Date, sqltypes.Datetime, sqltypes.Timestamp:
		return checkMoment(f.sized(0, 4, 7, 11), kind)
	case sqltypes.Time:
		return checkDuration(f.sized(0, 8, 12))
	case sqltypes.Decimal, sqltypes.Text, sqltypes.Blob, sqltypes.VarChar, sqltypes.Char, sqltypes.VarBinary,
		sqltypes.Bit, sqltypes.Enum, sqltypes.Set, sqltypes.Geometry, sqltypes.Binary, sqltypes.TypeJSON:
		f.text()
	default:
		f.bad = true
	}
	return nil
}

// sized returns what follows a byte that says its size, which must be one of sizes.
func (f *fields) sized(sizes ...byte) []byte {
	n := f.take(1)
	if n == nil || !slices.Contains(sizes, n[0]) {
		f.rest, f.bad = nil, true
		return nil
	}
	return f.take(uint64(n[0]))
}

// checkNumber returns an error unless n is a number that a literal can have.
func checkNumber(n float64) *mysql.SQLError {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return mysql.NewSQLError(1367, "22007", "Illegal double '%s' value found during parsing", strings.TrimPrefix(strings.ToLower(fmt.Sprint(n)), "+"))
	}
	return nil
}

const microsMax = 999_999

// checkMoment returns an error if a part of a date or a date with a time is larger than any date's or time's.
func checkMoment(p []byte, kind querypb.Type) *mysql.SQLError {
	if len(p) == 0 {
		return nil
	}
	all := append(slices.Clip(p), make([]byte, 7)...)
	year, month, day, hour, minute, second := binary.LittleEndian.Uint16(all), all[2], all[3], all[4], all[5], all[6]
	micros := binary.LittleEndian.Uint32(all[7:])
	if year <= 9999 && month <= 12 && day <= 31 && hour <= 23 && minute <= 59 && second <= 59 && micros <= microsMax {
		return nil
	}
	shown, name := fmt.Sprintf("%04d-%02d-%02d", year, month, day), "date"
	if kind != sqltypes.Date || len(p) > 4 {
		shown, name = shown+fmt.Sprintf(" %02d:%02d:%02d", hour, minute, second), "datetime"
	}
	return incorrectValue(name, shown, micros)
}

// checkDuration returns an error if a part of a time is larger than any time's, or its sign is none. A time that is longer than
// MySQL's longest is cut by MendTemporal.
func checkDuration(p []byte) *mysql.SQLError {
	if len(p) == 0 {
		return nil
	}
	all := append(slices.Clip(p), make([]byte, 4)...)
	sign, days, hour, minute, second, micros := all[0], binary.LittleEndian.Uint32(all[1:]), all[5], all[6], all[7], binary.LittleEndian.Uint32(all[8:])
	hours := uint64(days)*24 + uint64(hour)
	if sign <= 1 && hours <= math.MaxUint32 && minute <= 59 && second <= 59 && micros <= microsMax {
		return nil
	}
	shown := fmt.Sprintf("%02d:%02d:%02d", hours, minute, second)
	if sign != 0 {
		shown = "-" + shown
	}
	return incorrectValue("time", shown, micros)
}

// incorrectValue is the error for a value of a type that is none.
func incorrectValue(name, shown string, micros uint32) *mysql.SQLError {
	if micros > 0 {
		shown += fmt.Sprintf(".%06d", micros)
	}
	return mysql.NewSQLError(1292, "22007", "Incorrect %s value: '%s'", name, shown)
}
