package engine

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/tables"
)

// The SQL engine takes the times of timestamps as they come, without a time zone. What it gets
// here is the time of the session's zone, as from NOW(), to the precision of the column.

// zoneOf is the session's time_zone. SET takes no name that is none.
func zoneOf(ctx *sql.Context) *time.Location {
	v, err := ctx.GetSessionVariable(ctx, "time_zone")
	name, ok := v.(string)
	if err != nil || !ok || strings.EqualFold(name, "SYSTEM") {
		return time.Local
	}
	if offset, err := sql.MySQLOffsetToDuration(name); err == nil {
		return time.FixedZone(name, int(offset/time.Second))
	}
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.Local
}

// boxTime is a moment as the executor holds it.
func boxTime(v tables.Value, digits int, zone *time.Location) time.Time {
	t := v.Time().In(zone)
	unit := time.Second
	for range digits {
		unit /= 10
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC).Truncate(unit)
}

// unboxTime is the inverse of boxTime.
func unboxTime(t time.Time, zone *time.Location) tables.Value {
	return tables.Time(time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone))
}

// dateOnly is the number of digits of a moment that has no time of day.
const dateOnly = -1

// appendTime appends a moment as text.
func appendTime(to []byte, v tables.Value, digits int, zone *time.Location) []byte {
	if digits == dateOnly {
		return v.Time().AppendFormat(to, time.DateOnly)
	}
	layout := "2006-01-02 15:04:05.000000"
	if digits == 0 {
		return boxTime(v, 0, zone).AppendFormat(to, time.DateTime)
	}
	return boxTime(v, digits, zone).AppendFormat(to, layout[:len(time.DateTime)+1+digits])
}
