package moment

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// Zone is the session's time_zone. SET takes no name that is none.
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

// Wall is a moment as a row of go-mysql-server holds it: what clocks of the zone show, as if they were in UTC, with so
// many digits behind the seconds.
func Wall(t time.Time, digits int, zone *time.Location) time.Time {
	t = t.In(zone)
	unit := time.Second
	for range digits {
		unit /= 10
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC).Truncate(unit)
}

// Instant is the moment of which Wall gives t.
func Instant(t time.Time, zone *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
}

// DateOnly is the number of digits of a moment that has no time of day.
const DateOnly = -1

// Append appends a moment as text, as clocks of the zone show it.
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
