package compat

import (
	"math"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"
)

// timeFunctions are the functions of times, but those that read and write formats.
//
// go-mysql-server: has no ADDTIME, SUBTIME, MAKEDATE, MAKETIME, PERIOD_ADD, PERIOD_DIFF, SEC_TO_TIME, TO_SECONDS, UTC_DATE
// and UTC_TIME; takes a TIME for no time and a text of one for a bad date (HOUR, MINUTE, SECOND, MICROSECOND, TIME_TO_SEC,
// EXTRACT), numbers for bad dates, all weeks for the same; gives every time six digits or none. MySQL: as here.
func timeFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	whole := always(types.Int32)
	define(all,
		dateFunction("year", func(m moment) any { return int32(m.year) }),
		dateFunction("month", func(m moment) any { return int32(m.month) }),
		dateFunction("day", func(m moment) any { return int32(m.day) }),
		dateFunction("dayofmonth", func(m moment) any { return int32(m.day) }),
		dateFunction("quarter", func(m moment) any { return int32(m.month+2) / 3 }),
		fullDateFunction("dayofweek", types.Int32, func(m moment) any { return int32(m.weekday()) + 1 }),
		fullDateFunction("weekday", types.Int32, func(m moment) any { return int32(m.weekday()+6) % 7 }),
		fullDateFunction("dayofyear", types.Int32, func(m moment) any { return int32(m.dayOfYear()) }),
		fullDateFunction("weekofyear", types.Int32, func(m moment) any { w, _ := m.week(3); return int32(w) }),
		fullDateFunction("to_days", types.Int64, func(m moment) any { return int64(m.dayNumber()) }),
		fullDateFunction("to_seconds", types.Int64, func(m moment) any { return m.total() / usSecond }),
		fullDateFunction("dayname", varchar(9), func(m moment) any { return time.Weekday(m.weekday()).String() }),
		&definition{name: "monthname", least: 1, most: 1, typ: always(varchar(9)), eval: withDate(func(_ *sql.Context, _ *call, m moment) (any, error) {
			if m.month == 0 {
				return nil, nil
			}
			return time.Month(m.month).String(), nil
		})},
		&definition{name: "last_day", least: 1, most: 1, typ: always(types.Date), eval: withDate(func(_ *sql.Context, _ *call, m moment) (any, error) {
			if m.month == 0 {
				return nil, nil
			}
			return moment{year: m.year, month: m.month, day: daysIn(m.year, m.month)}.goTime(), nil
		})},
		&definition{name: "date", least: 1, most: 1, typ: always(types.Date), eval: withDate(func(_ *sql.Context, _ *call, m moment) (any, error) {
			if !m.whole() && !m.isZero() {
				return nil, nil // no value of the SQL engine's
			}
			m.us = 0
			return m.goTime(), nil
		})},
		clockFunction("hour", types.Int32, func(m moment) any { return int32(m.hour()) }),
		clockFunction("minute", types.Int32, func(m moment) any { return int32(m.minute()) }),
		clockFunction("second", types.Int32, func(m moment) any { return int32(m.second()) }),
		clockFunction("microsecond", types.Int32, func(m moment) any { return int32(m.micro()) }),
		clockFunction("time_to_sec", types.Int64, func(m moment) any { return m.us / usSecond }),
		&definition{name: "time", least: 1, most: 1, typ: timeOfFirst, eval: withTime(func(ctx *sql.Context, c *call, m moment) (any, error) {
			return timeValue(m, fractionOf(ctx, c.args[0])), nil
		})},
		&definition{name: "week", least: 1, most: 2, typ: whole, eval: weekOf},
		&definition{name: "yearweek", least: 1, most: 2, typ: whole, eval: yearWeekOf},
		&definition{name: "from_days", least: 1, most: 1, typ: always(types.Date), eval: fromDays},
		&definition{name: "makedate", least: 2, most: 2, typ: always(types.Date), eval: makeDate},
		&definition{name: "maketime", least: 3, most: 3, typ: func(ctx *sql.Context, args []sql.Expression) sql.Type {
			return NewTime(numberFraction(ctx, args[2]))
		}, eval: makeTime},
		&definition{name: "sec_to_time", least: 1, most: 1, typ: func(ctx *sql.Context, args []sql.Expression) sql.Type {
			return NewTime(numberFraction(ctx, args[0]))
		}, eval: secToTime},
		&definition{name: "period_add", least: 2, most: 2, typ: always(types.Int64), eval: periodAdd},
		&definition{name: "period_diff", least: 2, most: 2, typ: always(types.Int64), eval: periodDiff},
		&definition{name: "from_unixtime", least: 1, most: 2, typ: fromUnixtimeType, eval: fromUnixtime},
		&definition{name: "unix_timestamp", most: 1, typ: unixTimestampType, eval: unixTimestamp},
		&definition{name: "datediff", least: 2, most: 2, typ: always(types.Int64), eval: dateDiff},
		&definition{name: "utc_date", most: 0, typ: always(types.Date), eval: func(ctx *sql.Context, _ *call, _ []any) (any, error) {
			return ctx.QueryTime().UTC().Truncate(24 * time.Hour), nil
		}},
		clockNow("curtime", now), clockNow("current_time", now),
		clockNow("utc_time", func(ctx *sql.Context) time.Time { return ctx.QueryTime().UTC() }),
		dateNow("curdate"), dateNow("current_date"),
		datetimeNow("utc_timestamp", func(ctx *sql.Context) time.Time { return naive(ctx.QueryTime().UTC()) }),
		datetimeNow("sysdate", func(ctx *sql.Context) time.Time { return inSession(ctx, sql.Now()) }),
	)
	define(all, &definition{name: "convert_tz", least: 3, most: 3, typ: convertTZType, eval: convertTZ})
	return all
}

// weekday is the day of the week, 0 for Sunday.
func (m moment) weekday() int { return (m.dayNumber() + 6) % 7 }

// dayOfYear counts from 1.
func (m moment) dayOfYear() int { return m.dayNumber() - dayNumber(m.year, 1, 1) + 1 }

// week is the week of a date by one of MySQL's eight modes, and the year that it belongs to.
func (m moment) week(mode int) (week, year int) {
	inYear := mode&2 != 0 // 1 to 53, of the year that the week belongs to; else 0 to 53
	day := m.dayNumber()
	switch first := firstWeek(m.year, mode); {
	case day < first && !inYear:
		return 0, m.year
	case day < first:
		return (day-firstWeek(m.year-1, mode))/7 + 1, m.year - 1
	case inYear && day >= firstWeek(m.year+1, mode):
		return 1, m.year + 1
	default:
		return (day-first)/7 + 1, m.year
	}
}

// firstWeek is the day that week 1 of a year begins with.
func firstWeek(year, mode int) int {
	monday := mode&1 != 0           // weeks begin with Monday, else with Sunday
	most := monday != (mode&4 != 0) // week 1 has four days of the year at least, else it begins in it
	newYear := dayNumber(year, 1, 1)
	before := (newYear + 6) % 7 // days of its week that are before it
	if monday {
		before = (newYear + 5) % 7
	}
	if before == 0 || most && before <= 3 {
		return newYear - before
	}
	return newYear + 7 - before
}

// withDate makes a function of a date of what is done with it.
func withDate(of func(*sql.Context, *call, moment) (any, error)) func(*sql.Context, *call, []any) (any, error) {
	return func(ctx *sql.Context, c *call, args []any) (any, error) {
		m, ok, err := momentIn(ctx, c.argument(ctx, 0), args[0], false)
		if !ok || err != nil {
			return nil, err
		}
		return of(ctx, c, m.dated(ctx))
	}
}

// withTime is withDate for a time.
func withTime(of func(*sql.Context, *call, moment) (any, error)) func(*sql.Context, *call, []any) (any, error) {
	return func(ctx *sql.Context, c *call, args []any) (any, error) {
		m, ok, err := momentIn(ctx, c.argument(ctx, 0), args[0], true)
		if !ok || err != nil {
			return nil, err
		}
		return of(ctx, c, m.timeOfDay())
	}
}

func dateFunction(name string, of func(moment) any) *definition {
	return &definition{name: name, least: 1, most: 1, typ: always(types.Int32), eval: withDate(func(_ *sql.Context, _ *call, m moment) (any, error) {
		return of(m), nil
	})}
}

// fullDateFunction is a function of dates without a month or day that is 0.
func fullDateFunction(name string, t sql.Type, of func(moment) any) *definition {
	return &definition{name: name, least: 1, most: 1, typ: always(t), eval: withDate(func(ctx *sql.Context, _ *call, m moment) (any, error) {
		if !m.whole() {
			return nil, wrongValue(ctx, "datetime", m.text())
		}
		return of(m), nil
	})}
}

func clockFunction(name string, t sql.Type, of func(moment) any) *definition {
	return &definition{name: name, least: 1, most: 1, typ: always(t), eval: withTime(func(_ *sql.Context, _ *call, m moment) (any, error) {
		return of(m), nil
	})}
}

// timeOfFirst is TIME with the digits of the first argument.
func timeOfFirst(ctx *sql.Context, args []sql.Expression) sql.Type {
	return NewTime(fractionOf(ctx, args[0]))
}

// timeValue is a TIME with so many digits, as the SQL engine holds it.
func timeValue(m moment, digits int) types.Timespan {
	m.hasDate = false
	m, _ = m.rounded(digits)
	return types.Timespan(min(max(m.us, -longestTime), longestTime))
}

// datetimeValue is a DATETIME with so many digits, as the SQL engine holds it; nil if there is none.
func datetimeValue(m moment, digits int) any {
	m, ok := m.rounded(digits)
	if !ok || !m.whole() && !m.isZero() {
		return nil
	}
	return m.goTime()
}

// weekMode is the mode that WEEK and YEARWEEK are told, or not.
func weekMode(ctx *sql.Context, c *call, args []any) (int, error) {
	if len(args) > 1 {
		mode, err := c.integer(ctx, 1, args[1])
		return int(mode & 7), err
	}
	if c.name == "yearweek" {
		return 0, nil
	}
	v, err := ctx.GetSessionVariable(ctx, "default_week_format")
	if err != nil {
		return 0, nil // a session without variables
	}
	n, err := numberOf(ctx, types.Int64, v)
	return int(n.bits() & 7), err
}

func weekOf(ctx *sql.Context, c *call, args []any) (any, error) {
	return inWeek(ctx, c, args, func(m moment, mode int) any {
		w, _ := m.week(mode)
		return int32(w)
	})
}

func yearWeekOf(ctx *sql.Context, c *call, args []any) (any, error) {
	return inWeek(ctx, c, args, func(m moment, mode int) any {
		w, y := m.week(mode | 2)
		return int32(y*100 + w)
	})
}

func inWeek(ctx *sql.Context, c *call, args []any, of func(moment, int) any) (any, error) {
	mode, err := weekMode(ctx, c, args)
	if err != nil {
		return nil, err
	}
	return withDate(func(ctx *sql.Context, _ *call, m moment) (any, error) {
		if !m.whole() {
			return nil, wrongValue(ctx, "datetime", m.text())
		}
		return of(m, mode), nil
	})(ctx, c, args)
}

func fromDays(ctx *sql.Context, c *call, args []any) (any, error) {
	n, err := c.integer(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	m, ok := momentAt(min(max(n, 0), 3652425)*usDay, 0)
	if !ok || n < 366 {
		return types.ZeroTime, nil
	}
	return m.goTime(), nil
}

func makeDate(ctx *sql.Context, c *call, args []any) (any, error) {
	year, err := c.integer(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	day, err := c.integer(ctx, 1, args[1])
	if err != nil || year < 0 || year > 9999 || day <= 0 || day > 3652424 {
		return nil, err
	}
	if year < 100 {
		year = int64(century(int(year)))
	}
	m, ok := momentAt((int64(dayNumber(int(year), 1, 1))+day-1)*usDay, 0)
	if !ok {
		return nil, nil
	}
	return m.goTime(), nil
}

func makeTime(ctx *sql.Context, c *call, args []any) (any, error) {
	hour, err := c.integer(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	minute, err := c.integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	second, err := c.number(ctx, 2, args[2])
	if err != nil || minute < 0 || minute > 59 || second.isNegative() || second.exactly().GreaterThanOrEqual(decimal.New(60, 0)) {
		return nil, err
	}
	us := longestTime
	if h := abs(hour); h <= 838 && h >= 0 {
		us = h*usHour + minute*usMinute + second.exactly().Shift(maxMicro).Round(0).IntPart()
	} else if err := wrongValue(ctx, "time", timeText(hour*usHour, 0)); err != nil {
		return nil, err
	}
	if hour < 0 {
		us = -us
	}
	return timeValue(moment{us: us}, numberFraction(ctx, c.args[2])), nil
}

func secToTime(ctx *sql.Context, c *call, args []any) (any, error) {
	n, err := c.number(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	seconds := n.exactly()
	most := decimal.New(longestTime, -maxMicro)
	if seconds.Abs().GreaterThan(most) {
		if err := wrongValue(ctx, "time", seconds.String()); err != nil {
			return nil, err
		}
		if seconds.IsNegative() {
			most = most.Neg()
		}
		seconds = most
	}
	return timeValue(moment{us: seconds.Shift(maxMicro).Round(0).IntPart()}, numberFraction(ctx, c.args[0])), nil
}

// months are those of a period YYMM or YYYYMM; false if it is none.
func months(period int64) (int64, bool) {
	year, month := period/100, period%100
	if period <= 0 || month < 1 || month > 12 {
		return 0, false
	}
	if year < 100 {
		year = int64(century(int(year)))
	}
	return year*12 + month - 1, true
}

func errArguments(name string) error {
	return mysql.NewSQLError(1210, "HY000", "Incorrect arguments to %s", name)
}

func periodAdd(ctx *sql.Context, c *call, args []any) (any, error) {
	period, err := c.integer(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	n, err := c.integer(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	m, ok := months(period)
	if !ok {
		return nil, errArguments("period_add")
	}
	m += n
	return m/12*100 + m%12 + 1, nil
}

func periodDiff(ctx *sql.Context, c *call, args []any) (any, error) {
	var both [2]int64
	for i := range both {
		period, err := c.integer(ctx, i, args[i])
		if err != nil {
			return nil, err
		}
		var ok bool
		if both[i], ok = months(period); !ok {
			return nil, errArguments("period_diff")
		}
	}
	return both[0] - both[1], nil
}

// lastSecond is the last that FROM_UNIXTIME and UNIX_TIMESTAMP know.
const lastSecond = 32536771199

func fromUnixtimeType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if len(args) == 2 {
		return formattedType(ctx, args[1:])
	}
	return datetimeType(numberFraction(ctx, args[0]))
}

func fromUnixtime(ctx *sql.Context, c *call, args []any) (any, error) {
	n, err := c.number(ctx, 0, args[0])
	if err != nil || n.kind == approximate && math.Abs(n.double) > 1e12 {
		return nil, err
	}
	digits := maxMicro
	if len(c.args) == 1 {
		digits = numberFraction(ctx, c.args[0])
	}
	seconds := n.exactly().Round(int32(digits))
	if seconds.IsNegative() || seconds.GreaterThanOrEqual(decimal.New(lastSecond+1, 0)) {
		return nil, nil
	}
	at := inSession(ctx, time.UnixMicro(seconds.Shift(maxMicro).IntPart()))
	if len(args) == 1 {
		return at, nil
	}
	m, _, err := momentIn(ctx, types.DatetimeMaxPrecision, at, false)
	if err != nil {
		return nil, err
	}
	format, err := c.text(ctx, 1, args[1])
	if err != nil {
		return nil, err
	}
	return formatMoment(m, format), nil
}

func dateDiff(ctx *sql.Context, c *call, args []any) (any, error) {
	var days [2]int
	for i := range days {
		m, ok, err := momentIn(ctx, c.argument(ctx, i), args[i], false)
		if !ok || err != nil {
			return nil, err
		}
		if m = m.dated(ctx); !m.whole() {
			return nil, wrongValue(ctx, "datetime", m.text())
		}
		days[i] = m.dayNumber()
	}
	return int64(days[0] - days[1]), nil
}

// digitsOf is how many digits a function such as NOW(6) is to have, which must be a literal.
func digitsOf(ctx *sql.Context, args []sql.Expression) int {
	if len(args) == 0 || types.IsNull(ctx, args[0]) {
		return 0
	}
	v, err := args[0].Eval(ctx, nil)
	if err != nil {
		return 0
	}
	n, _ := numberOf(ctx, args[0].Type(ctx), v)
	return int(min(n.bits(), maxMicro))
}

// nowFunction is a function of the moment that takes a number of digits.
func nowFunction(name string, typ func(int) sql.Type, value func(*sql.Context, int) any) *definition {
	return &definition{name: name, most: 1, nulls: true,
		typ: func(ctx *sql.Context, args []sql.Expression) sql.Type { return typ(digitsOf(ctx, args)) },
		eval: func(ctx *sql.Context, c *call, _ []any) (any, error) {
			if len(c.args) == 1 {
				v, err := c.args[0].Eval(ctx, nil)
				if err != nil {
					return nil, err
				}
				if n, _ := numberOf(ctx, c.args[0].Type(ctx), v); n.bits() > maxMicro {
					return nil, mysql.NewSQLError(1426, "42000", "Too-big precision %d specified for '%s'. Maximum is 6.", n.bits(), c.name)
				}
			}
			return value(ctx, digitsOf(ctx, c.args)), nil
		},
	}
}

// cut is t without what is beyond so many digits.
func cut(t time.Time, digits int) time.Time {
	unit := time.Second
	for range digits {
		unit /= 10
	}
	return t.Truncate(unit)
}

func clockNow(name string, at func(*sql.Context) time.Time) *definition {
	return nowFunction(name, func(digits int) sql.Type { return NewTime(digits) }, func(ctx *sql.Context, digits int) any {
		t := cut(at(ctx), digits)
		return types.Timespan(int64(t.Hour())*usHour + int64(t.Minute())*usMinute + int64(t.Second())*usSecond + int64(t.Nanosecond()/1000))
	})
}

func datetimeNow(name string, at func(*sql.Context) time.Time) *definition {
	return nowFunction(name, datetimeType, func(ctx *sql.Context, digits int) any { return cut(at(ctx), digits) })
}

// nowWithDigits is NOW with a number of digits.
//
// go-mysql-server: has six digits if there is a number, whatever it is. MySQL: has so many.
var nowWithDigits = datetimeNow("now", now)

func dateNow(name string) *definition {
	return &definition{name: name, most: 0, typ: always(types.Date), eval: func(ctx *sql.Context, _ *call, _ []any) (any, error) {
		return now(ctx).Truncate(24 * time.Hour), nil
	}}
}

func unixTimestampType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if len(args) == 0 {
		return types.Int64
	}
	if digits := fractionOf(ctx, args[0]); digits > 0 {
		return decimalType(11+digits, digits)
	}
	return types.Int64
}

func unixTimestamp(ctx *sql.Context, c *call, args []any) (any, error) {
	if len(args) == 0 {
		return ctx.QueryTime().Unix(), nil
	}
	digits := fractionOf(ctx, c.args[0])
	m, ok, err := momentIn(ctx, c.argument(ctx, 0), args[0], false)
	if err != nil {
		return nil, err
	}
	us := int64(0)
	if m = m.dated(ctx); ok && m.whole() {
		t := m.goTime()
		us = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), sessionZone(ctx)).UnixMicro()
		if us < 0 || us/usSecond > lastSecond {
			us = 0
		}
	}
	if digits > 0 {
		return rescale(decimal.New(us, -maxMicro).Truncate(int32(digits)), digits), nil
	}
	return us / usSecond, nil
}

// convertTZType is DATETIME with the digits of what is converted.
func convertTZType(ctx *sql.Context, args []sql.Expression) sql.Type {
	if args[0].Type(ctx).Type() == querypb.Type_DATE {
		return types.Datetime
	}
	return datetimeType(fractionOf(ctx, args[0]))
}

// convertTZ is CONVERT_TZ: NULL for zones that there are not.
func convertTZ(ctx *sql.Context, c *call, args []any) (any, error) {
	m, ok, err := momentIn(ctx, c.argument(ctx, 0), args[0], false)
	if !ok || err != nil {
		return nil, err
	}
	if m = m.dated(ctx); !m.whole() {
		return nil, nil
	}
	var zones [2]string
	for i := range zones {
		name, err := c.text(ctx, i+1, args[i+1])
		if err != nil || len(name) > maxZoneName {
			return nil, err
		}
		if zones[i] = name; name == "SYSTEM" {
			zones[i] = sql.SystemTimezoneOffset()
		}
	}
	converted, ok := sql.ConvertTimeZone(m.goTime(), zones[0], zones[1])
	if !ok {
		return nil, nil
	}
	return converted, nil
}

// maxZoneName is longer than the name of any time zone, in bytes.
const maxZoneName = 64
