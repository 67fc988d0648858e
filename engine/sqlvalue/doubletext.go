package sqlvalue

import (
	"bytes"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"

	"pfsd/engine/mends"
)

// AppendDouble appends the text that clients see of a DOUBLE.
//
// go-mysql-server: shows 1e+06 and 1.5e-05 to a client, and any number of zeros in a text. MySQL:
// shows the shortest digits that read back as the same number. It uses an exponent only if the
// decimal point is 15 or more places away from the digits.
func AppendDouble(to []byte, f float64) []byte {
	if !mends.DoubleTexts.On() {
		return strconv.AppendFloat(to, f, 'g', -1, 64)
	}
	const places = 15
	start := len(to)
	to = strconv.AppendFloat(to, f, 'e', -1, 64)
	e := bytes.LastIndexByte(to[start:], 'e') + start
	if e < start { // infinite, or not a number
		return to
	}
	exponent, _ := strconv.Atoi(string(to[e+1:]))
	digits := e - start
	if f < 0 || to[start] == '-' {
		digits--
	}
	if digits > 1 {
		digits-- // the point
	}
	if point := exponent + 1; point > -places && (point <= places || digits > point) {
		return strconv.AppendFloat(to[:start], f, 'f', -1, 64)
	}
	if to[e+1] == '+' {
		to = append(to[:e+1], to[e+2:]...)
	}
	return to
}

// appendFloat appends the text that clients see of a FLOAT, which has six digits.
func appendFloat(to []byte, f float32) []byte {
	const digits = 6
	nearest, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'e', digits-1, 32), 64)
	return AppendDouble(to, nearest)
}

// TextOf returns a value as text.
func TextOf(ctx *sql.Context, v any) (any, error) {
	switch f := v.(type) {
	case float64:
		return string(AppendDouble(nil, f)), nil
	case float32:
		return string(appendFloat(nil, f)), nil
	}
	text, _, err := types.LongText.Convert(ctx, v)
	return text, err
}

// Shown returns a value of type t as the client sees it in the text protocol. It appends the text
// to the buffer to. The YEAR 0 has four digits.
func Shown(ctx *sql.Context, t sql.Type, to []byte, v any) (sqltypes.Value, error) {
	switch n := v.(type) {
	case float64:
		if t == types.Float64 || types.IsText(t) {
			return sqltypes.MakeTrusted(t.Type(), AppendDouble(to, n)[len(to):]), nil
		}
	case float32:
		if t == types.Float32 || types.IsText(t) {
			return sqltypes.MakeTrusted(t.Type(), appendFloat(to, n)[len(to):]), nil
		}
	case types.Timespan:
		// t is go-mysql-server's TIME, as in a column of a table. It does not know its number of
		// digits: a value with a fraction shows all digits, any other shows none.
		if types.IsTimespan(t) {
			digits := 0
			if int64(n)%MicrosPerSecond != 0 {
				digits = MaxMicro
			}
			return sqltypes.MakeTrusted(t.Type(), append(to, TimeText(int64(n), digits)...)[len(to):]), nil
		}
	case int16:
		if n == 0 && types.IsYear(t) {
			return sqltypes.MakeTrusted(t.Type(), append(to, "0000"...)[len(to):]), nil
		}
	case decimal.Decimal:
		if t == types.Float64 {
			return sqltypes.MakeTrusted(t.Type(), AppendDouble(to, DecimalNumber(n).Float())[len(to):]), nil
		}
	case string:
		t = Target(t)
	}
	return t.SQL(ctx, to, v)
}

// Sent is [Shown] for the binary protocol, which sends all digits of a FLOAT.
func Sent(ctx *sql.Context, t sql.Type, to []byte, v any) (sqltypes.Value, error) {
	if _, ok := v.(float32); ok && t == types.Float32 {
		return t.SQL(ctx, to, v)
	}
	return Shown(ctx, t, to, v)
}

// ShownText returns the text that the client sees of a value. It returns "" for NULL and for a
// value that cannot be shown.
func ShownText(ctx *sql.Context, typ sql.Type, v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := Shown(ctx, typ, nil, v)
	if err != nil {
		return ""
	}
	return text.ToString()
}

// ClientText returns the text of a value of type t, and "" for NULL. Of a TIME, the text has as
// many digits as t says.
func ClientText(ctx *sql.Context, t sql.Type, v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case bool:
		if v {
			return "1", nil
		}
		return "0", nil
	}
	return ValueText(ctx, t, v)
}

// ValueText returns the text of v, a value of type t that is not NULL.
func ValueText(ctx *sql.Context, t sql.Type, v any) (string, error) {
	switch v := v.(type) {
	case types.Timespan:
		if own, ok := t.(*Time); ok {
			return TimeText(int64(v), own.digits), nil
		}
		return v.String(), nil
	case float64:
		return string(AppendDouble(nil, v)), nil
	case float32:
		text, err := TextOf(ctx, v)
		s, _ := text.(string)
		return s, err
	}
	shown, err := Shown(ctx, t, nil, v)
	if err != nil {
		return "", err
	}
	return shown.ToString(), nil
}
