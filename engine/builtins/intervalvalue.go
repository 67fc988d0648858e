package builtins

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlexpr"
	"pfsd/engine/syntax"
)

// IntervalValue is the function syntax.IntervalValue. It returns the value of an INTERVAL with a
// unit of several parts as a number of the smallest part.
//
// go-mysql-server: reads some forms of the value, never with a sign, and takes '1.5'
// SECOND_MICROSECOND for 5 microseconds. MySQL: any characters that are not digits separate the
// parts. If the value has fewer parts than the unit, the first parts are missing. If it has more,
// it is NULL.
var IntervalValue = newValueFunction(syntax.IntervalValue, 2, types.Int64, func(ctx *sql.Context, args []sql.Expression, values []any) (any, error) {
	text, err := sqlexpr.TextOf(ctx, args[0], values[0])
	if err != nil {
		return nil, err
	}
	unit, _ := values[1].(string)
	sizes, ok := intervalParts[unit]
	if !ok {
		return nil, sql.ErrInvalidArgument.New(values[1])
	}
	n, ok := intervalNumber(text, sizes)
	if !ok {
		return nil, nil
	}
	return n, nil
})

// intervalParts has, for each unit, its parts from the largest to the smallest. Each is measured in
// the smallest part. Microseconds behind a second are a fraction.
var intervalParts = map[string][]int64{
	"YEAR_MONTH":         {12, 1},
	"DAY_HOUR":           {24, 1},
	"DAY_MINUTE":         {24 * 60, 60, 1},
	"DAY_SECOND":         {24 * 60 * 60, 60 * 60, 60, 1},
	"HOUR_MINUTE":        {60, 1},
	"HOUR_SECOND":        {60 * 60, 60, 1},
	"MINUTE_SECOND":      {60, 1},
	"DAY_MICROSECOND":    {24 * 60 * 60 * microseconds, 60 * 60 * microseconds, 60 * microseconds, microseconds, 1},
	"HOUR_MICROSECOND":   {60 * 60 * microseconds, 60 * microseconds, microseconds, 1},
	"MINUTE_MICROSECOND": {60 * microseconds, microseconds, 1},
	"SECOND_MICROSECOND": {microseconds, 1},
}

const microseconds = 1_000_000

// intervalNumber returns the value of a text whose parts have these sizes. It returns false if the
// text has too many parts or the value is too large.
func intervalNumber(text string, sizes []int64) (n int64, ok bool) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	text, negative := strings.CutPrefix(text, "-")
	digit := func(c rune) bool { return '0' <= c && c <= '9' }
	parts := strings.FieldsFunc(text, func(c rune) bool { return !digit(c) })
	if len(parts) > len(sizes) {
		return 0, false
	}
	fraction := len(sizes) > 1 && sizes[len(sizes)-2] == microseconds
	sizes = sizes[len(sizes)-len(parts):]
	for i, p := range parts {
		if fraction && i == len(parts)-1 && len(p) < 6 {
			p += "000000"[len(p):]
		}
		var value int64
		for _, c := range p {
			if value > (1<<62)/10/max(sizes[i], 1) {
				return 0, false // no time is so far away
			}
			value = value*10 + int64(c-'0')
		}
		n += value * sizes[i]
	}
	if negative {
		n = -n
	}
	return n, true
}
