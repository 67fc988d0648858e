package engine

import (
	"time"

	"pfsd/tables"
)

// The SQL engine takes the times of timestamps as they come, without a time zone. What it gets
// here is the time of the server's own zone, as from NOW(), to the precision of the column.

// boxTime is a moment as the executor holds it.
func boxTime(v tables.Value, digits int) time.Time {
	t := v.Time().Local()
	unit := time.Second
	for range digits {
		unit /= 10
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC).Truncate(unit)
}

// unboxTime is the inverse of boxTime.
func unboxTime(t time.Time) tables.Value {
	return tables.Time(time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.Local))
}

// appendTime appends a moment as text.
func appendTime(to []byte, v tables.Value, digits int) []byte {
	layout := "2006-01-02 15:04:05.000000"
	if digits == 0 {
		return boxTime(v, 0).AppendFormat(to, time.DateTime)
	}
	return boxTime(v, digits).AppendFormat(to, layout[:len(time.DateTime)+1+digits])
}
