package moment

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// Zone returns the session's time_zone. SET has checked the name.
func Zone(ctx *sql.Context) *time.Location {
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

// Wall returns a time as a row of go-mysql-server has it: the wall clock of the zone, marked as UTC, with so many
// fractional digits.
func Wall(t time.Time, digits int, zone *time.Location) time.Time {
	t = t.In(zone)
	unit := time.Second
	for range digits {
		unit /= 10
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC).Truncate(unit)
}

// Instant is the inverse of Wall.
func Instant(t time.Time, zone *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
}

// DateOnly is the number of digits for a date without a time of day.
const DateOnly = -1

// Append appends a time as text, in the zone.
func Append(to []byte, t time.Time, digits int, zone *time.Location) []byte {
	if digits == DateOnly {
		return t.AppendFormat(to, time.DateOnly)
	}
	layout := "2006-01-02 15:04:05.000000"
	if digits == 0 {
		return Wall(t, 0, zone).AppendFormat(to, time.DateTime)
	}
	return Wall(t, digits, zone).AppendFormat(to, layout[:len(time.DateTime)+1+digits])
}
